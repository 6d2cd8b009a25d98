//! `juror listen`: requests and what they leave on the disk.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::thread;

use rustix::process::{Pid, Signal, kill_process};

use crate::fixture::Fixture;
use crate::tidy::files_below;

struct ListeningJuror<'a> {
    fixture: &'a Fixture,
    child: Child,
    errors: BufReader<std::process::ChildStderr>,
    port: u16,
}

impl<'a> ListeningJuror<'a> {
    /// Listens for problems for `inbox`.
    fn start(fixture: &'a Fixture, arguments: &str) -> Self {
        fs::create_dir_all(fixture.path("inbox")).expect("a directory");
        let mut child = fixture
            .std_juror(&format!("listen inbox --port 0 {arguments}"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("juror runs");
        let mut errors = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut line = String::new();
        errors.read_line(&mut line).expect("a line");
        let port = line.strip_prefix("listening on http://localhost:");
        let port = port.and_then(|rest| rest.split('/').next()?.parse().ok());
        let port = port.unwrap_or_else(|| panic!("no port: {line}"));
        Self { fixture, child, errors, port }
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).expect("a connection")
    }

    /// Returns the whole answer.
    fn send(&self, request: &str) -> String {
        let mut stream = self.connect();
        // Some requests are refused before they end.
        _ = stream.write_all(request.as_bytes());
        _ = stream.shutdown(Shutdown::Write);
        let mut answer = String::new();
        _ = stream.read_to_string(&mut answer);
        answer
    }

    fn send_problem(&self, json: &str) -> String {
        self.send(&post(json))
    }

    /// What is in the inbox, by its path.
    fn files(&self) -> Vec<String> {
        files_below(&self.fixture.path("inbox"))
    }

    /// Returns standard output and the rest of standard error.
    fn stop(mut self, signal: Signal) -> (String, String) {
        let number = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        kill_process(number.expect("a process"), signal).expect("a signal");
        let [mut printed, mut said] = [const { String::new() }; 2];
        let mut out = self.child.stdout.take().expect("a pipe");
        out.read_to_string(&mut printed).expect("a text");
        self.errors.read_to_string(&mut said).expect("a text");
        let code = self.child.wait().expect("the end").code();
        assert_eq!(code, Some(0), "{printed}{said}");
        (printed, said)
    }
}

fn post(body: &str) -> String {
    let length = body.len();
    format!(
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}

fn problem(name: &str, url: &str, answers: &[&str]) -> String {
    let tests =
        answers.iter().map(|answer| format!(r#"{{"input": "1 2\n", "output": "{answer}\n"}}"#));
    let tests = tests.collect::<Vec<_>>().join(", ");
    format!(
        r#"{{"name": "{name}", "url": "https://example.org/{url}", "timeLimit": 1500, "memoryLimit": 64, "tests": [{tests}]}}"#
    )
}

fn empty_directory() -> Fixture {
    Fixture::new()
}

#[test]
fn a_problem_can_be_judged_at_once() {
    let fixture = empty_directory();
    fixture.write("tpl/main.sh", "read -r a b; echo 4\n");
    let listener = ListeningJuror::start(&fixture, "--template tpl/main.sh");
    let answer = listener.send_problem(&problem("A. Sum", "a", &["3"]));
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(!answer.to_lowercase().contains("access-control"), "{answer}");
    assert!(answer.ends_with("\r\n\r\nA. Sum: 1 test, 1.5 s, 64 MiB\n"), "{answer}");
    let dir = "A. Sum";
    let names = ["1.in", "1.out", "juror.toml", "main.sh"].map(|name| format!("{dir}/{name}"));
    assert_eq!(listener.files(), names);
    let rejected = fixture.juror("judge").args(["inbox/A. Sum", "inbox/A. Sum/main.sh"]).output();
    let rejected = String::from_utf8(rejected.expect("juror runs").stdout).expect("a text");
    assert!(rejected.contains("WA"), "{rejected}");
    assert!(rejected.contains("CPU time 1.5 s (juror.toml)"), "{rejected}");
    assert!(rejected.contains("memory 64 MiB"), "{rejected}");

    // The problem comes again: its tests are replaced, and the source stays.
    listener.send_problem(&problem("A. Sum", "a", &["4", "4"]));
    assert_eq!(fixture.read("inbox/A. Sum/2.out"), "4\n");
    let accepted = fixture.juror("judge").args(["inbox/A. Sum", "inbox/A. Sum/main.sh"]).output();
    assert!(accepted.expect("juror runs").status.success());
    fixture.write("inbox/A. Sum/3.in", "my own test");
    listener.send_problem(&problem("A. Sum", "a", &["3"]));
    let files =
        ["1.in", "1.out", "3.in", "juror.toml", "main.sh"].map(|file| format!("{dir}/{file}"));
    assert_eq!(listener.files(), files);

    // Another problem of that name.
    let again = listener.send_problem(&problem("A. Sum", "b", &["5"]));
    assert!(again.contains("A. Sum-2: 1 test"), "{again}");
    assert_eq!(fixture.read("inbox/A. Sum-2/1.out"), "5\n");
    assert_eq!(fixture.read("inbox/A. Sum/1.out"), "3\n");

    let (printed, said) = listener.stop(Signal::INT);
    let command = |dir: &str| format!("  juror judge 'inbox/{dir}' 'inbox/{dir}/main.sh'\n");
    let facts = [
        ("A. Sum", "1 test, 1.5 s, 64 MiB"),
        ("A. Sum", "2 tests replaced, 1.5 s, 64 MiB"),
        ("A. Sum", "1 test replaced, 1.5 s, 64 MiB"),
        ("A. Sum-2", "1 test, 1.5 s, 64 MiB"),
    ];
    let expected = facts.map(|(dir, facts)| format!("{dir} ({facts})\n{}", command(dir)));
    assert_eq!(printed, expected.concat());
    assert_eq!(said, "");
}

#[test]
fn a_problem_is_known_by_its_address_whatever_its_name() {
    let check = |names: &[&str], expected: &[&str]| {
        let fixture = empty_directory();
        let listener = ListeningJuror::start(&fixture, "");
        for (number, name) in names.iter().enumerate() {
            let (name, url) = name.split_once('@').expect("a name and an address");
            listener.send_problem(&problem(name, url, &[&number.to_string()]));
        }
        let answers = listener.files().into_iter().filter(|name| name.ends_with("/1.out"));
        let answers = answers.map(|name| {
            let answer = fixture.read(&format!("inbox/{name}"));
            format!("{} {}", name.trim_end_matches("/1.out"), answer.trim())
        });
        assert_eq!(answers.collect::<Vec<_>>(), expected, "{names:?}");
        listener.stop(Signal::INT);
    };
    check(&["A@1", "B@1"], &["A 1"]);
    check(&["A@1", "A. Sum@1", "A@1"], &["A 2"]);
    check(&["A@1", "A@2", "B@1", "B@2"], &["A-2 3", "A 2"]);
    check(&["A@1", "B@2", "B@1", "A@2"], &["A 2", "B 3"]);
    check(&["A@1", "B@1", "A@2"], &["A-2 2", "A 1"]);
}

#[test]
fn a_refused_request_writes_nothing() {
    let fixture = empty_directory();
    let listener = ListeningJuror::start(&fixture, "");
    let good = problem("A", "a", &["3"]);
    let many = problem("A", "a", &["3"; 1001]);
    let large = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 16777217\r\n\r\n";
    let requests = [
        (post(&good).replace("localhost", "example.org"), "403"),
        (post(&good).replace("application/json", "text/plain"), "415"),
        (post(&good).replace("POST", "GET"), "405"),
        (post(&good).replace("POST", "OPTIONS"), "405"),
        (post(&good).replace("POST / ", "POST /a "), "404"),
        (post(&good).replace("Content-Length", "X"), "411"),
        (format!("{large}{}", "x".repeat(1 << 20)), "413"),
        (post(&good)[..200].to_owned(), "400"),
        (post("{"), "400"),
        (post("{}"), "400"),
        (post(&many), "400"),
        (post(&problem("..", "a", &["3"])), "400"),
        (post(&problem("", "a", &["3"])), "400"),
        ("x".to_owned(), "400"),
    ];
    for (request, status) in &requests {
        let answer = listener.send(request);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{request:.300}: {answer}");
    }
    assert_eq!(fs::read_dir(fixture.path("inbox")).expect("a directory").count(), 0);
    let (printed, said) = listener.stop(Signal::TERM);
    assert_eq!(printed, "");
    assert_eq!(said.matches("refused: ").count(), requests.len(), "{said}");
}

#[test]
fn a_problem_stays_in_the_directory() {
    let fixture = empty_directory();
    let listener = ListeningJuror::start(&fixture, "");
    fixture.write("elsewhere/juror.toml", "[received]\nurl = \"https://example.org/a\"\n");
    std::os::unix::fs::symlink("../elsewhere", fixture.path("inbox/B")).expect("a link");
    for (name, dir) in [("../../x", "x"), ("/tmp/x", "tmp-x"), ("B", "B-2"), ("--x", "x-2")] {
        let answer = listener
            .send_problem(&problem(name, "a", &["3"]).replace("/a\"", &format!("/{dir}\"")));
        assert!(answer.contains(&format!("\r\n{dir}: 1 test")), "{name}: {answer}");
        assert_eq!(fixture.read(&format!("inbox/{dir}/1.out")), "3\n");
    }
    assert_eq!(files_below(&fixture.path("elsewhere")), ["juror.toml"]);
    let (printed, _) = listener.stop(Signal::INT);
    assert!(printed.contains("  juror judge inbox/x SOURCE\n"), "{printed}");
}

#[test]
fn many_problems_may_come_at_once() {
    let fixture = empty_directory();
    let listener = ListeningJuror::start(&fixture, "");
    // More than are in memory at a time, and none is lost.
    let numbers = 0..24;
    thread::scope(|scope| {
        for number in numbers.clone() {
            let listener = &listener;
            scope.spawn(move || {
                let text = number.to_string();
                let answer = listener.send_problem(&problem("A", &text, &[&text]));
                assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
            });
        }
    });
    let files = listener.files();
    assert_eq!(files.len(), 3 * numbers.len(), "{files:?}");
    for number in numbers {
        let own = files.iter().filter(|file| file.ends_with("1.out")).find(|file| {
            let dir = PathBuf::from(file).parent().expect("a directory").display().to_string();
            fixture.read(&format!("inbox/{dir}/juror.toml")).contains(&format!("org/{number}\""))
        });
        let own = own.unwrap_or_else(|| panic!("{number} is missing"));
        assert_eq!(fixture.read(&format!("inbox/{own}")), format!("{number}\n"));
    }
    listener.stop(Signal::TERM);
}

#[test]
fn idle_connections_block_nobody() {
    let fixture = empty_directory();
    let listener = ListeningJuror::start(&fixture, "");
    let idle: Vec<TcpStream> = (0..40)
        .map(|number| {
            let mut stream = listener.connect();
            let request = post(&problem("A", "a", &["3"]));
            // The oldest ones may be closed already.
            _ = stream.write_all(&request.as_bytes()[..number]);
            stream
        })
        .collect();
    let answer = listener.send_problem(&problem("A", "a", &["3"]));
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    // Nor do they keep it from its end.
    listener.stop(Signal::INT);
    drop(idle);
}

#[test]
fn wrong_arguments_are_refused() {
    let fixture = empty_directory();
    let other = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let port = other.local_addr().expect("an address").port();
    let busy = format!("cannot listen on port {port}: ");
    fixture.check(&format!("listen --port {port}"), 2, &[&busy, "choose another with --port"]);
    fixture.check("listen new/contest --template none", 2, &["--template: "]);
    assert!(!fixture.path("new").exists());
    fixture.check(&format!("listen new/contest --port {port}"), 2, &[&busy]);
    assert!(fixture.path("new/contest").is_dir());
    fixture.check("listen sum/problem.yaml", 2, &["cannot make the directory sum/problem.yaml"]);
    fixture.check("listen --template none.cpp", 2, &["--template", "cannot read none.cpp"]);
    fixture.check("listen --template sum/1.in", 2, &["sum/1.in has no name for a source"]);
}
