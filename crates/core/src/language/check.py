"""Compiles each file. Where that fails, the error is shown without the lines of this program."""
import sys

sys.tracebacklimit = 0
for name in sys.argv[1:]:
    with open(name, "rb") as file:
        source = file.read()
    compile(source, name, "exec")
    # `compile` overlooks other bytes in comments, at which Python stops when it starts the file itself.
    if b"coding" not in b"".join(source.splitlines()[:2]):
        try:
            source.decode()
        except UnicodeDecodeError as error:
            line = source.count(b"\n", 0, error.start) + 1
            raise SyntaxError(f"{name}, line {line}: not UTF-8, and no encoding declared") from None
