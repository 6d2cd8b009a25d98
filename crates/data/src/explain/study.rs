//! Tests hypotheses until one survives, or none is left.
//!
//! Each round makes inputs that could refute the simplest hypothesis: inputs that agree by chance prove nothing. An
//! exact hypothesis is sought first, then one that is merely necessary: a failure may need more than figures show.

use std::sync::Arc;

use crate::explain::features::{FeatureRow, Features, FigureKind};
use crate::explain::find::{
    Candidate, InputOrigin, ParsedInput, Sample, Threshold, find_candidates,
};
use crate::explain::fresh::{InputMaker, nearest_figure};
use crate::explain::hypothesis::{Atom, FigureTest, Hypothesis, is_natural_threshold};
use crate::explain::subject::{InputJudge, InputResult};
use juror_core::explanation::{Explanation, ExplanationKind, ExplanationResult, FailureCount};
use juror_core::stop::Stop;
use juror_grammar::program::Grammar;

const ENOUGH_FAILING: usize = 5;
/// The inputs that are tried first: small ones, those in shapes, and those near failing ones.
const SMALL_INPUTS: usize = 24;
const DRAWN_INPUTS: usize = 60;
const VARIATIONS: usize = 24;
/// While few inputs fail, more are made so often.
const MOST_HUNTS: usize = 10;
/// A hypothesis is tested with so many fresh inputs for which it holds, and so many others.
const ENOUGH_INPUTS: u64 = 30;
/// So many suffice if the grammar or the time allows no more.
const FEWEST_INPUTS: u64 = 10;
/// The simplest hypothesis may change so often.
const MOST_ROUNDS: usize = 24;
/// Inputs of a round for which the hypothesis holds, and as many others; and those for each rival or goal.
const INPUTS_PER_SIDE: usize = 10;
const INPUTS_PER_DOUBT: usize = 4;
const MOST_RIVALS: usize = 3;
/// Attempts for each of these inputs.
const ATTEMPTS: usize = 16;
const ATTEMPTS_OF_DOUBT: usize = 6;
const MOST_RUNS: u64 = 1200;
/// If a merely necessary hypothesis holds, the inputs divided by this must fail.
const FAILING_PART: u64 = 2;

/// `known` are inputs that were judged already.
pub fn study(
    submission: &str,
    grammar: &Grammar,
    subject: &dyn InputJudge,
    known: Vec<InputResult>,
    seed: u64,
) -> Result<ExplanationResult, Stop> {
    let features = Features::new(grammar);
    let mut study = Study {
        subject,
        maker: InputMaker::new(&features, seed),
        agreement: ExplanationKind::Exactly,
        samples: Vec::new(),
        runs: 0,
        is_cut: false,
    };
    let explanation = study.explain(known)?;
    let (runs, cut, submission) = (study.runs, study.is_cut, submission.to_owned());
    Ok(ExplanationResult { package: None, submission, explanation, runs, cut })
}

struct Study<'g, 'a> {
    subject: &'a dyn InputJudge,
    maker: InputMaker<'g, 'a>,
    agreement: ExplanationKind,
    samples: Vec<Sample>,
    runs: u64,
    is_cut: bool,
}

#[derive(Clone, Copy, Default)]
struct TrialCounts {
    with: FailureCount,
    without: FailureCount,
    /// Inputs close to the threshold, on the side on which the hypothesis holds and on the other.
    near_with: FailureCount,
    near_without: FailureCount,
    dry_rounds: u32,
}

impl Study<'_, '_> {
    fn explain(&mut self, known: Vec<InputResult>) -> Result<Option<Explanation>, Stop> {
        for result in known {
            let input = Arc::clone(&result.input);
            if let Some(parsed) = self.maker.parse_new(input, InputOrigin::Known) {
                self.add_sample(parsed, &result);
            }
        }
        let small = (0..SMALL_INPUTS).filter_map(|_| self.maker.next_small()).collect();
        self.judge(small)?;
        let drawn = (0..DRAWN_INPUTS).filter_map(|_| self.maker.draw(InputOrigin::Drawn)).collect();
        self.judge(drawn)?;
        for _ in 0..MOST_HUNTS {
            let variations = self.variations(&|sample| sample.fails, VARIATIONS);
            self.judge(variations)?;
            if self.failing_count() >= 3 * ENOUGH_FAILING {
                break;
            }
        }
        if self.failing_count() < ENOUGH_FAILING {
            return Ok(None);
        }
        if let Some(explanation) = self.test_hypotheses()? {
            return Ok(Some(explanation));
        }
        self.agreement = ExplanationKind::OnlyIf;
        self.test_hypotheses()
    }

    fn failing_count(&self) -> usize {
        self.samples.iter().filter(|sample| sample.fails).count()
    }

    fn is_over(&mut self) -> bool {
        if self.runs >= MOST_RUNS || self.subject.is_over() {
            self.is_cut = true;
        }
        self.is_cut
    }

    fn test_hypotheses(&mut self) -> Result<Option<Explanation>, Stop> {
        let mut trials: Vec<(Hypothesis, TrialCounts)> = Vec::new();
        let mut dropped: Vec<Hypothesis> = Vec::new();
        for _ in 0..MOST_ROUNDS {
            if self.is_over() {
                return Ok(None);
            }
            let mut candidates =
                find_candidates(self.maker.features, &self.samples, self.agreement);
            candidates.retain(|candidate| !dropped.contains(&candidate.hypothesis));
            if self.agreement == ExplanationKind::OnlyIf {
                candidates.retain(|candidate| self.is_informative(&candidate.hypothesis));
                candidates.sort_by_key(|rival| (self.passing_with(&rival.hypothesis), rival.cost));
            }
            let Some(best) = candidates.first().cloned() else { return Ok(None) };
            let index = trials.iter().position(|(tried, _)| *tried == best.hypothesis);
            let index = index.unwrap_or_else(|| {
                trials.push((best.hypothesis.clone(), TrialCounts::default()));
                trials.len() - 1
            });
            let rivals = &candidates[1..candidates.len().min(1 + MOST_RIVALS)];
            let before = self.samples.len();
            let inputs = self.refuting_inputs(&best, rivals);
            self.judge(inputs)?;
            let counts = &mut trials[index].1;
            let earlier = *counts;
            self.count_results(counts, &best, before);
            let is_short = |now: FailureCount, before: FailureCount| {
                now.inputs < before.inputs + INPUTS_PER_DOUBT as u64
            };
            if is_short(counts.with, earlier.with) || is_short(counts.without, earlier.without) {
                counts.dry_rounds += 1;
            }
            let (counts, is_over) = (*counts, self.is_over());
            match self.assess(&counts, is_over, &best) {
                HypothesisState::Open => {}
                HypothesisState::Refuted => dropped.push(best.hypothesis),
                HypothesisState::Confirmed => return Ok(Some(self.explanation(&counts, &best))),
            }
        }
        Ok(None)
    }

    /// A hypothesis that holds for most drawn inputs says little.
    fn is_informative(&self, hypothesis: &Hypothesis) -> bool {
        let natural =
            || self.samples.iter().filter(|sample| sample.parsed.origin == InputOrigin::Drawn);
        let holds = natural().filter(|sample| hypothesis.holds(sample.rows())).count();
        3 * holds <= 2 * natural().count()
    }

    fn passing_with(&self, hypothesis: &Hypothesis) -> usize {
        let holds = |sample: &&Sample| !sample.fails && hypothesis.holds(sample.rows());
        self.samples.iter().filter(holds).count()
    }

    fn refuting_inputs(&mut self, best: &Candidate, rivals: &[Candidate]) -> Vec<ParsedInput> {
        let mut inputs = Vec::new();
        let hypothesis = &best.hypothesis;
        if hypothesis.depends_on_answer(self.maker.features) {
            // Only a run shows on which side an input is.
            if let Some(Threshold { feature, limit, .. }) = best.threshold {
                let near = nearest_samples(&self.samples, feature, limit, None);
                inputs.extend((0..2 * INPUTS_PER_SIDE).filter_map(|_| self.maker.vary(&near)));
            }
            inputs.extend(self.variations(&|sample| sample.fails, INPUTS_PER_DOUBT));
            inputs.extend(self.variations(&|sample| !sample.fails, INPUTS_PER_SIDE));
            inputs.extend((0..INPUTS_PER_SIDE).filter_map(|_| self.maker.draw(InputOrigin::Fresh)));
            return inputs;
        }
        if let Some(threshold) = &best.threshold {
            inputs.extend(self.inputs_near(threshold));
        }
        for side in [true, false] {
            inputs.extend(
                self.inputs_with(INPUTS_PER_SIDE, ATTEMPTS, &|rows| hypothesis.holds(rows) == side),
            );
        }
        for rival in
            rivals.iter().filter(|rival| !rival.hypothesis.depends_on_answer(self.maker.features))
        {
            let other = &rival.hypothesis;
            inputs.extend(self.inputs_with(INPUTS_PER_DOUBT, ATTEMPTS_OF_DOUBT, &|rows| {
                hypothesis.holds(rows) != other.holds(rows)
            }));
            if let [Atom { feature, test: FigureTest::Equals(value) }] = hypothesis.atoms[..]
                && other.atoms.iter().any(|atom| atom.feature == feature)
            {
                // The value may stand for all that are odd, or powers of two: by chance, these are rare.
                let goals = [2 * value, 4 * value, value / 2, value + 2, value - 2];
                inputs.extend(
                    goals.iter().filter_map(|goal| self.input_towards(feature, *goal, None)),
                );
            }
        }
        inputs
    }

    /// Up to `count` inputs with the wanted figures. Some are drawn; others vary inputs with and without such figures,
    /// so that little changes.
    fn inputs_with(
        &mut self,
        count: usize,
        attempts: usize,
        wanted: &dyn Fn(&[FeatureRow]) -> bool,
    ) -> Vec<ParsedInput> {
        let mut groups: [Vec<&Sample>; 3] = Default::default();
        for sample in &self.samples {
            let group = match (wanted(sample.rows()), sample.fails) {
                (false, _) => 0,
                (true, false) => 1,
                (true, true) => 2,
            };
            groups[group].push(sample);
        }
        let mut all = Vec::new();
        for attempt in 0..attempts * count {
            if all.len() == count {
                break;
            }
            let parsed = match groups.get(attempt % 4) {
                None => self.maker.draw(InputOrigin::Fresh),
                Some(group) => self.maker.vary(group),
            };
            let Some(parsed) = parsed else { continue };
            if wanted(&parsed.rows) { all.push(parsed) } else { self.maker.forget(&parsed) }
        }
        all
    }

    fn inputs_near(&mut self, threshold: &Threshold) -> Vec<ParsedInput> {
        let Threshold { feature, limit: value, sign, passing, failing } = *threshold;
        let mut inputs = Vec::new();
        let mut towards = |study: &mut Self, goal: i128, fails: Option<bool>| {
            for _ in 0..INPUTS_PER_DOUBT {
                inputs.extend(study.input_towards(feature, goal, fails));
            }
        };
        match self.agreement {
            ExplanationKind::Exactly => {
                towards(self, value, None);
                towards(self, value - sign, None);
                towards(self, passing + (failing - passing) / 2, None);
            }
            ExplanationKind::OnlyIf => {
                towards(self, value, Some(false));
                // Failing inputs are moved across the threshold in steps of several sizes.
                for part in [1, 4, 16] {
                    let step = (value.abs() / 2 / part).max(1);
                    towards(self, value - sign * step, Some(true));
                }
                towards(self, value - sign, Some(true));
            }
        }
        inputs
    }

    /// An input with the figure near a goal, made from a near one that fails or passes as given.
    fn input_towards(
        &mut self,
        feature: usize,
        goal: i128,
        fails: Option<bool>,
    ) -> Option<ParsedInput> {
        let near = nearest_samples(&self.samples, feature, goal, fails);
        self.maker.vary_towards(&near, feature, goal)
    }

    fn variations(&mut self, wanted: &dyn Fn(&Sample) -> bool, count: usize) -> Vec<ParsedInput> {
        let all: Vec<&Sample> = self.samples.iter().filter(|sample| wanted(sample)).collect();
        (0..count).filter_map(|_| self.maker.vary(&all)).collect()
    }

    /// Counts the samples from `start` on. For a merely necessary hypothesis, inputs for which it holds do not count
    /// if they were made from failing inputs.
    fn count_results(&self, counts: &mut TrialCounts, best: &Candidate, start: usize) {
        for sample in &self.samples[start..] {
            let holds = best.hypothesis.holds(sample.rows());
            if holds
                && self.agreement == ExplanationKind::OnlyIf
                && sample.parsed.origin == InputOrigin::NearFailing
            {
                continue;
            }
            let add = |count: &mut FailureCount| {
                count.inputs += 1;
                count.failing += u64::from(sample.fails);
            };
            add(if holds { &mut counts.with } else { &mut counts.without });
            let Some(Threshold { feature, limit, sign, .. }) = best.threshold else { continue };
            let figures = sample.rows().iter().filter_map(|row| row[feature]);
            let Some(most) = figures.map(|figure| figure * sign).max() else { continue };
            // Near means within one hundredth.
            let width = limit.abs() / 100;
            let over = most - limit * sign;
            if (0..=width).contains(&over) {
                add(&mut counts.near_with);
            } else if (-1 - width..0).contains(&over) {
                add(&mut counts.near_without);
            }
        }
    }

    fn assess(&self, counts: &TrialCounts, is_over: bool, best: &Candidate) -> HypothesisState {
        let is_dry = is_over || counts.dry_rounds > 2;
        let least = if is_dry { FEWEST_INPUTS } else { ENOUGH_INPUTS };
        let is_doubted = counts.with.inputs >= least && counts.without.inputs >= least;
        if counts.without.failing > 0 {
            return HypothesisState::Refuted;
        }
        match self.agreement {
            ExplanationKind::Exactly => {
                if counts.with.failing < counts.with.inputs {
                    return HypothesisState::Refuted;
                }
                // If a figure cannot be controlled, or no value lies in the gap, the threshold may be anywhere.
                let is_sharp = self.is_sharp(counts, best);
                if is_doubted && is_sharp {
                    HypothesisState::Confirmed
                } else {
                    HypothesisState::Open
                }
            }
            ExplanationKind::OnlyIf => {
                let few = |count: &FailureCount| count.failing * FAILING_PART < count.inputs;
                if counts.with.inputs >= ENOUGH_INPUTS && few(&counts.with) {
                    return HypothesisState::Refuted;
                }
                let is_near = best.threshold.is_none()
                    || (counts.near_with.inputs >= FEWEST_INPUTS
                        && counts.near_without.inputs >= FEWEST_INPUTS);
                if best.threshold.is_some()
                    && counts.near_with.inputs >= FEWEST_INPUTS
                    && few(&counts.near_with)
                {
                    return HypothesisState::Refuted;
                }
                if is_doubted && is_near && counts.with.failing >= FEWEST_INPUTS {
                    HypothesisState::Confirmed
                } else {
                    HypothesisState::Open
                }
            }
        }
    }

    fn is_sharp(&self, counts: &TrialCounts, best: &Candidate) -> bool {
        let Some(threshold) = best.threshold else { return true };
        let Threshold { feature, limit, sign, passing, failing } = threshold;
        let gap = (failing - passing).abs();
        let is_end = is_natural_threshold(limit * sign);
        let is_count = matches!(
            self.maker.features.features[feature].kind,
            FigureKind::Value | FigureKind::Cases | FigureKind::Length
        );
        let is_near = if best.hypothesis.depends_on_answer(self.maker.features) {
            // Inputs cannot be made to fit an answer.
            let is_near = |figure: i128| (figure - limit).abs() <= limit.abs() / 8 + 1;
            is_near(passing) && is_near(failing)
        } else {
            counts.near_with.inputs > 0 && counts.near_without.inputs > 0
        };
        let has_many = is_count && counts.with.inputs > 3 * ENOUGH_INPUTS;
        gap == 1 || (is_end && is_near) || has_many
    }

    fn explanation(&self, counts: &TrialCounts, best: &Candidate) -> Explanation {
        Explanation {
            kind: self.agreement,
            statement: best.hypothesis.text(self.maker.features),
            otherwise: best.hypothesis.opposite_text(self.maker.features),
            with: counts.with,
            without: counts.without,
        }
    }

    fn judge(&mut self, all: Vec<ParsedInput>) -> Result<(), Stop> {
        if all.is_empty() || self.is_over() {
            return Ok(());
        }
        self.runs += all.len() as u64;
        let inputs = all.iter().map(|parsed| Arc::clone(&parsed.input)).collect();
        let mut results = self.subject.judge(inputs)?.into_iter().peekable();
        // The results come in the same order, without some inputs.
        for parsed in all {
            if let Some(result) = results.next_if(|result| result.input == parsed.input) {
                self.add_sample(parsed, &result);
            }
        }
        Ok(())
    }

    fn add_sample(&mut self, mut parsed: ParsedInput, result: &InputResult) {
        if let Some(answer) = &result.answer {
            parsed.rows = self.maker.features.rows(&parsed.tree, &parsed.input, Some(answer));
        }
        self.samples.push(Sample { parsed, fails: result.fails });
    }
}

enum HypothesisState {
    Open,
    Refuted,
    Confirmed,
}

/// The samples with figures nearest to a goal; if given, only those that fail or pass.
fn nearest_samples(
    samples: &[Sample],
    feature: usize,
    goal: i128,
    fails: Option<bool>,
) -> Vec<&Sample> {
    const NEAREST: usize = 12;
    let all = samples.iter().filter(|sample| fails.is_none_or(|fails| sample.fails == fails));
    let near = all.filter_map(|near| {
        let figure = nearest_figure(near.rows(), feature, goal)?;
        Some(((figure - goal).abs(), near))
    });
    let mut near: Vec<(i128, &Sample)> = near.collect();
    near.sort_by_key(|(distance, sample)| (*distance, sample.parsed.input.len()));
    near.into_iter().map(|(_, near)| near).take(NEAREST).collect()
}
