//! The diagnosis as one JSON document. `docs/json.md` tells each key.

use std::path::Path;

use serde::Serialize;

use crate::model::host::{Finding, Grade, HostFacts, Rung, ToolFact};
use crate::report::doctor::Diagnosis;

/// The version of the document; raised when a key goes or changes its meaning.
const VERSION: u32 = 1;

/// The diagnosis for a program.
pub fn json(diagnosis: &Diagnosis<'_>) -> String {
    let facts = diagnosis.facts;
    let document = Document {
        format: "juror-doctor",
        version: VERSION,
        juror: env!("CARGO_PKG_VERSION"),
        full: diagnosis
            .chosen
            .is_some_and(|isolation| isolation.is_full()),
        isolation: diagnosis.chosen.map(|isolation| isolation.key()),
        cpu_meter: facts.meters.cpu.to_string(),
        memory_meter: facts.meters.memory.to_string(),
        ways: facts.rungs.iter().map(WireWay::from).collect(),
        findings: diagnosis.findings.iter().map(WireFinding::from).collect(),
        host: WireHost::from(facts),
        tools: diagnosis.tools.iter().map(WireTool::from).collect(),
    };
    // Plain data with text keys, of which nothing can fail.
    let text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text + "\n"
}

#[derive(Serialize)]
struct Document {
    format: &'static str,
    version: u32,
    juror: &'static str,
    full: bool,
    isolation: Option<&'static str>,
    cpu_meter: String,
    memory_meter: String,
    ways: Vec<WireWay>,
    findings: Vec<WireFinding>,
    host: WireHost,
    tools: Vec<WireTool>,
}

#[derive(Serialize)]
struct WireWay {
    by: &'static str,
    full: bool,
    works: bool,
    step: Option<String>,
    reason: Option<String>,
}

impl From<&Rung> for WireWay {
    fn from(rung: &Rung) -> Self {
        let fault = rung.fault.as_ref();
        Self {
            by: rung.isolation.key(),
            full: rung.isolation.is_full(),
            works: fault.is_none(),
            step: fault.map(|fault| fault.step.clone()),
            reason: fault.map(|fault| fault.reason.clone()),
        }
    }
}

#[derive(Serialize)]
struct WireFinding {
    subject: &'static str,
    grade: &'static str,
    text: String,
    advice: Option<String>,
    command: Option<String>,
}

impl From<&Finding> for WireFinding {
    fn from(finding: &Finding) -> Self {
        let advice = finding.advice.as_ref();
        Self {
            subject: finding.subject,
            grade: match finding.grade {
                Grade::Good => "good",
                Grade::Weak => "weak",
                Grade::Missing => "missing",
            },
            text: finding.text.clone(),
            advice: advice.map(|advice| advice.text.clone()),
            command: advice.and_then(|advice| advice.command.clone()),
        }
    }
}

#[derive(Serialize)]
struct WireHost {
    system: String,
    kernel: String,
    user: u32,
    administrator: bool,
    landlock: Option<u32>,
    container: Option<String>,
    systemd: bool,
    unprivileged_userns_clone: Option<u64>,
    max_user_namespaces: Option<u64>,
    apparmor_restrict_unprivileged_userns: Option<u64>,
    cgroup2: Option<String>,
    cgroup2_controllers: Vec<String>,
    cgroup2_usable: Option<String>,
    cgroup1_controllers: Vec<String>,
    cgroup1_usable: Vec<String>,
    logical_processors: usize,
    physical_cores: usize,
    load: Option<f64>,
    stack_limit_bytes: Option<u64>,
    temporary_directory: String,
    temporary_free_bytes: Option<u64>,
    temporary_fault: Option<String>,
}

impl From<&HostFacts> for WireHost {
    fn from(facts: &HostFacts) -> Self {
        let path = |path: &Path| path.display().to_string();
        let groups = &facts.cgroups;
        let free = facts.temporary.free.as_ref();
        Self {
            system: facts.system.clone(),
            kernel: facts.kernel.clone(),
            user: facts.user,
            administrator: facts.administrator,
            landlock: facts.landlock,
            container: facts.container.clone(),
            systemd: facts.systemd,
            unprivileged_userns_clone: facts.settings.unprivileged_clone,
            max_user_namespaces: facts.settings.most,
            apparmor_restrict_unprivileged_userns: facts.settings.apparmor_restricts,
            cgroup2: groups.version2.as_deref().map(path),
            cgroup2_controllers: groups.controllers2.clone(),
            cgroup2_usable: groups.usable2.as_deref().map(path),
            cgroup1_controllers: groups.controllers1.clone(),
            cgroup1_usable: groups.usable1.clone(),
            logical_processors: facts.processors.logical,
            physical_cores: facts.processors.physical,
            load: facts
                .processors
                .load_hundredths
                .map(|load| f64::from(load) / 100.0),
            stack_limit_bytes: facts.stack_limit.map(|limit| limit.0),
            temporary_directory: path(&facts.temporary.path),
            temporary_free_bytes: free.ok().map(|free| free.0),
            temporary_fault: free.err().cloned(),
        }
    }
}

#[derive(Serialize)]
struct WireTool {
    name: String,
    path: Option<String>,
    version: Option<String>,
    help: Option<String>,
}

impl From<&ToolFact> for WireTool {
    fn from(tool: &ToolFact) -> Self {
        let found = tool.found.as_ref();
        Self {
            name: tool.name.clone(),
            path: found.ok().map(|found| found.path.display().to_string()),
            version: found.ok().map(|found| found.version.clone()),
            help: found.err().cloned(),
        }
    }
}
