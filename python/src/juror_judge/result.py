"""What comes back for a line: a judgement, or the error in place of one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Judgement:
    """The verdict of a submission. `raw` is the whole result, with keys that have no attribute here."""

    id: Any
    """The `id` of the line."""
    verdict: str
    """AC, WA, TLE, MLE, OLE, RTE or CE."""
    test_case: str | None
    """The first test case that it fails, or `build`."""
    cause: str | None
    """Why it fails there."""
    passed: int
    ran: int
    skipped: int
    """How many test cases were not run, because of an earlier rejection."""
    cpu_seconds: float | None
    """CPU time of its slowest run."""
    memory_bytes: int | None
    """Largest peak memory of a run."""
    sensitive: bool
    """Whether another run may get another verdict: a run was near the time limit."""
    forgeable: bool
    """Whether the program could accept itself, because a test ran in its interpreter."""
    score: dict[str, Any] | None
    """In a scoring problem: `points`, `max_points`, `groups` and `best`."""
    raw: dict[str, Any] = field(repr=False)

    @property
    def accepted(self) -> bool:
        return self.verdict == "AC"

    @property
    def share(self) -> float:
        """The share of test cases that it passes. Give `all=True`: else the first rejection ends the run."""
        return self.passed / max(self.ran + self.skipped, 1)


class Error(Exception):
    """No verdict: a fault of the line, the machine or juror, never of the submission.

    `kind` is one of those of `juror grade`, such as `line`, `skipped` and `judge`; or `process`, if juror cannot be
    started, died, or was closed. The kind `no_code` is the exception: the completion of a model has no code.
    """

    def __init__(self, kind: str, message: str, help: str | None = None, id: Any = None) -> None:
        super().__init__(kind, message, help, id)
        self.kind, self.message, self.help, self.id = kind, message, help, id

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}" + (f"; {self.help}" if self.help else "")
