"""Stands in for `juror`, and does what the source of a line says: `die`, `fail once`, `lie`, or `large`."""

import json
import os
import select
import sys
import time

print(f"pid {os.getpid()}", file=sys.stderr, flush=True)
for text in sys.stdin:
    line = json.loads(text)
    source = line.get("completion") or line["source"]["text"]
    result = dict.fromkeys(("test_case", "cause", "cpu_seconds", "memory_bytes", "score", "error"))
    result |= dict.fromkeys(("passed", "ran", "skipped"), 0)
    result |= {"version": 2, "id": line["id"], "verdict": "AC", "sensitive": False, "forgeable": False}
    what, _, path = source.partition(": ")
    if what == "die":
        sys.exit("these are my last words")
    if what == "lie":
        result["id"] = 12345
    if what == "large":
        result["cause"] = "x" * 1_000_000
    if what == "fail":
        result |= {"verdict": None, "error": {"kind": "judge", "message": "cannot run", "help": None}}
    if what == "fail once" and not os.path.exists(path):
        with open(path, "w"):
            result |= {"verdict": None, "error": {"kind": "judge", "message": "cannot run", "help": None}}
    print(json.dumps(result), flush=True)
# Like juror, it fails if nobody can read its output any more; it is slow to see the end of its input.
time.sleep(0.2)
output = select.poll()
output.register(sys.stdout, 0)
if output.poll(0):
    sys.exit(4)
