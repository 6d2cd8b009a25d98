"""Starts a checker of DMOJ: NAME [WORD]... INPUT OUTPUT ANSWER. Exit code 0 is right, 1 is wrong, 3 is neither."""

import os
import runpy
import sys
import traceback

try:
    checker = os.path.join(os.path.dirname(os.path.abspath(__file__)), sys.argv[1])
    judge_input, output, answer = (open(name, "rb").read() for name in sys.argv[-3:])
    check = runpy.run_path(checker)["check"]
    right = check(
        output,
        answer,
        judge_input=judge_input,
        submission_source=b"",
        submission_language="",
        point_value=1,
        case_position=1,
        batch=0,
        binary_data=False,
        execution_time=0.0,
        problem_id="",
    )
    code = 0 if right else 1
except BaseException:
    traceback.print_exc()
    code = 3
sys.stdout.flush()
sys.stderr.flush()
os._exit(code)
