"""clients.py CLIENT URL: runs programs with known results by one of the clients below, eight at once.

clients.py load URL: measures, with 50 clients at once for 60 s, each of whose programs is another one.
"""

import json
import sys
import threading
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor


def programs():
    """Yields a language, a program, its input, its limit in seconds, and what is expected: the kind of its end, and its output."""
    for number in range(200):
        kind = number % 20
        mark = f"# {number}\n"
        if kind == 0:
            yield "python", mark + "while True: pass", "", 1, "timeout", None
        elif kind == 1:
            fork = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"
            yield "python", mark + fork, "", 1, "timeout", None
        elif kind in (2, 3):
            yield "python", mark + "import sys; print(7); sys.exit(3)", "", 5, 3, "7\n"
        elif kind in (4, 5):
            yield "python", mark + "import os; os.abort()", "", 5, -6, ""
        elif kind == 6:
            yield "python", mark + "def f(:", "", 5, 1, ""
        elif kind in (7, 8):
            yield "python", mark + "print('x' * 300000)", "", 5, 0, "x" * 300000 + "\n"
        elif kind == 9:
            yield "cpp", f"#include <cstdio>\nint main() {{ int a; std::scanf(\"%d\", &a); std::printf(\"%d\", a + {number}); }}", "5", 5, 0, str(5 + number)
        elif kind == 10:
            yield "cpp", f"int main() {{ return x{number}; }}", "", 5, "compile", None
        else:
            yield "python", mark + f"print(int(input()) * {number})", "3\n", 5, 0, f"{3 * number}\n"


def queued():
    """Programs that wait for each other for longer than a client waits for an answer."""
    for number in range(12):
        yield "python", f"import time\ntime.sleep(1)\nprint({number})", "", 2, 0, f"{number}\n"


def post(url, body, timeout):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=timeout) as answer:
        return json.load(answer)


def read_fusion(result):
    compiled, ran = result["compile_result"], result["run_result"]
    if ran is None:
        assert result["status"] == "Failed" and compiled["return_code"] != 0, result
        return "compile", None
    if ran["status"] == "TimeLimitExceeded":
        assert ran["return_code"] is None, result
        return "timeout", None
    assert ran["status"] == "Finished" and result["status"] == ("Success" if ran["return_code"] == 0 else "Failed"), result
    return ran["return_code"], ran["stdout"]


def fusion(url, language, code, stdin, limit):
    from sandbox_fusion import RunCodeRequest, run_code

    request = RunCodeRequest(code=code, language=language, stdin=stdin, run_timeout=limit, compile_timeout=10)
    return read_fusion(json.loads(run_code(request, endpoint=url).json()))


def verl(url, language, code, stdin, limit, compile_timeout=10):
    """As verl: three attempts, of which only those that get status 504 are followed by another one."""
    body = {
        "compile_timeout": compile_timeout, "run_timeout": limit, "code": code, "stdin": stdin, "memory_limit_MB": 1024,
        "language": language, "files": {}, "fetch_files": [],
    }
    for attempt in range(3):
        try:
            return read_fusion(post(url + "/run_code", body, compile_timeout + limit + 10))
        except urllib.error.HTTPError as error:
            if error.code != 504 or attempt == 2:
                raise
            time.sleep(attempt + 1)


def verl_in_queue(url, *program):
    return verl(url, *program, compile_timeout=2)


def piston(url, language, code, stdin, limit):
    """The request of piston_rs, and the keys of the answer that it needs."""
    body = {
        "language": {"cpp": "c++"}.get(language, language), "version": "*",
        "files": [{"name": "main.cpp" if language == "cpp" else "main.py", "content": code, "encoding": "utf8"}],
        "stdin": stdin, "args": [], "compile_timeout": 10000, "run_timeout": limit * 1000,
        "compile_memory_limit": -1, "run_memory_limit": -1,
    }
    result = post(url + "/api/v2/execute", body, 60)
    assert isinstance(result["language"], str) and isinstance(result["version"], str)
    for stage in (result["compile"], result["run"]):
        assert all(isinstance(stage[key], str) for key in ("stdout", "stderr", "output")), result
    if result["compile"]["code"] != 0:
        return "compile", None
    run = result["run"]
    if run["status"] == "TO":
        assert (run["code"], run["signal"]) == (None, "SIGKILL"), result
        return "timeout", None
    if run["signal"] is not None:
        assert (run["code"], run["status"]) == (None, "SG"), result
        return {"SIGABRT": -6}[run["signal"]], run["stdout"]
    assert run["status"] == (None if run["code"] == 0 else "RE"), result
    return run["code"], run["stdout"]


def load(url):
    times, end = [], time.time() + 60

    def run(client):
        number = 0
        while time.time() < end:
            number += 1
            factor = 100_000 * client + number
            begun = time.time()
            found = verl(url, "python", f"print(int(input()) * {factor})", "3\n", 5)
            assert found == (0, f"{3 * factor}\n"), found
            times.append(time.time() - begun)

    with ThreadPoolExecutor(50) as threads:
        list(threads.map(run, range(50)))
    times.sort()
    middle, late = times[len(times) // 2], times[len(times) * 99 // 100]
    print(f"{len(times)} programs, {len(times) / 60:.1f} a second; median {middle:.2f} s, 99th percentile {late:.2f} s")


def main():
    client, url = sys.argv[1:]
    if client == "load":
        return load(url)
    call = {"fusion": fusion, "verl": verl, "verl-queue": verl_in_queue, "piston": piston}[client]
    work = list(queued() if client == "verl-queue" else programs())
    done, lock, wrong = [0], threading.Lock(), []

    def run(program):
        *request, kind, output = program
        try:
            found = call(url, *request)
        except Exception as error:
            found = (repr(error), None)
        with lock:
            if found[0] != kind or (output is not None and found[1] != output):
                wrong.append(f"{program!r:.300}: {found!r:.300}")
            done[0] += 1
            if done[0] == len(work) // 2:
                print("half", flush=True)

    with ThreadPoolExecutor(len(work) if client == "verl-queue" else 8) as threads:
        list(threads.map(run, work))
    print(f"{len(work)} programs, {len(wrong)} wrong: " + "; ".join(wrong[:3]), flush=True)
    sys.exit(bool(wrong))


main()
