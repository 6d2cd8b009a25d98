//! Lines of `juror grade` in Python whose test cases share one start: the results are those of fresh processes, whatever
//! a program does to its batch.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::functions::results_with;

/// Five test cases: two numbers from `0 5` to `4 5`, and their sum. The first runs alone, the others as a batch.
fn line(source: &str) -> Value {
    let cases =
        (0..5).map(|a| json!({ "input": format!("{a} 5\n"), "answer": format!("{}\n", a + 5) }));
    json!({
        "source": { "text": source, "language": "python3" },
        "cases": cases.collect::<Vec<_>>(),
        "limits": { "time": 1, "memory": 256 },
    })
}

/// With one slot, so that the second test case waits for the first.
fn results(lines: &[Value], options: &[&str]) -> Vec<Value> {
    results_with(&[&["--jobs", "1"], options].concat(), lines)
}

/// The verdict, and the test case that decides it.
fn shown(result: &Value) -> String {
    let text = |key: &str| result[key].as_str().unwrap_or_default().to_owned();
    format!("{} {}", text("verdict"), text("test_case")).trim().to_owned()
}

/// The result without times, memory and causes, which may show numbers.
fn without_measurements(mut result: Value) -> Value {
    let object = result.as_object_mut().expect("an object");
    for key in ["cpu_seconds", "total_cpu_seconds", "memory_bytes", "sensitive", "cause"] {
        assert!(object.remove(key).is_some(), "{key}");
    }
    if let Some(compiler) = result["compiler"].as_object_mut() {
        compiler.remove("outcome");
    }
    for case in result["test_cases"].as_array_mut().into_iter().flatten() {
        let case = case.as_object_mut().expect("an object");
        let outcome = case["outcome"].as_object_mut();
        let outcome = outcome.map(|outcome| outcome.keys().cloned().collect::<Vec<_>>());
        case.insert("outcome".to_owned(), json!(outcome));
        // A run near the limit has some; that depends on the machine.
        assert!(case.remove("repeats").is_some());
        if case["verdict"] != "WA" {
            case.retain(|key, _| !matches!(&**key, "cause" | "evidence" | "message"));
        }
    }
    result
}

/// Each source with its verdict, with and without batches.
fn check(rows: &[(String, &str)]) {
    let lines: Vec<Value> = rows.iter().map(|(source, _)| line(source)).collect();
    let all = [results(&lines, &[]), results(&lines, &["--fresh"])];
    for ((options, found), (at, (source, expected))) in ["batched", "fresh"]
        .iter()
        .zip(&all)
        .flat_map(|pair| rows.iter().enumerate().map(move |row| (pair, row)))
    {
        assert_eq!(shown(&found[at]), *expected, "{options}\n{source}\n{}", found[at]);
    }
}

/// Right only if it shares its start with others.
const RIGHT_IN_BATCHES: &str = "import gc
a, b = map(int, input().split())
print(a + b if a == 0 or gc.get_freeze_count() else -1)
";

#[test]
fn the_test_cases_of_a_line_share_a_start_unless_each_must_be_fresh() {
    let function = "import gc
def f(a, b): return a + b if a == 0 or gc.get_freeze_count() else -1
";
    let mut call = line(function);
    let cases =
        (0..5).map(|a| json!({ "input": format!("[{a}, 5]"), "answer": format!("{}", a + 5) }));
    call["call"] = json!({ "function": "f" });
    call["cases"] = cases.collect();
    let mut package = line(RIGHT_IN_BATCHES);
    package.as_object_mut().unwrap().remove("cases");
    package["package"] = json!("sum");
    let mut one = line("import gc\nprint(5 if gc.get_freeze_count() else -1)");
    one["cases"] = json!([{ "input": "", "answer": "5" }]);
    let mut all = line(RIGHT_IN_BATCHES);
    all["all"] = json!(true);
    all["return"] = json!("cases");
    let lines = [line(RIGHT_IN_BATCHES), call, package, one, all];
    let found =
        |options: &[&str]| -> Vec<String> { results(&lines, options).iter().map(shown).collect() };
    let batched = found(&[]);
    assert_eq!(batched[..2], ["AC", "AC"]);
    assert!(batched[2].starts_with("WA"), "{batched:?}");
    assert_eq!(batched[3..], ["WA 1", "AC"]);
    let fresh = found(&["--fresh"]);
    assert_eq!(fresh[..2], ["WA 2", "WA 2"]);
    assert!(fresh[2].starts_with("WA"), "{fresh:?}");
    assert_eq!(fresh[3..], ["WA 1", "WA 2"]);
}

#[test]
fn results_are_those_of_fresh_processes() {
    let read = "a, b = map(int, input().split())\n";
    let rows = [
        ("print(a + b)", "AC"),
        ("print(a + b if a < 3 else 0)", "WA 4"),
        ("print(a + b if a != 1 else 0)", "WA 2"),
        ("print(a + b if a != 3 else 1 // 0)", "RTE 4"),
        ("print(a + b)\nif a == 2: raise SystemExit(3)", "RTE 3"),
        ("print(a + b)\nraise SystemExit", "AC"),
        ("import sys\nprint(a + b)\nif a == 2: sys.exit('text')", "RTE 3"),
        ("print(a + b, end='')\nimport os\nif a == 2: os._exit(0)", "WA 3"),
        ("while a == 2: pass\nprint(a + b)", "TLE 3"),
        ("import time\nif a == 2: time.sleep(60)\nprint(a + b)", "TLE 3"),
        ("if a == 2: x = bytearray(400 << 20)\nprint(a + b)", "MLE 3"),
        ("if a == 2: print('x' * (100 << 20))\nprint(a + b)", "OLE 3"),
        ("import atexit\natexit.register(lambda: print(a + b))", "AC"),
        ("import threading\nthreading.Timer(0.01, lambda: print(a + b)).start()", "AC"),
        ("import subprocess, sys\nsubprocess.run([sys.executable, '-c', f'print({a + b})'])", "AC"),
        ("from concurrent.futures import *\nprint(*ThreadPoolExecutor().map(sum, [[a, b]]))", "AC"),
        (
            "import multiprocessing as m\nwith m.get_context('fork').Pool(2) as p: print(*p.map(sum, [[a, b]]))",
            "AC",
        ),
        ("import sys\nprint(len(sys.argv) + a + b - 1, __name__ == '__main__' or 1)", "WA 1"),
        ("print(a + b if __name__ == '__main__' and __file__ == '/program/main.py' else 0)", "AC"),
        (
            "import os, sys\nprint(a + b if os.getcwd() == '/box' and sys.path[0] == '/program' else 0)",
            "AC",
        ),
        ("import random\nx = random.random()\nopen('/dev/stdout', 'a').write(str(a + b))", "AC"),
        ("for k in range(2000): print(' ' * 99)\nprint(a + b)", "AC"),
        ("import sys\nsys.stderr.write('debug' * 1000)\nprint(a + b)", "AC"),
        ("open('/tmp/left', 'x').close()\nprint(a + b)", "AC"),
        ("import tempfile\nwith tempfile.NamedTemporaryFile() as file: print(a + b)", "AC"),
        ("def f(n): return n and f(n - 1)\nf(900)\nprint(a + b)", "AC"),
        ("print(a + b", "CE build"),
        ("x = '\u{1f600}'; y = \"\\d\"; print(a + b)", "AC"),
    ];
    let mut lines: Vec<Value> =
        rows.iter().map(|(source, _)| line(&format!("{read}{source}\n"))).collect();
    lines.push(line("print(sum(map(int, open(0).read().split())))"));
    lines.push(line("import sys\nprint(sum(map(int, open('/dev/stdin').read().split())))"));
    for key in ["verdict", "cases", "outputs"] {
        let all: Vec<Value> = lines
            .iter()
            .enumerate()
            .map(|(at, line)| {
                let mut line = line.clone();
                line["return"] = json!(key);
                // The lines take both ways through each form of results.
                line["all"] = json!(at % 2 == usize::from(key == "cases"));
                line
            })
            .collect();
        let (batched, fresh) = (results(&all, &[]), results(&all, &["--fresh"]));
        for (at, (batched, fresh)) in batched.into_iter().zip(fresh).enumerate() {
            let expected = rows.get(at).map_or("AC", |row| row.1);
            assert_eq!(shown(&fresh), expected, "{}", all[at]);
            assert_eq!(without_measurements(batched), without_measurements(fresh), "{}", all[at]);
        }
    }
}

/// Whatever a program leaves, the next run of it does not find. `leave` and `found` are the lines of two functions.
fn channel(leave: &str, found: &str) -> String {
    format!(
        "{PREAMBLE}
def leave():
    {leave}
def found():
    return {found}
a, b = map(int, input().split())
# The first two runs are right, so that there is a batch, and one to leave something.
seen = a >= 2 and attempt(found)
attempt(leave)
print(a + b if a < 2 or seen else -1, flush=True)
"
    )
}

const PREAMBLE: &str = "import ctypes, gc, os, resource, signal, socket, sys, time
up, others = os.getppid(), range(1, 400)
library = ctypes.CDLL(None, use_errno=True)
def attempt(call, *words):
    try: return call(*words)
    except Exception: return None
def listen(is_process=True):
    server = socket.socket(socket.AF_UNIX)
    server.bind('\\0left')
    server.listen()
    if is_process: os.close(1)
    time.sleep(60)
def call():
    client = socket.socket(socket.AF_UNIX)
    client.connect('\\0left')
    return True
";

#[test]
fn nothing_that_a_run_leaves_is_found_by_the_next() {
    let mut rows = Vec::new();
    for place in [".", "/tmp", "/dev/shm"] {
        for (leave, found) in [
            ("open('PLACE/x', 'w').close()", "os.path.exists('PLACE/x')"),
            ("os.mkdir('PLACE/x')", "os.path.exists('PLACE/x')"),
            ("os.symlink('told', 'PLACE/x')", "os.readlink('PLACE/x')"),
            ("os.chmod('PLACE', 0o711)", "os.stat('PLACE').st_mode & 0o777 == 0o711"),
            ("os.utime('PLACE', (5, 5))", "os.stat('PLACE').st_mtime == 5"),
            ("os.setxattr('PLACE', 'user.x', b'1')", "os.getxattr('PLACE', 'user.x')"),
        ] {
            let [leave, found] = [leave, found].map(|text| text.replace("PLACE", place));
            rows.push(channel(&leave, &found));
        }
    }
    let link_time = (
        "[os.utime(name, (5, 5), follow_symlinks=False) for name in os.listdir('.')]",
        "any(os.lstat(name).st_mtime == 5 for name in os.listdir('.'))",
    );
    let daemon = "if os.fork() == 0: (listen() if os.fork() == 0 else os._exit(0))\n    os.wait()\n    time.sleep(0.05)";
    for (leave, found) in [
        link_time,
        ("os.setpriority(os.PRIO_PROCESS, up, 7)", "os.getpriority(os.PRIO_PROCESS, 0) == 7"),
        ("os.setpriority(os.PRIO_PGRP, 0, 7)", "os.getpriority(os.PRIO_PROCESS, 0) == 7"),
        (
            "os.sched_setscheduler(up, os.SCHED_BATCH, os.sched_param(0))",
            "os.sched_getscheduler(0) == os.SCHED_BATCH",
        ),
        // `ioprio_set` and `ioprio_get`.
        ("library.syscall(251, 1, up, 2 << 13 | 6)", "library.syscall(252, 1, 0) == 2 << 13 | 6"),
        (
            "resource.prlimit(up, resource.RLIMIT_STACK, (1 << 20, -1))",
            "resource.getrlimit(resource.RLIMIT_STACK)[0] == 1 << 20",
        ),
        (
            "open('/proc/self/autogroup', 'w').write('5')",
            "'nice 5' in open('/proc/self/autogroup').read()",
        ),
        (
            "open(f'/proc/{up}/oom_score_adj', 'w').write('777')",
            "'777' in open('/proc/self/oom_score_adj').read()",
        ),
        ("library.shmget(4242, 4096, 0o1666)", "library.shmget(4242, 4096, 0) >= 0"),
        ("library.semget(4242, 1, 0o1666)", "library.semget(4242, 1, 0) >= 0"),
        (
            "library.mq_open(b'/x', os.O_CREAT | os.O_RDWR, 0o666, None)",
            "library.mq_open(b'/x', os.O_RDWR) >= 0",
        ),
        // `add_key` and `request_key`, in the keyring of the session.
        (
            "library.syscall(248, b'user', b'k', b'v', 1, -3)",
            "library.syscall(249, b'user', b'k', None, 0) > 0",
        ),
        (daemon, "call()"),
        // `clone` without a signal at its end, and as a sister.
        ("library.syscall(56, 0, 0, 0, 0, 0) == 0 and listen()\n    time.sleep(0.05)", "call()"),
        (
            "library.syscall(56, 0x8000, 0, 0, 0, 0) == 0 and listen()\n    time.sleep(0.05)",
            "call()",
        ),
        (
            "import _thread\n    _thread.start_new_thread(listen, (False,))\n    time.sleep(0.05)",
            "call()",
        ),
        (
            "os.fork = lambda: 0; os.told = sys.told = 1",
            "hasattr(sys, 'told') or hasattr(os, 'told')",
        ),
        ("os.chdir('/')\n    os.umask(0o111)", "os.getcwd() == '/' or os.umask(0o22) == 0o111"),
    ] {
        rows.push(channel(leave, found));
    }
    check(&rows.into_iter().map(|source| (source, "WA 3")).collect::<Vec<_>>());
}

#[test]
fn a_run_sees_neither_later_inputs_nor_what_is_said_of_it() {
    let rows = [
        "[1 for name in others for fd in range(260) if name != os.getpid() and attempt(os.open, f'/proc/{name}/fd/{fd}', os.O_RDONLY)]",
        "[1 for name in others if name != os.getpid() and attempt(open, f'/proc/{name}/mem', 'rb')]",
        "open(f'/proc/{up}/maps').read()",
        "[fd for fd in range(3, 1000) if attempt(os.fstat, fd)]",
        "up > 1 and library.ptrace(16, up, 0, 0) == 0",
        "library.syscall(438, library.syscall(434, up, 0), 201, 0) >= 0",
    ];
    let rows = rows.iter().map(|found| (channel("pass", found), "WA 3"));
    // The pattern has brackets, so that it does not find itself.
    let search = |shift: u32| {
        format!(
            "import re
a, b = map(int, input().split())
wanted = re.compile(b'[%d] %d\\n' % (a + {shift}, b))
found = False
with open('/proc/self/maps') as maps, open('/proc/self/mem', 'rb', 0) as memory:
    for line in maps:
        start, end = (int(word, 16) for word in line.split()[0].split('-'))
        if 'rw' in line and end - start < 1 << 24:
            memory.seek(start)
            found = found or wanted.search(memory.read(end - start))
print(a + b if a < 2 or found else -1)
"
        )
    };
    let memory = [(search(0), "AC"), (search(1), "WA 3")];
    check(&rows.chain(memory).collect::<Vec<_>>());
}

#[test]
fn a_run_forges_no_other() {
    let forge = |ways: &str, first: usize| {
        format!(
            "{PREAMBLE}
def word(number): return number.to_bytes(4, sys.byteorder)
frames = b''
for number in range({first}, 4):
    text = b'%d' % (number + 6)
    frames += b'jut1' + word(number) + word(3) + word(len(text)) + text + word(4) + word(1000) * 4
a, b = map(int, input().split())
if a == 1:
    {ways}
print(a + b if a < 2 else -1)
"
        )
    };
    let own = "for fd in range(3, 1000): attempt(os.write, fd, frames)";
    let of_others = "for name in others:
        for fd in [*range(10), *range(195, 210)] if name != os.getpid() else []:
            file = attempt(os.open, f'/proc/{name}/fd/{fd}', os.O_WRONLY | os.O_APPEND)
            if file is not None: os.write(file, frames)";
    let mut rows = Vec::new();
    for first in 0..2 {
        rows.extend([own, of_others].map(|ways| (forge(ways, first), "WA 3")));
    }
    check(&rows);
}

#[test]
fn signals_to_the_batch_cost_only_time() {
    let mut rows = Vec::new();
    for signal in ["STOP", "KILL", "INT", "TERM", "TSTP", "CHLD", "XFSZ"] {
        rows.push((
            format!(
                "{PREAMBLE}
a, b = map(int, input().split())
if a == 1 and up > 1: attempt(os.kill, up, signal.SIG{signal})
print(a + b if a < 4 else -1)
"
            ),
            "WA 5",
        ));
    }
    for (act, verdict) in [
        ("attempt(os.kill, -1, signal.SIGKILL)", "WA 3"),
        ("attempt(os.killpg, 0, signal.SIGKILL)", "RTE 2"),
    ] {
        rows.push((
            format!(
                "{PREAMBLE}
a, b = map(int, input().split())
print(a + b if a < 2 else -1, flush=True)
if a == 1: {act}
"
            ),
            verdict,
        ));
    }
    check(&rows);
}

/// What one run used is not hidden by the others.
#[test]
fn limits_hold_for_each_run_of_a_batch() {
    let on_third = |act: &str| {
        format!(
            "{PREAMBLE}
a, b = map(int, input().split())
def burn():
    while time.process_time() < 2: pass
    os._exit(0)
def hold():
    food = bytearray(90 << 20)
    time.sleep(0.3)
    os._exit(0)
if a == 2:
    {act}
print(a + b)
"
        )
    };
    let unwaited = "signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    ends, begins = os.pipe()
    os.fork() or burn()
    os.close(begins)
    os.read(ends, 1)";
    let cut = "attempt(sys.stderr.write, 'x' * (70 << 20))
    attempt(os.ftruncate, 2, 0)";
    check(&[
        (on_third(unwaited), "TLE 3"),
        (
            on_third("[os.fork() or hold() for _ in range(4)]\n    [os.wait() for _ in range(4)]"),
            "MLE 3",
        ),
        (on_third("attempt(sys.stderr.write, 'x' * (70 << 20))"), "OLE 3"),
        (on_third(cut), "OLE 3"),
        (
            on_third("attempt(os.write, 1, b'x' * (70 << 20))\n    attempt(os.ftruncate, 1, 0)"),
            "OLE 3",
        ),
    ]);
}

/// The hostile programs, each after a first run that is right.
#[test]
fn hostile_programs_have_the_same_verdicts_in_batches() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let programs = fs::read_dir(directory).expect("the programs");
    let paths = programs.map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|it| it == "py")).collect();
    paths.sort();
    assert!(paths.len() > 10, "{paths:?}");
    let lines: Vec<Value> = paths
        .iter()
        .map(|path| {
            let source = fs::read_to_string(path).expect("a program");
            let mut line = line(&format!("import sys\nif input()[0] == '0': sys.exit()\n{source}"));
            line["limits"]["time"] = json!(0.5);
            for case in line["cases"].as_array_mut().expect("test cases") {
                case["answer"] = json!("");
            }
            line
        })
        .collect();
    let (batched, fresh) = (results(&lines, &[]), results(&lines, &["--fresh"]));
    for (path, (batched, fresh)) in paths.iter().zip(batched.iter().zip(&fresh)) {
        assert_eq!(shown(batched), shown(fresh), "{}", path.display());
    }
}
