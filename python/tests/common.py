"""What tests share."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
import unittest
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def python_line(number: int, source: str = "print(int(input()) + 1)") -> dict[str, Any]:
    """Accepted if the source prints the next number."""
    return {
        "id": f"line {number}",
        "source": {"text": source, "language": "python3"},
        "cases": [{"input": f"{number}\n", "answer": f"{number + 1}\n"}],
    }


ENDLESS: Any = {"source": "while True: pass", "cases": [("", "")], "language": "python3", "limits": {"time": 3600}}


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def pid_of(judge: Any) -> int:
    pid: int = judge._process.child.pid
    return pid


@contextmanager
def scripted_juror() -> Iterator[str]:
    """A program that starts `scripted_juror.py`."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "juror")
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scripted_juror.py")
        with open(path, "w") as file:
            file.write(f'#!/bin/sh\nexec "{sys.executable}" "{script}"\n')
        os.chmod(path, stat.S_IRWXU)
        yield path


class ScriptedTest(unittest.TestCase):
    def setUp(self) -> None:
        context = scripted_juror()
        self.juror = context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
