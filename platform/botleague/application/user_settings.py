"""The configuration: read once here, passed down as one frozen value.

Order of precedence: option, environment variable, project file, user file, default. The project file is
``botleague.toml``, or ``[tool.botleague]`` in a ``pyproject.toml``, found upwards from the working directory. Relative
paths in a file start at its folder.
"""

from __future__ import annotations

import os
import pwd
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec
import platformdirs

from botleague.errors import UsageError, did_you_mean
from botleague.names import owner_name

if TYPE_CHECKING:
    from botleague.rules.plugin_support.own_variant import OwnVariant
    from botleague_sandbox import Profile


class Value(msgspec.Struct, frozen=True):
    """A setting: its value, its origin, and the folder of the file that sets it, if any."""

    name: str
    value: Any
    origin: str
    folder: Path | None = None


class Settings(msgspec.Struct, frozen=True):
    """The settings from all sources.

    Attributes:
        database: URL or path.
        jobs: number of matches played in parallel.
        owner: owner of submitted bots; "" if not set and the system user has no name.
        public_url: public URL of the server, without a / at its end; "" for this machine only.
        plugins: files of one-file plugins.
        variants: the project's own variants, as read.
        values: every setting with its origin.
    """

    database: str
    jobs: int
    sandbox: Profile
    owner: str
    public_url: str
    plugins: tuple[Path, ...]
    variants: tuple[OwnVariant, ...]
    values: tuple[Value, ...]


KEYS: Mapping[str, str] = {
    "database": "URL or path of the database",
    "jobs": "number of matches played in parallel",
    "sandbox": "sandbox profile: strong, weak or none",
    "owner": "owner of submitted bots (default: the system user)",
    "public_url": "public URL of the server",
    "plugins": "files of one-file plugins",
    "variants": "variants of your own, as tables [variants.NAME]",
}
"""Description of every setting."""

VARIABLES = {
    "database": "BOTLEAGUE_DB",
    "jobs": "BOTLEAGUE_JOBS",
    "sandbox": "BOTLEAGUE_SANDBOX",
    "owner": "BOTLEAGUE_OWNER",
    "public_url": "BOTLEAGUE_PUBLIC_URL",
}
_OPTIONS = {"database": "db", "public_url": "public-url"}
_PROFILES: tuple[Profile, ...] = ("strong", "weak", "none")


def read_settings(options: Mapping[str, Any], environment: Mapping[str, str], folder: Path) -> Settings:
    """Return the settings for ``folder``.

    Args:
        options: values from the command line; None if not given.
        folder: the working directory.

    Raises:
        UsageError: a file is not TOML, has an unknown key or a value of the wrong type; the message names both.
    """
    project, project_file = _project(folder)
    user_file = Path(platformdirs.user_config_dir("botleague")) / "config.toml"
    user = _read(user_file) if user_file.is_file() else {}
    values: dict[str, Value] = {}
    for name, fallback in _defaults().items():
        variable = VARIABLES.get(name, "")
        if options.get(name) is not None:
            value = Value(name, options[name], f"option --{_OPTIONS.get(name, name)}")
        elif environment.get(variable):
            value = Value(name, environment[variable], f"variable {variable}")
        elif name in project:
            assert project_file is not None
            value = Value(name, project[name], str(project_file), project_file.parent)
        elif name in user:
            value = Value(name, user[name], str(user_file), user_file.parent)
        else:
            value = Value(name, fallback, "default")
        values[name] = value
    return Settings(
        database=_database(values["database"]),
        jobs=_jobs(values["jobs"]),
        sandbox=_profile(values["sandbox"]),
        owner=_owner(values["owner"]),
        public_url=_public_url(values["public_url"]),
        plugins=_plugins(values["plugins"]),
        variants=_variants(values["variants"]),
        values=tuple(values.values()),
    )


def default_database() -> Path:
    """Return the path of the database without a setting; its folder may not exist yet."""
    return Path(platformdirs.user_data_dir("botleague")) / "botleague.db"


def _defaults() -> dict[str, Any]:
    # Not os.cpu_count(): that counts the cores of the machine, not those of the container.
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return {
        "database": str(default_database()),
        "jobs": cores,
        "sandbox": "strong",
        "owner": _user_name(),
        "public_url": "",
        "plugins": [],
        "variants": {},
    }


def _project(folder: Path) -> tuple[Mapping[str, Any], Path | None]:
    for place in (folder, *folder.parents):
        own = place / "botleague.toml"
        if own.is_file():
            return _read(own), own
        shared = place / "pyproject.toml"
        if shared.is_file():
            tools = read_toml(shared).get("tool")
            # A pyproject.toml without a table of ours does not end the search.
            if isinstance(tools, dict) and "botleague" in tools:
                return _checked(tools["botleague"], shared), shared
    return {}, None


def _read(file: Path) -> Mapping[str, Any]:
    return _checked(read_toml(file), file)


def read_toml(file: Path) -> dict[str, Any]:
    """Return the contents of a TOML file.

    Raises:
        UsageError: it cannot be read, or is not TOML.
    """
    import tomllib  # takes longer than all other settings

    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} is not a TOML file: {error}.") from error


def _checked(table: object, file: Path) -> Mapping[str, Any]:
    if not isinstance(table, dict):
        raise UsageError(f"{file}: tool.botleague must be a table of settings, not {table!r}.")
    for name in table:
        if name not in KEYS:
            raise UsageError(
                f"{file}: unknown setting {name!r}.{did_you_mean(name, list(KEYS))} "
                f"Choose one of {', '.join(KEYS)}."
            )
    return table


def _database(value: Value) -> str:
    if not _is_path(value.value):
        raise UsageError(f"{value.origin}: database must be a URL or a path, not {value.value!r}.")
    if value.folder is None or "://" in value.value:
        return str(value.value)
    return str(value.folder / os.path.expanduser(value.value))


def _jobs(value: Value) -> int:
    try:
        jobs = int(value.value)
    except (TypeError, ValueError):
        jobs = 0
    # int() also accepts True and 2.7.
    if jobs < 1 or isinstance(value.value, bool | float):
        raise UsageError(f"{value.origin}: jobs must be a whole number from 1, not {value.value!r}.")
    return jobs


def _profile(value: Value) -> Profile:
    for profile in _PROFILES:
        if value.value == profile:
            return profile
    raise UsageError(f"{value.origin}: sandbox must be one of {', '.join(_PROFILES)}, not {value.value!r}.")


def _user_name() -> str:
    """Return the name of the system user; "" for a user without a name, as in many containers."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return ""


def _owner(value: Value) -> str:
    try:
        return owner_name(value.value if isinstance(value.value, str) else repr(value.value))
    except UsageError as error:
        if value.origin == "default":  # reported where an owner is needed: playing needs no such name
            return ""
        raise UsageError(f"{value.origin}: owner: {error}") from error


def _public_url(value: Value) -> str:
    if value.value == "":
        return ""
    try:
        return _address(value.value)
    except ValueError:  # also of a port that cannot be, and a host that no name server knows
        raise UsageError(
            f"{value.origin}: public_url must be an address like https://league.example.org, not {value.value!r}."
        ) from None


def _address(text: object) -> str:
    parts = urlsplit(text) if isinstance(text, str) else None
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise ValueError(text)
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise ValueError(text)
    host = parts.hostname if ":" in parts.hostname else parts.hostname.encode("idna").decode()
    port = "" if parts.port is None else f":{parts.port}"
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}{port}"


def _plugins(value: Value) -> tuple[Path, ...]:
    if not isinstance(value.value, list) or not all(map(_is_path, value.value)):
        raise UsageError(f"{value.origin}: plugins must be a list of paths, not {value.value!r}.")
    folder = value.folder or Path()
    return tuple((folder / os.path.expanduser(item)).resolve() for item in value.value)


def _variants(value: Value) -> tuple[OwnVariant, ...]:
    tables = value.value
    if not isinstance(tables, dict) or not all(isinstance(table, dict) for table in tables.values()):
        raise UsageError(
            f"{value.origin}: variants must be tables, like [variants.isolation-10x10], not {tables!r}."
        )
    if not tables:
        return ()
    from botleague.rules.plugin_support.own_variant import OwnVariant

    return tuple(OwnVariant(name, table, value.origin) for name, table in tables.items())


def _is_path(value: object) -> bool:
    return isinstance(value, str) and bool(value) and value.isprintable()
