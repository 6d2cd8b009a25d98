"""One process `juror grade`, used by many threads.

A single thread owns the process and its three pipes. It starts the process when the first line waits, sends at most
`in_flight` lines ahead, joins results with lines by a number, and reads whatever arrives, so neither side ever waits
for the other. Callers wait for futures: who stops reading keeps nobody.

If the process dies, lines without a result are sent again: judging is repeatable, and a lost reward is worse than a
second run. They are sent one at a time then, so that a line on which juror dies takes no other line with it; such a
line fails after `MOST_DEATHS`.

After a fork, the child forgets the process of its parent and starts its own.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import json
import os
import select
import shutil
import signal
import subprocess
import sysconfig
import threading
import weakref
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from juror_judge.result import Error, Judgement

MOST_DEATHS = 3
RESULT_VERSION = 2
SECONDS_TO_END = 5
BYTES_OF_STDERR = 4096


@dataclass
class Work:
    """A line, and who waits for its result."""

    number: int
    id: Any
    text: bytes = b""
    future: Future[Judgement] = field(default_factory=Future)
    deaths: int = 0

    def is_wanted(self) -> bool:
        return self.future.running() or self.future.set_running_or_notify_cancel()

    def fail(self, kind: str, message: str, help: str | None = None) -> None:
        if self.is_wanted():
            self.future.set_exception(Error(kind, message, help, self.id))

    def finish(self, result: dict[str, Any]) -> None:
        if fault := result["error"]:
            self.fail(fault["kind"], fault["message"], fault["help"])
        else:
            result = {**result, "id": self.id}
            names = Judgement.__dataclass_fields__.keys() - {"raw"}
            self.future.set_result(Judgement(raw=result, **{name: result[name] for name in names}))


class Process:
    def __init__(self, juror: str | os.PathLike[str] | None, arguments: Sequence[str], in_flight: int) -> None:
        self.juror, self.arguments, self.in_flight = juror, arguments, in_flight
        self.numbers = itertools.count(1)
        self.is_closed = False
        self._forget()
        _all.add(self)

    def _forget(self) -> None:
        # Guards `is_closed`, `thread`, `bell`, and what is added to `waiting`. All else belongs to the thread.
        self.lock = threading.Lock()
        self.thread: threading.Thread | None = None
        self.bell: tuple[int, int] | None = None
        self.waiting: deque[Work] = deque()
        self.sent: dict[int, Work] = {}
        self.child: subprocess.Popen[bytes] | None = None
        self.unwritten = memoryview(b"")
        self.output = bytearray()
        self.stderr = b""

    def forget_parent(self) -> None:
        """In the child of a fork: the thread, its lock and its process are those of the parent."""
        if self.child is not None:
            self.child.returncode = 0  # Not ours to wait for.
            for pipe in _pipes(self.child):
                pipe.close()
        for end in self.bell or ():
            os.close(end)
        self._forget()

    def submit(self, line: Mapping[str, Any]) -> Future[Judgement]:
        """Never waits."""
        work = Work(next(self.numbers), line.get("id"))
        # juror finds the number even if what follows is not JSON, because it is first.
        numbered = {"id": work.number, **{key: value for key, value in line.items() if key != "id"}}
        try:
            work.text = json.dumps(numbered, allow_nan=False).encode() + b"\n"
        except (TypeError, ValueError, RecursionError) as error:
            work.fail("line", f"cannot be written as JSON: {error}", "give texts, numbers, lists and dictionaries")
            return work.future
        with self.lock:
            if self.is_closed:
                work.fail("process", "the judge is closed", "use it inside of its `with` block")
                return work.future
            if self.thread is None:
                # Paths in lines stay relative to it, also if the process starts again.
                self.directory = os.getcwd()
                self.bell = os.pipe()
                for end in self.bell:
                    os.set_blocking(end, False)
                self.thread = threading.Thread(target=self._run, args=self.bell[:1], name="juror", daemon=True)
                self.thread.start()
            self.waiting.append(work)
            self._ring()
        return work.future

    def close(self) -> None:
        """Ends the process. Lines without a result fail."""
        with self.lock:
            self.is_closed = True
            self._ring()
        if self.thread is not None:
            self.thread.join()

    def _ring(self) -> None:
        with contextlib.suppress(BlockingIOError):  # It rings already.
            if self.bell is not None:
                os.write(self.bell[1], b".")

    def _run(self, bell: int) -> None:
        try:
            while not self.is_closed:
                if self.waiting and self.child is None:
                    self._start()
                if self.child is not None and not self.unwritten:
                    self._take_next()
                ready = self._wait(bell)
                if bell in ready:
                    os.read(bell, 4096)
                if self.child is not None:
                    self._exchange(self.child, ready)
        finally:
            self._stop()

    def _start(self) -> None:
        try:
            command = [self.juror or find_juror(), *self.arguments]
            with _starting:
                # In a session of its own, it does not get the Ctrl-C of the caller, who ends it.
                self.child = subprocess.Popen(
                    command, bufsize=0, cwd=self.directory, start_new_session=True,
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                )  # fmt: skip
        except OSError as error:
            help = "install the wheel juror-judge, put juror on PATH, or give it: Judge(juror=...)"
            self._fail_waiting(f"cannot start juror: {error}", help)
        else:
            for pipe in _pipes(self.child):
                os.set_blocking(pipe.fileno(), False)

    def _take_next(self) -> None:
        while self.waiting:
            work = self.waiting[0]
            is_alone = work.deaths > 0 or any(sent.deaths for sent in self.sent.values())
            if len(self.sent) >= (1 if is_alone else self.in_flight):
                return
            self.waiting.popleft()
            if work.is_wanted():
                self.sent[work.number] = work
                self.unwritten = memoryview(work.text)
                return

    def _wait(self, bell: int) -> set[int]:
        poll = select.poll()
        poll.register(bell, select.POLLIN)
        if self.child is not None:
            stdin, *others = _pipes(self.child)
            for pipe in others:
                poll.register(pipe, select.POLLIN)
            if self.unwritten:
                poll.register(stdin, select.POLLOUT)
        return {file for file, _ in poll.poll()}

    def _exchange(self, child: subprocess.Popen[bytes], ready: set[int]) -> None:
        stdin, stdout, stderr = (pipe.fileno() for pipe in _pipes(child))
        if stdin in ready:
            try:
                self.unwritten = self.unwritten[os.write(stdin, self.unwritten) :]
            except BrokenPipeError:
                self.unwritten = memoryview(b"")  # Its output ends next.
        if stderr in ready:
            self.stderr = (self.stderr + os.read(stderr, BYTES_OF_STDERR))[-BYTES_OF_STDERR:]
        if stdout in ready:
            text = os.read(stdout, 1 << 20)
            self.output += text
            if not text:
                self._recover(child, "died")
            elif b"\n" in text:
                *results, self.output = self.output.split(b"\n")
                for result in results:
                    if self.child is child:
                        self._deliver(child, bytes(result))

    def _deliver(self, child: subprocess.Popen[bytes], text: bytes) -> None:
        try:
            result = json.loads(text)
            if result["version"] != RESULT_VERSION:
                raise ValueError
            self.sent[result["id"]].finish(result)
            del self.sent[result["id"]]
        except (ValueError, KeyError, TypeError):
            self._recover(child, f"wrote no result of version {RESULT_VERSION}, but {text[:200]!r}")

    def _recover(self, child: subprocess.Popen[bytes], what: str) -> None:
        """Ends a process that failed: lines without a result are sent again, or fail."""
        lost = list(self.sent.values())
        how = self._end(child, signal.SIGKILL)
        for work in reversed(lost):
            work.deaths += 1
            if work.deaths < MOST_DEATHS:
                self.waiting.appendleft(work)
            else:
                work.fail("process", f"juror {what} {MOST_DEATHS} times with this line ({how})", "run `juror doctor`")

    def _end(self, child: subprocess.Popen[bytes], with_signal: signal.Signals | None) -> str:
        """How it ended, and the last lines of its standard error. Without a signal, the end of its input ends it."""
        stdin, stdout, stderr = _pipes(child)
        if with_signal:
            child.send_signal(with_signal)
            stdout.close()  # It need not wait for a reader.
        stdin.close()
        try:
            code = child.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            child.kill()
            code = child.wait()
        stdout.close()  # Not before its end: juror would take that for a client that has gone.
        with contextlib.suppress(BlockingIOError):
            while text := os.read(stderr.fileno(), BYTES_OF_STDERR):
                self.stderr = (self.stderr + text)[-BYTES_OF_STDERR:]
        stderr.close()
        words = self.stderr.decode(errors="replace").strip()
        self.child, self.sent, self.unwritten, self.stderr = None, {}, memoryview(b""), b""
        self.output.clear()
        return (f"exit code {code}" if code >= 0 else f"signal {-code}") + (words and f": {words}")

    def _stop(self) -> None:
        with self.lock:
            self.is_closed = True
            bell, self.bell = self.bell or (), None
            for end in bell:
                os.close(end)
        self.waiting.extend(self.sent.values())
        if self.child is not None:
            self._end(self.child, signal.SIGTERM if self.sent else None)
        self._fail_waiting("the judge was closed")

    def _fail_waiting(self, message: str, help: str | None = None) -> None:
        while self.waiting:
            self.waiting.popleft().fail("process", message, help)


def _pipes(child: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
    assert child.stdin and child.stdout and child.stderr
    return child.stdin, child.stdout, child.stderr


def find_juror() -> str:
    """The program of the wheel, else that on the path."""
    schemes = (sysconfig.get_default_scheme(), f"{os.name}_user")
    directories = [sysconfig.get_path("scripts", scheme) for scheme in schemes]
    # `pip install --target` puts it beside the module.
    directories.append(str(Path(__file__).parents[1] / "bin"))
    return shutil.which("juror", path=os.pathsep.join(directories)) or "juror"


_all: weakref.WeakSet[Process] = weakref.WeakSet()
# Held while pipes exist that no `Process` knows yet: a fork then would keep them open.
_starting = threading.Lock()


def _after_fork() -> None:
    _starting.release()
    for process in list(_all):
        process.forget_parent()


@atexit.register
def _close_all() -> None:
    for process in list(_all):
        process.close()


os.register_at_fork(before=_starting.acquire, after_in_parent=_starting.release, after_in_child=_after_fork)
