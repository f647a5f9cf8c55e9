import networkx as nx
from networkx import DiGraph, shortest_path
def move(obs):
    g = nx.grid_2d_graph(4, 4)
    g.remove_node((1, 1))
    nx.set_edge_attributes(g, 1, "weight")
    g[(0, 0)][(0, 1)]["weight"] = 9
    d = DiGraph()
    d.add_weighted_edges_from([("a", "b", 2), ("b", "c", 3), ("a", "c", 9)])
    try: nx.shortest_path(d, "c", "a")
    except nx.NetworkXNoPath as e: err = type(e).__name__
    return nx.shortest_path(g, (0, 0), (3, 3), weight="weight"), shortest_path(d, "a", "c", weight="weight"), nx.dijkstra_path_length(d, "a", "c"), err, sorted(g.degree((0, 2)) for _ in range(1)), list(nx.topological_sort(d)), nx.is_connected(g), len(list(nx.connected_components(g))), sorted(g.neighbors((0, 0))), g.number_of_edges(), d.edges["a", "b"], nx.astar_path(g, (0, 0), (2, 2), heuristic=lambda a, b: abs(a[0] - b[0]) + abs(a[1] - b[1])), nx.to_dict_of_lists(d), sorted(nx.betweenness_centrality(d).items())
