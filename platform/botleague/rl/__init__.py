"""Matches as environments of PettingZoo: learning programs on some seats, sandboxed bots on the others.

Needs ``pip install 'botleague[rl]'``. See ``docs/learning.md``.
"""

try:
    import gymnasium
    import pettingzoo
except ImportError as error:
    raise ImportError(f"botleague.rl needs more packages ({error}): pip install 'botleague[rl]'.") from error

from botleague.rl.environments import MatchEnv, ParallelMatchEnv, env, parallel_env

__all__ = ["MatchEnv", "ParallelMatchEnv", "env", "parallel_env"]
