//! The package's visualizers: programs that make images of inputs and outputs. Their failures are not faults of the
//! judge, but their messages are kept.
//!
//! The output visualizer is called like the output validator, but with its own arguments, and finds the feedback
//! directory that the validator left. The input visualizer is called as `visualizer INPUT ANSWER [ARGUMENTS]`, and the
//! images in its working directory are kept.
//!
//! Source: problem package format 2025-09, "Input visualizer", "Output visualizer", "Resource guarantees".

use std::path::{Path, PathBuf};

use crate::build::bench::Bench;
use crate::output_validator::feedback::IMAGES_OF_OUTPUT;
use crate::output_validator::response::{STDERR_MAX, exceeded_limit, exit_code};
use crate::output_validator::{
    OWN_DIR, OutputValidator, ValidationRequest, box_path, feedback_dir,
};
use juror_core::blob::Blob;
use juror_core::diagnostic::{Diagnostic, Severity};
use juror_core::job::{BoxRetention, Job};
use juror_core::judgement::{JudgeError, ShownImage};
use juror_core::limits::Limits;
use juror_core::program::Program;
use juror_core::protocol::Protocol;
use juror_core::stop::{Stop, collect_diagnostics};
use juror_core::test_data::TestCase;
use juror_core::tree::{Node, Tree, TreeEntry};
use juror_sandbox::executor::Executor;

pub struct Visualizer {
    /// It has the limits and the isolation of an output validator.
    program: OutputValidator,
}

pub struct VisualizerResult {
    /// The contents of the box; `None` if the visualizer exceeded a limit.
    pub tree: Option<Tree>,
    /// How it ended, and its standard error; `None` if it succeeded.
    pub failure: Option<Blob>,
}

const IMAGE_EXTENSIONS: [&str; 4] = ["png", "jpg", "jpeg", "svg"];

impl Visualizer {
    /// A failed build is only a remark.
    pub fn build_for_outputs(bench: &Bench<'_>) -> Result<Option<Self>, Stop> {
        build(bench, "output visualizer", bench.problem.output_visualizer.as_ref())
    }

    /// A failed build is only a remark.
    pub fn build_for_inputs(bench: &Bench<'_>) -> Result<Option<Self>, Stop> {
        build(bench, "input visualizer", bench.problem.input_visualizer.as_ref())
    }

    pub fn draw_output(
        &self,
        executor: &dyn Executor,
        request: ValidationRequest<'_>,
    ) -> Result<VisualizerResult, Stop> {
        run(executor, &self.program.job(request), &self.program.limits)
    }

    pub fn draw_input(
        &self,
        executor: &dyn Executor,
        test_case: &TestCase,
        input: &Blob,
        answer: &Blob,
    ) -> Result<VisualizerResult, Stop> {
        let mut job =
            self.program.base_job(None, BoxRetention::AllBut(vec![PathBuf::from(OWN_DIR)]));
        job.collect.clear();
        for (name, blob) in [("input", input), ("answer", answer)] {
            let name = Path::new(OWN_DIR).join(name);
            job.command.argv.push(box_path(&name));
            job.add_entry(TreeEntry::new(name, Node::plain(blob.clone())));
        }
        job.command.argv.extend(test_case.input_visualizer_args.iter().cloned());
        run(executor, &job, &self.program.limits)
    }
}

impl VisualizerResult {
    /// The images in its feedback directory, by name. An output visualizer must not write other files there.
    pub fn output_images(&self) -> Vec<ShownImage> {
        self.images(IMAGES_OF_OUTPUT, &feedback_dir(Path::new("")), is_image)
    }

    pub fn input_images(&self) -> Vec<ShownImage> {
        let is_image = |name: &str| {
            name.rsplit_once('.').is_some_and(|(_, end)| IMAGE_EXTENSIONS.contains(&end))
        };
        self.images("input", Path::new(""), is_image)
    }

    fn images(&self, of: &'static str, dir: &Path, accepts: fn(&str) -> bool) -> Vec<ShownImage> {
        let entries = self.tree.as_ref().map(|tree| tree.entries_below(dir)).unwrap_or_default();
        let image = |file: &TreeEntry| {
            let name = file.name.to_str().filter(|name| accepts(name))?.to_owned();
            Some(ShownImage { of: of.into(), name, blob: file.blob()?.clone() })
        };
        let mut images: Vec<ShownImage> = entries.iter().filter_map(image).collect();
        images.sort_by(|one, other| one.name.cmp(&other.name));
        images
    }
}

/// `judgeimage.EXT`, `teamimage.EXT`, `judgeimage-ID.EXT` or `teamimage-ID.EXT`.
fn is_image(name: &str) -> bool {
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    let rest = stem.strip_prefix("judgeimage").or(stem.strip_prefix("teamimage"));
    let is_suffix = |rest: &str| rest.is_empty() || (rest.starts_with('-') && !rest.contains('/'));
    IMAGE_EXTENSIONS.contains(&ending) && rest.is_some_and(is_suffix)
}

/// Warns if it cannot be built or its tool is missing: a verdict does not depend on it.
fn build(
    bench: &Bench<'_>,
    what: &'static str,
    program: Option<&Program>,
) -> Result<Option<Visualizer>, Stop> {
    let Some(program) = program else { return Ok(None) };
    let mut diagnostics = Vec::new();
    let built = match OutputValidator::build_program(bench, what, Protocol::Standard, program) {
        Err(Stop::Fault(JudgeError { lacks: Some(tool), help, .. })) => {
            let message = format!("the {what} is not run: {tool} is missing");
            diagnostics.push(Diagnostic { help, ..Diagnostic::warning(&program.path, message) });
            None
        }
        built => collect_diagnostics(built, &mut diagnostics)?,
    };
    let as_warning = |diagnostic| Diagnostic { severity: Severity::Warning, ..diagnostic };
    bench.send_diagnostics(diagnostics.into_iter().map(as_warning));
    Ok(built.map(|program| Visualizer { program }))
}

/// If it cannot start, is stopped or fails, that is no judge error.
fn run(executor: &dyn Executor, job: &Job, limits: &Limits) -> Result<VisualizerResult, Stop> {
    let reply = match executor.run_job(job) {
        Ok(reply) => reply,
        Err(Stop::Fault(error)) => {
            let failure = Some(error.to_string().into_bytes().into());
            return Ok(VisualizerResult { tree: None, failure });
        }
        Err(stop) => return Err(stop),
    };
    let is_within = exceeded_limit(&reply.outcome, limits).is_none();
    let failed = match exit_code(&reply.outcome, limits) {
        Ok(0) => None,
        Ok(code) => Some(format!("it ended with exit code {code}")),
        Err(what) => Some(what),
    };
    let failure = failed.map(|failed| {
        let stderr = reply.stderr.prefix(STDERR_MAX).unwrap_or_default();
        [failed.as_bytes(), b"\n", &stderr].concat().into()
    });
    Ok(VisualizerResult { tree: reply.kept.filter(|_| is_within), failure })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_have_names_of_the_format() {
        let check = |name: &str, expected: bool| assert_eq!(is_image(name), expected, "{name}");
        check("judgeimage.svg", true);
        check("teamimage.png", true);
        check("teamimage-01.jpeg", true);
        check("judgeimage-a.b.jpg", true);
        check("judgeimage", false);
        check("judgeimage.gif", false);
        check("judgeimages.svg", false);
        check("judgeimage-a/b.svg", false);
        check("score.txt", false);
        check("x/judgeimage.svg", false);
    }
}
