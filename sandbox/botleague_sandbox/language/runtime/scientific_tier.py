"""Imports from numpy and networkx in the scientific tier.

Both packages offer hundreds of harmless functions, so here the exceptions are listed: what opens files,
hands out memory or native code, evaluates text, or changes settings of the process. Submodules appear only as
facades of their own. Source: the sandbox specification, section 4.
"""

from __future__ import annotations

import importlib
import re
import sys
from types import ModuleType

from botleague_sandbox.language.runtime.module_facades import nest, of_module

PACKAGES = ("numpy", "networkx")

_NUMPY = "numpy numpy.exceptions numpy.fft numpy.linalg numpy.ma numpy.polynomial numpy.random numpy.typing"
_NETWORKX = re.compile(
    r"networkx(\.(exception|convert|relabel|(algorithms|classes|generators|linalg)(\.\w+)*))?\Z"
)
_WITHHELD = {
    "numpy": re.compile(
        r"""(
        ScalarType | bmat | load | save\w* | loadtxt | savetxt | genfromtxt | fromfile | fromregex | memmap | DataSource
        | frompyfunc | frombuffer | from_dlpack | fromstring
        | set\w*err\w* | get\w*err\w* | setbufsize | getbufsize | set_printoptions | set_string_function
        | set_numeric_ops | show_\w* | get_include | info | source | lookfor | who | deprecate\w* | disp | byte_bounds
        | add_docstring | add_newdoc\w* | add_newdoc_ufunc | fastCopyAndTranspose | compare_chararrays
        | safe_eval | recfromcsv | recfromtxt | chararray | recarray | record | format_parser | test | bitname
        | require_numpy_unit | get_bit_generator | set_bit_generator | BitGenerator | SeedSequence
        )\Z""",
        re.VERBOSE,
    ),
    "networkx": re.compile(
        r"""(
        (read|write|draw|nx|parse|generate|to_latex|to_pandas|from_pandas|to_scipy|from_scipy)\w*
        | to_agraph | from_agraph | view_pygraphviz | pygraphviz_layout | graphviz_layout | pydot_layout
        | display | apply_matplotlib_colors | config | utils | forest_str | write_network_text
        )\Z""",
        re.VERBOSE,
    ),
}


def scientific_facades() -> dict[str, ModuleType]:
    """Return the facades of numpy and networkx, importing what they show."""
    for name in (*_NUMPY.split(), "networkx"):
        importlib.import_module(name)
    parts = [
        name for name in sorted(sys.modules) if _NETWORKX.match(name) and not re.search(r"\.(_|tests)", name)
    ]
    facades: dict[str, ModuleType] = {
        name: of_module(name, _offered(name)) for name in (*_NUMPY.split(), *parts)
    }
    nest(facades)
    return facades


def _offered(name: str) -> list[str]:
    """Return the names of a module that bots get: of networkx's inner modules only what is their own."""
    module = sys.modules[name]
    package = name.partition(".")[0]
    withheld = _WITHHELD[package]
    whole = package == "numpy" or hasattr(module, "__path__")
    names = dir(module) if whole else getattr(module, "__all__", ())
    return [
        key
        for key in names
        if not (key.startswith("_") or withheld.match(key) or isinstance(vars(module).get(key), ModuleType))
    ]
