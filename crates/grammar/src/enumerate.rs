//! Lists all small inputs of a grammar in order, the smallest first.
//!
//! Every choice of a run has its values in a fixed order: counts upwards from the least; other numbers outwards from
//! zero, or from the value nearest to it. Level 1 has only the first value of each choice, level 2 the first two, and
//! so on. Within a level the choices count up like the digits of a number. If an input is a row of test cases, it gets
//! many of them, each with the next digits.

use crate::ast::ExprKind;
use crate::chance::Chance;
use crate::draw::{Chooser, DrawRequest};
use crate::number::{Int, power_of_ten};
use crate::port::{LoopObserver, LoopState};
use crate::program::{Grammar, Instruction};
use crate::run::Interpreter;
use crate::strings::Length;
use crate::validate::accepts;
use crate::value::Value;
use crate::write::InputWriter;

/// After this many inputs in a row that cannot be written, the list ends.
const STUCK_MAX: u32 = 20_000;

pub struct SmallInputs<'a> {
    grammar: &'a Grammar,
    /// Number of test cases in an input, if the grammar has a row of them.
    cases: u64,
    /// For each question, whether it only asks for a space or a line end.
    is_layout: Vec<bool>,
    odometer: Odometer,
    is_finished: bool,
    is_stuck: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmallInput {
    pub text: Vec<u8>,
    /// Upper bound on the values of each choice that are in use.
    pub level: u64,
}

impl<'a> SmallInputs<'a> {
    /// `cases` is the upper bound on the test cases in an input.
    pub fn new(grammar: &'a Grammar, cases: u64) -> Self {
        let has_cases = grammar.loops.iter().any(|site| site.is_cases);
        Self {
            grammar,
            cases: if has_cases { cases.max(1) } else { 1 },
            is_layout: layout_questions(grammar),
            odometer: Odometer { level: 1, ..Odometer::default() },
            is_finished: false,
            is_stuck: false,
        }
    }

    pub fn is_packed(&self) -> bool {
        self.cases > 1
    }

    /// `None` if the grammar does not accept the next input.
    fn attempt(&mut self) -> Option<SmallInput> {
        let source = OdometerChooser {
            grammar: self.grammar,
            odometer: &mut self.odometer,
            cases: self.cases,
            is_layout: &self.is_layout,
            chance: Chance::new(0, "small"),
        };
        let level = source.odometer.level;
        let mut writer = InputWriter::new(self.grammar, source);
        let mut run = Interpreter::new(self.grammar);
        let is_whole = run.run(&mut writer).is_ok();
        let text = writer.out;
        (is_whole && accepts(self.grammar, &text)).then_some(SmallInput { text, level })
    }
}

impl Iterator for SmallInputs<'_> {
    type Item = SmallInput;

    fn next(&mut self) -> Option<SmallInput> {
        self.next_until(&|| false)
    }
}

impl SmallInputs<'_> {
    /// `None` if there are no more inputs, or if `is_over` becomes true first.
    pub fn next_until(&mut self, is_over: &dyn Fn() -> bool) -> Option<SmallInput> {
        for _ in 0..STUCK_MAX {
            if self.is_finished || is_over() {
                return None;
            }
            let before = self.odometer.clone();
            let input = self.attempt();
            let is_new = self.cases > 1 || self.odometer.is_new();
            if input.is_none() && self.cases > 1 {
                // The test cases may be too many together.
                self.cases /= 2;
                self.odometer = before;
                continue;
            }
            self.is_finished = !self.odometer.advance();
            if is_new && let Some(input) = input {
                return Some(input);
            }
        }
        (self.is_finished, self.is_stuck) = (true, true);
        None
    }

    /// Whether the list has ended and had every input. It has only one layout, one number of test cases, and not every
    /// decimal number or text.
    pub fn has_listed_all(&self) -> bool {
        let is_unlisted = |instruction: &Instruction| {
            matches!(instruction, Instruction::Float { .. } | Instruction::Regex { .. })
        };
        self.is_finished
            && !self.is_stuck
            && self.grammar.questions.is_empty()
            && !self.grammar.loops.iter().any(|site| site.is_cases)
            && !self.grammar.instructions.iter().any(is_unlisted)
    }
}

/// Digits that count up; each choice of a run takes the next one.
#[derive(Clone, Debug, Default)]
struct Odometer {
    level: u64,
    digits: Vec<u64>,
    sizes: Vec<u64>,
    /// Number of digits taken so far.
    at: usize,
    /// Whether a choice has more values than the level allows.
    is_limited: bool,
    /// The number of digits of each run of the previous level, if all have as many.
    depth_before: Option<usize>,
    /// The same of this level, as far as known; `Some(None)` if they differ.
    depth: Option<Option<usize>>,
}

impl Odometer {
    /// Returns an index below `values`.
    fn choose(&mut self, values: u64) -> u64 {
        self.is_limited |= values > self.level;
        let size = values.clamp(1, self.level);
        if self.at == self.digits.len() {
            // The previous level had all runs without a new digit. If this is the last digit, only a new one is left.
            // Level 2 may ask more questions than level 1.
            let is_last = self.depth_before == Some(self.at + 1) && self.level > 2;
            let is_skipped = is_last && size == self.level && !self.digits.contains(&(size - 1));
            self.digits.push(if is_skipped { size - 1 } else { 0 });
            self.sizes.push(size);
        }
        self.sizes[self.at] = size;
        let digit = self.digits[self.at].min(size - 1);
        self.digits[self.at] = digit;
        self.at += 1;
        digit
    }

    /// Whether the taken digits include one that the previous level lacks.
    fn is_new(&self) -> bool {
        let taken = &self.digits[..self.at.min(self.digits.len())];
        self.level == 1 || taken.contains(&(self.level - 1))
    }

    /// Counts up by one, and to the next level at the end of one. Returns whether there is more.
    fn advance(&mut self) -> bool {
        self.digits.truncate(self.at);
        self.sizes.truncate(self.at);
        let is_same = self.depth.is_none_or(|depth| depth == Some(self.at));
        self.depth = Some(Some(self.at).filter(|_| is_same));
        self.at = 0;
        while let (Some(digit), Some(size)) = (self.digits.last_mut(), self.sizes.last()) {
            if *digit + 1 < *size {
                *digit += 1;
                return true;
            }
            self.digits.pop();
            self.sizes.pop();
        }
        let is_limited = std::mem::take(&mut self.is_limited);
        self.depth_before = self.depth.take().flatten();
        self.level += 1;
        is_limited
    }
}

struct OdometerChooser<'a> {
    grammar: &'a Grammar,
    odometer: &'a mut Odometer,
    cases: u64,
    is_layout: &'a [bool],
    chance: Chance,
}

/// For each question, whether it only asks for a space or a line end. Layout makes an input neither small nor large.
fn layout_questions(grammar: &Grammar) -> Vec<bool> {
    let mut is_layout = vec![false; grammar.questions.len()];
    for test in grammar.instructions.iter().filter_map(Instruction::test) {
        test.each(&mut |test| {
            if let ExprKind::Match { set, question } = &test.kind
                && let Some(Value::Text(set)) = set.constant()
            {
                is_layout[*question] = set.iter().all(u8::is_ascii_whitespace);
            }
        });
    }
    is_layout
}

impl OdometerChooser<'_> {
    /// Chooses among the numbers `min + k * step`, ordered by distance from zero.
    fn near_zero(&mut self, min: &Int, max: &Int, step: &Int) -> Int {
        let middle = Int::ZERO.clamped(min, max);
        let level = Int::from(self.odometer.level);
        // The number of values on a side. If the level cannot have them all, it is one more than the level allows.
        let room = |distance: Int| {
            let steps = distance.divided_by(step).unwrap_or(Int::ZERO).min(level.clone());
            steps.to().unwrap_or(0)
        };
        let above = room(max.minus(&middle));
        let below = room(middle.minus(min));
        let choice = self.odometer.choose(above + below + 1);
        // 0, 1, -1, 2, -2, and only one side once the other ends.
        let both = above.min(below);
        let offset = |count: u64| Int::from(count).times(step);
        match choice {
            0 => middle,
            choice if choice <= 2 * both && choice % 2 == 1 => {
                middle.plus(&offset(choice.div_ceil(2)))
            }
            choice if choice <= 2 * both => middle.minus(&offset(choice / 2)),
            choice if above > below => middle.plus(&offset(choice - both)),
            choice => middle.minus(&offset(choice - both)),
        }
    }

    fn is_cases(&self, loops: &[LoopState]) -> bool {
        loops.last().is_some_and(|state| self.grammar.loops[state.id].is_cases)
    }
}

impl Chooser for OdometerChooser<'_> {
    fn number(&mut self, draw: &DrawRequest<'_>) -> Int {
        let site = &self.grammar.sites[draw.site];
        if site.is_case_count {
            return Int::from(self.cases).clamped(draw.min, draw.max);
        }
        if site.is_count {
            let count = draw.max.minus(draw.min).plus(&Int::ONE);
            let choice = self.odometer.choose(count.to().unwrap_or(u64::MAX));
            return draw.min.plus(&Int::from(choice));
        }
        // A decimal number goes in steps of 1, or of its last digit if the range is narrower than that.
        let one = Int::from(power_of_ten(draw.unit));
        let range = draw.max.minus(draw.min);
        let step = if range < one { Int::ONE } else { one };
        self.near_zero(draw.min, draw.max, &step)
    }

    fn text(&mut self, _site: usize) -> Option<Vec<u8>> {
        let choice = self.odometer.choose(u64::MAX);
        self.chance = Chance::new(choice, "small text");
        None
    }

    fn length(&mut self, _site: usize) -> Length {
        match self.odometer.level {
            ..=2 => Length::Least,
            // A text may have a hundred thousand letters.
            level => Length::Exactly(self.chance.below(level + 1) as usize),
        }
    }

    fn decimals(&mut self, _site: usize, min: u32, _max: u32) -> u32 {
        min
    }

    fn answer(&mut self, question: usize, loops: &[LoopState]) -> bool {
        let site = &self.grammar.questions[question];
        let holds = match site.of_loop {
            None if site.is_asserted => true,
            Some(_) if self.is_cases(loops) => {
                loops.last().is_some_and(|state| state.index < self.cases)
            }
            Some(_) => {
                // As many iterations as the level permits.
                let round = loops.last().map_or(0, |state| state.index);
                round + 1 < self.odometer.level && self.odometer.choose(2) == 1
            }
            None if self.is_layout[question] => true,
            None => self.odometer.choose(2) == 1,
        };
        holds == site.is_positive
    }

    fn chance(&mut self) -> &mut Chance {
        &mut self.chance
    }
}

impl LoopObserver for OdometerChooser<'_> {
    fn iteration(&mut self, id: usize, index: u64) {
        if index > 0 && index < self.cases && self.grammar.loops[id].is_cases {
            self.odometer.advance();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::grammar;

    fn check(text: &str, cases: u64, expected: &[&str]) {
        let grammar = grammar(text);
        let found: Vec<String> = SmallInputs::new(&grammar, cases)
            .take(expected.len())
            .map(|input| String::from_utf8(input.text).unwrap())
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn small_inputs_come_first_and_each_comes_once() {
        let row = "INT(1, 100, n) NEWLINE REP(n, SPACE) INT(1, 200, a[n]) END NEWLINE";
        check(
            row,
            1,
            &["1\n1\n", "1\n2\n", "2\n1 1\n", "2\n1 2\n", "2\n2 1\n", "2\n2 2\n", "1\n3\n"],
        );
        let grammar = grammar(row);
        let mut seen = std::collections::BTreeSet::new();
        for input in SmallInputs::new(&grammar, 1).take(400) {
            assert!(seen.insert(input.text.clone()), "{input:?} twice");
        }
    }

    #[test]
    fn a_level_does_not_repeat_earlier_ones() {
        let check = |text: &str, digits: u32| {
            let grammar = grammar(text);
            let mut inputs = SmallInputs::new(&grammar, 1);
            let mut attempts = 0;
            while inputs.odometer.level < 40 {
                inputs.attempt();
                inputs.odometer.advance();
                attempts += 1;
            }
            // Level 2 repeats level 1.
            assert!(attempts <= 39_u64.pow(digits) + 1, "{text}: {attempts}");
        };
        check("REGEX(\"[a-c]{1,20}\", s) NEWLINE", 1);
        check("INT(0,1000,x) NEWLINE", 1);
        check("REGEX(\"[a-c]{1,20}\", s) NEWLINE INT(0,1000,x) NEWLINE", 2);
    }

    #[test]
    fn numbers_go_outwards_from_zero() {
        check("INT(-2, 1000, x) NEWLINE", 1, &["0\n", "1\n", "-1\n", "2\n", "-2\n", "3\n", "4\n"]);
        check("INT(-9, -7, x) NEWLINE", 1, &["-7\n", "-8\n", "-9\n"]);
    }

    #[test]
    fn layout_is_not_a_choice() {
        let text = "INT(1, 9, n) NEWLINE REPI(i, n) INT(1, 9) \
                    IF(i < n - 1 && MATCH(\" \")) SPACE ELSE NEWLINE END END";
        check(text, 1, &["1\n1\n", "1\n2\n", "2\n1 1\n", "2\n1 2\n"]);
    }

    #[test]
    fn a_finite_list_ends() {
        let grammar = grammar("INT(0, 1, x) SPACE INT(5, 7, y) NEWLINE");
        assert_eq!(SmallInputs::new(&grammar, 1).count(), 6);
    }

    #[test]
    fn inputs_that_an_assertion_refuses_are_left_out() {
        let text = "INT(1, 3, x) SPACE INT(1, 3, y) ASSERT(x < y) NEWLINE";
        check(text, 1, &["1 2\n", "1 3\n", "2 3\n"]);
        let grammar = grammar(text);
        assert_eq!(SmallInputs::new(&grammar, 1).count(), 3);
    }

    #[test]
    fn test_cases_share_an_input() {
        let text = "INT(1, 4, t) NEWLINE REP(t) INT(1, 9, n) NEWLINE REP(n, SPACE) INT(0, 5, a[n]) END NEWLINE END";
        check(text, 3, &["3\n1\n0\n1\n0\n1\n1\n"]);
        check(text, 1, &["1\n1\n0\n", "1\n1\n1\n"]);
    }
}
