//! The plain dialect of Piston: `GET /api/v2/runtimes` and `POST /api/v2/execute`.
//!
//! Source: `docs/api-v2.md`, `api/src/api/v2.js` and `api/src/job.js` of engineer-man/piston.

use std::path::PathBuf;

use juror::grade::graded::WholeRun;
use juror::grade::line::FromObject;
use juror::ops::grade::Grader;
use juror::ops::grade::whole::{ProgramRequest, WholeRuns};
use juror::ops::languages::{LanguageListing, ListedLanguage};
use juror_core::language::table::Language;
use juror_core::limits::Limits;
use juror_core::outcome::{Ending, Outcome, StopReason};
use juror_core::units::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::programs::{
    MOST_OUTPUT, TaskFailure, check_different, compiler_text, decode_base64, file, find_installed,
    is_installed, limits, millis, parse, refusal, run, source, text, time,
};

/// Its names of languages that have another one here; the others have juror's.
const NAMES: [(&str, &str); 2] = [("python3", "python"), ("cpp", "c++")];

/// Kinds of packages that judge by themselves.
const JUDGING_RUNTIMES: [&str; 2] = ["cf_", "cms_"];

#[derive(Debug, Deserialize)]
pub struct Execute {
    language: String,
    version: String,
    files: Vec<FromObject<GivenFile>>,
    stdin: Option<String>,
    args: Option<Vec<String>>,
    compile_timeout: Option<f64>,
    run_timeout: Option<f64>,
    compile_cpu_time: Option<f64>,
    run_cpu_time: Option<f64>,
    compile_memory_limit: Option<f64>,
    run_memory_limit: Option<f64>,
}

#[derive(Debug, Deserialize)]
struct GivenFile {
    name: Option<String>,
    content: String,
    encoding: Option<String>,
}

#[derive(Default, Serialize)]
struct Stage {
    stdout: String,
    stderr: String,
    /// Both, one after the other.
    output: String,
    code: Option<i32>,
    signal: Option<String>,
    message: Option<String>,
    status: Option<&'static str>,
    cpu_time: Option<u64>,
    wall_time: Option<u64>,
    memory: Option<Bytes>,
}

fn decode_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).ok());
    digits.map(|pair| u8::from_str_radix(pair.filter(|pair| pair.len() == 2)?, 16).ok()).collect()
}

fn name_of(language: &ListedLanguage) -> &str {
    let other = NAMES.iter().find(|(code, _)| *code == language.code);
    other.map_or(&language.code, |(_, name)| name)
}

/// Three numbers, as far as the tool tells them.
fn version_of(language: &ListedLanguage) -> String {
    // The tool of the language follows those that it shares.
    let told = language.tools.last().and_then(|tool| tool.version.as_deref()).unwrap_or_default();
    let words = told.split(|letter: char| !letter.is_ascii_digit() && letter != '.');
    let number = words.map(|word| word.trim_matches('.')).find(|word| word.contains('.'));
    let parts = number.unwrap_or("0").split('.').chain(["0", "0"]).take(3);
    let parts = parts.map(|part| part.parse::<u64>().unwrap_or_default().to_string());
    parts.collect::<Vec<_>>().join(".")
}

/// Such as `*`, `3`, `3.x`, `^3.11` or `3.11.2`.
fn matches_version(selector: &str, version: &str) -> bool {
    let selector = selector.trim_start_matches(['^', '~', '=', 'v', ' ']);
    let mut wanted = selector.split('.').take_while(|part| !["*", "x", "X"].contains(part));
    let mut parts = version.split('.');
    wanted.all(|wanted| parts.next() == Some(wanted))
}

pub fn runtimes(languages: &LanguageListing) -> Answer {
    let here = languages.languages.iter().filter(|language| is_installed(language));
    let all = here.map(|language| {
        let aliases = Language::by_code(&language.code).map_or("", |row| row.aliases);
        let aliases = [&*language.code].into_iter().chain(aliases.split_whitespace());
        let name = name_of(language);
        let aliases: Vec<&str> = aliases.filter(|alias| *alias != name).collect();
        json!({ "language": name, "version": version_of(language), "aliases": aliases })
    });
    Answer::of(200, &all.collect::<Vec<Value>>())
}

impl Execute {
    /// # Errors
    /// If its keys or their values are wrong.
    pub fn parse(body: &[u8]) -> Result<Self, Answer> {
        parse(body, 400)
    }

    /// # Errors
    /// If it cannot run, or this side failed.
    pub fn run(
        &self,
        grader: &Grader<'_>,
        languages: &LanguageListing,
    ) -> Result<Answer, TaskFailure> {
        let language = self.find_language(languages)?;
        let request = self.to_program(&language.code)?;
        let runs = run(grader, &request)?;
        let (compile, run) = stages(&runs, &request);
        Ok(Answer::of(
            200,
            &json!({
                "language": name_of(language),
                "version": version_of(language),
                "compile": compile,
                "run": run,
            }),
        ))
    }

    fn find_language<'l>(
        &self,
        languages: &'l LanguageListing,
    ) -> Result<&'l ListedLanguage, Answer> {
        let (name, version) = (&self.language, &self.version);
        if JUDGING_RUNTIMES.iter().any(|prefix| name.starts_with(prefix)) {
            let message = format!(
                "{name}-{version} judges by itself, and is not here: send a line to /grade"
            );
            return Err(Answer::refused(400, message));
        }
        let known = Language::by_name(name).and_then(|row| find_installed(languages, row.code));
        known.filter(|language| matches_version(version, &version_of(language))).ok_or_else(|| {
            let all = languages.languages.iter().filter(|language| is_installed(language));
            let all = all.map(|language| format!("{}-{}", name_of(language), version_of(language)));
            let all = all.collect::<Vec<_>>().join(", ");
            Answer::refused(400, format!("{name}-{version} runtime is unknown; there are: {all}"))
        })
    }

    /// The first file is the program; the others are beside it.
    fn to_program(&self, code: &str) -> Result<ProgramRequest, Answer> {
        let mut files = Vec::new();
        for (index, FromObject(given)) in self.files.iter().enumerate() {
            let name = given.name.clone().unwrap_or_else(|| format!("file{index}.code"));
            let bytes = match given.encoding.as_deref().unwrap_or("utf8") {
                "base64" => decode_base64(&name, &given.content)?,
                "hex" => decode_hex(&given.content).ok_or_else(|| {
                    Answer::refused(400, format!("the content of the file {name:?} is not hex"))
                })?,
                _ => given.content.clone().into_bytes(),
            };
            files.push(file(&name, bytes)?);
        }
        check_different(&files)?;
        if files.is_empty() {
            return Err(Answer::refused(400, "files must include at least one utf8 encoded file"));
        }
        let main = files.remove(0);
        let program = String::from_utf8(main.bytes().to_vec()).map_err(|_| {
            Answer::refused(
                400,
                "files must include at least one utf8 encoded file, the program first",
            )
        })?;
        let mut source = source(program, code);
        let has_ending =
            |name: &PathBuf| Language::of_file(name).is_some_and(|language| language.code == code);
        let is_given = self.files[0].0.name.is_some() && main.name.components().count() == 1;
        source.name = Some(main.name)
            .filter(|name| is_given && has_ending(name))
            .map(|name| name.display().to_string());
        Ok(ProgramRequest {
            source,
            files,
            arguments: self.args.clone().unwrap_or_default(),
            inputs: vec![self.stdin.clone().unwrap_or_default().into_bytes().into()],
            build_limits: self.limits(
                ("compile_timeout", self.compile_timeout, 10_000.0),
                ("compile_cpu_time", self.compile_cpu_time),
                self.compile_memory_limit,
            )?,
            limits: self.limits(
                ("run_timeout", self.run_timeout, 3000.0),
                ("run_cpu_time", self.run_cpu_time),
                self.run_memory_limit,
            )?,
            collect: Vec::new(),
            most_output: MOST_OUTPUT as u64,
        })
    }

    /// Times are in milliseconds, memory in bytes. 0 stands for the default.
    fn limits(
        &self,
        (wall_name, wall, default): (&str, Option<f64>, f64),
        (cpu_name, cpu): (&str, Option<f64>),
        memory: Option<f64>,
    ) -> Result<Limits, Answer> {
        let is_set = |value: &f64| *value != 0.0;
        let wall = time(wall_name, wall.filter(is_set).unwrap_or(default) / 1000.0)?;
        let cpu = cpu.filter(is_set).map(|cpu| time(cpu_name, cpu / 1000.0)).transpose()?;
        let memory = memory.filter(|bytes| *bytes > 0.0).map(|bytes| Bytes(bytes as u64));
        Ok(Limits { cpu_time: cpu.or(Some(wall)), ..limits(wall, memory) })
    }
}

/// That of the compiler, and that of the run. What does not run has the stage of its compiler.
fn stages(runs: &WholeRuns, request: &ProgramRequest) -> (Value, Value) {
    let messages = runs.compiler.as_ref().map(compiler_text).unwrap_or_default();
    let compile = match refusal(runs) {
        Some(report) => {
            let stage = report.outcome.as_ref().map_or_else(Stage::default, |outcome| {
                stage(outcome, &request.build_limits, String::new(), messages.clone())
            });
            let code = stage.code.map_or(1, |code| if code == 0 { 1 } else { code });
            let code = stage.signal.is_none().then_some(code);
            let status = stage.status.or(Some("RE"));
            Stage { code, status, message: report.refusal.clone(), ..stage }
        }
        None => Stage {
            output: messages.clone(),
            stderr: messages,
            code: Some(0),
            wall_time: Some(millis(runs.build_time)),
            ..Stage::default()
        },
    };
    let compile = json!(compile);
    let run = runs.runs.first().map(|run| json!(run_stage(run, &request.limits)));
    let run = run.unwrap_or_else(|| compile.clone());
    (compile, run)
}

fn run_stage(run: &WholeRun, limits: &Limits) -> Stage {
    let stage = stage(&run.outcome, limits, text(&run.stdout), text(&run.stderr));
    if run.stdout_bytes_left_out > 0 && stage.status.is_none() {
        let message = Some("stdout length exceeded".to_owned());
        return Stage { status: Some("OL"), message, ..stage };
    }
    stage
}

fn stage(outcome: &Outcome, limits: &Limits, stdout: String, stderr: String) -> Stage {
    let killed = Some("SIGKILL".to_owned());
    let (status, message, code, signal) = match (limits.first_exceeded(outcome), outcome.ending) {
        (Some(StopReason::CpuTime | StopReason::WallTime), _) => {
            (Some("TO"), Some("Time limit exceeded".to_owned()), None, killed)
        }
        (Some(StopReason::Output), _) if outcome.stderr_bytes > outcome.stdout_bytes => {
            (Some("EL"), Some("stderr length exceeded".to_owned()), None, killed)
        }
        (Some(StopReason::Output), _) => {
            (Some("OL"), Some("stdout length exceeded".to_owned()), None, killed)
        }
        (_, Ending::Signalled(signal)) => {
            let message = format!("Caught fatal signal {}", signal.0);
            (Some("SG"), Some(message), None, Some(signal.to_string()))
        }
        (_, Ending::Exited(0)) => (None, None, Some(0), None),
        (_, Ending::Exited(code)) => {
            (Some("RE"), Some(format!("Exited with error status {code}")), Some(code), None)
        }
    };
    Stage {
        output: format!("{stdout}{stderr}"),
        stdout,
        stderr,
        code,
        signal,
        message,
        status,
        cpu_time: Some(millis(outcome.cpu_time)),
        wall_time: Some(millis(outcome.own_wall_time())),
        memory: outcome.memory(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_selected_by_their_parts() {
        let check = |selector: &str, is_right: bool| {
            assert_eq!(matches_version(selector, "3.11.2"), is_right, "{selector}");
        };
        for right in ["*", "3", "3.x", "3.11.*", "^3.11", "3.11.2", "=3.11.2"] {
            check(right, true);
        }
        for wrong in ["2", "3.1", "3.11.20", "3.11.2.0", "python"] {
            check(wrong, false);
        }
    }
}
