"""Symmetric positive definite matrices, as lists of rows: enough linear algebra for a table of some hundred bots.

Inner products go through ``map`` and ``sum``, which is the fastest that plain Python has. Work and memory of each
function grow with n^3 and n^2.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import mul
from typing import TypeAlias

__all__ = ["Matrix", "NotPositive", "inverse", "product", "solve"]

Matrix: TypeAlias = list[list[float]]


class NotPositive(ArithmeticError):
    """The matrix is not positive definite to working precision."""


def solve(matrix: Matrix, vector: Sequence[float]) -> list[float]:
    """Return x with ``matrix`` x = ``vector``.

    Raises:
        NotPositive: ``matrix`` is not positive definite.
    """
    lower = _cholesky(matrix)
    forward: list[float] = []
    for row, value in zip(lower, vector, strict=True):
        forward.append((value - sum(map(mul, row, forward))) / row[len(forward)])
    backward = [0.0] * len(forward)
    for i in reversed(range(len(forward))):
        backward[i] = (
            forward[i] - sum(lower[j][i] * backward[j] for j in range(i + 1, len(forward)))
        ) / lower[i][i]
    return backward


def inverse(matrix: Matrix) -> Matrix:
    """Return the inverse, symmetric to the bit.

    Raises:
        NotPositive: ``matrix`` is not positive definite.
    """
    lower = _cholesky(matrix)
    size = len(lower)
    columns: Matrix = []  # of the inverse of the lower factor, each from its diagonal down
    for j in range(size):
        column = [1 / lower[j][j]]
        for i in range(j + 1, size):
            column.append(-sum(map(mul, lower[i][j:i], column)) / lower[i][i])
        columns.append(column)
    result = [[0.0] * size for _ in range(size)]
    for i in range(size):
        for j in range(i + 1):
            result[i][j] = result[j][i] = sum(map(mul, columns[i], columns[j][i - j :]))
    return result


def product(left: Matrix, right: Matrix) -> Matrix:
    """Return the product of two matrices."""
    columns = list(zip(*right, strict=True))
    return [[sum(map(mul, row, column)) for column in columns] for row in left]


def _cholesky(matrix: Matrix) -> Matrix:
    """Return the lower factor: row i holds i + 1 numbers."""
    lower: Matrix = []
    for i, source in enumerate(matrix):
        row: list[float] = []
        for j in range(i):
            row.append((source[j] - sum(map(mul, row, lower[j]))) / lower[j][j])
        square = source[i] - sum(map(mul, row, row))
        if square <= 0:
            raise NotPositive(f"row {i}")
        row.append(square**0.5)
        lower.append(row)
    return lower
