//! Makes instructions from the commands that the parser reads, and finds what the whole grammar says about each.

use std::collections::HashMap;
use std::sync::Arc;

use crate::ast::{Expr, ExprKind, VarRef};
use crate::graph::find_pointers;
use crate::number::Int;
use crate::pattern::Pattern;
use crate::program::{Grammar, Instruction, Lookahead, LoopSite, PatternSource, Site, Variable};
use crate::source::{Source, Span};
use crate::sum_limit::find_sum_limits;
use crate::value::Value;
use crate::work::WorkLimits;
use juror_core::diagnostic::Diagnostic;

/// A question in the test of an IF.
const QUESTION: Lookahead = Lookahead { is_positive: true, of_loop: None, is_asserted: false };

pub(super) struct Compiler {
    pub grammar: Grammar,
    names: HashMap<String, usize>,
    pub diagnostics: Vec<Diagnostic>,
    /// Whether a command was not understood; it might have assigned a variable.
    pub is_partial: bool,
    /// From the outermost to the innermost.
    pub loops: Vec<usize>,
}

pub(super) enum Block {
    /// `skip` is the instruction that jumps over the current branch.
    If {
        skip: usize,
    },
    Loop {
        id: usize,
        next: usize,
        body: usize,
    },
}

impl Compiler {
    pub(super) fn new(source: Source) -> Self {
        Self {
            grammar: Grammar {
                source,
                instructions: Vec::new(),
                spans: Vec::new(),
                sites: Vec::new(),
                questions: Vec::new(),
                loops: Vec::new(),
                variables: Vec::new(),
                first_bytes: Vec::new(),
                limits: WorkLimits::default(),
            },
            names: HashMap::new(),
            diagnostics: Vec::new(),
            is_partial: false,
            loops: Vec::new(),
        }
    }

    /// The grammar with all that is known once the whole text was read.
    pub(super) fn finish(mut self) -> (Grammar, Vec<Diagnostic>) {
        let end = self.grammar.source.text.len();
        self.push(Instruction::Eof, Span { start: end, end });
        self.find_roles();
        if !self.is_partial {
            self.warn_about_unassigned();
        }
        (self.grammar, self.diagnostics)
    }

    pub(super) fn variable_index(&mut self, name: String) -> usize {
        if let Some(slot) = self.names.get(&name) {
            return *slot;
        }
        let slot = self.grammar.variables.len();
        self.names.insert(name.clone(), slot);
        let variable = Variable { name, is_assigned: false, first_read: None, is_counted: false };
        self.grammar.variables.push(variable);
        slot
    }

    pub(super) fn add_question(&mut self) -> usize {
        self.grammar.questions.push(QUESTION);
        self.grammar.questions.len() - 1
    }

    fn push(&mut self, step: Instruction, span: Span) -> usize {
        self.note_uses(&step);
        self.grammar.instructions.push(step);
        self.grammar.spans.push(span);
        self.grammar.instructions.len() - 1
    }

    fn next_instruction(&self) -> usize {
        self.grammar.instructions.len()
    }

    pub(super) fn error(&mut self, span: Span, message: impl Into<String>, help: &str) {
        let error = self.grammar.source.error(span, message).help(help);
        self.diagnostics.push(error);
    }

    fn warning(&mut self, span: Span, message: impl Into<String>, help: &str) {
        let warning = self.grammar.source.warning(span, message).help(help);
        self.diagnostics.push(warning);
    }

    /// An instruction that reads a value gets its site here.
    pub(super) fn add_command(&mut self, mut step: Instruction, span: Span) {
        match &mut step {
            Instruction::Text(expr) => match expr.constant().cloned() {
                Some(Value::Text(text)) => {
                    step = match text[..] {
                        [byte] => Instruction::Byte(byte),
                        _ => Instruction::Literal(text),
                    };
                }
                Some(other) => return self.report_not_text("STRING", &other, expr.span),
                None => {}
            },
            Instruction::Int { site, min, max, name } => {
                self.check_range(min, max, span, true);
                *site = self.add_site(true, name.as_ref(), span);
            }
            Instruction::Float { site, min, max, decimals, name, .. } => {
                self.check_range(min, max, span, false);
                if let Some([min, max]) = decimals {
                    self.check_range(min, max, span, true);
                }
                *site = self.add_site(true, name.as_ref(), span);
            }
            Instruction::Regex { site, pattern, name } => {
                if let PatternSource::Computed(expr) = pattern {
                    match expr.constant().map(|value| (value, expr.span)) {
                        Some((Value::Text(text), span)) => match Pattern::new(text) {
                            Ok(known) => *pattern = PatternSource::Known(Arc::new(known)),
                            Err(reason) => {
                                let message = format!("this is not a regular expression: {reason}");
                                let help = "it is a POSIX extended regular expression; a backslash for it is written `\\\\`";
                                return self.error(span, message, help);
                            }
                        },
                        Some((other, span)) => return self.report_not_text("REGEX", other, span),
                        None => {}
                    }
                }
                *site = self.add_site(false, name.as_ref(), span);
            }
            Instruction::Assert(test) => {
                self.note_questions(test, Lookahead { is_asserted: true, ..QUESTION })
            }
            Instruction::Set(assignments) => {
                assignments.iter().for_each(|(name, _)| self.note_assignment(name))
            }
            _ => {}
        }
        self.push(step, span);
    }

    fn report_not_text(&mut self, word: &str, value: &Value, span: Span) {
        let message = format!("{word} of {}, which is not a string", value.kind());
        self.error(span, message, "put it between `\"`");
    }

    pub(super) fn begin_if(&mut self, test: Expr) -> Block {
        self.note_questions(&test, QUESTION);
        Block::If { skip: self.push(Instruction::Branch { test, otherwise: 0 }, Span::default()) }
    }

    pub(super) fn begin_else(&mut self, block: &mut Block, span: Span) {
        let end_of_then = self.push(Instruction::Jump(0), span);
        if let Block::If { skip } = block {
            self.end_branch(*skip, span);
            *skip = end_of_then;
        }
    }

    fn end_branch(&mut self, skip: usize, span: Span) {
        let here = self.next_instruction();
        if let Instruction::Branch { otherwise: to, .. } | Instruction::Jump(to) =
            &mut self.grammar.instructions[skip]
        {
            *to = here;
        }
        self.grammar.spans[skip] = span;
    }

    /// Begins a loop with a count or a test; its separator, if any, and its body follow.
    pub(super) fn begin_loop(
        &mut self,
        count: Option<Expr>,
        test: Option<Expr>,
        counter: Option<VarRef>,
    ) -> Block {
        let id = self.grammar.loops.len();
        let mut count_slots = Vec::new();
        if let Some(count) = &count {
            self.check_count(count);
            count.variables(&mut |name| count_slots.push(name.variable));
        }
        if let Some(test) = &test {
            self.note_questions(test, Lookahead { of_loop: Some(id), ..QUESTION });
        }
        if let Some(counter) = &counter {
            self.note_assignment(counter);
        }
        let span = Span::default();
        self.grammar.loops.push(LoopSite { span, count_variables: count_slots, is_cases: false });
        self.push(Instruction::BeginLoop { id, count }, span);
        let next =
            self.push(Instruction::NextIteration { id, test, counter, body: 0, exit: 0 }, span);
        self.loops.push(id);
        Block::Loop { id, next, body: self.next_instruction() }
    }

    pub(super) fn begin_body(&self, block: &mut Block) {
        if let Block::Loop { body, .. } = block {
            *body = self.next_instruction();
        }
    }

    /// Ends a block whose head has this span.
    pub(super) fn end_block(&mut self, block: &Block, span: Span) {
        match *block {
            Block::If { skip } => self.end_branch(skip, span),
            Block::Loop { id, next, body: start } => {
                self.push(Instruction::EndIteration { to: next }, span);
                let end = self.next_instruction();
                if let Instruction::NextIteration { body, exit, .. } =
                    &mut self.grammar.instructions[next]
                {
                    (*body, *exit) = (start, end);
                }
                self.grammar.spans[next - 1..=next].fill(span);
                self.grammar.loops[id].span = span;
            }
        }
    }

    fn check_count(&mut self, count: &Expr) {
        match count.constant() {
            None => {}
            Some(Value::Int(Int::Small(value))) if u32::try_from(*value).is_ok() => {}
            Some(value) => {
                let message = format!("{value} is not a number of iterations");
                self.error(count.span, message, "it is an integer from 0 to 4294967295");
            }
        }
    }

    /// Checks bounds that are constant.
    fn check_range(&mut self, min: &Expr, max: &Expr, span: Span, of_integers: bool) {
        for bound in [min, max] {
            let what = match bound.constant() {
                Some(Value::Float(_)) if of_integers => "a float, but an integer is needed",
                Some(Value::Text(_)) => "a string, but a number is needed",
                _ => continue,
            };
            let message = format!("this bound is {what}");
            return self.error(bound.span, message, "write an integer, such as 1000000 or 10^6");
        }
        if let (Some(low), Some(high)) = (min.constant(), max.constant())
            && low.compare(high).is_some_and(std::cmp::Ordering::is_gt)
        {
            let message = format!("no value is from {low} to {high}");
            self.warning(span, message, "the least value comes first");
        }
    }

    fn add_site(&mut self, is_number: bool, name: Option<&VarRef>, span: Span) -> usize {
        if let Some(name) = name {
            self.note_assignment(name);
        }
        let step = self.next_instruction();
        let source = &self.grammar.source;
        self.grammar.sites.push(Site {
            is_number,
            label: source.excerpt(name.map_or(span, |name| name.span)),
            variable: name.map(|name| name.variable),
            span,
            loops: self.loops.clone(),
            instruction: step,
            ..Site::default()
        });
        self.grammar.sites.len() - 1
    }

    fn note_assignment(&mut self, name: &VarRef) {
        self.grammar.variables[name.variable].is_assigned = true;
        name.index_variables(&mut |index| self.note_read(index.variable, index.span));
    }

    fn note_read(&mut self, slot: usize, span: Span) {
        self.grammar.variables[slot].first_read.get_or_insert(span);
    }

    /// Notes the variables that a step uses.
    fn note_uses(&mut self, step: &Instruction) {
        step.expressions(&mut |expr| {
            expr.each(&mut |expr| match &expr.kind {
                ExprKind::Var(name) => self.note_read(name.variable, name.span),
                ExprKind::Unique(slots) => {
                    slots.iter().for_each(|slot| self.note_read(*slot, expr.span));
                    if let [slot] = slots[..] {
                        self.grammar.variables[slot].is_counted = true;
                    }
                }
                ExprKind::InArray { variable: slot, .. } => {
                    self.note_read(*slot, expr.span);
                    self.grammar.variables[*slot].is_counted = true;
                }
                _ => {}
            });
        });
    }

    /// Notes the context of each question in a test; `lookahead` is the context of the test itself.
    fn note_questions(&mut self, test: &Expr, lookahead: Lookahead) {
        match &test.kind {
            ExprKind::Not(inner) => {
                let is_positive = !lookahead.is_positive;
                self.note_questions(inner, Lookahead { is_positive, ..lookahead });
            }
            ExprKind::And(left, right) | ExprKind::Or(left, right) => {
                self.note_questions(left, lookahead);
                self.note_questions(right, lookahead);
            }
            ExprKind::Match { question, .. } | ExprKind::IsEof { question } => {
                self.grammar.questions[*question] = lookahead;
            }
            _ => {}
        }
    }

    fn find_roles(&mut self) {
        let grammar = &mut self.grammar;
        let demands = grammar.instructions.iter().flat_map(Instruction::demands);
        let unique = demands.filter_map(|test| match &test.kind {
            ExprKind::Unique(slots) => Some(slots.clone()),
            _ => None,
        });
        let unique: Vec<Vec<usize>> = unique.collect();
        for site in &mut grammar.sites {
            let Some(slot) = site.variable else { continue };
            let counted = |loop_site: &LoopSite| loop_site.count_variables.contains(&slot);
            site.is_count = grammar.loops.iter().any(counted);
            site.unique = unique.iter().find(|group| group.contains(&slot)).cloned();
        }
        for site in grammar.sites.iter().filter(|site| site.is_count) {
            if let Some(outermost) = site.loops.first() {
                grammar.loops[*outermost].is_cases = true;
            }
        }
        for site in &mut grammar.sites {
            let counted = |loop_site: &LoopSite| {
                loop_site.is_cases
                    && site.variable.is_some_and(|slot| loop_site.count_variables.contains(&slot))
            };
            site.is_case_count = site.loops.is_empty() && grammar.loops.iter().any(counted);
        }
        find_pointers(grammar);
        find_sum_limits(grammar);
        // A variable that is never read is not stored.
        for step in &mut grammar.instructions {
            if let Instruction::Int { name, .. }
            | Instruction::Float { name, .. }
            | Instruction::Regex { name, .. } = step
                && name
                    .as_ref()
                    .is_some_and(|name| grammar.variables[name.variable].first_read.is_none())
            {
                *name = None;
            }
        }
    }

    fn warn_about_unassigned(&mut self) {
        let (assigned, others): (Vec<_>, Vec<_>) =
            self.grammar.variables.iter().partition(|variable| variable.is_assigned);
        for Variable { name, first_read, .. } in others {
            let Some(span) = first_read else { continue };
            let near = assigned
                .iter()
                .map(|other| (strsim::damerau_levenshtein(name, &other.name), &other.name));
            let help = match near.min() {
                Some((1, near)) => format!("did you mean `{near}`?"),
                _ => "read it with INT, FLOAT or REGEX, or assign it with SET".to_owned(),
            };
            let message = format!("the variable `{name}` never gets a value");
            self.diagnostics.push(self.grammar.source.warning(*span, message).help(help));
        }
    }
}
