"""Calls the usual functions of numpy and networkx once, so that they load what they load at first use."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

_ARRAY_METHODS = (
    "max min sum prod mean std var argmax argmin all any cumsum cumprod round copy tolist flatten"
)
_ARRAY_FUNCTIONS = (
    "sort argsort median average unique nonzero transpose diff flip repr_of argwhere histogram ptp ravel gradient "
    "rot90 cov corrcoef isnan nan_to_num count_nonzero triu tril trace atleast_3d squeeze unwrap nanmean nanmax"
)
_LINALG_FUNCTIONS = "inv det eig eigh eigvals svd qr norm matrix_rank pinv cholesky"
_PATHS = (
    "shortest_path shortest_path_length dijkstra_path dijkstra_path_length astar_path bellman_ford_path has_path "
    "bidirectional_shortest_path all_shortest_paths all_simple_paths node_connectivity bidirectional_dijkstra"
)
_GRAPH_FUNCTIONS = (
    "connected_components is_connected minimum_spanning_tree all_pairs_shortest_path_length degree_centrality "
    "betweenness_centrality closeness_centrality diameter center articulation_points bridges density "
    "biconnected_components floyd_warshall pagerank to_numpy_array max_weight_matching greedy_color "
    "eccentricity triangles clustering core_number is_bipartite cycle_basis to_dict_of_lists"
)


def use_numpy() -> None:
    """Call what bots call of numpy."""
    import numpy as np

    array = np.arange(12.0).reshape(3, 4) + 1
    for name in _ARRAY_METHODS.split():
        getattr(array, name)()
    for name in _ARRAY_FUNCTIONS.split():
        if hasattr(np, name):
            getattr(np, name)(array)
    square = array[:, :3] @ array[:, :3].T + np.eye(3)
    for name in _LINALG_FUNCTIONS.split():
        getattr(np.linalg, name)(square)
    results: list[object] = [
        np.linalg.solve(square, square[0]),
        np.linalg.lstsq(square, square[0], rcond=None),
        np.percentile(array, 50),
        np.quantile(array, 0.5),
        np.roll(array, 1),
        np.pad(array, 1),
        np.kron(array, array),
        np.einsum("ij,ij->i", array, array),
        np.interp(1, [0, 2], [0, 2]),
        np.polyfit([0, 1, 2], [0, 1, 4], 1),
        np.convolve([1, 2], [1]),
        np.cross([1, 2, 3], [1, 2, 3]),
        np.vectorize(float)(array),
        np.apply_along_axis(sum, 0, array),
        np.concatenate([array, array]),
        np.stack([array, array]),
        np.split(array, 2, axis=1),
        np.meshgrid(array, array),
        np.isin(array, [1]),
        np.allclose(array, array),
        np.where(array > 1),
        np.clip(array, 0, 1),
        np.dot(array, array.T),
        np.fft.ifft(np.fft.fft(array)),
        np.datetime64("2000-01-01") - np.timedelta64(1, "D"),
        np.array([1, "x"], dtype=object),
    ]
    for sample in (
        *results,
        array,
        array > 1,
        array.astype(int),
        array.astype(complex),
        array.astype(str),
        array[0, 0],
    ):
        repr(sample), str(sample)
    with np.errstate(all="ignore"):
        results.append(np.divide(array, 0) ** 0.5)
    generator = np.random.default_rng(1)
    results += [generator.random(), generator.integers(3), generator.choice(3), generator.normal()]
    generator.shuffle(results)
    np.random.seed(1)
    results += [np.random.rand(2), np.random.randint(3), np.random.choice(3), np.random.normal()]


def use_networkx() -> None:
    """Call what bots call of networkx; its decorators compile each function at the first call."""
    import networkx as nx

    graph = nx.grid_2d_graph(3, 3)
    source, target = (0, 0), (2, 2)
    for name in _PATHS.split():
        _use_up(getattr(nx, name)(graph, source, target))
    for name in _GRAPH_FUNCTIONS.split():
        with contextlib.suppress(ImportError):  # pagerank and others need scipy
            _use_up(getattr(nx, name)(graph))
    directed = nx.DiGraph([(1, 2), (2, 3)], capacity=1)
    nx.set_edge_attributes(directed, 1, "capacity")
    for result in (
        nx.maximum_flow(directed, 1, 3),
        nx.minimum_cut(directed, 1, 3),
        nx.topological_sort(directed),
        nx.strongly_connected_components(directed),
        nx.bfs_edges(graph, source),
        nx.dfs_edges(graph, source),
        nx.bfs_tree(graph, source),
        nx.single_source_shortest_path(graph, source),
        nx.single_source_shortest_path_length(graph, source),
        nx.single_source_dijkstra(graph, source),
        nx.single_source_dijkstra_path_length(graph, source),
        nx.multi_source_dijkstra_path_length(graph, {source}),
        nx.ego_graph(graph, source),
        nx.relabel_nodes(graph, {source: 1}),
        nx.from_dict_of_lists({1: [2]}),
        nx.compose(graph, graph),
        nx.gnp_random_graph(4, 0.5, seed=1),
        nx.freeze(graph.subgraph([source]).copy()),
    ):
        _use_up(result)


def _use_up(result: Any) -> None:
    if isinstance(result, Iterator):
        list(result)
    repr(result)
