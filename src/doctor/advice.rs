//! Draws conclusions from the facts about a machine: how good it is for judging, and what would improve it.
//!
//! This is a pure function of facts, so that tests can cover hosts of every kind.

use crate::doctor::evenness::time_findings;
use crate::doctor::{advice_text, advice_with_command, new_finding};
use juror_core::host::{Advice, Finding, FindingRating, HostFacts, ToolFact, TriedIsolation};
use juror_core::isolation::Isolation;
use juror_core::judgement::FaultKind;
use juror_core::limits::{MOST_PROCESSES, PROGRAM_MEMORY};
use juror_core::outcome::Meter;
use juror_core::text::count;
use juror_core::units::Bytes;

const MEMORY_LIMIT: &str = "memory limit";
const PROCESS_LIMIT: &str = "process limit";

/// The first method that works is used.
pub fn chosen_isolation(facts: &HostFacts) -> Option<Isolation> {
    let works = |mode: &&TriedIsolation| mode.fault.is_none();
    facts.modes.iter().find(works).map(|mode| mode.isolation)
}

/// The most important comes first.
pub fn all_findings(facts: &HostFacts, tools: &[ToolFact]) -> Vec<Finding> {
    let mut findings = isolation_findings(facts);
    findings.extend(meter_findings(facts));
    findings.extend(landlock_finding(facts));
    findings.push(processor_finding(facts));
    findings.extend(load_finding(facts));
    findings.extend(time_findings(&facts.calibration));
    findings.extend(stack_finding(facts));
    findings.extend(container_limits(facts));
    findings.push(temporary_finding(facts));
    findings.extend(tools.iter().map(tool_finding));
    findings
}

fn isolation_findings(facts: &HostFacts) -> Vec<Finding> {
    const SUBJECT: &str = "isolation";
    let (grade, text) = match chosen_isolation(facts) {
        Some(isolation @ (Isolation::Namespaces | Isolation::UserNamespaces)) => {
            let text = format!("full, by {isolation}");
            return vec![new_finding(FindingRating::Good, SUBJECT, text)];
        }
        Some(Isolation::Landlock) => (
            FindingRating::Weak,
            "not full: landlock, a system call filter and resource limits; a program can see that \
             files exist, and the size of its box is limited by polling",
        ),
        Some(Isolation::Plain) => return plain_findings(facts),
        None => (FindingRating::Missing, "none: no program can be run here"),
    };
    let mut findings = vec![new_finding(grade, SUBJECT, text)];
    for mode in &facts.modes {
        if let Some(fault) = &mode.fault {
            let text = format!("not by {}: {fault}", mode.isolation);
            let forbidden = new_finding(grade, SUBJECT, text);
            findings.push(forbidden.with_advice(isolation_advice(mode.isolation, facts)));
        }
    }
    if grade == FindingRating::Missing {
        let text = "programs run only if you ask for plain mode";
        findings.push(new_finding(FindingRating::Weak, SUBJECT, text).with_advice(
            advice_with_command(
                "no isolation: programs can do whatever you can",
                "juror judge --isolation=plain ...",
            ),
        ));
    }
    findings
}

fn isolation_advice(isolation: Isolation, facts: &HostFacts) -> Option<Advice> {
    match isolation {
        // The advice for user namespaces applies here, too.
        Isolation::Namespaces => None,
        Isolation::UserNamespaces => user_namespace_advice(facts),
        Isolation::Landlock if facts.landlock.is_none_or(|version| version < 6) => {
            advice_text("it needs Linux 6.12 or newer, with landlock among the security modules")
        }
        Isolation::Landlock | Isolation::Plain => None,
    }
}

fn plain_findings(facts: &HostFacts) -> Vec<Finding> {
    let text = format!(
        "none: juror cannot isolate programs on {}; run only programs that you trust",
        facts.system
    );
    let none = new_finding(FindingRating::Missing, "isolation", text).with_advice(advice_text(
        "use a Linux machine, also a virtual one or a container, to run juror with isolation",
    ));
    let gaps = facts.gaps.iter();
    let gaps = gaps.map(|gap| new_finding(FindingRating::Weak, "not enforced", gap.clone()));
    std::iter::once(none).chain(gaps).collect()
}

fn user_namespace_advice(facts: &HostFacts) -> Option<Advice> {
    let settings = &facts.settings;
    let refused = facts.modes.iter().find_map(|mode| {
        let is_this = mode.isolation == Isolation::UserNamespaces;
        mode.fault.as_ref().filter(|_| is_this)
    });
    let none_left = refused.is_some_and(|fault| fault.kind == FaultKind::NamespacesUsedUp);
    let set =
        |text: &str, setting: &str| advice_with_command(text, &format!("sudo sysctl -w {setting}"));
    match (&facts.container, facts.user) {
        _ if settings.unprivileged_clone == Some(0) => {
            set("allow user namespaces for users", "kernel.unprivileged_userns_clone=1")
        }
        _ if settings.most == Some(0) || none_left => {
            set("allow user namespaces", "user.max_user_namespaces=15000")
        }
        _ if settings.apparmor_restricts == Some(1) => set(
            "let AppArmor permit user namespaces",
            "kernel.apparmor_restrict_unprivileged_userns=0",
        ),
        (Some(kind), _) => container_advice(kind),
        (None, 0) => {
            advice_text("the parent of this process dropped its rights, as a container does")
        }
        (None, _) => advice_with_command("or run juror as root", "sudo juror ..."),
    }
}

/// How to start a container so that juror may use mounts, namespaces and control groups.
fn container_advice(kind: &str) -> Option<Advice> {
    const TEXT: &str = "start the container with the right to make namespaces and control groups";
    match kind {
        "docker" | "podman" => advice_with_command(TEXT, &format!("{kind} run --privileged ...")),
        "kubernetes" => advice_text("set securityContext.privileged: true for the container"),
        _ => advice_text(TEXT),
    }
}

fn meter_findings(facts: &HostFacts) -> Vec<Finding> {
    const CPU: &str = "CPU time";
    const MEMORY: &str = "memory";
    let is_plain = chosen_isolation(facts) == Some(Isolation::Plain);
    let measured = |subject: &'static str, meter: Meter, weakness: &str| match meter {
        Meter::Cgroup1 | Meter::Cgroup2 => new_finding(
            FindingRating::Good,
            subject,
            format!("by {meter}: the whole process tree, exactly"),
        ),
        Meter::Rusage => new_finding(FindingRating::Weak, subject, weakness)
            .with_advice(control_group_advice(facts).filter(|_| !is_plain)),
    };
    let [cpu, memory] = if is_plain {
        [
            "by wait4: only processes that were waited for",
            "by wait4: only the largest process, known after it has ended",
        ]
    } else {
        [
            "by wait4 and /proc: a program can hide some of it",
            "by /proc, every 15 ms: short peaks are missed",
        ]
    };
    let mut findings =
        vec![measured(CPU, facts.cpu_meter, cpu), measured(MEMORY, facts.memory_meter, memory)];
    if facts.cpu_meter == facts.memory_meter {
        // The advice appears once.
        (findings[1].advice, findings[1].command) = (None, None);
    }
    if facts.memory_meter == Meter::Cgroup2 && is_old(&facts.kernel) {
        findings[1] = new_finding(
            FindingRating::Weak,
            MEMORY,
            "limited by cgroup v2, but only Linux 5.19 and newer report its peak",
        );
    }
    findings
}

fn control_group_advice(facts: &HostFacts) -> Option<Advice> {
    let groups = &facts.cgroups;
    if let Some(kind) = &facts.container {
        return container_advice(kind);
    }
    let has = |name: &str| groups.controllers2.iter().any(|controller| controller == name);
    let second = groups.version2.is_some() && has("memory") && has("pids");
    match (facts.user, second, facts.systemd) {
        (1.., true, true) => advice_with_command(
            "let systemd delegate a control group",
            "systemd-run --user --scope -p Delegate=yes juror ...",
        ),
        (1.., _, _) => advice_with_command(
            "run juror as root, which may make control groups",
            "sudo juror ...",
        ),
        _ if groups.version2.is_none() && groups.controllers1.is_empty() => {
            advice_with_command("mount control groups", "mount -t cgroup2 none /sys/fs/cgroup")
        }
        _ => advice_text(
            "mount /sys/fs/cgroup writable, and start the kernel with cgroup_enable=memory",
        ),
    }
}

fn is_old(release: &str) -> bool {
    let words = release.split(|character: char| !character.is_ascii_digit());
    let numbers: Vec<u32> = words.map_while(|number| number.parse().ok()).take(2).collect();
    numbers.len() == 2 && numbers < vec![5, 19]
}

/// Landlock is a second barrier behind namespaces.
fn landlock_finding(facts: &HostFacts) -> Option<Finding> {
    let has_first = chosen_isolation(facts) != Some(Isolation::Plain);
    (has_first && facts.landlock.is_none_or(|version| version < 2)).then(|| {
        new_finding(FindingRating::Weak, "landlock", "missing or too old, so there is no second barrier").with_advice(advice_text(
            "it needs Linux 5.19 or newer; add landlock to the lsm= list on the kernel's command line",
        ))
    })
}

fn processor_finding(facts: &HostFacts) -> Finding {
    let processors = &facts.processors;
    let cores = count(processors.physical, "core");
    let text = if processors.logical > processors.physical {
        format!("{cores} with {} threads; one run at a time on each core", processors.logical)
    } else {
        format!("{cores}, one run at a time on each")
    };
    new_finding(FindingRating::Good, "processors", text)
}

fn load_finding(facts: &HostFacts) -> Option<Finding> {
    let load = facts.processors.load?;
    (load > facts.processors.physical as f64 / 2.0).then(|| {
        let text =
            format!("{load:.2} during the last minute: wall time will vary, and CPU time a little");
        new_finding(FindingRating::Weak, "load", text)
    })
}

fn stack_finding(facts: &HostFacts) -> Option<Finding> {
    let limit = facts.stack_limit?;
    let consequence = match chosen_isolation(facts) {
        Some(Isolation::Plain) => "deep recursion ends there",
        // Programs may use all of their memory limit as stack.
        _ => "programs with a larger memory limit are not run",
    };
    let text = format!("at most {limit}, a hard limit of this process; {consequence}");
    let advice = advice_with_command(
        "raise the limit of this shell",
        "sudo prlimit --pid $$ --stack=unlimited:unlimited",
    );
    let advice = advice.filter(|_| facts.system == "Linux");
    Some(new_finding(FindingRating::Weak, "stack", text).with_advice(advice))
}

/// Limits of a container or service that leave programs less than they may have.
fn container_limits(facts: &HostFacts) -> Vec<Finding> {
    let cores = facts.processors.physical as u64;
    let memory =
        facts.memory_limit.filter(|limit| limit.0 < PROGRAM_MEMORY.0 * cores).map(|limit| {
            let text = format!(
                "at most {limit} for juror and all its programs, by a control group; each may have \
             {PROGRAM_MEMORY} by default, and what it does not get is a judge error"
            );
            let raise =
                "raise the memory limit of the container or service, or run fewer programs at once";
            let command = "juror judge --jobs 1 ...";
            new_finding(FindingRating::Weak, MEMORY_LIMIT, text)
                .with_advice(advice_with_command(raise, command))
        });
    // The processes of juror itself, and of its sandboxes.
    const OWN: u64 = 32;
    let needed = u64::from(MOST_PROCESSES) * cores + OWN;
    let processes = facts.process_limit.filter(|limit| *limit < needed).map(|limit| {
        let text = format!(
            "at most {limit} for juror and all its programs; each may have {MOST_PROCESSES} by default, and \
             what it does not get is a judge error"
        );
        let raise = advice_text("raise pids.max of the container or service, and the limit `nproc`");
        new_finding(FindingRating::Weak, PROCESS_LIMIT, text).with_advice(raise)
    });
    memory.into_iter().chain(processes).collect()
}

fn temporary_finding(facts: &HostFacts) -> Finding {
    const SUBJECT: &str = "temporary files";
    const ENOUGH: Bytes = Bytes::mib(1024);
    let path = facts.temporary.path.display();
    let (grade, text) = match facts.temporary.free {
        Some(_) if facts.temporary.is_noexec => (
            FindingRating::Missing,
            format!("no program can be started in {path}: it is mounted with noexec"),
        ),
        Some(free) if free >= ENOUGH => {
            return new_finding(FindingRating::Good, SUBJECT, format!("{free} free in {path}"));
        }
        Some(free) => (FindingRating::Weak, format!("only {free} free in {path}")),
        None => {
            let fault = facts.temporary.fault.as_deref().unwrap_or_default();
            (FindingRating::Missing, format!("no file can be made in {path}: {fault}"))
        }
    };
    new_finding(grade, SUBJECT, text)
        .with_advice(advice_with_command("use another directory", "TMPDIR=/var/tmp juror ..."))
}

fn tool_finding(tool: &ToolFact) -> Finding {
    const SUBJECT: &str = "languages";
    match &tool.found {
        Some(found) => new_finding(
            FindingRating::Good,
            SUBJECT,
            format!("{}: {}, {}", tool.name, found.version, found.path.display()),
        ),
        None => new_finding(FindingRating::Weak, SUBJECT, format!("{}: not found", tool.name))
            .with_advice(tool.help.as_deref().and_then(advice_text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use juror_core::host::{
        Calibration, CgroupFacts, InstalledTool, NamespaceSettings, Processors, TemporaryDirectory,
    };
    use juror_core::judgement::JudgeError;

    /// An ideal machine, used by root.
    fn good_machine() -> HostFacts {
        HostFacts {
            system: "Linux".to_owned(),
            kernel: "6.12.30-amd64".to_owned(),
            user: 0,
            administrator: true,
            modes: Isolation::ISOLATING
                .map(|isolation| TriedIsolation { isolation, fault: None })
                .into(),
            gaps: Vec::new(),
            landlock: Some(6),
            settings: NamespaceSettings { most: Some(15_000), ..NamespaceSettings::default() },
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
            process_limit: None,
            processors: Processors { logical: 4, physical: 4, load: Some(0.1) },
            calibration: even_times(),
            temporary: TemporaryDirectory {
                path: "/tmp".into(),
                free: Some(Bytes::mib(50_000)),
                fault: None,
                is_noexec: false,
            },
        }
    }

    fn even_times() -> Calibration {
        Calibration { pace_noise: 0.01, ..Calibration::default() }
    }

    /// The ideal machine, used by a user without a control group.
    fn user_machine() -> HostFacts {
        let mut facts = good_machine();
        facts.user = 1000;
        facts.administrator = false;
        refuse(&mut facts, Isolation::Namespaces, "no right");
        facts.cgroups.usable2 = None;
        (facts.cpu_meter, facts.memory_meter) = (Meter::Rusage, Meter::Rusage);
        facts
    }

    fn refuse(facts: &mut HostFacts, isolation: Isolation, reason: &str) {
        for mode in &mut facts.modes {
            if mode.isolation == isolation {
                mode.fault = Some(JudgeError::new("make namespaces", reason));
            }
        }
    }

    /// Checks the findings about a subject: grades in order, and all commands.
    fn check(facts: &HostFacts, subject: &str, grades: &[FindingRating], commands: &[&str]) {
        let all = all_findings(facts, &[]);
        let found: Vec<&Finding> =
            all.iter().filter(|finding| finding.subject == subject).collect();
        let ratings: Vec<FindingRating> = found.iter().map(|finding| finding.grade).collect();
        assert_eq!(ratings, grades, "{subject}: {found:?}");
        let shown: Vec<&str> =
            found.iter().filter_map(|finding| finding.command.as_deref()).collect();
        assert_eq!(shown, commands, "{subject}: {found:?}");
    }

    const FINE: &[FindingRating] = &[FindingRating::Good];
    const WEAK: &[FindingRating] = &[FindingRating::Weak];

    #[test]
    fn a_good_machine_has_only_good_findings() {
        let all = all_findings(&good_machine(), &[]);
        let bad: Vec<_> =
            all.iter().filter(|finding| finding.grade != FindingRating::Good).collect();
        assert!(bad.is_empty(), "{bad:?}");
        assert_eq!(chosen_isolation(&good_machine()), Some(Isolation::Namespaces));
    }

    #[test]
    fn a_user_has_full_isolation_and_advice_for_exact_meters() {
        let delegate = "systemd-run --user --scope -p Delegate=yes juror ...";
        check(&user_machine(), "isolation", FINE, &[]);
        check(&user_machine(), "CPU time", WEAK, &[delegate]);
        check(&user_machine(), "memory", WEAK, &[]);
        let mut other = user_machine();
        other.systemd = false;
        check(&other, "CPU time", WEAK, &["sudo juror ..."]);
    }

    #[test]
    fn plain_mode_names_what_is_not_enforced() {
        let mut facts = user_machine();
        facts.system = "FreeBSD".to_owned();
        facts.modes = vec![TriedIsolation { isolation: Isolation::Plain, fault: None }];
        facts.gaps = vec!["files: open".to_owned(), "network: open".to_owned()];
        facts.landlock = None;
        facts.stack_limit = Some(Bytes::mib(512));
        check(&facts, "isolation", &[FindingRating::Missing], &[]);
        check(&facts, "not enforced", &[FindingRating::Weak; 2], &[]);
        // Commands for Linux do not work there.
        for subject in ["CPU time", "memory", "stack"] {
            check(&facts, subject, WEAK, &[]);
        }
        check(&facts, "landlock", &[], &[]);
    }

    #[test]
    fn each_obstacle_to_user_namespaces_has_its_command() {
        let forbid = |settings: NamespaceSettings, kind: FaultKind, command: &str| {
            for landlock in [None, Some(6)] {
                let mut facts = user_machine();
                facts.settings = settings.clone();
                facts.landlock = landlock;
                refuse(&mut facts, Isolation::UserNamespaces, "not allowed");
                let faults = facts.modes.iter_mut().filter_map(|mode| mode.fault.as_mut());
                faults.for_each(|fault| fault.kind = kind);
                let mut grades = vec![FindingRating::Weak; 3];
                let mut commands = vec![command];
                if landlock.is_none() {
                    refuse(&mut facts, Isolation::Landlock, "the kernel has no landlock");
                    grades = vec![FindingRating::Missing; 4];
                    grades.push(FindingRating::Weak);
                    commands.push("juror judge --isolation=plain ...");
                }
                check(&facts, "isolation", &grades, &commands);
            }
        };
        let none = NamespaceSettings::default();
        forbid(
            NamespaceSettings { unprivileged_clone: Some(0), ..none.clone() },
            FaultKind::NamespacesForbidden,
            "sudo sysctl -w kernel.unprivileged_userns_clone=1",
        );
        let most = "sudo sysctl -w user.max_user_namespaces=15000";
        forbid(
            NamespaceSettings { most: Some(0), ..none.clone() },
            FaultKind::NamespacesUsedUp,
            most,
        );
        forbid(none.clone(), FaultKind::NamespacesUsedUp, most);
        forbid(
            NamespaceSettings { apparmor_restricts: Some(1), ..none.clone() },
            FaultKind::NamespacesForbidden,
            "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        );
        forbid(none, FaultKind::NamespacesForbidden, "sudo juror ...");
    }

    #[test]
    fn a_container_has_advice_to_start_it_differently() {
        let check_kind = |kind: &str, commands: &[&str]| {
            let mut facts = good_machine();
            facts.administrator = false;
            facts.container = Some(kind.to_owned());
            refuse(&mut facts, Isolation::Namespaces, "no right");
            refuse(&mut facts, Isolation::UserNamespaces, "EPERM");
            facts.cpu_meter = Meter::Rusage;
            check(&facts, "isolation", &[FindingRating::Weak; 3], commands);
            assert_eq!(chosen_isolation(&facts), Some(Isolation::Landlock));
            let first = commands.first().copied();
            check(&facts, "CPU time", WEAK, first.as_slice());
        };
        let docker = "docker run --privileged ...";
        check_kind("docker", &[docker]);
        check_kind("kubernetes", &[]);
        check_kind("lxc", &[]);
    }

    #[test]
    fn missing_control_groups_have_advice() {
        let mut facts = good_machine();
        (facts.cpu_meter, facts.memory_meter) = (Meter::Rusage, Meter::Rusage);
        facts.cgroups = CgroupFacts::default();
        let mount = "mount -t cgroup2 none /sys/fs/cgroup";
        check(&facts, "CPU time", WEAK, &[mount]);
        facts.cgroups.version2 = Some("/sys/fs/cgroup".into());
        check(&facts, "CPU time", WEAK, &[]);
    }

    #[test]
    fn an_old_kernel_does_not_report_peak_memory() {
        let check_kernel = |kernel: &str, grades: &[FindingRating]| {
            let mut facts = good_machine();
            facts.kernel = kernel.to_owned();
            check(&facts, "memory", grades, &[]);
        };
        check_kernel("5.15.0-91-generic", WEAK);
        check_kernel("5.19.0", FINE);
        check_kernel("6.1.0-13-cloud-amd64", FINE);
        check_kernel("unknown", FINE);
    }

    #[test]
    fn load_and_limits_have_findings() {
        let mut facts = good_machine();
        facts.processors.load = Some(2.01);
        check(&facts, "load", WEAK, &[]);
        facts.processors.load = Some(2.0);
        check(&facts, "load", &[], &[]);
        facts.stack_limit = Some(Bytes::mib(8));
        let lift = "sudo prlimit --pid $$ --stack=unlimited:unlimited";
        check(&facts, "stack", WEAK, &[lift]);
        facts.landlock = None;
        check(&facts, "landlock", WEAK, &[]);
        let elsewhere = "TMPDIR=/var/tmp juror ...";
        facts.temporary.is_noexec = true;
        check(&facts, "temporary files", &[FindingRating::Missing], &[elsewhere]);
        facts.temporary.is_noexec = false;
        facts.temporary.free = Some(Bytes::mib(3));
        check(&facts, "temporary files", WEAK, &[elsewhere]);
        facts.temporary.free = None;
        facts.temporary.fault = Some("Read-only file system".to_owned());
        check(&facts, "temporary files", &[FindingRating::Missing], &[elsewhere]);
    }

    #[test]
    fn limits_of_a_container_that_programs_may_reach_have_findings() {
        let mut facts = good_machine();
        let enough = |facts: &HostFacts| {
            check(facts, MEMORY_LIMIT, &[], &[]);
            check(facts, PROCESS_LIMIT, &[], &[]);
        };
        enough(&facts);
        (facts.memory_limit, facts.process_limit) =
            (Some(Bytes::mib(4 * 2048)), Some(4 * 128 + 32));
        enough(&facts);
        facts.memory_limit = Some(Bytes::mib(4 * 2048 - 1));
        check(&facts, MEMORY_LIMIT, WEAK, &["juror judge --jobs 1 ..."]);
        facts.process_limit = Some(4 * 128 + 31);
        check(&facts, PROCESS_LIMIT, WEAK, &[]);
    }

    #[test]
    fn each_tool_has_its_version_or_advice_to_install_it() {
        let tool = |found, help| ToolFact { name: "python3".to_owned(), found, help };
        let python = InstalledTool {
            path: "/usr/bin/python3.11".into(),
            version: "Python 3.11.2".to_owned(),
        };
        let found = tool(Some(python), None);
        let missing = tool(None, Some("install python3".to_owned()));
        let all = all_findings(&good_machine(), &[found, missing]);
        let texts: Vec<&str> = all
            .iter()
            .filter(|finding| finding.subject == "languages")
            .map(|finding| finding.text.as_str())
            .collect();
        assert_eq!(texts, ["python3: Python 3.11.2, /usr/bin/python3.11", "python3: not found"]);
    }
}
