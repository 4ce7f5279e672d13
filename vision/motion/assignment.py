"""The cheapest pairing of rows with columns: the Hungarian method with shortest augmenting paths.

Source: R. Jonker and A. Volgenant, A shortest augmenting path algorithm for dense and sparse linear
assignment problems, Computing 38 (1987).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

NEVER = 1e9
"""A pair that costs so much is none."""


def assign(costs: npt.NDArray[np.float64]) -> list[int | None]:
    """For each row the column that it is paired with, or None.

    As many rows as possible are paired, at the least sum of costs (float, n×m; infinite: no pair).
    """
    rows, columns = costs.shape
    size = rows + columns  # one more column for each row, in which it stays alone
    padded = np.full((rows, size), NEVER / 2)
    padded[:, :columns] = np.where(np.isfinite(costs), costs, NEVER)
    row_price, price = np.zeros(rows), np.zeros(size)
    owner = np.full(size, -1)
    for row in range(rows):
        least, through = np.full(size, np.inf), np.full(size, -1)
        done = np.zeros(size, np.bool_)
        here, column = row, -1
        while True:
            reduced = padded[here] - row_price[here] - price
            better = ~done & (reduced + (0.0 if column < 0 else least[column]) < least)
            least[better] = reduced[better] + (0.0 if column < 0 else least[column])
            through[better] = column
            column = int(np.argmin(np.where(done, np.inf, least)))
            done[column] = True
            if owner[column] < 0:
                break
            here = int(owner[column])
        end = least[column]
        visited = done & (least < end)
        row_price[row] += end
        for other in np.flatnonzero(visited):
            row_price[owner[other]] += end - least[other]
            price[other] -= end - least[other]
        while column >= 0:
            before = int(through[column])
            owner[column] = row if before < 0 else owner[before]
            column = before
    chosen: list[int | None] = [None] * rows
    for column in range(columns):
        if owner[column] >= 0 and padded[owner[column], column] < NEVER / 2:
            chosen[int(owner[column])] = column
    return chosen
