"""Tree of all commands, with the module of each.

Only the module of the called command is imported, and it imports all it needs at its top. This keeps every command and
the list of commands fast.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer

from botleague.cli.kit.help_format import HelpfulCommand, HelpfulGroup
from botleague.version import __version__

if TYPE_CHECKING:
    from botleague.plugins import InstalledEntryPoint

GROUP = "botleague.commands"
"""Group of entry points for commands of other packages: ``NAME``, or ``GROUP NAME`` in a group of ours."""


@dataclass(frozen=True, slots=True)  # not a struct: the list of commands imports no msgspec
class Command:
    """Command, or group of commands.

    Attributes:
        name: as typed.
        place: ``module:attribute`` below :mod:`botleague.cli.commands`; "" for the entry point of another package.
        summary: one sentence for the list of commands, which is printed without importing the command.
    """

    name: str
    place: str
    summary: str

    def load(self) -> typer.Typer | Callable[..., None]:
        """Import and return the command's function, or the group."""
        if not self.place:
            command: Callable[..., None] = next(
                one for one in _entry_points() if one.name == self.name
            ).load()
            return command
        module, _, attribute = self.place.partition(":")
        loaded: typer.Typer | Callable[..., None] = getattr(
            import_module(f"botleague.cli.commands.{module}"), attribute
        )
        return loaded


COMMANDS = (
    Command("demo", "league_commands:demo", "Play a rated league of the bundled Isolation bots."),
    Command("check", "bot_commands:check", "Check a bot and report how it plays."),
    Command("try", "try_command:try_bot", "Test a bot against other bots and its previous version."),
    Command("submit", "bot_commands:submit", "Check a bot and store it."),
    Command("play", "match_commands:play", "Play one match and print the result."),
    Command("run", "league_commands:run", "Run a league and print the standings."),
    Command("standings", "standings_command:standings", "Print the standings of a league."),
    Command("replay", "match_commands:replay", "Show a recorded match, turn by turn."),
    Command("logs", "logs_command:logs", "Print the bots' output and faults in a match."),
    Command("compare", "compare_command:compare", "Test which of two bots is stronger."),
    Command("export", "proof_commands:export", "Export the results of a league to files."),
    Command("verify", "proof_commands:verify", "Verify the standings of a league from its matches."),
    Command("serve", "", "Serve the leagues of a database as live pages."),
    Command("runner", "", "Play all leagues continuously."),
    Command("publish", "publish_command:publish", "Write a league's pages as a static site."),
    Command("fairness", "fairness_command:fairness", "Report copied sources and suspicious results."),
    Command("doctor", "doctor_command:doctor", "Report how safely bots can run on this machine."),
    Command("new", "new_commands:new", "Create a bot, game or variant from a template."),
    Command("stubs", "stubs_command:stubs", "Write type stubs of a variant for editors."),
    Command("bots", "bot_commands:bots", "List bots."),
    Command("history", "bot_commands:history", "List the matches and ratings of a bot."),
    Command("league", "league_file_commands:league", "Manage league settings files."),
    Command("leagues", "catalog_commands:list_leagues", "List the leagues and their progress."),
    Command("variants", "catalog_commands:variants", "List the game variants."),
    Command("formats", "catalog_commands:formats", "List the league formats."),
    Command("conformance", "conformance_command:conformance", "Test a game against the rules contract."),
    Command("plugins", "catalog_commands:plugins", "List the installed plugins and their hooks."),
    Command("config", "catalog_commands:config", "Show every setting and where its value comes from."),
    Command("season", "season_commands:season", "Manage the seasons of a league."),
    Command("organise", "organise_commands:organise", "Manage a running league."),
    Command("account", "", "Manage accounts and roles."),
    Command("team", "", "Manage teams."),
    Command("invite", "", "Manage invites and registration."),
    Command("login", "login_commands:login", "Log in to a server."),
    Command("logout", "login_commands:logout", "Log out of a server."),
    Command("uploads", "bot_commands:uploads", "List your uploads to a server."),
    Command("practice", "login_commands:practice", "Play an unrated match on a server."),
    Command("ratings", "database_commands:ratings", "List rating systems and recompute ratings."),
    Command("db", "database_commands:db", "Check, back up, compact and upgrade the database."),
)


def make_app(called: str | None = None) -> typer.Typer:
    """Return the command line.

    Args:
        called: name of the only command to import; None for all.
    """
    app = typer.Typer(
        name="botleague",
        cls=HelpfulGroup,
        help="Run competitions between programs: sandboxed bots, games as plugins, leagues with lasting ratings.",
        no_args_is_help=True,
        add_completion=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["--help", "-h"]},
    )
    app.callback()(_root)
    # Typer reads the signature of every command it knows, so a known command is the only one.
    named = [command for command in COMMANDS if command.name == called]
    for command in named or COMMANDS:
        # Only listed, not imported: this keeps `botleague --help` fast.
        if called not in (None, command.name):
            app.command(command.name, cls=HelpfulCommand, help=command.summary)(_not_called)
            continue
        loaded = command.load()
        if isinstance(loaded, typer.Typer):
            for point in _entry_points():
                group, _, name = point.name.partition(" ")
                if name and group == command.name:
                    loaded.command(name)(point.load())
            for inner in loaded.registered_commands:
                inner.cls = HelpfulCommand
            own = loaded.info.cls
            app.add_typer(loaded, name=command.name, cls=own if isinstance(own, type) else HelpfulGroup)
        else:
            app.command(command.name, cls=HelpfulCommand)(loaded)
    return app


def _entry_points() -> list[InstalledEntryPoint]:
    # Not above: the list of commands imports no plugins.
    from botleague.plugins import installed_entry_points

    return installed_entry_points(GROUP)


def _version(is_requested: bool) -> None:
    if is_requested:
        typer.echo(f"botleague {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Run competitions between programs: sandboxed bots, games as plugins, leagues with lasting ratings."""


def _not_called(*_: Any) -> None:
    raise AssertionError("a command that was not named cannot be called")
