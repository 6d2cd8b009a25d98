"""The process with a scripted juror: what a real one does rarely."""

from __future__ import annotations

import os
import unittest
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from common import ScriptedTest

from juror_judge import Error, Judge, Judgement


class ProcessTest(ScriptedTest):
    def check_error(self, judge: Judge, source: str, *parts: str) -> None:
        with self.assertRaises(Error) as caught:
            judge.judge(source, id="mine")
        self.assertEqual((caught.exception.kind, caught.exception.id), ("process", "mine"))
        for part in parts:
            self.assertIn(part, str(caught.exception))

    def test_a_line_on_which_juror_dies_takes_no_other_with_it(self) -> None:
        with Judge(juror=self.juror, in_flight=8) as judge:
            sources = ["fine"] * 10 + ["die"] + ["fine"] * 10 + ["die"] + ["fine"] * 5
            lines = [{"id": number, "source": {"text": source}} for number, source in enumerate(sources)]
            for ordered in (False, True):
                outcomes = {outcome.id: outcome for outcome in judge.grade(lines, ordered=ordered)}
                died = [number for number, outcome in outcomes.items() if isinstance(outcome, Error)]
                self.assertEqual((len(outcomes), sorted(died)), (len(sources), [10, 21]))
            self.check_error(judge, "die", "died 3 times", "exit code 1", "these are my last words")
            self.assertTrue(judge.judge("fine").accepted)

    def test_what_is_no_result_ends_the_process(self) -> None:
        with Judge(juror=self.juror) as judge:
            self.check_error(judge, "lie", "wrote no result of version 2", "12345")
            self.assertTrue(judge.judge("fine").accepted)

    def test_large_lines_and_large_results_do_not_wait_for_each_other(self) -> None:
        with Judge(juror=self.juror, in_flight=50) as judge:
            filler = "x" * 1_000_000
            lines = [{"source": {"text": f"large: {filler}"}} for _ in range(50)]
            causes = [o.cause for o in judge.grade(lines) if isinstance(o, Judgement)]
            self.assertEqual([len(cause or "") for cause in causes], [1_000_000] * 50)

    def test_a_closed_judge_keeps_no_thread_waiting(self) -> None:
        # It reads its input, and never writes to its output, which stays open.
        with open(self.juror, "w") as file:
            file.write("#!/bin/sh\nexec 3>&1\nexec cat > /dev/null\n")
        with ThreadPoolExecutor(4) as threads:
            judge = Judge(juror=self.juror, in_flight=2)
            calls = [threads.submit(judge.judge, "fine") for _ in range(4)]
            while len(judge._process.sent) < 2:
                os.sched_yield()
            judge.close()
            self.assertEqual({str(call.exception()).split(";")[0] for call in calls}, {"process: the judge was closed"})

    def test_the_output_is_open_until_juror_has_ended(self) -> None:
        with Judge(juror=self.juror) as judge:
            judge.judge("fine")
            child = judge._process.child
        assert child is not None
        self.assertEqual(child.returncode, 0)

    def test_a_missing_juror_is_an_error_with_the_way_out(self) -> None:
        for juror in ("/nowhere/juror", os.path.dirname(self.juror)):
            with Judge(juror=juror) as judge:
                self.check_error(judge, "fine", "cannot start juror", juror, "install the wheel juror-judge")

    def test_paths_stay_relative_to_the_directory_of_the_first_use(self) -> None:
        with open(self.juror, "w") as file:
            file.write("#!/bin/sh\npwd >&2\nexit 7\n")
        before = os.getcwd()
        with Judge(juror=self.juror) as judge:
            self.check_error(judge, "fine", "exit code 7", before)
            os.chdir("/")
            self.addCleanup(os.chdir, before)
            self.check_error(judge, "fine", "exit code 7", before)


class SearchTest(unittest.TestCase):
    def test_juror_is_found_beside_python_before_the_path(self) -> None:
        from juror_judge.process import find_juror

        found: Any = find_juror()
        self.assertEqual(os.path.basename(found), "juror")


if __name__ == "__main__":
    unittest.main()
