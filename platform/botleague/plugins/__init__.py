"""The plugin host: hook specifications and the manager that finds and loads plugins."""

from botleague.plugins.host import PluginHost, PluginReport

__all__ = ["PluginHost", "PluginReport"]
