"""Hook specifications, and the manager that finds and loads plugins."""

from botleague.plugins.harness_modules import harness_modules
from botleague.plugins.installed_entry_points import InstalledEntryPoint, installed_entry_points
from botleague.plugins.plugin_manager import PluginHost, PluginReport
from botleague.plugins.registry import OptionsRegistry, Registry
