//! Tests hypotheses until one survives, or none is left.

use std::sync::Arc;

use crate::explain::features::{About, Features, Row};
use crate::explain::find::{Agreement, Candidate, Sample, Threshold, find};
use crate::explain::fresh::{InputOrigin, JudgedInput, Maker, Neighbour, ParsedInput, figure};
use crate::explain::statement::{Atom, Statement, Test, is_usual};
use crate::explain::subject::{Judged, Subject};
use crate::grammar::program::Grammar;
use crate::model::explanation::{Explanation, ExplanationKind, Tried};
use crate::model::stop::Stop;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Studied {
    pub explanation: Option<Explanation>,
    pub runs: u64,
    pub is_cut: bool,
}

const FAILING: usize = 5;
/// The inputs that are tried first: small ones, those in shapes, and those near failing ones.
const SMALLEST: usize = 24;
const DRAWN: usize = 60;
const BESIDE: usize = 24;
/// While few inputs fail, more are made so often.
const HUNTS: usize = 10;
/// A hypothesis is tested with so many fresh inputs for which it holds, and so many others.
const ENOUGH: u64 = 30;
/// So many suffice if the grammar or the time allows no more.
const FEWEST: u64 = 10;
/// The simplest hypothesis may change so often.
const ROUNDS: usize = 24;
/// Inputs of a round for which the hypothesis holds, and as many others; and those for each rival or goal.
const SIDE: usize = 10;
const DOUBT: usize = 4;
const RIVALS: usize = 3;
/// Attempts for each of these inputs.
const ATTEMPTS: usize = 16;
const ATTEMPTS_OF_DOUBT: usize = 6;
const RUNS_MAX: u64 = 1200;
/// If a merely necessary hypothesis holds, the inputs divided by this must fail.
const PART: u64 = 2;

/// `known` are inputs that were judged already.
pub fn study(
    grammar: &Grammar,
    subject: &dyn Subject,
    known: Vec<Judged>,
    seed: u64,
) -> Result<Studied, Stop> {
    let features = Features::new(grammar);
    let maker = Maker::new(grammar, &features, seed);
    let mut study = Study {
        features: &features,
        subject,
        maker,
        agreement: Agreement::Exactly,
        samples: Vec::new(),
        sources: Vec::new(),
        runs: 0,
        is_cut: false,
    };
    let explanation = study.explain(known)?;
    let (runs, is_cut) = (study.runs, study.is_cut);
    Ok(Studied { explanation, runs, is_cut })
}

struct Study<'g, 'a> {
    features: &'a Features<'g>,
    subject: &'a dyn Subject,
    maker: Maker<'g, 'a>,
    agreement: Agreement,
    samples: Vec<Sample>,
    sources: Vec<JudgedInput>,
    runs: u64,
    is_cut: bool,
}

#[derive(Clone, Copy, Default)]
struct Trial {
    with: Tried,
    without: Tried,
    /// Inputs close to the threshold, on the side on which the hypothesis holds and on the other.
    near_with: Tried,
    near_without: Tried,
    dry: u32,
}

impl Study<'_, '_> {
    fn explain(&mut self, known: Vec<Judged>) -> Result<Option<Explanation>, Stop> {
        for judged in known {
            if let Some(made) = self.maker.apart(Arc::clone(&judged.input), InputOrigin::Known) {
                self.keep(made, &judged);
            }
        }
        let small = (0..SMALLEST).filter_map(|_| self.maker.smallest()).collect();
        self.judge(small)?;
        let drawn = (0..DRAWN).filter_map(|_| self.maker.draw(InputOrigin::Drawn)).collect();
        self.judge(drawn)?;
        for _ in 0..HUNTS {
            let beside = self.beside(&|it| it.fails, BESIDE);
            self.judge(beside)?;
            if self.failing() >= 3 * FAILING {
                break;
            }
        }
        if self.failing() < FAILING {
            return Ok(None);
        }
        if let Some(explanation) = self.doubt()? {
            return Ok(Some(explanation));
        }
        self.agreement = Agreement::OnlyIf;
        self.doubt()
    }

    fn failing(&self) -> usize {
        self.samples.iter().filter(|it| it.fails).count()
    }

    fn is_over(&mut self) -> bool {
        if self.runs >= RUNS_MAX || self.subject.is_over() {
            self.is_cut = true;
        }
        self.is_cut
    }

    fn doubt(&mut self) -> Result<Option<Explanation>, Stop> {
        let mut trials: Vec<(Statement, Trial)> = Vec::new();
        let mut dropped: Vec<Statement> = Vec::new();
        for _ in 0..ROUNDS {
            if self.is_over() {
                return Ok(None);
            }
            let mut candidates = find(self.features, &self.samples, self.agreement);
            candidates.retain(|it| !dropped.contains(&it.statement));
            if self.agreement == Agreement::OnlyIf {
                candidates.retain(|it| self.tells_something(&it.statement));
                candidates.sort_by_key(|it| (self.passing_with(&it.statement), it.cost));
            }
            let Some(best) = candidates.first().cloned() else { return Ok(None) };
            let place = trials.iter().position(|(it, _)| *it == best.statement);
            let place = place.unwrap_or_else(|| {
                trials.push((best.statement.clone(), Trial::default()));
                trials.len() - 1
            });
            let rivals = &candidates[1..candidates.len().min(1 + RIVALS)];
            let before = self.samples.len();
            let made = self.doubts(&best, rivals);
            self.judge(made)?;
            let trial = &mut trials[place].1;
            let known = *trial;
            self.note(trial, &best, before);
            let is_short = |now: Tried, known: Tried| now.inputs < known.inputs + DOUBT as u64;
            if is_short(trial.with, known.with) || is_short(trial.without, known.without) {
                trial.dry += 1;
            }
            let (trial, is_over) = (*trial, self.is_over());
            match self.verdict(&trial, is_over, &best) {
                Standing::Open => {}
                Standing::Falls => dropped.push(best.statement),
                Standing::Stands => return Ok(Some(self.told(&trial, &best))),
            }
        }
        Ok(None)
    }

    /// A hypothesis that holds for most drawn inputs says little.
    fn tells_something(&self, statement: &Statement) -> bool {
        let natural = || {
            self.samples.iter().zip(&self.sources).filter(|(_, it)| it.origin == InputOrigin::Drawn)
        };
        let holds = natural().filter(|(sample, _)| statement.holds(&sample.rows)).count();
        3 * holds <= 2 * natural().count()
    }

    fn passing_with(&self, statement: &Statement) -> usize {
        let holds = |it: &&Sample| !it.fails && statement.holds(&it.rows);
        self.samples.iter().filter(holds).count()
    }

    fn doubts(&mut self, best: &Candidate, rivals: &[Candidate]) -> Vec<ParsedInput> {
        let mut made = Vec::new();
        let statement = &best.statement;
        if statement.is_of_answer(self.features) {
            // Only a run shows on which side an input is.
            if let Some((feature, value, sign)) = limit(best) {
                let near = nearest(&self.samples, &self.sources, feature, value * sign, None);
                made.extend((0..2 * SIDE).filter_map(|_| self.maker.beside(&near)));
            }
            made.extend(self.beside(&|it| it.fails, DOUBT));
            made.extend(self.beside(&|it| !it.fails, SIDE));
            made.extend((0..SIDE).filter_map(|_| self.maker.draw(InputOrigin::Fresh)));
            return made;
        }
        if let Some(threshold) = &best.threshold {
            made.extend(self.near(best, threshold));
        }
        for side in [true, false] {
            made.extend(self.such(SIDE, ATTEMPTS, &|rows| statement.holds(rows) == side));
        }
        for rival in rivals.iter().filter(|it| !it.statement.is_of_answer(self.features)) {
            let other = &rival.statement;
            made.extend(self.such(DOUBT, ATTEMPTS_OF_DOUBT, &|rows| {
                statement.holds(rows) != other.holds(rows)
            }));
            if let [Atom { feature, test: Test::Is(value) }] = statement.atoms[..]
                && other.atoms.iter().any(|atom| atom.feature == feature)
            {
                // The value may stand for all that are odd, or powers of two: by chance, these are rare.
                let threshold = Threshold { feature, passing: None, failing: value };
                let goals = [2 * value, 4 * value, value / 2, value + 2, value - 2];
                made.extend(goals.iter().filter_map(|goal| self.towards(&threshold, *goal, None)));
            }
        }
        made
    }

    /// Up to `count` inputs with the wanted figures. Some are drawn; others vary inputs with and without such figures,
    /// so that little changes.
    fn such(
        &mut self,
        count: usize,
        attempts: usize,
        wanted: &dyn Fn(&[Row]) -> bool,
    ) -> Vec<ParsedInput> {
        let mut trees: [Vec<Neighbour<'_>>; 3] = Default::default();
        for (sample, source) in self.samples.iter().zip(&self.sources) {
            let group = match (wanted(&sample.rows), sample.fails) {
                (false, _) => 0,
                (true, false) => 1,
                (true, true) => 2,
            };
            trees[group].push((sample, source));
        }
        let mut all = Vec::new();
        for attempt in 0..attempts * count {
            if all.len() == count {
                break;
            }
            let made = match trees.get(attempt % 4) {
                None => self.maker.draw(InputOrigin::Fresh),
                Some(trees) => self.maker.beside(trees),
            };
            let Some(made) = made else { continue };
            if wanted(&made.rows) { all.push(made) } else { self.maker.give_back(&made) }
        }
        all
    }

    fn near(&mut self, best: &Candidate, threshold: &Threshold) -> Vec<ParsedInput> {
        let Some((_, value, sign)) = limit(best) else { return Vec::new() };
        let value = value * sign;
        let mut made = Vec::new();
        let mut towards = |study: &mut Self, goal: i128, fails: Option<bool>| {
            for _ in 0..DOUBT {
                made.extend(study.towards(threshold, goal, fails));
            }
        };
        match self.agreement {
            Agreement::Exactly => {
                towards(self, value, None);
                towards(self, value - sign, None);
                if let Some(passing) = threshold.passing {
                    towards(self, passing + (threshold.failing - passing) / 2, None);
                }
            }
            Agreement::OnlyIf => {
                towards(self, value, Some(false));
                // Failing inputs are moved across the threshold in steps of several sizes.
                for part in [1, 4, 16] {
                    let step = (value.abs() / 2 / part).max(1);
                    towards(self, value - sign * step, Some(true));
                }
                towards(self, value - sign, Some(true));
            }
        }
        made
    }

    /// An input with the figure near a goal, made from a near one that fails or passes as given.
    fn towards(
        &mut self,
        threshold: &Threshold,
        goal: i128,
        fails: Option<bool>,
    ) -> Option<ParsedInput> {
        let near = nearest(&self.samples, &self.sources, threshold.feature, goal, fails);
        self.maker.towards(&near, threshold, goal)
    }

    fn beside(&mut self, wanted: &dyn Fn(&Sample) -> bool, count: usize) -> Vec<ParsedInput> {
        let all = self.samples.iter().zip(&self.sources);
        let all: Vec<Neighbour<'_>> = all.filter(|(sample, _)| wanted(sample)).collect();
        (0..count).filter_map(|_| self.maker.beside(&all)).collect()
    }

    /// Counts the samples from `start` on. For a merely necessary hypothesis, inputs for which it holds do not count
    /// if they were made from failing inputs.
    fn note(&self, trial: &mut Trial, best: &Candidate, start: usize) {
        let limit = limit(best);
        for (sample, source) in self.samples[start..].iter().zip(&self.sources[start..]) {
            let holds = best.statement.holds(&sample.rows);
            if holds
                && self.agreement == Agreement::OnlyIf
                && source.origin == InputOrigin::BesideFailing
            {
                continue;
            }
            let add = |tried: &mut Tried| {
                tried.inputs += 1;
                tried.failing += u64::from(sample.fails);
            };
            add(if holds { &mut trial.with } else { &mut trial.without });
            let Some((feature, value, sign)) = limit else { continue };
            let figures = sample.rows.iter().filter_map(|row| row[feature]);
            let Some(most) = figures.map(|figure| figure * sign).max() else { continue };
            // Near means within one hundredth.
            let width = value.abs() / 100;
            let over = most - value;
            if (0..=width).contains(&over) {
                add(&mut trial.near_with);
            } else if (-1 - width..0).contains(&over) {
                add(&mut trial.near_without);
            }
        }
    }

    fn verdict(&self, trial: &Trial, is_over: bool, best: &Candidate) -> Standing {
        let is_dry = is_over || trial.dry > 2;
        let least = if is_dry { FEWEST } else { ENOUGH };
        let is_doubted = trial.with.inputs >= least && trial.without.inputs >= least;
        if trial.without.failing > 0 {
            return Standing::Falls;
        }
        match self.agreement {
            Agreement::Exactly => {
                if trial.with.failing < trial.with.inputs {
                    return Standing::Falls;
                }
                // If a figure cannot be controlled, or no value lies in the gap, the threshold may be anywhere.
                let is_sharp = self.is_sharp(trial, best);
                if is_doubted && is_sharp { Standing::Stands } else { Standing::Open }
            }
            Agreement::OnlyIf => {
                let few = |tried: &Tried| tried.failing * PART < tried.inputs;
                if trial.with.inputs >= ENOUGH && few(&trial.with) {
                    return Standing::Falls;
                }
                let is_near = best.threshold.is_none()
                    || trial.near_with.inputs >= FEWEST && trial.near_without.inputs >= FEWEST;
                if best.threshold.is_some()
                    && trial.near_with.inputs >= FEWEST
                    && few(&trial.near_with)
                {
                    return Standing::Falls;
                }
                if is_doubted && is_near && trial.with.failing >= FEWEST {
                    Standing::Stands
                } else {
                    Standing::Open
                }
            }
        }
    }

    fn is_sharp(&self, trial: &Trial, best: &Candidate) -> bool {
        let Some(threshold) = &best.threshold else { return true };
        let Some(passing) = threshold.passing else { return true };
        let gap = (threshold.failing - passing).abs();
        let is_end = limit(best).is_some_and(|(_, value, _)| is_usual(value));
        let is_count = matches!(
            self.features.list[threshold.feature].about,
            About::Value | About::Cases | About::Length
        );
        let is_near = if best.statement.is_of_answer(self.features) {
            // Inputs cannot be made to fit an answer.
            limit(best).is_some_and(|(_, value, sign)| {
                let is_near = |figure: i128| (figure * sign - value).abs() <= value.abs() / 8 + 1;
                is_near(passing) && is_near(threshold.failing)
            })
        } else {
            trial.near_with.inputs > 0 && trial.near_without.inputs > 0
        };
        gap == 1 || is_end && is_near || is_count && trial.with.inputs > 3 * ENOUGH
    }

    fn told(&self, trial: &Trial, best: &Candidate) -> Explanation {
        Explanation {
            kind: match self.agreement {
                Agreement::Exactly => ExplanationKind::Exactly,
                Agreement::OnlyIf => ExplanationKind::OnlyIf,
            },
            statement: best.statement.text(self.features),
            otherwise: best.statement.others(self.features),
            with: trial.with,
            without: trial.without,
        }
    }

    fn judge(&mut self, made: Vec<ParsedInput>) -> Result<(), Stop> {
        if made.is_empty() || self.is_over() {
            return Ok(());
        }
        self.runs += made.len() as u64;
        let inputs = made.iter().map(|it| Arc::clone(&it.input)).collect();
        let mut judged = self.subject.judge(inputs)?.into_iter().peekable();
        // The results come in the same order, without some inputs.
        for made in made {
            if let Some(judged) = judged.next_if(|it| it.input == made.input) {
                self.keep(made, &judged);
            }
        }
        Ok(())
    }

    fn keep(&mut self, made: ParsedInput, judged: &Judged) {
        let ParsedInput { input, tree, rows, origin } = made;
        let rows = match &judged.answer {
            Some(answer) => self.features.rows(&tree, &input, Some(answer)),
            None => rows,
        };
        self.samples.push(Sample { rows, fails: judged.fails });
        self.sources.push(JudgedInput { tree, size: input.len(), origin });
    }
}

enum Standing {
    Open,
    Falls,
    Stands,
}

/// The feature, the least value for which the hypothesis holds, and 1; or -1 if figure and value are negated.
fn limit(best: &Candidate) -> Option<(usize, i128, i128)> {
    let threshold = best.threshold.as_ref()?;
    let atom = best.statement.atoms.iter().find(|it| it.feature == threshold.feature)?;
    match atom.test {
        Test::AtLeast(value) => Some((threshold.feature, value, 1)),
        Test::AtMost(value) => Some((threshold.feature, -value, -1)),
        _ => None,
    }
}

/// The samples with figures nearest to a goal; if given, only those that fail or pass.
fn nearest<'s>(
    samples: &'s [Sample],
    sources: &'s [JudgedInput],
    feature: usize,
    goal: i128,
    fails: Option<bool>,
) -> Vec<Neighbour<'s>> {
    const NEAREST: usize = 12;
    let all = samples.iter().zip(sources);
    let all = all.filter(|(sample, _)| fails.is_none_or(|fails| sample.fails == fails));
    let near = all.filter_map(|near| {
        let figure = figure(&near.0.rows, feature, goal)?;
        Some(((figure - goal).abs(), near))
    });
    let mut near: Vec<(i128, Neighbour<'_>)> = near.collect();
    near.sort_by_key(|(distance, (_, source))| (*distance, source.size));
    near.into_iter().map(|(_, near)| near).take(NEAREST).collect()
}
