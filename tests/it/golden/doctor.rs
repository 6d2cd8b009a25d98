//! Machines as `juror doctor` shows them.

use juror::doctor::advice::{all_findings, chosen_isolation};
use juror_core::host::{
    Calibration, CgroupFacts, Diagnosis, HostFacts, InstalledTool, NamespaceSettings, Processors,
    TemporaryDirectory, ToolFact, TriedIsolation,
};
use juror_core::isolation::Isolation;
use juror_core::judgement::JudgeError;
use juror_core::outcome::Meter;
use juror_core::units::Bytes;

use super::record::{Recording, started_event, with_end};

/// As root.
pub(super) fn contest_server() -> HostFacts {
    HostFacts {
        system: "Linux".to_owned(),
        kernel: "6.12.30-amd64".to_owned(),
        user: 0,
        administrator: true,
        modes: Isolation::ISOLATING.map(|it| tried_mode(it, None)).into(),
        gaps: Vec::new(),
        landlock: Some(6),
        settings: NamespaceSettings { most: Some(63_500), ..NamespaceSettings::default() },
        cgroups: CgroupFacts {
            version2: Some("/sys/fs/cgroup".into()),
            controllers2: ["cpu", "memory", "pids"].map(str::to_owned).into(),
            usable2: Some("/sys/fs/cgroup".into()),
            ..CgroupFacts::default()
        },
        cpu_meter: Meter::Cgroup2,
        memory_meter: Meter::Cgroup2,
        container: None,
        systemd: true,
        stack_limit: None,
        memory_limit: None,
        process_limit: Some(63_304),
        processors: Processors { logical: 16, physical: 8, load: Some(0.12) },
        calibration: Calibration {
            pace_noise: 0.012,
            frequency_governor: Some("performance".to_owned()),
        },
        temporary: TemporaryDirectory {
            path: "/tmp".into(),
            free: Some(Bytes::mib(62_000)),
            fault: None,
            is_noexec: false,
        },
    }
}

/// Without capabilities, as an ordinary user.
pub(super) fn container() -> HostFacts {
    HostFacts {
        user: 1000,
        administrator: false,
        modes: vec![
            tried_mode(
                Isolation::Namespaces,
                Some("this user has no right to make mounts and to change its user"),
            ),
            tried_mode(Isolation::UserNamespaces, Some("EPERM: Operation not permitted")),
            tried_mode(Isolation::Landlock, None),
        ],
        cgroups: CgroupFacts {
            usable2: None,
            controllers1: vec!["memory".to_owned()],
            usable1: vec!["memory".to_owned()],
            ..contest_server().cgroups
        },
        cpu_meter: Meter::Rusage,
        memory_meter: Meter::Cgroup1,
        container: Some("docker".to_owned()),
        systemd: false,
        stack_limit: Some(Bytes::mib(64)),
        memory_limit: Some(Bytes::mib(512)),
        process_limit: Some(100),
        processors: Processors { logical: 2, physical: 2, load: Some(3.74) },
        calibration: Calibration { pace_noise: 0.31, frequency_governor: None },
        temporary: TemporaryDirectory {
            path: "/tmp".into(),
            free: Some(Bytes::mib(300)),
            fault: None,
            is_noexec: true,
        },
        ..contest_server()
    }
}

/// Has an old kernel, and forbids everything.
pub(super) fn locked_down_machine() -> HostFacts {
    let kernel = "the kernel has no landlock, or it is not switched on; \
                  version 6 is needed, of Linux 6.12 or newer";
    HostFacts {
        kernel: "5.10.0-28-amd64".to_owned(),
        modes: vec![
            tried_mode(
                Isolation::Namespaces,
                Some("this user has no right to make mounts and to change its user"),
            ),
            tried_mode(Isolation::UserNamespaces, Some("EPERM: Operation not permitted")),
            tried_mode(Isolation::Landlock, Some(kernel)),
        ],
        landlock: None,
        settings: NamespaceSettings {
            unprivileged_clone: Some(0),
            apparmor_restricts: Some(0),
            ..contest_server().settings
        },
        container: None,
        processors: Processors { load: None, ..contest_server().processors },
        temporary: TemporaryDirectory {
            path: "/tmp".into(),
            free: None,
            fault: Some("Read-only file system (os error 30)".to_owned()),
            is_noexec: false,
        },
        ..container()
    }
}

pub(super) fn freebsd_machine() -> HostFacts {
    let gaps =
        ["files: programs can read and change all that you can", "network: programs can use it"];
    HostFacts {
        system: "FreeBSD".to_owned(),
        kernel: "14.2-RELEASE".to_owned(),
        user: 1001,
        administrator: false,
        modes: vec![tried_mode(Isolation::Plain, None)],
        gaps: gaps.map(str::to_owned).into(),
        landlock: None,
        settings: NamespaceSettings::default(),
        cgroups: CgroupFacts::default(),
        cpu_meter: Meter::Rusage,
        memory_meter: Meter::Rusage,
        systemd: false,
        stack_limit: Some(Bytes::mib(512)),
        processors: Processors { logical: 4, physical: 4, load: None },
        ..contest_server()
    }
}

fn tried_mode(isolation: Isolation, reason: Option<&str>) -> TriedIsolation {
    let step = match isolation {
        Isolation::Namespaces => "make namespaces",
        Isolation::UserNamespaces => "make namespaces (user)",
        Isolation::Landlock => "isolate by landlock",
        Isolation::Plain => "start the program",
    };
    TriedIsolation { isolation, fault: reason.map(|reason| JudgeError::new(step, reason)) }
}

fn tool_facts() -> Vec<ToolFact> {
    vec![
        ToolFact {
            name: "g++".to_owned(),
            found: Some(InstalledTool {
                path: "/usr/bin/g++".into(),
                version: "g++ (Debian 12.2.0-14) 12.2.0".to_owned(),
            }),
            help: None,
        },
        ToolFact {
            name: "go".to_owned(),
            found: None,
            help: Some(
                "install Go from https://go.dev (Debian: apt-get install golang)".to_owned(),
            ),
        },
    ]
}

pub(super) fn record_diagnosis(facts: &HostFacts) -> Recording<Diagnosis> {
    let tools = tool_facts();
    let result = Diagnosis {
        chosen: chosen_isolation(facts),
        findings: all_findings(facts, &tools),
        facts: facts.clone(),
        tools,
    };
    Recording { events: with_end(vec![started_event("doctor", "")], 1), result }
}
