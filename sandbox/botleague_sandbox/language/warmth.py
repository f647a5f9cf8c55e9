"""Loads everything that a tier can ever need, in the zygote, before anything is locked down.

A locked-down process can open nothing. Python, numpy and networkx import much of themselves at first use, so
this module uses them once (the sandbox specification, section 4, "Two traps of numpy", and section 6).
"""

from __future__ import annotations

import dis
import importlib
import os
import sys
import types
from collections.abc import Iterator
from types import CodeType, ModuleType

from botleague_sandbox.program import Tier

__all__ = ["tier_facades", "warm"]

_facades: dict[Tier, dict[str, ModuleType]] = {}

_CODECS = "utf-8 utf-8-sig utf-16 utf-32 ascii latin-1 cp1252 cp437 idna unicode_escape raw_unicode_escape hex rot13"
_ERROR_HANDLERS = "strict ignore replace surrogateescape surrogatepass backslashreplace xmlcharrefreplace"
_NOT_WORTH_LOADING = frozenset(
    "matplotlib pandas scipy lxml pygraphviz pydot sympy unittest doctest pytest tkinter IPython webbrowser "
    "pdb asyncio multiprocessing concurrent".split()
)


def tier_facades(tier: Tier) -> dict[str, ModuleType]:
    """Return the facades of ``tier`` that all programs share, importing what they need at the first call."""
    if tier not in _facades:
        from botleague_sandbox.language.standard import strict_facades  # noqa: PLC0415 - the host must not pay for these imports

        facades = strict_facades()
        if tier == "scientific":
            # OpenBLAS would start threads, which forks do not survive and namespaces do not allow.
            for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
                os.environ.setdefault(variable, "1")
            from botleague_sandbox.language.scientific import scientific_facades  # noqa: PLC0415

            facades.update(scientific_facades())
        _facades[tier] = facades
    return _facades[tier]


def warm(tier: Tier) -> None:
    """Use everything of ``tier`` once that loads something at its first use."""
    facades = tier_facades(tier)
    for codec in _CODECS.split():
        "".encode(codec) if codec not in ("hex", "rot13") else None
    import codecs  # noqa: PLC0415

    for handler in _ERROR_HANDLERS.split():
        codecs.lookup_error(handler)
    for name in sorted(facades):
        if not name.startswith("numpy") and name in sys.modules:
            for wanted in sorted(_lazy_imports(name)):
                _try_import(wanted)
    import datetime  # noqa: PLC0415
    import time  # noqa: PLC0415

    datetime.datetime.strptime("2000-01-01", "%Y-%m-%d")
    time.strptime("2000", "%Y")
    if tier == "scientific":
        _use_numpy()
        _use_networkx()


def _try_import(name: str) -> None:
    if name.partition(".")[0] in _NOT_WORTH_LOADING:
        return
    try:
        importlib.import_module(name)
    except ImportError:
        pass  # an optional dependency that is not installed


def _lazy_imports(package: str) -> set[str]:
    """Return what the functions of a package import when they are called."""
    found: set[str] = set()
    for name, module in list(sys.modules.items()):
        if (name == package or name.startswith(package + ".")) and isinstance(module, ModuleType):
            for code in _codes(module):
                found.update(_imported_names(code))
    return found


def _codes(module: ModuleType) -> Iterator[CodeType]:
    waiting: list[object] = list(vars(module).values())
    seen: set[int] = set()
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, type) and value.__module__ == module.__name__:
            waiting.extend(vars(value).values())
        elif isinstance(value, staticmethod | classmethod):
            waiting.append(value.__func__)
        elif isinstance(value, property):
            waiting += [value.fget, value.fset]
        elif isinstance(value, types.FunctionType):
            if value.__module__ == module.__name__:
                waiting.append(value.__code__)
            waiting.append(getattr(value, "__wrapped__", None))
        elif isinstance(value, CodeType):
            yield value
            waiting.extend(constant for constant in value.co_consts if isinstance(constant, CodeType))
        elif hasattr(type(value), "__call__") and hasattr(
            value, "orig_func"
        ):  # networkx dispatches through these
            waiting.append(value.orig_func)


_IMPORT_NAME = dis.opmap["IMPORT_NAME"]


def _imported_names(code: CodeType) -> Iterator[str]:
    if _IMPORT_NAME in code.co_code[::2]:
        for instruction in dis.get_instructions(code):
            if instruction.opcode == _IMPORT_NAME and instruction.argval:
                yield instruction.argval


def _use_numpy() -> None:
    np = importlib.import_module("numpy")
    a = np.arange(12.0).reshape(3, 4)
    for method in "max min sum prod mean std var argmax argmin all any ptp cumsum cumprod round".split():
        if hasattr(a, method):
            getattr(a, method)()
    for function in "sort argsort median average unique percentile nonzero transpose diff flip roll".split():
        getattr(np, function)(a) if function not in ("percentile", "roll") else getattr(np, function)(a, 1)
    square = a[:, :3] + np.eye(3)
    for function in "inv det solve eig eigh svd qr norm matrix_rank pinv cholesky".split():
        arguments = (square @ square.T,) if function != "solve" else (square, square[0])
        getattr(np.linalg, function)(*arguments)
    generator = np.random.default_rng(1)
    (
        generator.random(),
        generator.integers(3),
        generator.choice(3),
        generator.normal(),
        generator.permutation(3),
    )
    np.random.seed(1), np.random.rand(2), np.random.randint(3), np.random.choice(3), np.random.shuffle([1, 2])
    np.fft.fft(a), np.fft.ifft(a)
    (
        repr(a),
        str(a),
        str(a > 1),
        repr(a.astype(int)),
        repr(a.astype(complex)),
        str(np.float64(1)),
        repr(np.array(["x"])),
    )
    (
        np.array_equal(a, a),
        np.allclose(a, a),
        np.where(a > 1),
        np.einsum("ij,ij->i", a, a),
        a @ a.T,
        np.dot(a, a.T),
    )
    (
        np.pad(a, 1),
        np.kron(a, a),
        np.histogram(a),
        np.interp(1, [0, 2], [0, 2]),
        np.polyfit([0, 1, 2], [0, 1, 4], 1),
    )
    (
        np.vectorize(float)(a),
        np.apply_along_axis(sum, 0, a),
        np.concatenate([a, a]),
        np.stack([a, a]),
        np.meshgrid(a, a),
    )
    (
        np.array(a.tolist()),
        np.zeros(3, dtype="int8"),
        np.datetime64("2000-01-01"),
        np.isin(a, [1]),
        np.argwhere(a > 1),
    )
    (
        np.convolve([1, 2], [1]),
        np.cross([1, 2, 3], [1, 2, 3]),
        np.trapezoid([1, 2]),
        np.clip(a, 0, 1),
        a.clip(0, 1),
    )
    with np.errstate(all="ignore"):
        np.divide(a, 0), a**0.5
    a.copy().sort(), a.astype(str), np.array([1, "x"], dtype=object), a.dumps() is None


def _use_networkx() -> None:
    nx = importlib.import_module("networkx")
    graph = nx.grid_2d_graph(3, 3)
    source, target = (0, 0), (2, 2)
    nx.set_edge_attributes(graph, 1, "weight")
    for function in (
        "shortest_path shortest_path_length dijkstra_path dijkstra_path_length astar_path bidirectional_shortest_path "
        "has_path bellman_ford_path all_shortest_paths all_simple_paths node_connectivity maximum_flow_value"
    ).split():
        options = {"capacity": "weight"} if function == "maximum_flow_value" else {}
        result = getattr(nx, function)(graph, source, target, **options)
        list(result) if hasattr(result, "__next__") else result
    for function in (
        "connected_components is_connected minimum_spanning_tree all_pairs_shortest_path_length degree_centrality "
        "betweenness_centrality closeness_centrality diameter center articulation_points bridges density "
        "biconnected_components floyd_warshall pagerank to_numpy_array max_weight_matching greedy_color"
    ).split():
        try:
            result = getattr(nx, function)(graph)
            list(result) if hasattr(result, "__iter__") and not hasattr(result, "nodes") else result
        except ImportError:
            pass  # needs scipy, which is not installed
    directed = nx.DiGraph([(1, 2), (2, 3)])
    list(nx.topological_sort(directed)), list(nx.strongly_connected_components(directed))
    list(nx.bfs_edges(graph, source)), list(nx.dfs_edges(graph, source)), nx.bfs_tree(graph, source)
    (
        nx.single_source_shortest_path(graph, source),
        nx.single_source_dijkstra(graph, source),
        nx.ego_graph(graph, source),
    )
    (
        graph.subgraph([source]).copy(),
        nx.freeze(graph.copy()),
        repr(graph),
        nx.relabel_nodes(graph, {source: 1}),
    )
    nx.from_dict_of_lists({1: [2]}), nx.compose(graph, graph), nx.gnp_random_graph(4, 0.5, seed=1)
