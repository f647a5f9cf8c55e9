"""Rounds of editing and playing: authors are commands that may change their bot, then all bots meet in a rated league.

    python rounds.py isolation-5x5 --rounds 3 --author "ann=python improve.py" --author "bob=./bob.sh" --out arena

A command runs in a folder of its own, with the number of the round in BOTLEAGUE_ROUND. It finds there:

    bot/                    its bot, at first the example of the variant: what it may change
    brief.txt               the rules, and how a bot is written
    told.txt                what became of its last edit, and the last table
    matches/round-1.jsonl   one line for each turn of each of its bot's matches: what it printed and used

Commands are trusted: they are the operator's, and run as the operator. Bots are not, and play in sandboxes. Whatever
happens, the folder of an author is left as it is, and what played is kept in rounds/.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import math
import os
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import botleague
from botleague.errors import BotleagueError, UsageError


@dataclass(frozen=True)
class Edit:
    """What became of an author's turn in a round: what is told about it, and the bot that plays, None for none."""

    told: str
    plays: str | None


@dataclass(frozen=True)
class Score:
    """Of one author in one round: the share of rivals beaten, in the mean and by mirrored set, and its error (95 %)."""

    author: str
    mean: float
    error: float
    sets: Mapping[int, float]
    rating: float
    deviation: float | None


class Arena:
    """A folder with everything that the rounds of some authors need and make.

    Args:
        folder: where.
        variant: what is played.
        authors: commands by name.
        meetings: mirrored sets of each pairing in a round.
        patience_s: for one command, in seconds.
        seed: of all rounds.
    """

    def __init__(
        self,
        folder: Path,
        variant: str,
        authors: Mapping[str, str],
        *,
        meetings: int = 10,
        patience_s: float = 600.0,
        seed: int = 1,
    ) -> None:
        self.folder = folder.resolve()
        self.authors = authors
        self._variant = next((one for one in botleague.variants() if one.name == variant), None)
        self._name, self._meetings, self._patience_s, self._seed = variant, meetings, patience_s, seed
        brief = botleague.brief(variant)
        for author in authors:
            home = self.folder / author
            if not (home / "bot").exists():
                (home / "bot").mkdir(parents=True)
                (home / "matches").mkdir(exist_ok=True)
                (home / "bot" / self._entry).write_text(self._example)
            (home / "brief.txt").write_text(brief)

    def play(self, number: int) -> list[Score]:
        """Hold one round, or go on with it, and return how the authors did, best first."""
        edits = {author: self._edited(author, number) for author in self.authors}
        bots = [f"{author}={edit.plays}" for author, edit in edits.items() if edit.plays is not None]
        league = botleague.League(
            f"round-{number}",
            self._name,
            bots,
            database=self.folder / "league.db",
            format="round-robin",
            rounds=self._meetings,
            rating="glicko-2",
            seed=self._seed + number,
        )
        league.run()
        scores = scored(league)
        table = report(number, scores, edits)
        (self.folder / "rounds" / str(number) / "report.txt").write_text(table)
        for author, edit in edits.items():
            (self.folder / author / "told.txt").write_text(f"{edit.told}\n\n{table}")
            if edit.plays is not None:
                self._hand_out(league, author, number)
        return scores

    @property
    def _entry(self) -> str:
        assert self._variant is not None
        return self._variant.entries[0]

    @property
    def _example(self) -> str:
        assert self._variant is not None
        if self._variant.interface is None:
            raise UsageError(f"{self._name} has no example bot to begin with.")
        return self._variant.interface.example

    def _edited(self, author: str, number: int) -> Edit:
        """Give an author its turn, once a round; return what became of it."""
        kept = self.folder / "rounds" / str(number) / f"{author}.json"
        if kept.exists():
            return Edit(**json.loads(kept.read_text()))
        ran = self._run(author, number)
        place = kept.parent / author
        shutil.rmtree(place, ignore_errors=True)  # of a round that was stopped in the middle
        try:
            shutil.copytree(self.folder / author / "bot", place)
            problems = botleague.check(place, self._name)
        except (OSError, shutil.Error, UsageError) as error:
            problems = (str(error),)
        before = self._edit_before(author, number)
        if not problems:
            edit = Edit(f"{ran} Its bot plays.", str(place))
        elif before is not None and before.plays is not None:
            edit = Edit(
                f"{ran} Its bot is not accepted, so the one before plays:\n" + "\n".join(problems),
                before.plays,
            )
        else:
            edit = Edit(f"{ran} Its bot is not accepted, so it does not play:\n" + "\n".join(problems), None)
        kept.parent.mkdir(parents=True, exist_ok=True)
        written = kept.with_suffix(".new")
        written.write_text(json.dumps(asdict(edit)))
        written.rename(kept)  # all of it or nothing, so that a stopped round asks again whom it has not heard
        return edit

    def _edit_before(self, author: str, number: int) -> Edit | None:
        kept = self.folder / "rounds" / str(number - 1) / f"{author}.json"
        return Edit(**json.loads(kept.read_text())) if kept.exists() else None

    def _run(self, author: str, number: int) -> str:
        """Run an author's command; return in a sentence how it ended."""
        home = self.folder / author
        with (home / "output.txt").open("w") as output:
            try:
                process = subprocess.Popen(
                    shlex.split(self.authors[author]),
                    cwd=home,
                    env={**os.environ, "BOTLEAGUE_ROUND": str(number)},
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,  # so that what it has started ends with it
                )
            except OSError as error:
                return f"The command could not be run: {error.strerror}."
            try:
                code = process.wait(self._patience_s)
            except subprocess.TimeoutExpired:
                return f"The command took longer than {self._patience_s:g} s and was stopped."
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        return "The command ended well." if code == 0 else f"The command failed with exit code {code}."

    def _hand_out(self, league: botleague.League, author: str, number: int) -> None:
        """Write the journals of an author's own matches into its folder."""
        target = self.folder / author / "matches" / f"round-{number}.jsonl"
        with target.open("w") as lines:
            for match in league.matches():
                own = [bot for bot in match.bots if bot.partition("@")[0] == author]
                for bot in own:
                    told = {
                        "match": match.number,
                        "bots": match.bots,
                        "places": match.places,
                        "reason": match.reason,
                    }
                    for turn in league.journal(match.number, bot):
                        lines.write(json.dumps({**told, **turn.as_dict()}) + "\n")


def shares(league: botleague.League) -> dict[str, dict[int, float]]:
    """Return for every author, by mirrored set, which share of the rivals in it was beaten; a tie is half."""
    found: dict[str, dict[int, list[float]]] = {}
    for match in league.matches():
        for bot, place in zip(match.bots, match.places, strict=False):  # a match that is void has no places
            beaten = sum((place < other) + (place == other) / 2 for other in match.places) - 0.5  # not itself
            sets = found.setdefault(bot.partition("@")[0], {})
            sets.setdefault(match.group, []).append(beaten / (len(match.places) - 1))
    return {
        author: {group: statistics.mean(one) for group, one in sets.items()} for author, sets in found.items()
    }


def error_of(values: Sequence[float], least: float, most: float) -> float:
    """Return the error of a mean at 95 %, as if there were two more values at each end of the range.

    So few values claim little, and ten wins of ten are not taken for certain (Agresti and Coull, 1998).
    """
    padded = [*values, least, least, most, most]
    return 1.96 * statistics.pstdev(padded) / math.sqrt(len(padded))


def scored(league: botleague.League) -> list[Score]:
    """Return how the authors did in a round, best first.

    Matches of one seed with all orders of the seats are one piece of evidence, so errors are those of a mean of sets.
    """
    rows = {row.bot: row for row in league.standings()}
    found = [
        Score(
            author,
            statistics.mean(sets.values()),
            error_of(list(sets.values()), 0, 1),
            sets,
            rows[author].rating,
            rows[author].deviation,
        )
        for author, sets in shares(league).items()
    ]
    return sorted(found, key=lambda score: -score.mean)


def report(number: int, scores: Sequence[Score], edits: Mapping[str, Edit]) -> str:
    """Return a round's table, and which of its differences are more than luck."""
    return "\n".join(_lines(number, scores, edits)) + "\n"


def _lines(number: int, scores: Sequence[Score], edits: Mapping[str, Edit]) -> Iterator[str]:
    yield f"Round {number}: share of rivals beaten, with the error at 95 %"
    for score in scores:
        spread = "" if score.deviation is None else f" ± {1.96 * score.deviation:.0f}"
        yield (
            f"  {score.author:16} {score.mean:6.1%} ± {score.error:5.1%} of {len(score.sets)} sets,"
            f" rating {score.rating:.0f}{spread}"
        )
    for better, worse in itertools.pairwise(scores):
        # Of the sets that both played: what one wins there the other loses, so their errors do not just add up.
        apart = [better.sets[group] - worse.sets[group] for group in better.sets.keys() & worse.sets.keys()]
        mean, error = statistics.mean(apart), error_of(apart, -1, 1)
        said = "is better than" if mean > error else "cannot be told from"
        yield f"  {better.author} {said} {worse.author}: {mean:+.1%} ± {error:.1%} where they met"
    for author, edit in edits.items():
        yield f"  {author}: {edit.told.splitlines()[0]}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("variant")
    parser.add_argument("--author", action="append", required=True, metavar="NAME=COMMAND")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--meetings", type=int, default=10, help="mirrored sets of each pairing in a round")
    parser.add_argument("--patience", type=float, default=600.0, metavar="SECONDS", help="for one command")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("arena"), help="the folder; the same one goes on")
    given = parser.parse_args()
    authors = dict(one.partition("=")[::2] for one in given.author)
    if not all(name and shlex.split(command) for name, command in authors.items()):
        parser.error("--author: write NAME=COMMAND, like ann='python improve.py'")
    try:
        arena = Arena(
            given.out,
            given.variant,
            authors,
            meetings=given.meetings,
            patience_s=given.patience,
            seed=given.seed,
        )
        for number in range(1, given.rounds + 1):
            arena.play(number)
            print((arena.folder / "rounds" / str(number) / "report.txt").read_text())
    except BotleagueError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
