import numpy as np
from numpy import array, linalg
W = np.array([[0.2, 0.8], [0.5, -0.5]])
rng = np.random.default_rng(5)
def softmax(v):
    e = np.exp(v - v.max())
    return e / e.sum()
def move(obs):
    grid = np.zeros((4, 5), dtype=int)
    grid[1:3, 2] = 1
    grid[grid == 0] = -1
    h = np.maximum(0, W @ array([1.0, 2.0]))
    p = softmax(h)
    return grid.tolist(), p.round(4).tolist(), int(np.argmax(p)), linalg.norm(W).round(5), np.argwhere(grid == 1).tolist(), grid.sum(axis=0).tolist(), np.where(grid > 0, 1, 0).mean(), rng.integers(0, 9, 3).tolist(), np.unique(grid, return_counts=True)[1].tolist(), grid.shape, grid.T.shape, f"{p[0]:.3f}", np.linspace(0, 1, 3).tolist(), np.random.RandomState(1).randint(5), np.inf > 1, np.pi, isinstance(grid, np.ndarray)
