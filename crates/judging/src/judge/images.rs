//! Images by the package's visualizers and its output validator.
//!
//! Source: problem package format 2025-09, "Input visualizer", "Output visualizer".

use std::path::Path;
use std::sync::atomic::AtomicU64;

use crate::build::bench::Bench;
use crate::judge::case::{
    CaseJudge, Pass, PassResult, ReadyCase, VALIDATOR_SUFFIX, ValidatorFeedback,
};
use crate::judge::kept_files::replace_file;
use crate::judge::visualizers::{PAGE_BYTES, Visualizers};
use crate::output_validator::response::{Opinion, Response};
use crate::output_validator::visualizer::{Visualizer, VisualizerResult};
use crate::output_validator::{ValidationRequest, feedback_dir};
use juror_core::blob::Blob;
use juror_core::file_name::flat_stem;
use juror_core::job::BoxRetention;
use juror_core::judgement::{Evidence, ShownImage};
use juror_core::root::FilePath;
use juror_core::stop::Stop;
use juror_core::tree::TreeEntry;
use juror_core::verdict::Verdict;
use juror_sandbox::executor::trees;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ImageUse {
    #[default]
    Never,
    Saved,
    OnPage,
}

impl ImageUse {
    /// `keep` is the directory for boxes.
    pub fn from_options(keep: Option<&FilePath>, has_page: bool) -> Self {
        match keep {
            _ if has_page => Self::OnPage,
            Some(_) => Self::Saved,
            None => Self::Never,
        }
    }
}

impl Visualizers {
    /// Warns about visualizers that do not build.
    pub fn build(bench: &Bench<'_>, images: ImageUse) -> Result<Self, Stop> {
        if images == ImageUse::Never {
            return Ok(Self::default());
        }
        let mut all = Self { output: Visualizer::build_for_outputs(bench)?, ..Self::default() };
        if images == ImageUse::OnPage {
            all.input = Visualizer::build_for_inputs(bench)?;
            all.page_bytes_left = AtomicU64::new(PAGE_BYTES);
        }
        Ok(all)
    }

    /// Adds images of the input of a rejected run.
    pub(super) fn add_input(
        &self,
        judge: &CaseJudge<'_>,
        evidence: &mut Evidence,
    ) -> Result<(), Stop> {
        let test_case = judge.case.test_case;
        let (Some(visualizer), None) = (&self.input, judge.case.static_args) else { return Ok(()) };
        self.add_once(&test_case.name, evidence, || {
            let (input, answer) = (judge.case.input.clone(), judge.case.answer()?);
            Ok(visualizer.draw_input(judge.executor, test_case, &input, &answer)?.input_images())
        })
    }
}

/// Draws the inputs of test cases, and keeps the images in this directory.
pub fn draw_inputs(bench: &Bench<'_>, cases: &[ReadyCase<'_>], dir: &FilePath) -> Result<(), Stop> {
    let Some(visualizer) = Visualizer::build_for_inputs(bench)? else { return Ok(()) };
    let cases: Vec<_> = cases.iter().filter(|case| case.static_args.is_none()).collect();
    let draw = |case: &&ReadyCase<'_>| {
        let path = dir.join(flat_stem(&case.test_case.name));
        let answer = case.answer()?;
        let result = visualizer.draw_input(bench.executor, case.test_case, &case.input, &answer)?;
        if let Some(tree) = &result.tree {
            trees::save(tree, &path)?;
        }
        save_messages(&result, &path)
    };
    bench.map("images of inputs", &cases, draw).map(drop)
}

fn save_messages(result: &VisualizerResult, path: &FilePath) -> Result<(), Stop> {
    let Some(messages) = &result.failure else { return Ok(()) };
    Ok(replace_file(messages, &path.with_added_extension("error"))?)
}

impl CaseJudge<'_> {
    /// Adds images by the output visualizer to the verdict of the default output validator.
    pub(super) fn with_output_images(
        &self,
        pass: &Pass,
        output: &Blob,
        judged: PassResult,
    ) -> Result<PassResult, Stop> {
        let is_rejected = judged.classified.verdict != Verdict::Accepted;
        if !self.wants_output_images(pass, is_rejected) {
            return Ok(judged);
        }
        let feedback = ValidatorFeedback {
            message: judged.classified.cause.clone(),
            cause_includes_message: true,
            images: self.draw_output(pass, output, &[])?,
            box_path: self.box_path(pass.number, VALIDATOR_SUFFIX),
            ..ValidatorFeedback::default()
        };
        Ok(PassResult { feedback: Some(feedback), ..judged })
    }

    /// Adds images by the output visualizer to the response of a validator.
    pub(super) fn add_output_images(
        &self,
        pass: &Pass,
        output: &Blob,
        response: &mut Response,
    ) -> Result<(), Stop> {
        let is_broken = matches!(response.opinion, Opinion::Broken(_));
        if is_broken || !self.wants_output_images(pass, response.opinion != Opinion::Accepted) {
            return Ok(());
        }
        let feedback_files =
            response.box_tree.as_ref().map(|tree| tree.entries_below(&feedback_dir(Path::new(""))));
        let images = &mut response.feedback.images;
        images.extend(self.draw_output(pass, output, &feedback_files.unwrap_or_default())?);
        // Of two images with the same name the visualizer's stays, because it replaced the other one.
        images.reverse();
        images.sort_by(|one, other| one.name.cmp(&other.name));
        images.dedup_by(|other, one| other.name == one.name);
        Ok(())
    }

    /// Whether somebody would see images by the output visualizer.
    fn wants_output_images(&self, pass: &Pass, is_rejected: bool) -> bool {
        let visualizers = &self.rules.validators.visualizers;
        let is_kept = || self.box_path(pass.number, VALIDATOR_SUFFIX).is_some();
        visualizers.output.is_some() && ((is_rejected && visualizers.is_on_page()) || is_kept())
    }

    /// The images by the output visualizer. If the validator's `feedback` is kept, they are kept with it.
    fn draw_output(
        &self,
        pass: &Pass,
        output: &Blob,
        feedback: &[TreeEntry],
    ) -> Result<Vec<ShownImage>, Stop> {
        let Some(visualizer) = &self.rules.validators.visualizers.output else {
            return Ok(Vec::new());
        };
        let test_case = self.case.test_case;
        let result = visualizer.draw_output(
            self.executor,
            ValidationRequest {
                test_case,
                args: &test_case.output_visualizer_args,
                // The input of the test case, in each pass.
                input: &self.case.input,
                answer: &self.case.answer()?,
                output: output.clone(),
                submission: Some(self.entry.runnable),
                earlier: feedback,
                keep: BoxRetention::ALL,
            },
        )?;
        let images = result.output_images();
        if let Some(path) = self.box_path(pass.number, VALIDATOR_SUFFIX) {
            let dir = path.join(feedback_dir(Path::new("")));
            for image in &images {
                replace_file(&image.blob, &dir.join(&image.name))?;
            }
        }
        if let Some(path) = self.box_path(pass.number, ".visualizer") {
            save_messages(&result, &path)?;
        }
        Ok(images)
    }
}
