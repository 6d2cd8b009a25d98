"""The judge with the real juror."""

from __future__ import annotations

import asyncio
import itertools
import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from common import ENDLESS, is_running, pid_of, python_line

from juror_judge import Error, Judge, Judgement
from juror_judge.judge import Keys
from juror_judge.process import find_juror


def verdict_in_fork(judge: Judge, pipe: Any) -> None:
    outcome = judge.judge("print(1)", [("", "1")], language="python3", id="child")
    pipe.send((outcome.verdict, pid_of(judge)))
    pipe.recv()  # The pipes of the parent would stay open until now.


class JudgeTest(unittest.TestCase):
    judge: Judge

    @classmethod
    def setUpClass(cls) -> None:
        cls.judge = Judge()
        cls.addClassCleanup(cls.judge.close)

    def test_keys_and_attributes_are_those_of_the_schema(self) -> None:
        text = subprocess.run([find_juror(), "schema", "grade"], capture_output=True, check=True).stdout
        schema = json.loads(text)["$defs"]
        of_line = set(schema["line"]["properties"]) - {"source", "cases", "return"}
        self.assertEqual(set(Keys.__annotations__) - {"language", "detail"}, of_line)
        self.assertLessEqual(set(Judgement.__dataclass_fields__) - {"raw"}, set(schema["result"]["properties"]))

    def test_each_way_to_give_a_submission_gets_its_verdict(self) -> None:
        def check(source: Any, cases: Any, expected: str, **keys: Any) -> Judgement:
            judgement = self.judge.judge(source, cases, **keys)
            self.assertEqual(judgement.verdict, expected, judgement)
            self.assertEqual(judgement.accepted, expected == "AC")
            return judgement

        right, python = "print(int(input()) + 1)", {"language": "python3"}
        check(right, [("1", "2")], "AC", **python)
        check(right, [{"input": "1", "answer": "2"}], "AC", **python)
        check({"text": right, "name": "a.py"}, iter([("1", "2")]), "AC")
        check("print(0.1 + 0.2)", [("", "0.3")], "AC", compare="float=1e-6", **python)
        check("print(0.1 + 0.2)", [("", "0.3")], "WA", **python)
        check("while True: pass", [("", "")], "TLE", limits={"time": 0.1}, **python)
        check("def f(a): return a + 1", [("[1]", "2")], "AC", call={"function": "f"}, **python)
        check("def f(a): return a + 1", None, "AC", asserts={"test": "assert f(1) == 2"}, **python)
        some = check(right, [("1", "2"), ("2", "0"), ("3", "4")], "WA", all=True, detail="cases", id=[7], **python)
        self.assertEqual((some.id, some.test_case, some.passed, some.ran), ([7], "2", 2, 3))
        self.assertAlmostEqual(some.share, 2 / 3)
        self.assertEqual(len(some.raw["test_cases"]), 3)
        first = check(right, [("1", "0"), ("2", "3"), ("3", "4")], "WA", **python)
        self.assertEqual((first.share, first.skipped), (0, 2))

    def test_what_is_no_verdict_raises_an_error_with_the_id_of_the_user(self) -> None:
        def check(kind: str, part: str, source: Any = "print(1)", **keys: Any) -> None:
            with self.assertRaises(Error) as caught:
                self.judge.judge(source, [("", "1")], **{"language": "python3", "id": kind, **keys})
            error = pickle.loads(pickle.dumps(caught.exception))
            self.assertEqual((error.kind, error.id), (kind, kind))
            self.assertIn(part, str(error))

        check("line", "is not JSON", source="print('\ud800')")
        check("line", "did you mean", limits={"tiem": 1})
        check("line", "cannot be written as JSON", limits={"time": float("nan")})
        check("line", "cannot be written as JSON", limits={1, 2})
        check("line", "expected", compare=5)
        check("source", "unknown language", language="klingon")
        check("no_code", "", source="I cannot do that", extract="last-block")
        check("line", "more than 64", source="#" * (65 << 20))

    def test_large_lines_arrive(self) -> None:
        text = "print(len(input()))\n" + "# a long comment\n" * 600_000
        judgement = self.judge.judge(text, [("", "1")], language="python3")
        self.assertEqual(judgement.verdict, "CE")
        self.assertIn("1 MiB allowed", judgement.cause or "")
        judgement = self.judge.judge(text[:900_000], [("x" * 10_000_000, "10000000")], language="python3")
        self.assertTrue(judgement.accepted, judgement)

    def test_a_stream_has_each_result_once(self) -> None:
        lines = [python_line(number % 50) | {"id": number} for number in range(1000)]
        ids = [outcome.id for outcome in self.judge.grade(lines, ordered=True)]
        self.assertEqual(ids, list(range(1000)))
        mixed = [*lines[:20], {"id": 20, "source": "x"}, python_line(3, "print(0)") | {"id": 21}]
        outcomes = {outcome.id: outcome for outcome in self.judge.grade(iter(mixed))}
        self.assertEqual(len(outcomes), 22)
        self.assertIsInstance(outcomes[20], Error)
        verdicts = [outcome.verdict for outcome in outcomes.values() if isinstance(outcome, Judgement)]
        self.assertEqual(sorted(verdicts), ["AC"] * 20 + ["WA"])
        self.assertEqual(list(self.judge.grade([])), [])

    def test_a_stream_takes_few_lines_ahead_of_who_reads_it(self) -> None:
        taken = 0

        def endless() -> Any:
            nonlocal taken
            for taken in itertools.count(1):
                yield python_line(taken % 7)

        for ordered in (False, True):
            with Judge(in_flight=4) as judge:
                outcomes = judge.grade(endless(), ordered=ordered)
                for read in range(1, 20):
                    self.assertIsInstance(next(outcomes), Judgement)
                    self.assertLessEqual(taken, read + 8)
                outcomes.close()  # type: ignore[attr-defined]
                self.assertTrue(judge.judge("print(1)", [("", "1")], language="python3").accepted)

    def test_threads_share_a_judge(self) -> None:
        def verdict(number: int) -> str:
            answer = number if number % 3 else -1
            return self.judge.judge(f"print({number})", [("", str(answer))], language="python3").verdict

        with ThreadPoolExecutor(10) as threads:
            verdicts = list(threads.map(verdict, range(60)))
        self.assertEqual(verdicts, ["WA" if number % 3 == 0 else "AC" for number in range(60)])

    def test_tasks_share_a_judge(self) -> None:
        async def main() -> None:
            tasks = [
                self.judge.ajudge(f"print({number})", [("", str(number % 40))], language="python3", id=number)
                for number in range(50)
            ]
            judgements = await asyncio.gather(*tasks)
            self.assertEqual([judgement.id for judgement in judgements], list(range(50)))
            self.assertEqual([judgement.accepted for judgement in judgements], [number < 40 for number in range(50)])
            with self.assertRaises(Error):
                await self.judge.ajudge("x", [("", "")], language="klingon")
            lines = [python_line(number) | {"id": number} for number in range(30)] + [{"id": 30, "source": "x"}]
            in_order = [outcome.id async for outcome in self.judge.agrade(lines, ordered=True)]
            self.assertEqual(in_order, list(range(31)))
            unordered = [outcome.id async for outcome in self.judge.agrade(lines)]
            self.assertEqual(sorted(unordered), list(range(31)))

        asyncio.run(main())

    def test_a_cancelled_task_that_waits_is_never_judged(self) -> None:
        async def main() -> None:
            with Judge(in_flight=1) as judge:
                first = asyncio.ensure_future(judge.ajudge(**{**ENDLESS, "limits": {"time": 0.3}}))
                others = [asyncio.ensure_future(judge.ajudge(**ENDLESS, id=number)) for number in range(5)]
                while not judge._process.sent:
                    await asyncio.sleep(0)
                for other in others:
                    other.cancel()
                await asyncio.gather(*others, return_exceptions=True)
                self.assertTrue((await judge.ajudge("print(1)", [("", "1")], language="python3")).accepted)
                self.assertEqual((await first).verdict, "TLE")

        asyncio.run(main())

    def test_lines_survive_the_death_of_juror(self) -> None:
        with Judge() as judge:
            outcomes = []
            lines = (python_line(number, f"print({number + 1})") for number in range(60))
            for outcome in judge.grade(lines, ordered=True):
                outcomes.append(outcome)
                if len(outcomes) in (5, 25):
                    os.kill(pid_of(judge), signal.SIGKILL)
            self.assertEqual([outcome.id for outcome in outcomes], [f"line {number}" for number in range(60)])
            self.assertTrue(all(isinstance(outcome, Judgement) and outcome.accepted for outcome in outcomes))

    def test_juror_ends_with_the_block(self) -> None:
        with self.assertRaises(ZeroDivisionError), Judge() as judge:
            judge.judge("print(1)", [("", "1")], language="python3")
            pid = pid_of(judge)
            raise ZeroDivisionError
        self.assertFalse(is_running(pid))
        with self.assertRaises(Error) as caught:
            judge.judge("print(1)", [("", "1")], language="python3")
        self.assertIn("closed", str(caught.exception))

    def test_ctrl_c_ends_juror(self) -> None:
        # A shell's job in the background ignores Ctrl-C, and so would what it starts.
        program = f"""
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.path[:0] = {sys.path!r}
from common import ENDLESS, pid_of
from juror_judge import Judge
with Judge() as judge:
    judge.judge("print(1)", [("", "1")], language="python3")
    print(pid_of(judge), flush=True)
    judge.judge(**ENDLESS)
"""
        command = [sys.executable, "-c", program]
        host = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(host.kill)
        assert host.stdout
        pid = int(host.stdout.readline())
        host.send_signal(signal.SIGINT)
        self.assertIn("KeyboardInterrupt", host.communicate(timeout=60)[1])
        self.assertFalse(is_running(pid))

    def test_a_judge_without_a_block_ends_with_the_program(self) -> None:
        program = f"""
import sys
sys.path[:0] = {sys.path!r}
from common import pid_of
from juror_judge import Judge
judge = Judge()
judge.judge("print(1)", [("", "1")], language="python3")
print(pid_of(judge))
"""
        host = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
        self.assertEqual((host.returncode, host.stderr), (0, ""))
        self.assertFalse(is_running(int(host.stdout)))

    def test_a_fork_has_a_juror_of_its_own(self) -> None:
        context = multiprocessing.get_context("fork")
        with Judge() as judge:
            judge.judge("print(1)", [("", "1")], language="python3")
            ours, theirs = context.Pipe()
            fork = context.Process(target=verdict_in_fork, args=(judge, theirs))
            fork.start()
            self.addCleanup(fork.kill)
            verdict, pid = ours.recv()
            self.assertEqual(verdict, "AC")
            self.assertNotEqual(pid, pid_of(judge))
            child = judge._process.child
            self.assertTrue(judge.judge("print(2)", [("", "2")], language="python3").accepted)
        assert child is not None
        # The end of its input ended it, although the fork lives.
        self.assertEqual(child.returncode, 0)
        ours.send("end")
        fork.join()
        self.assertEqual(fork.exitcode, 0)

    def test_a_pickled_judge_has_its_settings(self) -> None:
        judge = Judge(defaults={"source": {"language": "python3"}}, options=["--jobs=1"])
        with pickle.loads(pickle.dumps(judge)) as copy:
            self.assertTrue(copy.judge("print(1)", [("", "1")]).accepted)

    def test_a_map_reads_lines_of_another_form(self) -> None:
        form = {"source": {"text": "/code"}, "cases": {"input": "/in", "answer": "/out"}}
        with Judge(map=form, defaults={"source": {"language": "python3"}}) as judge:
            lines = [{"id": {"of": "the user"}, "code": "print(input())", "in": ["a"], "out": ["a"]}]
            (outcome,) = judge.grade(lines)
            self.assertTrue(isinstance(outcome, Judgement) and outcome.accepted, outcome)
            self.assertEqual(outcome.id, {"of": "the user"})

    def test_options_that_take_results_away_are_refused(self) -> None:
        for option in ("--output=x", "--resume", "--ordered", "lines.jsonl", "-j4"):
            with self.assertRaises(ValueError):
                Judge(options=[option])


if __name__ == "__main__":
    unittest.main()
