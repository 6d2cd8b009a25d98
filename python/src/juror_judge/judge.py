"""The judge: one process `juror grade` for as many threads and tasks as there are."""

from __future__ import annotations

import asyncio
import json
import os
import queue
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict

from juror_judge.process import Process
from juror_judge.result import Error, Judgement

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

Lines = Iterable[Mapping[str, Any]]
Source = str | Mapping[str, Any]
Cases = Iterable[tuple[str, str] | Mapping[str, Any]] | None
"""Input and answer of each test case."""


class Keys(TypedDict, total=False):
    """Keys of a line of `juror grade`. `detail` stands for `return`, a word of Python; `language` is the source's."""

    language: str | None
    id: Any
    problem: str | int | None
    sample: str | int | None
    package: str | None
    limits: Mapping[str, float] | None
    compare: str | None
    call: Mapping[str, Any] | None
    asserts: Mapping[str, Any] | None
    extract: str | None
    all: bool | None
    detail: str | None


class Settings(TypedDict, total=False):
    in_flight: int
    """How many lines juror has at a time; others wait here. By default, enough for all processors."""
    options: Sequence[str]
    """Options of `juror grade`, such as `["--jobs=4", "--repeat"]`."""
    map: Mapping[str, Any]
    """As its option: for lines of another form. `id` needs none."""
    defaults: Mapping[str, Any]
    """As its option: for keys that a line leaves out."""
    juror: str | os.PathLike[str]
    """The program, if it is not that of the wheel or on the path."""


class Judge:
    """Keeps a process `juror grade`, which starts at the first use. Use it in a `with` block, or close it.

    Threads and tasks may share it. If juror dies, lines without a result are judged again. A forked or spawned process
    that gets a judge has a juror of its own.
    """

    def __init__(self, **settings: Unpack[Settings]) -> None:
        self._settings = settings
        options = settings.get("options", ())
        for option in options:
            if not option.startswith("--") or option.startswith(("--output", "--resume", "--ordered")):
                raise ValueError(f"options: {option!r} is no option of a judge; give one such as '--jobs=4'")
        arguments = ["grade", *options]
        if "map" in settings:
            arguments.append("--map=" + json.dumps({**settings["map"], "id": "/id"}))
        if "defaults" in settings:
            arguments.append("--defaults=" + json.dumps(settings["defaults"]))
        # juror works on one line more than it has slots.
        in_flight = settings.get("in_flight") or 2 * (os.cpu_count() or 1) + 2
        self._ahead = 2 * in_flight
        self._process = Process(settings.get("juror"), arguments, in_flight)

    def __reduce__(self) -> tuple[Callable[[], Judge], tuple[()]]:
        return partial(Judge, **self._settings), ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends juror. What is not judged yet raises `Error`."""
        self._process.close()

    def judge(self, source: Source, cases: Cases = None, **keys: Unpack[Keys]) -> Judgement:
        """Judges a submission on test cases, a `package` or `asserts`. Raises `Error` if there is no verdict."""
        future = self._process.submit(_line(source, cases, keys))
        try:
            return future.result()
        finally:
            future.cancel()

    async def ajudge(self, source: Source, cases: Cases = None, **keys: Unpack[Keys]) -> Judgement:
        """As `judge`, for asyncio."""
        return await asyncio.wrap_future(self._process.submit(_line(source, cases, keys)))

    def grade(self, lines: Lines, *, ordered: bool = False) -> Iterator[Judgement | Error]:
        """Judges lines of `juror grade`, and yields each result as it comes, or in the order of the lines.

        An `Error` is yielded, not raised, so that it ends no stream. Few lines are taken ahead of the results: memory
        is bounded however long the stream is, and whoever stops reading stops it.
        """
        done: queue.SimpleQueue[Future[Judgement]] = queue.SimpleQueue()
        pending: dict[Future[Judgement], None] = {}

        def is_ready() -> bool:
            return bool(pending) and (next(iter(pending)).done() if ordered else not done.empty())

        def take() -> Judgement | Error:
            finished = done.get()
            future = next(iter(pending)) if ordered else finished
            del pending[future]
            return _outcome(future)

        try:
            for line in lines:
                future = self._process.submit(line)
                pending[future] = None
                future.add_done_callback(done.put)
                while is_ready() or len(pending) >= self._ahead:
                    yield take()
            while pending:
                yield take()
        finally:
            for future in pending:
                future.cancel()

    async def agrade(self, lines: Lines, *, ordered: bool = False) -> AsyncIterator[Judgement | Error]:
        """As `grade`, for asyncio."""
        done: asyncio.Queue[asyncio.Future[Judgement]] = asyncio.Queue()
        pending: dict[asyncio.Future[Judgement], None] = {}

        async def take() -> Judgement | Error:
            finished = await done.get()
            future = next(iter(pending)) if ordered else finished
            await asyncio.wait([future])
            del pending[future]
            return _outcome(future)

        try:
            for line in lines:
                future = asyncio.wrap_future(self._process.submit(line))
                pending[future] = None
                future.add_done_callback(done.put_nowait)
                while len(pending) >= self._ahead:
                    yield await take()
            while pending:
                yield await take()
        finally:
            for future in pending:
                future.cancel()


def _outcome(future: Future[Judgement] | asyncio.Future[Judgement]) -> Judgement | Error:
    try:
        return future.result()
    except Error as error:
        return error


def _line(source: Source, cases: Cases, keys: Mapping[str, Any]) -> dict[str, Any]:
    line = {"return" if key == "detail" else key: value for key, value in keys.items() if key != "language"}
    line["source"] = {"text": source} if isinstance(source, str) else dict(source)
    if keys.get("language") is not None:
        line["source"]["language"] = keys["language"]
    if cases is not None:
        names = ("input", "answer")
        line["cases"] = [case if isinstance(case, Mapping) else dict(zip(names, case, strict=True)) for case in cases]
    return line
