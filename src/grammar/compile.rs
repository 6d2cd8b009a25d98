//! Commands to steps, and what can be said about a grammar before it runs.

use std::path::Path;
use std::sync::Arc;

use crate::grammar::ast::{Command, CommandKind, Expr, Test, TestKind, Until, VarRef};
use crate::grammar::bytes::ByteSet;
use crate::grammar::first;
use crate::grammar::number::Int;
use crate::grammar::parse::{Parsed, parse};
use crate::grammar::pattern::Pattern;
use crate::grammar::program::{
    Grammar, LoopSite, PatternSource, Question, Site, SiteKind, Slot, Step,
};
use crate::grammar::source::{Source, Span};
use crate::grammar::value::Value;
use crate::model::diagnostic::Diagnostic;

/// What reading a grammar gives.
#[derive(Debug)]
pub struct Reading {
    /// The grammar, unless one of the diagnostics is an error.
    pub grammar: Option<Grammar>,
    /// Everything that is wrong or doubtful.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a grammar. `path` is for messages only.
pub fn read(path: &Path, text: &[u8]) -> Reading {
    let source = Source::new(path, text);
    let mut diagnostics = Vec::new();
    let parsed = parse(&source, &mut diagnostics);
    let mut compiler = Compiler::new(source, &parsed, diagnostics);
    compiler.commands(&parsed.commands);
    let end = compiler.grammar.source.text.len();
    compiler.push(Step::Eof, Span { start: end, end });
    compiler.roles(&parsed.commands);
    compiler.doubts(&parsed);
    let Compiler { mut grammar, mut diagnostics, .. } = compiler;
    diagnostics.sort_by_key(|diagnostic| {
        diagnostic.place.spot.as_ref().map(|spot| (spot.line, spot.column))
    });
    let broken = diagnostics.iter().any(Diagnostic::is_error);
    Reading {
        grammar: (!broken).then(|| {
            grammar.first = first::analyse(&grammar);
            grammar
        }),
        diagnostics,
    }
}

struct Compiler {
    grammar: Grammar,
    diagnostics: Vec<Diagnostic>,
    /// The loops around the command at hand, from outside.
    loops: Vec<usize>,
    /// For each slot, whether something is ever assigned to it.
    assigned: Vec<bool>,
    /// For each slot, where it is used first.
    used: Vec<Option<Span>>,
}

impl Compiler {
    fn new(source: Source, parsed: &Parsed, diagnostics: Vec<Diagnostic>) -> Self {
        let slot = |name: &String| Slot { name: name.clone(), is_read: false, is_counted: false };
        Self {
            grammar: Grammar {
                source,
                steps: Vec::new(),
                spans: Vec::new(),
                sites: Vec::new(),
                questions: vec![
                    Question { is_positive: true, of_loop: None, is_asserted: false };
                    parsed.questions
                ],
                loops: Vec::new(),
                slots: parsed.names.iter().map(slot).collect(),
                first: Vec::new(),
            },
            diagnostics,
            loops: Vec::new(),
            assigned: vec![false; parsed.names.len()],
            used: vec![None; parsed.names.len()],
        }
    }

    fn push(&mut self, step: Step, span: Span) -> usize {
        self.grammar.steps.push(step);
        self.grammar.spans.push(span);
        self.grammar.steps.len() - 1
    }

    fn next_step(&self) -> usize {
        self.grammar.steps.len()
    }

    fn commands(&mut self, commands: &[Command]) {
        for command in commands {
            self.command(command);
        }
    }

    fn error(&mut self, span: Span, message: impl Into<String>, help: &str) {
        let error = self.grammar.source.error(span, message).help(help);
        self.diagnostics.push(error);
    }

    fn warning(&mut self, span: Span, message: impl Into<String>, help: &str) {
        let warning = self.grammar.source.warning(span, message).help(help);
        self.diagnostics.push(warning);
    }

    fn command(&mut self, command: &Command) {
        let span = command.span;
        match &command.kind {
            CommandKind::Space => {
                self.push(Step::Byte(b' '), span);
            }
            CommandKind::Newline => {
                self.push(Step::Byte(b'\n'), span);
            }
            CommandKind::Eof => {
                self.push(Step::Eof, span);
            }
            CommandKind::Text(expr) => {
                self.uses(expr);
                match expr.constant() {
                    Some(Value::Text(text)) => {
                        let step = match text[..] {
                            [byte] => Step::Byte(byte),
                            _ => Step::Literal(Arc::clone(text)),
                        };
                        self.push(step, span);
                    }
                    Some(other) => {
                        let message = format!("STRING of {}, which is no string", other.kind());
                        self.error(expr.span, message, "put it between `\"`");
                    }
                    None => {
                        self.push(Step::Text(expr.clone()), span);
                    }
                }
            }
            CommandKind::Int { min, max, name } => {
                self.range(min, max, span, Range::Integers);
                let site = self.site(SiteKind::Int, name.as_ref(), span);
                let name = self.kept(name.as_ref());
                let (min, max) = (min.clone(), max.clone());
                self.push(Step::Int { site, min, max, name }, span);
            }
            CommandKind::Float { min, max, decimals, name, notation } => {
                self.range(min, max, span, Range::Numbers);
                if let Some(decimals) = decimals {
                    self.range(&decimals.min, &decimals.max, span, Range::Integers);
                }
                let site = self.site(SiteKind::Float, name.as_ref(), span);
                let name = self.kept(name.as_ref());
                let step = Step::Float {
                    site,
                    min: min.clone(),
                    max: max.clone(),
                    decimals: decimals.clone(),
                    notation: *notation,
                    name,
                };
                self.push(step, span);
            }
            CommandKind::Regex { pattern, name } => self.regex(pattern, name.as_ref(), span),
            CommandKind::Assert(test) => {
                self.uses_test(test);
                self.questions(test, Asker::Assert);
                self.push(Step::Assert(test.clone()), span);
            }
            CommandKind::Set(assignments) => {
                for assignment in assignments {
                    self.uses(&assignment.value);
                    self.assigns(&assignment.name);
                }
                self.push(Step::Set(assignments.clone()), span);
            }
            CommandKind::Unset(slots) => {
                self.push(Step::Unset(slots.clone()), span);
            }
            CommandKind::Loop { until, counter, separator, body } => {
                self.repeat(until, counter.as_ref(), separator.as_deref(), body, span)
            }
            CommandKind::If { test, then, otherwise } => {
                self.uses_test(test);
                self.questions(test, Asker::If);
                let branch = self.push(Step::Jump(0), span);
                self.commands(then);
                let end_of_then = match otherwise.is_empty() {
                    true => None,
                    false => Some(self.push(Step::Jump(0), span)),
                };
                self.grammar.steps[branch] =
                    Step::Branch { test: test.clone(), otherwise: self.next_step() };
                self.commands(otherwise);
                if let Some(jump) = end_of_then {
                    self.grammar.steps[jump] = Step::Jump(self.next_step());
                }
            }
        }
    }

    fn regex(&mut self, pattern: &Expr, name: Option<&VarRef>, span: Span) {
        self.uses(pattern);
        let source = match pattern.constant() {
            None => PatternSource::Computed(pattern.clone()),
            Some(Value::Text(text)) => match Pattern::new(text) {
                Ok(pattern) => PatternSource::Known(Arc::new(pattern)),
                Err(reason) => {
                    let message = format!("this is no regular expression: {reason}");
                    self.error(pattern.span, message, "it is a POSIX extended regular expression; a backslash for it is written `\\\\`");
                    return;
                }
            },
            Some(other) => {
                let message = format!("REGEX of {}, which is no string", other.kind());
                self.error(pattern.span, message, "put it between `\"`");
                return;
            }
        };
        let site = self.site(SiteKind::Regex, name, span);
        let name = self.kept(name);
        self.push(Step::Regex { site, pattern: source, name }, span);
    }

    fn repeat(
        &mut self,
        until: &Until,
        counter: Option<&VarRef>,
        separator: Option<&Command>,
        body: &[Command],
        span: Span,
    ) {
        let id = self.grammar.loops.len();
        let mut count_slots = Vec::new();
        let (count, test) = match until {
            Until::Count(count) => {
                self.uses(count);
                self.count_in_range(count);
                count.variables(&mut |name| count_slots.push(name.slot));
                (Some(count.clone()), None)
            }
            Until::While(test) => {
                self.uses_test(test);
                self.questions(test, Asker::Loop(id));
                (None, Some(test.clone()))
            }
        };
        if let Some(counter) = counter {
            self.assigns(counter);
        }
        let site =
            LoopSite { span, count_slots, is_outermost: self.loops.is_empty(), is_cases: false };
        self.grammar.loops.push(site);
        self.push(Step::Enter { id, count }, span);
        let next = self.push(Step::Jump(0), span);
        self.loops.push(id);
        if let Some(separator) = separator {
            self.command(separator);
        }
        let body_start = self.next_step();
        self.commands(body);
        self.loops.pop();
        self.push(Step::Back { to: next }, span);
        self.grammar.steps[next] = Step::Next {
            id,
            test,
            counter: counter.cloned(),
            body: body_start,
            exit: self.next_step(),
        };
    }

    fn count_in_range(&mut self, count: &Expr) {
        match count.constant() {
            None => {}
            Some(Value::Int(Int::Small(value))) if u32::try_from(*value).is_ok() => {}
            Some(value) => {
                let message = format!("{value} is no number of iterations");
                self.error(count.span, message, "it is an integer from 0 to 4294967295");
            }
        }
    }

    /// Holds constant bounds against what they must be.
    fn range(&mut self, min: &Expr, max: &Expr, span: Span, range: Range) {
        for bound in [min, max] {
            self.uses(bound);
            let (fits, what) = match (bound.constant(), range) {
                (None | Some(Value::Int(_)), _) | (Some(Value::Float(_)), Range::Numbers) => {
                    (true, "")
                }
                (Some(Value::Float(_)), Range::Integers) => {
                    (false, "a float, where an integer is needed")
                }
                (Some(Value::Text(_)), _) => (false, "a string, where a number is needed"),
            };
            if !fits {
                let message = format!("this bound is {what}");
                self.error(bound.span, message, "write an integer, such as 1000000 or 10^6");
                return;
            }
        }
        if let (Some(low), Some(high)) = (min.constant(), max.constant())
            && low.compare(high).is_some_and(std::cmp::Ordering::is_gt)
        {
            let message = format!("no value is from {low} to {high}");
            self.warning(span, message, "the least value comes first");
        }
    }

    fn site(&mut self, kind: SiteKind, name: Option<&VarRef>, span: Span) -> usize {
        if let Some(name) = name {
            self.assigns(name);
        }
        let step = self.next_step();
        let source = &self.grammar.source;
        self.grammar.sites.push(Site {
            kind,
            label: source.excerpt(name.map_or(span, |name| name.span)),
            slot: name.map(|name| name.slot),
            span,
            loops: self.loops.clone(),
            step,
            is_count: false,
            is_case_count: false,
            unique: None,
        });
        self.grammar.sites.len() - 1
    }

    /// The variable that a value goes to; its slot says later whether anybody reads it.
    fn kept(&self, name: Option<&VarRef>) -> Option<VarRef> {
        name.cloned()
    }

    fn assigns(&mut self, name: &VarRef) {
        self.assigned[name.slot] = true;
        name.index_variables(&mut |index| self.read(index));
    }

    fn uses(&mut self, expr: &Expr) {
        expr.variables(&mut |name| self.read(name));
    }

    fn read(&mut self, name: &VarRef) {
        self.read_slot(name.slot, name.span);
    }

    fn read_slot(&mut self, slot: usize, span: Span) {
        self.grammar.slots[slot].is_read = true;
        self.used[slot].get_or_insert(span);
    }

    fn uses_test(&mut self, test: &Test) {
        test.expressions(&mut |expr| expr.variables(&mut |name| self.read(name)));
        test.tests(&mut |test| match &test.kind {
            TestKind::Unique(slots) => {
                for slot in slots {
                    self.read_slot(*slot, test.span);
                }
                if let [slot] = slots[..] {
                    self.grammar.slots[slot].is_counted = true;
                }
            }
            TestKind::InArray { slot, .. } => {
                self.read_slot(*slot, test.span);
                self.grammar.slots[*slot].is_counted = true;
            }
            _ => {}
        });
    }

    /// What is known of the questions in a test.
    fn questions(&mut self, test: &Test, asker: Asker) {
        note_questions(test, true, &mut |number, is_positive| {
            self.grammar.questions[number] = Question {
                is_positive,
                of_loop: match asker {
                    Asker::Loop(id) => Some(id),
                    _ => None,
                },
                is_asserted: asker == Asker::Assert,
            };
        });
    }

    /// What the values of the sites are for.
    fn roles(&mut self, commands: &[Command]) {
        let mut unique = Vec::new();
        unique_groups(commands, &mut unique);
        let grammar = &mut self.grammar;
        for site in &mut grammar.sites {
            let Some(slot) = site.slot else {
                continue;
            };
            let counted = |of: &LoopSite| of.count_slots.contains(&slot);
            site.is_count = grammar.loops.iter().any(counted);
            site.unique = unique.iter().find(|group| group.contains(&slot)).cloned();
        }
        for site in grammar.sites.iter().filter(|site| site.is_count) {
            if let Some(outermost) = site.loops.first() {
                grammar.loops[*outermost].is_cases = grammar.loops[*outermost].is_outermost;
            }
        }
        for site in &mut grammar.sites {
            let counted = |of: &LoopSite| {
                of.is_cases && site.slot.is_some_and(|slot| of.count_slots.contains(&slot))
            };
            site.is_case_count = site.loops.is_empty() && grammar.loops.iter().any(counted);
        }
        // A variable that nobody reads is not kept.
        for step in &mut grammar.steps {
            if let Step::Int { name, .. } | Step::Float { name, .. } | Step::Regex { name, .. } =
                step
                && name.as_ref().is_some_and(|name| !grammar.slots[name.slot].is_read)
            {
                *name = None;
            }
        }
    }

    fn doubts(&mut self, parsed: &Parsed) {
        for slot in 0..self.grammar.slots.len() {
            if let (false, Some(span)) = (self.assigned[slot], self.used[slot]) {
                let name = &parsed.names[slot];
                let near = self
                    .grammar
                    .slots
                    .iter()
                    .enumerate()
                    .filter(|(other, _)| self.assigned[*other]);
                let near = near.map(|(_, other)| {
                    (strsim::damerau_levenshtein(name, &other.name), other.name.clone())
                });
                let help = match near.min() {
                    Some((1, near)) => format!("did you mean `{near}`?"),
                    _ => "read it with INT, FLOAT or REGEX, or assign it with SET".to_owned(),
                };
                self.warning(span, format!("the variable `{name}` never gets a value"), &help);
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Range {
    Integers,
    Numbers,
}

/// Who asks what comes next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asker {
    If,
    Assert,
    Loop(usize),
}

fn note_questions(test: &Test, is_positive: bool, note: &mut dyn FnMut(usize, bool)) {
    match &test.kind {
        TestKind::Not(inner) => note_questions(inner, !is_positive, note),
        TestKind::And(left, right) | TestKind::Or(left, right) => {
            note_questions(left, is_positive, note);
            note_questions(right, is_positive, note);
        }
        TestKind::Match { question, .. } | TestKind::IsEof { question } => {
            note(*question, is_positive)
        }
        _ => {}
    }
}

/// The variables of each UNIQUE that must hold.
fn unique_groups(commands: &[Command], groups: &mut Vec<Vec<usize>>) {
    for command in commands {
        match &command.kind {
            CommandKind::Assert(test) => unique_in(test, groups),
            CommandKind::Loop { body, .. } => unique_groups(body, groups),
            CommandKind::If { then, otherwise, .. } => {
                unique_groups(then, groups);
                unique_groups(otherwise, groups);
            }
            _ => {}
        }
    }
}

fn unique_in(test: &Test, groups: &mut Vec<Vec<usize>>) {
    match &test.kind {
        TestKind::Unique(slots) => groups.push(slots.clone()),
        TestKind::And(left, right) => {
            unique_in(left, groups);
            unique_in(right, groups);
        }
        _ => {}
    }
}

impl Grammar {
    /// What the input may go on with when a step is reached.
    pub(super) fn first_at(&self, step: usize) -> ByteSet {
        self.first.get(step).copied().unwrap_or(ByteSet::END)
    }
}
