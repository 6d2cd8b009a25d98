//! A headless browser, controlled through its debugging pipe.

use std::env;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) struct Browser {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last: u64,
    session: Option<String>,
    /// Events of the browser, such as requests and console messages.
    events: Vec<Value>,
    _home: TempDir,
}

/// The most time for one browser, in seconds.
const MAX_SECONDS: &str = "300";

impl Browser {
    /// Announces a skipped test if there is no browser.
    #[expect(clippy::print_stderr, reason = "what is left out must be seen")]
    pub(crate) fn start() -> Option<Self> {
        let Some(program) = find_browser() else {
            eprintln!("skipped: no chromium");
            return None;
        };
        let home = tempfile::tempdir().expect("a temporary directory");
        // The browser reads commands from descriptor 3 and answers on 4. The time limit ends a browser that hangs.
        let mut child = Command::new("sh")
            .args(["-c", "exec 3<&0 4>&1 </dev/null >/dev/null 2>&1; exec timeout \"$0\" \"$@\""])
            .arg(MAX_SECONDS)
            .arg(program)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"])
            .args(["--no-first-run", "--disable-dev-shm-usage", "--disable-background-networking"])
            .arg(format!("--user-data-dir={}", home.path().join("profile").display()))
            .env("HOME", home.path())
            .env("TMPDIR", home.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let events = Vec::new();
        let mut browser =
            Self { child, input, output, last: 0, session: None, events, _home: home };
        let target = browser.request("Target.createTarget", json!({ "url": "about:blank" }));
        let target = json!({ "targetId": target["targetId"], "flatten": true });
        let session = browser.request("Target.attachToTarget", target);
        browser.session = session["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.request(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// Waits until the page is loaded.
    pub(crate) fn open(&mut self, page: &Path) {
        self.events.clear();
        let url = format!("file://{}", page.display());
        self.request("Page.navigate", json!({ "url": url }));
        while !self.events.iter().any(|event| event["method"] == "Page.loadEventFired") {
            let message = self.read_message();
            self.events.push(message);
        }
    }

    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let asked = json!({
            "expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true,
        });
        let mut answer = self.request("Runtime.evaluate", asked);
        let thrown = &answer["exceptionDetails"];
        assert!(thrown.is_null(), "{expression}: {thrown}");
        answer["result"]["value"].take()
    }

    pub(crate) fn check(&mut self, expression: &str, expected: impl Into<Value>) {
        assert_eq!(self.evaluate(expression), expected.into(), "{expression}");
    }

    /// `key` is a character or the name of a key.
    pub(crate) fn press_key(&mut self, key: &str) {
        let text = if key.len() == 1 {
            key
        } else if key == "Enter" {
            "\r"
        } else {
            ""
        };
        for kind in ["keyDown", "keyUp"] {
            let text = if kind == "keyDown" { text } else { "" };
            self.request(
                "Input.dispatchKeyEvent",
                json!({ "type": kind, "key": key, "text": text }),
            );
        }
    }

    /// `light` or `dark`.
    pub(crate) fn set_color_scheme(&mut self, scheme: &str) {
        let feature = json!({ "name": "prefers-color-scheme", "value": scheme });
        self.request("Emulation.setEmulatedMedia", json!({ "features": [feature] }));
    }

    /// Checks that the page wrote nothing to the console, opened no dialog, and requested nothing but itself.
    pub(crate) fn check_silence(&mut self) {
        // All earlier events have arrived with the answer.
        self.evaluate("0");
        let loud = |event: &&Value| match event["method"].as_str().unwrap_or_default() {
            "Runtime.consoleAPICalled"
            | "Runtime.exceptionThrown"
            | "Log.entryAdded"
            | "Page.javascriptDialogOpening" => true,
            "Network.requestWillBeSent" => {
                let url = event["params"]["request"]["url"].as_str().unwrap_or_default();
                event["params"]["type"] != "Document" && !url.starts_with("data:")
            }
            _ => false,
        };
        let loud: Vec<&Value> = self.events.iter().filter(loud).collect();
        assert!(loud.is_empty(), "{loud:#?}");
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let mut message = json!({ "id": self.last, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        let text = message.to_string() + "\0";
        self.input.write_all(text.as_bytes()).expect("a browser that listens");
        loop {
            let mut answer = self.read_message();
            if answer["id"] == self.last {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].take();
            }
            self.events.push(answer);
        }
    }

    fn read_message(&mut self) -> Value {
        let mut message = Vec::new();
        self.output.read_until(0, &mut message).expect("a browser that answers");
        assert_eq!(message.pop(), Some(0), "the browser ended");
        serde_json::from_slice(&message).expect("a message")
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let close = json!({ "id": self.last + 1, "method": "Browser.close" }).to_string() + "\0";
        let _ = self.input.write_all(close.as_bytes());
        // When the pipe ends, all processes of the browser have ended, and nothing writes to its directory any more.
        let _ = self.output.read_to_end(&mut Vec::new());
        let _ = self.child.wait();
    }
}

fn find_browser() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let dirs: Vec<PathBuf> = env::split_paths(&env::var_os("PATH")?).collect();
    names.iter().flat_map(|name| dirs.iter().map(move |dir| dir.join(name))).find(|it| it.is_file())
}
