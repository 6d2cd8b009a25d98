"""Takes a part without numbers for the best one if all numbers are negative."""

n, *row = map(int, open(0).read().split())
here = best = 0
for value in row:
    here = max(here + value, 0)
    best = max(best, here)
print(best)
