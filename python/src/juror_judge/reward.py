"""Rewards in the shape of TRL's reward functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from juror_judge.judge import Judge, Settings
from juror_judge.result import Judgement

if TYPE_CHECKING:
    from typing_extensions import Unpack

MOST_ATTEMPTS = 3
KEYS = ("cases", "package", "asserts", "call", "limits", "compare", "extract", "all")
DEFAULTS: Settings = {
    "map": {**{key: f"/{key}" for key in KEYS}, "source": {"text": "/completion", "language": "/language"}},
    "defaults": {"source": {"language": "python3"}},
}
# Faults that may be gone the next time. All others are those of the data set or of the machine.
PASSING_FAULTS = ("judge", "process")
# Large, and never part of a line.
OTHER_COLUMNS = ("prompts", "completion_ids", "environments")

Completion = str | Sequence[Mapping[str, Any]]
Value = Callable[[Judgement], float]


def accepted(judgement: Judgement) -> float:
    return float(judgement.accepted)


class Reward:
    """A reward function: completions, and columns of the data set as keywords, to a list of numbers.

    Columns with the names of keys of `juror grade` count: `cases`, `call`, `asserts`, `limits`, `compare`, `language`
    and others. For a data set of another form, give a `map`, in which the completion is `/completion`. `defaults` are
    for what columns leave out; the language is Python. `value` makes a number of a judgement: 1.0 if accepted, else
    0.0. A completion without code is 0.0.

    What could not be judged is repeated, and then raises `Error`, whose `id` is the number of the completion, from 0:
    0.0 would teach that the completion is wrong.

    With `none_on_error`, it is None. Beware: TRL adds up the rewards of a completion, and None counts as 0 there if
    another function has a number; in early versions of TRL 1 also if this is the only function.

    An object is picklable. Each process that uses it has a juror of its own. `judge` are the settings of `Judge`.
    """

    def __init__(
        self, *, value: Value = accepted, none_on_error: bool = False, name: str = "juror", **judge: Unpack[Settings]
    ) -> None:
        self.__name__ = name
        self._value, self._none_on_error = value, none_on_error
        settings: Settings = {**DEFAULTS, **judge}
        self._judge = Judge(**settings)

    def __call__(self, completions: Sequence[Completion], **columns: Any) -> list[float | None]:
        lines: list[dict[str, Any]] = [{"id": i, "completion": completion_text(c)} for i, c in enumerate(completions)]
        for name, column in columns.items():
            if isinstance(column, (list, tuple)) and len(column) == len(lines) and name not in OTHER_COLUMNS:
                for line, value in zip(lines, column):
                    # Neither images nor NaN, which stands for a missing value.
                    if isinstance(value, (str, int, float, list, tuple, dict)) and value == value:
                        line.setdefault(name, value)
        rewards: dict[int, float | None] = {}
        verdicts = [""] * len(lines)
        for attempt in range(1, MOST_ATTEMPTS + 1):
            numbers = [number for number in range(len(lines)) if number not in rewards]
            outcomes = self._judge.grade((lines[number] for number in numbers), ordered=True)
            for number, outcome in zip(numbers, outcomes):
                if isinstance(outcome, Judgement):
                    rewards[number] = self._value(outcome)
                    verdicts[number] = outcome.verdict
                elif outcome.kind == "no_code":
                    rewards[number] = 0.0
                elif outcome.kind not in PASSING_FAULTS or attempt == MOST_ATTEMPTS:
                    if not self._none_on_error:
                        raise outcome
                    rewards[number] = None
        if log := columns.get("log_extra"):
            log("verdict", verdicts)  # A column in TRL's table of completions.
        return [rewards[number] for number in range(len(lines))]


def completion_text(completion: Completion) -> str:
    """The text itself, or that of the last message. Its content may be a list of parts."""
    content = completion if isinstance(completion, str) else completion[-1].get("content") if completion else ""
    return content if isinstance(content, str) else "".join(part.get("text") or "" for part in content or [])


reward_fn = Reward()
