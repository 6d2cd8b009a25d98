//! Images for people, by the package's visualizers, where boxes are kept.
//!
//! Source: problem package format 2025-09, "Input visualizer", "Output visualizer".

use std::path::Path;

use crate::build::bench::Bench;
use crate::executor::place;
use crate::judge::case::{Answered, Judged, Pass, ReadyCase, Trial, VALIDATOR};
use crate::judge::keep::box_name;
use crate::judge::keep::{beside, replace};
use crate::model::blob::Blob;
use crate::model::job::Keep;
use crate::model::stop::Stop;
use crate::model::tree::TreeEntry;
use crate::validator::response::{Opinion, Response};
use crate::validator::visualizer::{Drawn, InputVisualizer};
use crate::validator::{Question, feedback_dir};

/// Has the input visualizer draw the inputs of test cases, and keeps what it makes in this directory.
///
/// # Errors
/// When the judge failed, or it was cut short.
pub fn inputs(bench: &Bench<'_>, cases: &[ReadyCase<'_>], dir: &Path) -> Result<(), Stop> {
    let Some(visualizer) = InputVisualizer::build(bench)? else { return Ok(()) };
    let cases: Vec<&ReadyCase<'_>> = cases.iter().filter(|it| it.static_args.is_none()).collect();
    let draw = |case: &&ReadyCase<'_>| {
        let kept = dir.join(box_name(&case.test_case.name));
        let answer = case.answer()?;
        let drawn = visualizer.draw(bench.executor, case.test_case, &case.input(), &answer)?;
        if let Some(tree) = &drawn.tree {
            place::save(tree, &kept)?;
        }
        tell(&drawn, &kept)
    };
    bench.map("images of inputs", &cases, draw).map(drop)
}

/// Keeps what a visualizer said that did not work.
fn tell(drawn: &Drawn, kept: &Path) -> Result<(), Stop> {
    let Some(said) = &drawn.said else { return Ok(()) };
    Ok(replace(said, &beside(kept, "error"))?)
}

impl Trial<'_> {
    /// The verdict of the default output validator, with the images of the output visualizer.
    pub(super) fn with_images(
        &self,
        pass: &Pass,
        output: &Blob,
        judged: Judged,
    ) -> Result<Judged, Stop> {
        if self.rules.validators.visualizer.is_none() {
            return Ok(judged);
        }
        let answered = Answered {
            message: judged.classified.cause.clone(),
            is_told: true,
            team_message: String::new(),
            stderr: Vec::new(),
            images: self.draw(pass, output, &[])?,
            kept: self.kept_of(pass, VALIDATOR),
        };
        Ok(Judged { answered: Some(answered), ..judged })
    }

    /// Has the output visualizer draw what the output validator has just judged, and adds the names of its images.
    pub(super) fn draw_beside(
        &self,
        pass: &Pass,
        output: &Blob,
        response: &mut Response,
    ) -> Result<(), Stop> {
        if self.rules.validators.visualizer.is_none()
            || matches!(response.opinion, Opinion::Broken(_))
        {
            return Ok(());
        }
        let left = response.kept.as_ref().map(|tree| tree.below(&feedback_dir(Path::new(""))));
        let images = &mut response.feedback.images;
        images.extend(self.draw(pass, output, &left.unwrap_or_default())?);
        images.sort();
        images.dedup();
        Ok(())
    }

    /// The names of the images that the output visualizer makes. They lie where the validator's feedback is kept, as
    /// `left` does.
    fn draw(&self, pass: &Pass, output: &Blob, left: &[TreeEntry]) -> Result<Vec<String>, Stop> {
        let kept = self.kept_of(pass, VALIDATOR);
        let (Some(visualizer), Some(kept)) = (&self.rules.validators.visualizer, kept) else {
            return Ok(Vec::new());
        };
        let test_case = self.case.test_case;
        let drawn = visualizer.draw(
            self.executor,
            Question {
                test_case,
                args: &test_case.output_visualizer_args,
                // In each pass that of the test case.
                input: &self.case.input(),
                answer: &self.case.answer()?,
                output: output.clone(),
                submission: Some(self.entry.runnable),
                earlier: left,
                keep: Keep::ALL,
            },
        )?;
        let dir = feedback_dir(&kept);
        let mut names = Vec::new();
        for (name, blob) in drawn.images() {
            replace(&blob, &dir.join(&name))?;
            names.push(name);
        }
        if let Some(kept) = self.kept_of(pass, ".visualizer") {
            tell(&drawn, &kept)?;
        }
        names.sort();
        Ok(names)
    }
}
