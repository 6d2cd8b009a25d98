//! Clients as they are in use: that of SandboxFusion on PyPI, and ones that do what those of verl and piston_rs do.
//! Each runs 200 programs whose results are known. `clients.py` has the programs.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::process::Server;

/// `JUROR_SANDBOX_FUSION`, a Python that has the client, or `python3`.
fn python() -> PathBuf {
    std::env::var_os("JUROR_SANDBOX_FUSION").map_or_else(|| "python3".into(), PathBuf::from)
}

fn start(client: &str, server: &Server) -> Child {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/server/clients.py");
    let mut command = Command::new(python());
    command.args([script, client, &format!("http://127.0.0.1:{}", server.port)]);
    command.stdout(Stdio::piped()).spawn().expect("python3")
}

/// Calls `meanwhile` when half of the programs are done.
fn check(client: &str, arguments: &[&str], meanwhile: impl FnOnce(Server) -> Server) {
    let mut server = Some(Server::start(arguments));
    let mut meanwhile = Some(meanwhile);
    let mut process = start(client, server.as_ref().expect("a server"));
    let mut last = String::new();
    for line in BufReader::new(process.stdout.take().expect("a pipe")).lines() {
        last = line.expect("a line");
        if last == "half" {
            server = server.zip(meanwhile.take()).map(|(server, meanwhile)| meanwhile(server));
        }
    }
    assert!(process.wait().expect("it ends").success(), "{client}: {last}");
    // Nobody may read it.
    _ = writeln!(std::io::stderr(), "{client}: {last}");
}

fn has_fusion_client() -> bool {
    let mut command = Command::new(python());
    let found = command.args(["-c", "import sandbox_fusion"]).stderr(Stdio::null()).status();
    let found = found.is_ok_and(|status| status.success());
    if !found {
        let text =
            "SKIPPED: no client of SandboxFusion: set JUROR_SANDBOX_FUSION to a Python that has it";
        _ = writeln!(std::io::stderr(), "{text}");
    }
    found
}

#[test]
fn the_client_of_sandbox_fusion_gets_known_results() {
    if has_fusion_client() {
        check("fusion", &[], |server| server);
    }
}

#[test]
fn the_client_of_sandbox_fusion_loses_nothing_when_the_server_is_killed() {
    if has_fusion_client() {
        check("fusion", &[], |server| {
            let port = server.port;
            server.signal(libc::SIGKILL);
            server.wait();
            Server::start_at(port, &[])
        });
    }
}

#[test]
fn a_client_like_that_of_verl_gets_known_results() {
    check("verl", &[], |server| server);
}

/// All at once, for longer than one attempt waits.
#[test]
fn a_client_like_that_of_verl_loses_no_reward_in_the_queue() {
    check("verl-queue", &["--jobs", "1"], |server| server);
}

#[test]
fn a_client_like_piston_rs_gets_known_results() {
    check("piston", &[], |server| server);
}
