//! The isolation methods: which one is chosen, and that the one without namespaces works, too.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use juror_core::isolation::{Isolation, RequiredIsolation};
use juror_core::job::Job;
use juror_core::root::FilePath;
use juror_core::stop::Stop;
use juror_core::units::Bytes;
use juror_data::recipe::{GenerateMode, Generation, generate};
use juror_judging::build::Builder;
use juror_judging::build::bench::Bench;
use juror_sandbox::executor::trees;
use juror_sandbox::sandbox::{Host, Slot};

use crate::fixture::{Fixture, RIGHT};
use crate::sandbox::outputs::{check_large_outputs, check_outputs};
use crate::sandbox::{PROGRAMS, job, processes_of, run, skip, stdout_text};
use juror_sandbox::executor::scripted::ScriptedExecutor;

/// A slot without namespaces; `None` where the kernel does not allow one.
///
/// Under root, its programs have another user, and no mount leads that user to a checkout in a private directory.
fn bare_slot() -> Option<Slot> {
    let is_private = |directory: &Path| {
        let rights = fs::metadata(directory).map_or(0, |found| found.permissions().mode());
        rights & 0o001 == 0
    };
    if rustix::process::geteuid().is_root()
        && crate::sandbox::programs().ancestors().any(is_private)
    {
        skip("the programs lie in a directory that is private");
        return None;
    }
    match Host::try_isolation(Isolation::Landlock) {
        Ok(host) => Some(Slot::start(&host, None).expect("a slot starts")),
        Err(error) => {
            skip(&error.to_string());
            None
        }
    }
}

#[test]
fn the_strongest_working_method_is_chosen_and_others_are_explained() {
    let facts = Host::facts().unwrap();
    let works = |mode: &&juror_core::host::TriedIsolation| mode.fault.is_none();
    let best = facts.modes.iter().find(works).map(|mode| mode.isolation);
    for demand in [RequiredIsolation::Any, RequiredIsolation::Full] {
        let expected = best.filter(|isolation| demand.is_met_by(*isolation));
        match Host::find(demand) {
            Ok(host) => {
                assert_eq!(Some(host.isolation()), expected);
                assert_eq!(host.mechanism().isolation, host.isolation());
                let stronger = facts.modes.iter().filter(|mode| mode.isolation < host.isolation());
                assert_eq!(host.refused().len(), stronger.count());
            }
            Err(error) => {
                assert_eq!(None, expected, "{error}");
                assert!(error.help.is_some(), "{error}");
            }
        }
    }
}

#[test]
fn without_namespaces_outputs_do_not_count_as_memory() {
    if let Some(mut slot) = bare_slot() {
        check_outputs(&mut slot);
        check_large_outputs(&mut slot);
    }
}

/// What the program `reach` managed to do to a file and to a process of the user who runs the tests.
fn output_of_reach(slot: &mut Slot) -> String {
    let directory = tempfile::tempdir().unwrap();
    let secret = directory.path().join("secret");
    fs::write(&secret, "secret").unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).unwrap();
    let service = std::os::unix::net::UnixListener::bind(directory.path().join("service"));
    let _service = service.unwrap();
    let mut victim = process::Command::new("sleep").arg("1000").spawn().unwrap();
    let before = fs::metadata(&secret).unwrap();
    let arguments = [
        secret.display().to_string(),
        directory.path().display().to_string(),
        victim.id().to_string(),
    ];
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut reply = run(slot, &job("reach", &arguments));
    let after = fs::metadata(&secret).unwrap();
    assert_eq!(fs::read_to_string(&secret).unwrap(), "secret");
    assert_eq!(after.mode(), before.mode());
    assert_eq!(after.mtime_nsec(), before.mtime_nsec());
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
    assert!(victim.try_wait().unwrap().is_none(), "it was killed");
    victim.kill().unwrap();
    victim.wait().unwrap();
    stdout_text(&mut reply)
}

#[test]
fn without_namespaces_nothing_of_the_machine_can_be_reached() {
    if let Some(mut slot) = bare_slot() {
        assert_eq!(output_of_reach(&mut slot), "done\n");
    }
}

#[test]
fn without_namespaces_nothing_is_left_of_a_run_or_of_a_slot() {
    let Some(mut slot) = bare_slot() else { return };
    let mut job_in_box = job("orphans", &[]);
    job_in_box.command.argv = ["/bin/sh", "-c", "pwd"].map(str::to_owned).into();
    let box_path = stdout_text(&mut run(&mut slot, &job_in_box));
    let directory = Path::new(box_path.trim()).ancestors().nth(2).expect("the slot's directory");
    let name = directory.file_name().expect("a name").to_string_lossy();
    assert!(name.starts_with("juror-slot-") && directory.exists(), "{box_path}");
    let marker = "without-namespaces";
    for what in ["sleep", "burn", "write"] {
        let mut reply = run(&mut slot, &job("orphans", &[what, marker]));
        assert_eq!(stdout_text(&mut reply), "done");
        let leftover = processes_of("orphans").into_iter().find(|line| line.contains(marker));
        assert_eq!(leftover, None);
    }
    let mut bomb = job("hungry", &["bomb"]);
    bomb.limits.wall_time = Some(Duration::from_millis(300));
    let reply = run(&mut slot, &bomb);
    assert!(reply.outcome.stopped_by.is_some(), "{:?}", reply.outcome);
    drop(slot);
    // The slot's process removes it when it ends.
    let is_gone = (0..600).any(|_| {
        if directory.exists() {
            thread::sleep(Duration::from_millis(50));
        }
        !directory.exists()
    });
    assert!(is_gone, "{box_path}");
}

#[test]
#[ignore = "run by another test, in a process of its own"]
fn a_slot_is_killed() {
    let Some(mut slot) = bare_slot() else { return };
    let slots = crate::sandbox::slots();
    let marker = format!("slot-of-{}", process::id());
    let argument = marker.clone();
    let running = thread::spawn(move || slot.run(&job("hungry", &["sleep", &argument])));
    let is_running = || processes_of("hungry").iter().any(|line| line.contains(&marker));
    while !is_running() {
        assert!(!running.is_finished(), "the program is not running");
        thread::sleep(Duration::from_millis(5));
    }
    for pid in slots {
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    }
    assert!(running.join().unwrap().is_err());
    while is_running() {
        thread::sleep(Duration::from_millis(5));
    }
    say("nobody is left");
}

#[expect(clippy::print_stdout, reason = "read by the test that started this one")]
fn say(text: &str) {
    println!("{text}");
}

#[test]
fn a_slot_that_is_killed_leaves_no_process() {
    if bare_slot().is_none() {
        return;
    }
    // A slot that is killed can no longer remove its box.
    let directory = tempfile::tempdir().unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let output = crate::sandbox::run_in_own_process("fallback::a_slot_is_killed", |command| {
        command.env("TMPDIR", directory.path());
    });
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(report.contains("nobody is left"), "{report}");
}

#[test]
fn a_box_on_disk_that_grows_too_large_ends_the_run() {
    let Some(mut slot) = bare_slot() else { return };
    let mut filling = job("hungry", &["box"]);
    filling.box_size = Bytes::mib(4);
    filling.limits.output = None;
    let reply = run(&mut slot, &filling);
    let stop = reply.outcome.stopped_by;
    assert_eq!(stop, Some(juror_core::outcome::StopReason::Output));
}

mod quiet {
    use super::*;

    /// Everything that holds with namespaces holds without, except what the tests skip by name.
    #[test]
    #[ignore = "needs a quiet machine: cargo test quiet:: -- --ignored --test-threads=1"]
    fn the_whole_suite_holds_without_namespaces() {
        const ISOLATION: &str = "JUROR_TEST_ISOLATION";
        if std::env::var_os(ISOLATION).is_some() || std::env::var_os(PROGRAMS).is_some() {
            return;
        }
        if bare_slot().is_none() {
            return;
        }
        let executable = std::env::current_exe().unwrap();
        let output = process::Command::new(&executable)
            .args(["sandbox::", "fallback::"])
            .env(ISOLATION, "landlock")
            .current_dir(Path::new("/"))
            .output()
            .unwrap();
        let report = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{report}{}", String::from_utf8_lossy(&output.stderr));
        let shown = "test sandbox::every_door_is_shut ... ok";
        assert!(report.contains(shown), "{report}");
    }
}

/// The second start of a generator is a second later.
#[test]
fn generators_are_checked_without_namespaces() {
    let Some(slot) = bare_slot() else { return };
    let fixture = Fixture::new();
    fixture.write("sum/generators/gen.sh", "read -r a < one.txt; echo \"$a $1\"\n");
    fixture.write("sum/generators/one.txt", "1\n");
    fixture.write("sum/generators/clock.sh", "echo \"1 $(date +%s)\"\n");
    fixture.write(
        "sum/generators/generators.yaml",
        "solution: /submissions/accepted/right.sh\ngenerators: {gen: [gen.sh, one.txt]}\n\
         data: {secret: {data: {a: gen 5, b: clock.sh}}}\n",
    );
    let dir = fixture.path("sum");
    let problem = juror_packages::package::read(&dir).problem.expect("a problem");
    let path = dir.join("generators/generators.yaml");
    let recipe = juror_packages::package::recipe::read(
        &FilePath::root(&path),
        &FilePath::root(&dir),
        &[],
        false,
    );
    let slot = Mutex::new(slot);
    let executor = ScriptedExecutor::new(1, |job: &Job| {
        trees::write_shown_trees(job, || Ok(std::env::temp_dir()))?;
        slot.lock().expect("the slot").run(job).map_err(Stop::Fault)
    });
    let generated = generate(&Generation {
        bench: Bench {
            problem: &problem,
            executor: &executor,
            builder: &Builder::new(&executor),
            events: &|_| {},
        },
        recipe: &recipe.recipe.expect("a recipe"),
        mode: GenerateMode::Check,
        ignores_memory: false,
        removes_leftovers: false,
        validates: true,
        overwrites_edits: false,
        memory_dir: None,
    })
    .expect("data");
    let messages: Vec<&str> = generated
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.is_error())
        .map(|diagnostic| diagnostic.message.split(':').nth(1).unwrap_or_default().trim())
        .collect();
    assert_eq!(messages, ["`clock.sh` gives another result the second time"]);
}

/// Refuses what Docker's own filter refuses: namespaces, mounts, and `clone3`, whose flags a filter cannot see.
fn refuse_namespaces(command: &mut process::Command) {
    let code = |code: u32, (yes, no), value: u32| libc::sock_filter {
        code: u16::try_from(code).expect("it is short"),
        jt: yes,
        jf: no,
        k: value,
    };
    let load = |offset| code(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, (0, 0), offset);
    let give = |value| code(libc::BPF_RET | libc::BPF_K, (0, 0), value);
    let number = |call| u32::try_from(call).expect("a number of a call");
    let is = |call, jumps| code(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, jumps, number(call));
    let refused = |error: i32| give(libc::SECCOMP_RET_ERRNO | error.unsigned_abs());
    let mut filter = vec![load(0), is(libc::SYS_clone3, (0, 1)), refused(libc::ENOSYS)];
    for call in [libc::SYS_unshare, libc::SYS_setns, libc::SYS_mount, libc::SYS_fsopen] {
        filter.extend([is(call, (0, 1)), refused(libc::EPERM)]);
    }
    let namespaces = 0x7e02_0000;
    let has_bits = libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K;
    // The flags are the first argument.
    filter.extend([is(libc::SYS_clone, (0, 3)), load(16), code(has_bits, (0, 1), namespaces)]);
    filter.extend([refused(libc::EPERM), give(libc::SECCOMP_RET_ALLOW)]);
    let install = move || {
        let length = u16::try_from(filter.len()).expect("it is short");
        let program = libc::sock_fprog { len: length, filter: filter.as_ptr().cast_mut() };
        // SAFETY: the program and its filter are there during the call.
        let is_installed = unsafe {
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
                && libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &program) == 0
        };
        if is_installed { Ok(()) } else { Err(io::Error::last_os_error()) }
    };
    // SAFETY: only calls the kernel.
    unsafe { command.pre_exec(install) };
}

#[test]
fn programs_run_in_a_container_that_refuses_namespaces() {
    if let Err(error) = Host::try_isolation(Isolation::Landlock) {
        return skip(&error.to_string());
    }
    let fixture = Fixture::new();
    fixture.write("a.sh", RIGHT);
    let mut command = crate::wire::juror();
    if !Path::new(command.get_program()).exists() {
        return skip("the binary that users get is not on this machine");
    }
    command.current_dir(fixture.root()).args(["judge", "sum", "a.sh", "--json"]);
    refuse_namespaces(&mut command);
    let output = command.output().expect("juror starts");
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    assert!(stdout.contains("landlock") && stdout.contains("\"AC\""), "{stdout}");
}
