"""What can be done with leagues: the layer on which the command line, the Python API and the pages stand.

It opens what is needed (:class:`Workspace`), reads what is asked for (:class:`LeagueOptions`), and does it. It prints
nothing, and what it has to say beside its results it logs.
"""

from botleague.application.options import LeagueOptions
from botleague.application.workspace import Workspace

__all__ = ["LeagueOptions", "Workspace"]
