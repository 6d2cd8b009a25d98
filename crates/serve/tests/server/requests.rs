//! What is answered to which request.

use std::fs;

use serde_json::{Value, json};

use crate::process::{JSON, Server};

const TOKEN: &str = "0123456789abcdef-_XY";

fn python(text: &str, input: &str, answer: &str) -> Value {
    json!({
        "source": { "text": text, "language": "python3" },
        "cases": [{ "input": input, "answer": answer }],
    })
}

#[test]
fn lines_are_judged_as_by_grade() {
    let server = Server::start(&[]);
    let reply = server.post("/grade", &python("print(int(input()) + 1)", "1\n", "2\n"));
    assert_eq!((reply.status, &reply.json()["verdict"]), (200, &json!("AC")));
    let lines = [
        python("print(1)", "", "1\n"),
        json!({ "id": "bad", "sorce": 1 }),
        json!({ "source": { "text": "print(input())", "language": "python3" }, "return": "run",
            "cases": [{ "input": "a\n" }, { "input": "" }] }),
    ];
    let lines: String = lines.iter().map(|line| format!("{line}\n\n")).collect();
    let reply = server.request("POST /grade", "Content-Type: application/x-ndjson\r\n", &lines);
    assert_eq!(reply.status, 200);
    // The body comes in chunks.
    let results = reply.body.lines().filter(|line| line.starts_with('{'));
    let mut results: Vec<Value> =
        results.map(|line| serde_json::from_str(line).expect("JSON")).collect();
    results.sort_by_key(|result| result["line"].as_u64());
    let [first, bad, run] = &results[..] else { panic!("{}", reply.body) };
    assert_eq!((&first["line"], &first["verdict"]), (&json!(1), &json!("AC")));
    assert_eq!(
        (&bad["line"], &bad["id"], &bad["error"]["kind"]),
        (&json!(3), &json!("bad"), &json!("line"))
    );
    assert_eq!(
        (&run["line"], &run["verdict"], &run["cause"]),
        (&json!(5), &json!("RTE"), &json!("exit code 1"))
    );
    assert_eq!(run["runs"][0]["stdout"]["text"], "a\n");
    assert_eq!(run["runs"][1]["outcome"]["ending"], json!({ "exit_code": 1 }));
    let stderr = run["runs"][1]["stderr"]["text"].as_str().expect("a text");
    assert!(stderr.contains("EOFError"), "{stderr}");
}

#[test]
fn no_path_of_the_server_counts_but_packages_by_name() {
    let packages = tempfile::tempdir().expect("a directory");
    let tests = packages.path().join("hello");
    fs::create_dir(&tests).expect("a directory");
    fs::write(tests.join("1.in"), "").expect("a file");
    fs::write(tests.join("1.ans"), "1\n").expect("a file");
    let with = Server::start(&["--packages", &packages.path().display().to_string()]);
    let without = Server::start(&[]);
    let source = json!({ "text": "print(1)", "language": "python3" });
    let file = json!({ "file": "/etc/passwd", "language": "python3" });
    let cases = json!([{ "input": "", "answer": "1" }]);
    let own = |package: &str| json!({ "source": source, "package": package });
    let reply = with.post("/grade", &own("hello"));
    assert_eq!(reply.json()["verdict"], "AC", "{}", reply.body);
    for (server, line) in [
        (&without, json!({ "source": file, "cases": cases })),
        (&without, json!({ "source": source, "cases": cases, "compare": "/etc/passwd" })),
        (&without, json!({ "source": source, "cases": cases, "compare": "x.py" })),
        (&without, own("hello")),
        (&with, json!({ "source": file, "package": "hello" })),
        (&with, own("../problems/hello")),
        (&with, own("/etc")),
        (&with, own(".")),
        (&with, own("hello/../hello")),
    ] {
        let reply = server.post("/grade", &line);
        assert_eq!(reply.status, 400, "{line}");
        let error = &reply.json()["error"];
        let message = error["message"].as_str().expect("a text");
        assert!(message.contains("names a file of the judging machine"), "{line}: {error}");
    }
}

#[test]
fn bad_requests_get_a_status_and_a_reason_and_the_next_is_answered() {
    let server = Server::start(&[]);
    let run = |key: &str, value: Value| {
        let mut run = json!({ "code": "print(1)", "language": "python" });
        run[key] = value;
        run.to_string()
    };
    let media_type = format!("Content-Type: {JSON}\r\n");
    let execute = |language: &str, version: &str, name: &str, encoding: &str| {
        let file = json!({ "name": name, "content": "print(1)", "encoding": encoding });
        let main = json!({ "content": "print(1)" });
        json!({ "language": language, "version": version, "files": [main, file] }).to_string()
    };
    for (line, headers, body, status, reason) in [
        ("GET /grade", "", String::new(), 405, "use POST"),
        ("POST /health", "", String::new(), 405, "use GET"),
        ("GET /nope", "", String::new(), 404, "/run_code"),
        ("POST /run_code", "", run("code", json!("")), 415, "application/json"),
        ("POST /run_code", "Content-Type: text/plain\r\n", String::new(), 415, "application/json"),
        ("GET /metrics", "Host: localhost\r\n", String::new(), 400, "comes twice"),
        ("POST /run_code", &media_type, "{".to_owned(), 422, "EOF"),
        ("POST /run_code", &media_type, run("code", json!(1)), 422, "expected a string"),
        (
            "POST /run_code",
            &media_type,
            run("language", json!("klingon")),
            422,
            "there are: python",
        ),
        ("POST /run_code", &media_type, run("language", json!("lean")), 422, "there are: python"),
        ("POST /run_code", &media_type, run("run_timeout", json!(0)), 422, "more than 0"),
        ("POST /run_code", &media_type, run("compile_timeout", json!(1e9)), 422, "at most 3600 s"),
        ("POST /run_code", &media_type, run("files", json!({ "x": "%%%" })), 422, "not base64"),
        (
            "POST /run_code",
            &media_type,
            run("files", json!({ "../x": "" })),
            422,
            "has a part `..`",
        ),
        (
            "POST /run_code",
            &media_type,
            run("files", json!({ "/etc/x": "" })),
            422,
            "below the working",
        ),
        (
            "POST /run_code",
            &media_type,
            run("files", json!({ "x": "", "x/y": "" })),
            422,
            "comes twice",
        ),
        (
            "POST /run_code",
            &media_type,
            run("files", json!({ "main.py": "" })),
            422,
            "another name",
        ),
        (
            "POST /run_code",
            &media_type,
            run("fetch_files", json!(["../x"])),
            422,
            "has a part `..`",
        ),
        ("POST /run_code", &media_type, r#"["print(1)", "python"]"#.to_owned(), 422, "an object"),
        ("POST /api/v2/execute", &media_type, "[]".to_owned(), 400, "an object"),
        (
            "POST /api/v2/execute",
            &media_type,
            json!({ "language": "python", "version": "*", "files": [["a", "", "utf8"]] })
                .to_string(),
            400,
            "an object",
        ),
        (
            "POST /api/v2/execute",
            &media_type,
            execute("python", "2.x", "a", "utf8"),
            400,
            "there are: ",
        ),
        (
            "POST /api/v2/execute",
            &media_type,
            execute("cf_python3", "*", "a", "utf8"),
            400,
            "/grade",
        ),
        ("POST /api/v2/execute", &media_type, execute("python", "*", "../a", "utf8"), 422, "`..`"),
        ("POST /api/v2/execute", &media_type, execute("python", "*", "a", "hex"), 400, "not hex"),
        (
            "POST /api/v2/execute",
            &media_type,
            execute("python", "*", "a", "base64"),
            422,
            "not base64",
        ),
    ] {
        let reply = server.request(line, headers, &body);
        assert_eq!(reply.status, status, "{line} {body}: {}", reply.body);
        let message = reply.json()["message"].as_str().expect("a reason").to_owned();
        assert!(message.contains(reason), "{line} {body}: {message}");
        assert_eq!(server.get("/health").status, 200);
    }
    // Links of the program lead nowhere, and files that are not there are left out.
    let reply = server.post(
        "/run_code",
        &json!({ "language": "python", "fetch_files": ["link", "none", "d/a"],
            "code": "import os\nos.symlink('/etc/passwd', 'link')\nos.mkdir('d')\nopen('d/a', 'w').write('hi')" }),
    );
    assert_eq!(reply.json()["files"], json!({ "d/a": "aGk=" }), "{}", reply.body);
}

#[test]
fn a_token_opens_everything_but_health_and_is_never_written() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("token");
    fs::write(&file, format!("{TOKEN}\n")).expect("a file");
    let server = Server::start(&["--token", &file.display().to_string()]);
    let body = json!({ "code": "print(1)", "language": "python" });
    for (path, headers, status) in [
        ("/health", String::new(), 200),
        ("/metrics", String::new(), 401),
        ("/metrics", format!("Authorization: Bearer {TOKEN}\r\n"), 200),
        ("/metrics", format!("Authorization: Bearer {TOKEN}x\r\n"), 401),
        ("/metrics", format!("Authorization: Basic {TOKEN}\r\n"), 401),
        (&format!("/{TOKEN}/metrics"), String::new(), 200),
        (&format!("/{}/metrics", &TOKEN[1..]), String::new(), 401),
    ] {
        let reply = server.request(&format!("GET {path}"), &headers, "");
        assert_eq!(reply.status, status, "{path} {headers}");
        assert!(!(reply.head + &reply.body).contains(TOKEN));
    }
    let reply = server.post(&format!("/{TOKEN}/run_code"), &body);
    assert_eq!(reply.json()["run_result"]["stdout"], "1\n");
    assert_eq!(server.post("/run_code", &body).status, 401);
}
