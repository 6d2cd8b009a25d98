"""Linear time: the best part that ends here is the best one that ended before, if that helps, and this number."""

n, *row = map(int, open(0).read().split())
here = best = row[0]
for value in row[1:]:
    here = max(here, 0) + value
    best = max(best, here)
print(best)
