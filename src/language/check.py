"""Compiles each file. Where that fails, the error is shown without the lines of this program."""
import sys

sys.tracebacklimit = 0
for name in sys.argv[1:]:
    with open(name, "rb") as file:
        compile(file.read(), name, "exec")
