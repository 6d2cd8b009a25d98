"""Writes its moves as numbers in single bytes, the way some engines talk."""

import sys

n, side = map(int, input().split())
sys.stdout.buffer.write(bytes([0, 255, 10]))
sys.stdout.buffer.flush()
for line in sys.stdin:
    pass
