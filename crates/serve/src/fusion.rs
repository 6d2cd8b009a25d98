//! The dialect of SandboxFusion: `POST /run_code`.
//!
//! Source: `sandbox/server/sandbox_api.py` and `sandbox/runners/base.py` of bytedance/SandboxFusion;
//! `verl/utils/reward_score/sandbox_fusion/utils.py` of volcengine/verl.

use std::collections::BTreeMap;
use std::time::Duration;

use juror::ops::grade::Grader;
use juror::ops::grade::whole::{ProgramRequest, WholeRuns};
use juror::ops::languages::LanguageListing;
use juror_core::outcome::{Ending, Outcome};
use juror_core::units::Bytes;
use serde::{Deserialize, Serialize};

use crate::answer::Answer;
use crate::programs::{
    TaskFailure, check_different, checked_name, compiler_text, decode_base64, fetched, file,
    find_installed, limits, parse, refusal, run, source, text, time,
};

/// Its names of languages, and juror's. The others are for test suites, notebooks and graphics cards.
const LANGUAGES: [(&str, &str); 18] = [
    ("python", "python3"),
    ("cpp", "cpp"),
    ("nodejs", "javascript"),
    ("go", "go"),
    ("java", "java"),
    ("php", "php"),
    ("csharp", "csharp"),
    ("bash", "bash"),
    ("typescript", "typescript"),
    ("rust", "rust"),
    ("lua", "lua"),
    ("R", "r"),
    ("perl", "perl"),
    ("ruby", "ruby"),
    ("scala", "scala"),
    ("julia", "julia"),
    ("swift", "swift"),
    ("racket", "racket"),
];

/// How much longer than its program may take a client waits.
const CLIENT_PATIENCE: Duration = Duration::from_secs(10);
/// A refusal and an answer arrive within this time.
const ON_THE_WAY: Duration = Duration::from_millis(1500);

#[derive(Debug, Deserialize)]
pub struct RunCode {
    code: String,
    language: String,
    stdin: Option<String>,
    #[serde(default = "ten")]
    compile_timeout: f64,
    #[serde(default = "ten")]
    run_timeout: f64,
    #[serde(default = "no_limit", rename = "memory_limit_MB")]
    memory_limit: i64,
    #[serde(default)]
    files: BTreeMap<String, Option<String>>,
    #[serde(default)]
    fetch_files: Vec<String>,
}

fn ten() -> f64 {
    10.0
}

fn no_limit() -> i64 {
    -1
}

/// Until when a client of this request waits, counted from its arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// A run that starts later could end after the client gave up.
    pub start: Duration,
    pub end: Duration,
}

#[derive(Serialize)]
struct RunCodeResponse {
    status: &'static str,
    message: String,
    compile_result: Option<CommandResult>,
    run_result: Option<CommandResult>,
    executor_pod_name: Option<String>,
    files: BTreeMap<String, String>,
}

#[derive(Serialize)]
struct CommandResult {
    status: &'static str,
    execution_time: f64,
    cpu_time: f64,
    return_code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl RunCode {
    /// # Errors
    /// If its keys or their values are wrong.
    pub fn parse(body: &[u8]) -> Result<Self, Answer> {
        parse(body, 422)
    }

    /// # Errors
    /// If a time is none.
    pub fn patience(&self) -> Result<Patience, Answer> {
        let most =
            time("compile_timeout", self.compile_timeout)? + time("run_timeout", self.run_timeout)?;
        let start = CLIENT_PATIENCE - ON_THE_WAY;
        Ok(Patience { start, end: start + most + ON_THE_WAY / 2 })
    }

    /// # Errors
    /// If it cannot run, or this side failed.
    pub fn run(
        &self,
        grader: &Grader<'_>,
        languages: &LanguageListing,
    ) -> Result<Answer, TaskFailure> {
        let request = self.to_program(languages)?;
        Ok(self.response(&run(grader, &request)?)?)
    }

    fn to_program(&self, languages: &LanguageListing) -> Result<ProgramRequest, Answer> {
        let here = |code: &str| find_installed(languages, code).is_some();
        let known = LANGUAGES.iter().find(|(name, code)| *name == self.language && here(code));
        let Some((_, code)) = known else {
            let all = LANGUAGES.iter().filter(|(_, code)| here(code)).map(|(name, _)| *name);
            let all = all.collect::<Vec<_>>().join(", ");
            let message = format!("the language {:?} is not here; there are: {all}", self.language);
            return Err(Answer::refused(422, message));
        };
        let given = self.files.iter().filter_map(|(name, content)| Some((name, content.as_ref()?)));
        let files = given.map(|(name, content)| file(name, decode_base64(name, content)?));
        let files = files.collect::<Result<Vec<_>, Answer>>()?;
        check_different(&files)?;
        let memory = u64::try_from(self.memory_limit).ok().filter(|mib| *mib > 0);
        let memory = memory.map(|mib| Bytes::mib(mib.min(1 << 20)));
        let collect = self.fetch_files.iter().map(|name| checked_name(name));
        let collect = collect.map(|name| Ok(name?.display().to_string()));
        Ok(ProgramRequest {
            source: source(self.code.clone(), code),
            files,
            arguments: Vec::new(),
            inputs: vec![self.stdin.clone().unwrap_or_default().into_bytes().into()],
            build_limits: limits(time("compile_timeout", self.compile_timeout)?, None),
            limits: limits(time("run_timeout", self.run_timeout)?, memory),
            collect: collect.collect::<Result<_, Answer>>()?,
            most_output: 1 << 20,
        })
    }

    fn response(&self, runs: &WholeRuns) -> Result<Answer, Answer> {
        let refused = refusal(runs).map(|report| &report.outcome);
        let messages = runs.compiler.as_ref().map(compiler_text).unwrap_or_default();
        let compile_result = match refused {
            Some(Some(outcome)) => {
                let mut result = command_result(outcome, String::new(), messages);
                // The compiler may end well and make nothing.
                result.return_code =
                    result.return_code.map(|code| if code == 0 { 1 } else { code });
                Some(result)
            }
            Some(None) => Some(quick_result(Duration::ZERO, 1, messages)),
            None => runs.has_build.then(|| quick_result(runs.build_time, 0, messages)),
        };
        let run = runs.runs.first();
        let run_result =
            run.map(|run| command_result(&run.outcome, text(&run.stdout), text(&run.stderr)));
        let all_well = [&compile_result, &run_result].into_iter().flatten();
        let all_well = all_well.map(|result| result.return_code).all(|code| code == Some(0));
        let files = run.map(|run| fetched(&self.fetch_files, run)).transpose()?;
        let response = RunCodeResponse {
            status: if all_well { "Success" } else { "Failed" },
            message: String::new(),
            compile_result,
            run_result,
            executor_pod_name: None,
            files: files.into_iter().flatten().collect(),
        };
        Ok(Answer::of(200, &response))
    }
}

fn command_result(outcome: &Outcome, stdout: String, stderr: String) -> CommandResult {
    let is_late = outcome.is_stopped_for_time();
    let code = match outcome.ending {
        Ending::Exited(code) => code,
        Ending::Signalled(signal) => -signal.0,
    };
    CommandResult {
        status: if is_late { "TimeLimitExceeded" } else { "Finished" },
        execution_time: outcome.own_wall_time().as_secs_f64(),
        cpu_time: outcome.cpu_time.as_secs_f64(),
        return_code: (!is_late).then_some(code),
        stdout,
        stderr,
    }
}

/// The result of a compiler that was not measured.
fn quick_result(time: Duration, code: i32, stderr: String) -> CommandResult {
    CommandResult {
        status: "Finished",
        execution_time: time.as_secs_f64(),
        cpu_time: time.as_secs_f64(),
        return_code: Some(code),
        stdout: String::new(),
        stderr,
    }
}
