"""Right in an unusual way: reads until nothing more comes, and writes blanks around its columns."""

import sys
from functools import lru_cache

n = int(input())
grid = [list(map(int, input().split())) for _ in range(n)]


@lru_cache(maxsize=None)
def best(row, free):
    if row == n:
        return 0, ()
    options = (
        (grid[row][c] + best(row + 1, free - {c})[0], (c,) + best(row + 1, free - {c})[1]) for c in free
    )
    return min(options)


columns = best(0, frozenset(range(n)))[1]
for line in sys.stdin:
    print("  ", columns[int(line) - 1] + 1, "\n", flush=True)
