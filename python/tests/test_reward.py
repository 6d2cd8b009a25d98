"""Rewards, called as TRL 1 calls reward functions."""

from __future__ import annotations

import os
import pickle
import tempfile
import unittest
from typing import Any

from common import ScriptedTest

from juror_judge import Error, Judgement, Reward, reward_fn

CASES = [{"input": "1\n", "answer": "2\n"}, {"input": "2\n", "answer": "3\n"}]
RIGHT = "print(int(input()) + 1)"
HALF = "print(2)"


def share(judgement: Judgement) -> float:
    return judgement.share


def call(reward: Reward, completions: list[Any], **columns: Any) -> list[float | None]:
    """With all arguments that TRL gives."""
    number = len(completions)
    others = {"trainer_state": object(), "log_metric": print, "environments": [object()] * number}
    ids = [[1, 2]] * number
    return reward(prompts=["p"] * number, completions=completions, completion_ids=ids, **others, **columns)


class RewardTest(unittest.TestCase):
    def test_completions_are_texts_or_messages(self) -> None:
        parts = [{"type": "text", "text": "Here:\n"}, {"type": "text", "text": f"```python\n{RIGHT}\n```"}]
        completions = [
            RIGHT,
            f"Let me think.\n```python\n{RIGHT}\n```\n",
            [{"role": "assistant", "content": f"```\n{RIGHT}\n```"}],
            [{"role": "tool", "content": HALF}, {"role": "assistant", "content": parts}],
            HALF,
            "I cannot do that.",
            "",
            [],
            [{"role": "assistant", "content": None}],
        ]
        logged: dict[str, list[str]] = {}
        rewards = call(reward_fn, completions, cases=[CASES] * 9, log_extra=logged.__setitem__)
        self.assertEqual(rewards, [1.0] * 4 + [0.0] * 5)
        self.assertEqual(logged["verdict"][:5], ["AC"] * 4 + ["WA"])
        self.assertEqual(call(reward_fn, [], cases=[]), [])

    def test_columns_say_how_a_completion_is_judged(self) -> None:
        def check(completion: str, expected: float, **columns: Any) -> None:
            rewards = call(reward_fn, [completion], **{key: [value] for key, value in columns.items()})
            self.assertEqual(rewards, [expected], columns)

        check(RIGHT, 1.0, cases=CASES, problem={"any": "thing"}, image=object(), score=float("nan"), id=None)
        check('#include <cstdio>\nint main() { puts("2"); }', 1.0, cases=CASES[:1], language="cpp")
        check("def f(a): return a + 1", 1.0, cases=[{"input": "[1]", "answer": "2"}], call={"function": "f"})
        check("def f(a): return a + 1", 0.0, asserts={"test": "assert f(1) == 1"}, cases=None)
        check("print(2.00001)", 1.0, cases=CASES[:1], compare="float=1e-3", limits={"time": 1.0, "memory": None})
        check("import time\nwhile True: pass", 0.0, cases=CASES, limits={"time": 0.1})

    def test_another_form_and_another_value(self) -> None:
        form = {"source": {"text": "/completion"}, "cases": {"input": "/tests/in", "answer": "/tests/out"}}
        defaults = {"source": {"language": "python3"}, "all": True}
        reward = Reward(value=share, map=form, defaults=defaults, name="tests_passed")
        tests = {"in": ["1", "2"], "out": ["2", "3"]}
        copy = pickle.loads(pickle.dumps(reward))
        for each in (reward, copy):
            self.assertEqual(each.__name__, "tests_passed")
            self.assertEqual(call(each, [RIGHT, HALF], tests=[tests] * 2), [1.0, 0.5])

    def test_a_data_set_that_asks_for_something_else_raises(self) -> None:
        with self.assertRaises(Error) as caught:
            call(reward_fn, [RIGHT], cases=[CASES], fn_name=["add"])
        self.assertEqual(caught.exception.kind, "line")
        with self.assertRaises(Error):
            call(reward_fn, [RIGHT])

    def test_a_completion_without_code_is_wrong(self) -> None:
        self.assertEqual(call(reward_fn, ["I cannot."], cases=[CASES], extract=["last-block"]), [0.0])


class FailingJurorTest(ScriptedTest):
    def test_what_could_not_be_judged_is_repeated(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            sources = [f"fail once: {os.path.join(directory, str(number))}" for number in range(5)]
            self.assertEqual(call(Reward(juror=self.juror), ["fine", *sources]), [1.0] * 6)

    def test_what_can_never_be_judged_raises_or_is_none(self) -> None:
        for source, kind in (("fail", "judge"), ("die", "process")):
            with self.assertRaises(Error) as caught:
                call(Reward(juror=self.juror), ["fine", source, "fine"])
            self.assertEqual((caught.exception.kind, caught.exception.id), (kind, 1))
            reward = Reward(juror=self.juror, none_on_error=True)
            self.assertEqual(call(reward, ["fine", source, "fine"]), [1.0, None, 1.0])


if __name__ == "__main__":
    unittest.main()
