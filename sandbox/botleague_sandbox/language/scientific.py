"""What bots may import from numpy and networkx in the scientific tier.

Both packages offer hundreds of harmless functions, so here the exceptions are listed: what opens files,
hands out memory or native code, evaluates text, or changes settings of the process. Submodules appear only as
facades of their own. Source: the sandbox specification, section 4.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterable
from types import ModuleType

from botleague_sandbox.language.facades import of_module

__all__ = ["scientific_facades"]

_NUMPY_WITHHELD = re.compile(
    r"""(
    ScalarType | bmat | load | save\w* | loadtxt | savetxt | genfromtxt | fromfile | fromregex | memmap | DataSource
    | frompyfunc | frombuffer | from_dlpack | fromstring
    | set\w*err\w* | get\w*err\w* | setbufsize | getbufsize | set_printoptions | set_string_function
    | set_numeric_ops | show_\w* | get_include | info | source | lookfor | who | deprecate\w* | disp | byte_bounds
    | add_docstring | add_newdoc\w* | add_newdoc_ufunc | fastCopyAndTranspose | compare_chararrays
    | safe_eval | recfromcsv | recfromtxt | chararray | recarray | record | format_parser | test | bitname
    | require_numpy_unit
    )\Z""",
    re.VERBOSE,
)
_NUMPY_RANDOM_WITHHELD = re.compile(r"(test|get_bit_generator|set_bit_generator|BitGenerator|SeedSequence)\Z")
_NETWORKX_WITHHELD = re.compile(
    r"""(
    (read|write|draw|nx|parse|generate|to_latex|to_pandas|from_pandas|to_scipy|from_scipy)\w*
    | to_agraph | from_agraph | view_pygraphviz | pygraphviz_layout | graphviz_layout | pydot_layout
    | display | apply_matplotlib_colors | config | utils | forest_str | write_network_text
    )\Z""",
    re.VERBOSE,
)


def scientific_facades() -> dict[str, ModuleType]:
    """Return the facades of numpy and networkx, importing what numpy would load at first use."""
    for name in ("numpy.linalg", "numpy.fft", "numpy.random", "networkx"):
        importlib.import_module(name)
    linalg = of_module("numpy.linalg", _offered("numpy.linalg", re.compile(r"test\Z")))
    fft = of_module("numpy.fft", _offered("numpy.fft", re.compile(r"test\Z")))
    random = of_module("numpy.random", _offered("numpy.random", _NUMPY_RANDOM_WITHHELD))
    numpy = of_module(
        "numpy", _offered("numpy", _NUMPY_WITHHELD), {"linalg": linalg, "fft": fft, "random": random}
    )
    networkx = of_module("networkx", _offered("networkx", _NETWORKX_WITHHELD))
    return {module.__name__: module for module in (numpy, linalg, fft, random, networkx)}


def _offered(name: str, withheld: re.Pattern[str]) -> Iterable[str]:
    module = sys.modules[name]
    for key in dir(module):
        if key.startswith("_") or withheld.match(key):
            continue
        if not isinstance(vars(module).get(key), ModuleType):
            yield key
