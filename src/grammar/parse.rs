//! Parses tokens into instructions, and reports every fault at its place.

use crate::grammar::ast::{Expr, Notation, VarRef};
use crate::grammar::compile::{Block, Compiler};
use crate::grammar::program::{Op, PatternSource};
use crate::grammar::source::{Source, Span};
use crate::grammar::token::{KNOWN, Token, TokenKind, is_known, tokens};
use crate::grammar::work::Steps;

mod expression;

const DEPTH_MAX: usize = 100;
/// Upper bound on the operands with operators of one kind between them.
const OPERANDS_MAX: usize = 2000;

/// The grammar can be used if none of the diagnostics is an error.
pub(super) fn parse(source: Source) -> Compiler {
    let mut out = Compiler::new(source);
    let tokens = tokens(&out.grammar.source, &mut out.diagnostics);
    let mut parser =
        Parser { tokens, at: 0, depth: 0, given_up: false, work: Steps::of_constants(), out };
    loop {
        parser.commands();
        match parser.peek() {
            TokenKind::End => break,
            // `END` and `ELSE` without a block.
            other => {
                let message = format!("{} belongs to no block", other.called());
                let help = "remove it, or begin a block with REP, WHILE or IF before it";
                parser.report(parser.span(), message, help);
                parser.at += 1;
            }
        }
    }
    parser.out
}

struct Fault {
    span: Span,
    message: String,
    help: String,
}

type Parse<T> = Result<T, Fault>;

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    given_up: bool,
    work: Steps,
    out: Compiler,
}

impl Parser {
    fn token(&self) -> &Token {
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn peek(&self) -> &TokenKind {
        &self.token().kind
    }

    fn span(&self) -> Span {
        self.token().span
    }

    fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), TokenKind::Sign(here) if *here == sign)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), TokenKind::Word(here) if here == word)
    }

    fn take_sign(&mut self, sign: &str) -> bool {
        let taken = self.is_sign(sign);
        self.at += usize::from(taken);
        taken
    }

    fn expected<T>(&self, what: &str, help: &str) -> Parse<T> {
        Err(Fault {
            span: self.span(),
            message: format!("expected {what}, found {}", self.peek().called()),
            help: help.to_owned(),
        })
    }

    fn sign(&mut self, sign: &str, form: &str) -> Parse<()> {
        if self.take_sign(sign) {
            Ok(())
        } else {
            self.expected(&format!("`{sign}`"), &format!("the form is {form}"))
        }
    }

    fn report(&mut self, span: Span, message: String, help: &str) {
        if self.given_up {
            return;
        }
        self.out.is_partial = true;
        self.out.error(span, message, help);
    }

    fn give_up(&mut self, message: String, help: &str) -> Fault {
        let span = self.span();
        self.report(span, message, help);
        // Later faults would only repeat this one at every level.
        self.given_up = true;
        self.at = self.tokens.len() - 1;
        Fault { span, message: String::new(), help: String::new() }
    }

    /// Reports an expression with too many operands in a row: it is as deep as it has operands.
    fn check_operands(&mut self, operands: usize) -> Parse<()> {
        if operands <= OPERANDS_MAX {
            return Ok(());
        }
        let message = format!("an expression with more than {OPERANDS_MAX} operands in a row");
        Err(self.give_up(message, "split it with SET, or into several ASSERTs"))
    }

    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= DEPTH_MAX {
            let message = format!("nested more than {DEPTH_MAX} deep");
            return Err(self.give_up(message, "split it with SET, or use fewer blocks"));
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    fn commands(&mut self) {
        loop {
            match self.peek() {
                TokenKind::End => return,
                TokenKind::Word(word) if word == "END" || word == "ELSE" => return,
                _ => {}
            }
            let start = self.at;
            if let Err(fault) = self.nested(Self::command) {
                self.report(fault.span, fault.message, &fault.help);
                self.skip_to_command(start);
            }
        }
    }

    fn skip_to_command(&mut self, start: usize) {
        self.at = self.at.max(start + 1);
        loop {
            match self.peek() {
                TokenKind::End => return,
                TokenKind::Word(word) if COMMANDS.iter().any(|(name, _)| name == word) => return,
                TokenKind::Word(word) if word == "END" || word == "ELSE" => return,
                _ => self.at += 1,
            }
        }
    }

    fn command(&mut self) -> Parse<()> {
        let start = self.span();
        let TokenKind::Word(word) = self.peek().clone() else {
            return self.expected("a command", COMMAND_HELP);
        };
        let Some((_, form)) = COMMANDS.iter().find(|(name, _)| *name == word) else {
            return Err(self.unknown(&word));
        };
        self.at += 1;
        let step = match &*word {
            "SPACE" => Op::Byte(b' '),
            "NEWLINE" => Op::Byte(b'\n'),
            "EOF" => Op::Eof,
            "REP" | "REPI" | "WHILE" | "WHILEI" | "IF" => return self.block(&word, form, start),
            _ => {
                self.sign("(", form)?;
                let step = self.arguments(&word, form)?;
                self.sign(")", form)?;
                step
            }
        };
        let span = start.to(self.last_span());
        self.out.command(step, span);
        Ok(())
    }

    fn unknown(&self, word: &str) -> Fault {
        let near =
            KNOWN.split(' ').map(|known| (strsim::damerau_levenshtein(word, known), known)).min();
        let help = match near {
            _ if is_known(word) => "it is inside another command".to_owned(),
            Some((distance, known)) if distance <= 2 => format!("did you mean `{known}`?"),
            _ => COMMAND_HELP.to_owned(),
        };
        Fault {
            span: self.span(),
            message: if is_known(word) {
                format!("`{word}` is not a command")
            } else {
                format!("there is no command `{word}`")
            },
            help,
        }
    }

    fn arguments(&mut self, word: &str, form: &str) -> Parse<Op> {
        Ok(match word {
            "INT" => {
                let [min, max] = self.range(form)?;
                Op::Int { site: 0, min, max, name: self.optional_name(form)? }
            }
            "FLOAT" | "FLOATP" => {
                let [min, max] = self.range(form)?;
                let decimals = match word {
                    "FLOATP" => {
                        self.sign(",", form)?;
                        Some(self.range(form)?)
                    }
                    _ => None,
                };
                let name = self.optional_name(form)?;
                let notation = if name.is_some() && self.take_sign(",") {
                    self.notation(form)?
                } else {
                    Notation::Any
                };
                Op::Float { site: 0, min, max, decimals, notation, name }
            }
            "STRING" => Op::Text(self.expr()?),
            "REGEX" => {
                let pattern = PatternSource::Computed(self.expr()?);
                Op::Regex { site: 0, pattern, name: self.optional_name(form)? }
            }
            "ASSERT" => Op::Assert(self.test()?),
            "SET" => {
                let mut assignments = vec![self.assignment(form)?];
                while self.take_sign(",") {
                    assignments.push(self.assignment(form)?);
                }
                Op::Set(assignments)
            }
            _ => Op::Unset(self.plain_names(form)?),
        })
    }

    fn range(&mut self, form: &str) -> Parse<[Expr; 2]> {
        let min = self.expr()?;
        self.sign(",", form)?;
        Ok([min, self.expr()?])
    }

    fn notation(&mut self, form: &str) -> Parse<Notation> {
        let notation = match self.peek() {
            TokenKind::Word(word) if word == "FIXED" => Notation::Fixed,
            TokenKind::Word(word) if word == "SCIENTIFIC" => Notation::Scientific,
            _ => return self.expected("`FIXED` or `SCIENTIFIC`", &format!("the form is {form}")),
        };
        self.at += 1;
        Ok(notation)
    }

    fn assignment(&mut self, form: &str) -> Parse<(VarRef, Expr)> {
        let name = self.variable(form)?;
        if self.is_sign("==") {
            return self.expected("`=`", "SET assigns with a single `=`");
        }
        self.sign("=", form)?;
        Ok((name, self.expr()?))
    }

    /// Reports a fault in the block's head itself, so that the body is still parsed.
    fn block(&mut self, word: &str, form: &str, start: Span) -> Parse<()> {
        let around = self.out.loops.len();
        let mut block = match self.head(word, form) {
            Ok(block) => Some(block),
            Err(fault) => {
                self.report(fault.span, fault.message, &fault.help);
                self.close_bracket();
                None
            }
        };
        let span = start.to(self.last_span());
        self.commands();
        if word == "IF" && self.is_word("ELSE") {
            self.at += 1;
            if let Some(block) = &mut block {
                self.out.begin_else(block, span);
            }
            self.commands();
        }
        self.out.loops.truncate(around);
        if !self.is_word("END") {
            let here = self.peek().called();
            return Err(Fault {
                span,
                message: format!("this {word} has no END: found {here} instead"),
                help: "every REP, REPI, WHILE, WHILEI and IF ends with END".to_owned(),
            });
        }
        self.at += 1;
        // A block with a fault in its head is not run.
        if let Some(block) = block {
            self.out.end(&block, span);
        }
        Ok(())
    }

    fn head(&mut self, word: &str, form: &str) -> Parse<Block> {
        self.sign("(", form)?;
        if word == "IF" {
            let test = self.test()?;
            self.sign(")", form)?;
            return Ok(self.out.begin_if(test));
        }
        let mut counter = None;
        if matches!(word, "REPI" | "WHILEI") {
            counter = Some(self.variable(form)?);
            self.sign(",", form)?;
        }
        let (count, test) = match word {
            "REP" | "REPI" => (Some(self.expr()?), None),
            _ => (None, Some(self.test()?)),
        };
        let has_separator = self.take_sign(",");
        if !has_separator {
            self.sign(")", form)?;
        }
        let mut block = self.out.begin_loop(count, test, counter);
        if has_separator {
            self.nested(Self::command)?;
            self.sign(")", form)?;
        }
        self.out.begin_body(&mut block);
        Ok(block)
    }

    fn close_bracket(&mut self) {
        let line = |span: Span| self.out.grammar.source.line(span);
        let here = line(self.last_span());
        let mut at = self.at;
        let mut open = 1;
        while at < self.tokens.len() - 1 && line(self.tokens[at].span) == here {
            match self.tokens[at].kind {
                TokenKind::Sign("(") => open += 1,
                TokenKind::Sign(")") => open -= 1,
                _ => {}
            }
            at += 1;
            if open == 0 {
                break;
            }
        }
        self.at = at;
    }

    fn optional_name(&mut self, form: &str) -> Parse<Option<VarRef>> {
        if self.take_sign(",") { self.variable(form).map(Some) } else { Ok(None) }
    }
}

const COMMANDS: [(&str, &str); 16] = [
    ("SPACE", "SPACE"),
    ("NEWLINE", "NEWLINE"),
    ("EOF", "EOF"),
    ("INT", "INT(min, max [, name])"),
    ("FLOAT", "FLOAT(min, max [, name [, FIXED or SCIENTIFIC]])"),
    ("FLOATP", "FLOATP(min, max, mindecimals, maxdecimals [, name [, FIXED or SCIENTIFIC]])"),
    ("STRING", "STRING(str)"),
    ("REGEX", "REGEX(str [, name])"),
    ("ASSERT", "ASSERT(test)"),
    ("SET", "SET(name = value [, ...])"),
    ("UNSET", "UNSET(name [, ...])"),
    ("REP", "REP(count [, separator]) ... END"),
    ("REPI", "REPI(i, count [, separator]) ... END"),
    ("WHILE", "WHILE(test [, separator]) ... END"),
    ("WHILEI", "WHILEI(i, test [, separator]) ... END"),
    ("IF", "IF(test) ... [ELSE ...] END"),
];

const COMMAND_HELP: &str = "the commands are SPACE, NEWLINE, EOF, INT, FLOAT, FLOATP, STRING, REGEX, ASSERT, SET, UNSET, REP, REPI, WHILE, WHILEI and IF";
