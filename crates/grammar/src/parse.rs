//! Parses tokens into instructions, and reports every fault at its place.

use crate::ast::{Expr, Notation, VarRef};
use crate::compiler::{Block, Compiler};
use crate::program::{Instruction, PatternSource};
use crate::source::{Source, Span};
use crate::token::{KEYWORDS, Token, TokenKind, is_keyword, tokens};
use crate::work::WorkCounter;

mod expression;

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

/// Upper bound on nested blocks and brackets: the parser calls itself for each.
const DEPTH_MAX: usize = 100;
/// Upper bound on the operands with operators of one kind between them.
const OPERANDS_MAX: usize = 2000;

/// The grammar can be used if none of the diagnostics is an error.
pub(super) fn parse(source: Source) -> Compiler {
    let mut out = Compiler::new(source);
    let tokens = tokens(&out.grammar.source, &mut out.diagnostics);
    let mut parser = Parser {
        tokens,
        at: 0,
        depth: 0,
        has_given_up: false,
        work: WorkCounter::of_constants(),
        compiler: out,
    };
    loop {
        parser.commands();
        match parser.peek() {
            TokenKind::End => break,
            // `END` and `ELSE` without a block.
            other => {
                let message = format!("{} belongs to no block", other.description());
                let help = "remove it, or begin a block with REP, WHILE or IF before it";
                parser.report(parser.span(), message, help);
                parser.at += 1;
            }
        }
    }
    parser.compiler
}

struct ParseFault {
    span: Span,
    message: String,
    help: String,
}

type ParserResult<T> = Result<T, ParseFault>;

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    has_given_up: bool,
    work: WorkCounter,
    compiler: Compiler,
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

    fn expected<T>(&self, what: &str, help: &str) -> ParserResult<T> {
        Err(ParseFault {
            span: self.span(),
            message: format!("expected {what}, found {}", self.peek().description()),
            help: help.to_owned(),
        })
    }

    fn expect_sign(&mut self, sign: &str, form: &str) -> ParserResult<()> {
        if self.take_sign(sign) {
            Ok(())
        } else {
            self.expected(&format!("`{sign}`"), &format!("the form is {form}"))
        }
    }

    fn report(&mut self, span: Span, message: String, help: &str) {
        if self.has_given_up {
            return;
        }
        self.compiler.is_partial = true;
        self.compiler.error(span, message, help);
    }

    fn give_up(&mut self, message: String, help: &str) -> ParseFault {
        let span = self.span();
        self.report(span, message, help);
        // Later faults would only repeat this one at every level.
        self.has_given_up = true;
        self.at = self.tokens.len() - 1;
        ParseFault { span, message: String::new(), help: String::new() }
    }

    /// Reports an expression with too many operands in a row: it is as deep as it has operands.
    fn check_operands(&mut self, operands: usize) -> ParserResult<()> {
        if operands <= OPERANDS_MAX {
            return Ok(());
        }
        let message = format!("an expression with more than {OPERANDS_MAX} operands in a row");
        Err(self.give_up(message, "split it with SET, or into several ASSERTs"))
    }

    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> ParserResult<T>) -> ParserResult<T> {
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

    fn command(&mut self) -> ParserResult<()> {
        let start = self.span();
        let TokenKind::Word(word) = self.peek().clone() else {
            return self.expected("a command", COMMAND_HELP);
        };
        let Some((_, form)) = COMMANDS.iter().find(|(name, _)| *name == word) else {
            return Err(self.unknown_command(&word));
        };
        self.at += 1;
        let step = match &*word {
            "SPACE" => Instruction::Byte(b' '),
            "NEWLINE" => Instruction::Byte(b'\n'),
            "EOF" => Instruction::Eof,
            "REP" | "REPI" | "WHILE" | "WHILEI" | "IF" => return self.block(&word, form, start),
            _ => {
                self.expect_sign("(", form)?;
                let step = self.arguments(&word, form)?;
                self.expect_sign(")", form)?;
                step
            }
        };
        let span = start.to(self.last_span());
        self.compiler.add_command(step, span);
        Ok(())
    }

    fn unknown_command(&self, word: &str) -> ParseFault {
        let near = KEYWORDS
            .split(' ')
            .map(|known| (strsim::damerau_levenshtein(word, known), known))
            .min();
        let help = match near {
            _ if is_keyword(word) => "it is inside another command".to_owned(),
            Some((distance, known)) if distance <= 2 => format!("did you mean `{known}`?"),
            _ => COMMAND_HELP.to_owned(),
        };
        ParseFault {
            span: self.span(),
            message: if is_keyword(word) {
                format!("`{word}` is not a command")
            } else {
                format!("there is no command `{word}`")
            },
            help,
        }
    }

    fn arguments(&mut self, word: &str, form: &str) -> ParserResult<Instruction> {
        Ok(match word {
            "INT" => {
                let [min, max] = self.range(form)?;
                Instruction::Int { site: 0, min, max, name: self.optional_name(form)? }
            }
            "FLOAT" | "FLOATP" => {
                let [min, max] = self.range(form)?;
                let decimals = match word {
                    "FLOATP" => {
                        self.expect_sign(",", form)?;
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
                Instruction::Float { site: 0, min, max, decimals, notation, name }
            }
            "STRING" => Instruction::Text(self.expr()?),
            "REGEX" => {
                let pattern = PatternSource::Computed(self.expr()?);
                Instruction::Regex { site: 0, pattern, name: self.optional_name(form)? }
            }
            "ASSERT" => Instruction::Assert(self.test()?),
            "SET" => {
                let mut assignments = vec![self.assignment(form)?];
                while self.take_sign(",") {
                    assignments.push(self.assignment(form)?);
                }
                Instruction::Set(assignments)
            }
            _ => Instruction::Unset(self.variables_without_indices(form)?),
        })
    }

    fn range(&mut self, form: &str) -> ParserResult<[Expr; 2]> {
        let min = self.expr()?;
        self.expect_sign(",", form)?;
        Ok([min, self.expr()?])
    }

    fn notation(&mut self, form: &str) -> ParserResult<Notation> {
        let notation = match self.peek() {
            TokenKind::Word(word) if word == "FIXED" => Notation::Fixed,
            TokenKind::Word(word) if word == "SCIENTIFIC" => Notation::Scientific,
            _ => return self.expected("`FIXED` or `SCIENTIFIC`", &format!("the form is {form}")),
        };
        self.at += 1;
        Ok(notation)
    }

    fn assignment(&mut self, form: &str) -> ParserResult<(VarRef, Expr)> {
        let name = self.variable(form)?;
        if self.is_sign("==") {
            return self.expected("`=`", "SET assigns with a single `=`");
        }
        self.expect_sign("=", form)?;
        Ok((name, self.expr()?))
    }

    /// Reports a fault in the block's head itself, so that the body is still parsed.
    fn block(&mut self, word: &str, form: &str, start: Span) -> ParserResult<()> {
        let outer = self.compiler.loops.len();
        let mut block = match self.block_head(word, form) {
            Ok(block) => Some(block),
            Err(fault) => {
                self.report(fault.span, fault.message, &fault.help);
                self.skip_head();
                None
            }
        };
        let span = start.to(self.last_span());
        self.commands();
        if word == "IF" && self.is_word("ELSE") {
            self.at += 1;
            if let Some(block) = &mut block {
                self.compiler.begin_else(block, span);
            }
            self.commands();
        }
        self.compiler.loops.truncate(outer);
        if !self.is_word("END") {
            let here = self.peek().description();
            return Err(ParseFault {
                span,
                message: format!("this {word} has no END: found {here} instead"),
                help: "every REP, REPI, WHILE, WHILEI and IF ends with END".to_owned(),
            });
        }
        self.at += 1;
        // A block with a fault in its head is not run.
        if let Some(block) = block {
            self.compiler.end_block(&block, span);
        }
        Ok(())
    }

    fn block_head(&mut self, word: &str, form: &str) -> ParserResult<Block> {
        self.expect_sign("(", form)?;
        if word == "IF" {
            let test = self.test()?;
            self.expect_sign(")", form)?;
            return Ok(self.compiler.begin_if(test));
        }
        let mut counter = None;
        if matches!(word, "REPI" | "WHILEI") {
            counter = Some(self.variable(form)?);
            self.expect_sign(",", form)?;
        }
        let (count, test) = match word {
            "REP" | "REPI" => (Some(self.expr()?), None),
            _ => (None, Some(self.test()?)),
        };
        let has_separator = self.take_sign(",");
        if !has_separator {
            self.expect_sign(")", form)?;
        }
        let mut block = self.compiler.begin_loop(count, test, counter);
        if has_separator {
            self.nested(Self::command)?;
            self.expect_sign(")", form)?;
        }
        self.compiler.begin_body(&mut block);
        Ok(block)
    }

    fn skip_head(&mut self) {
        let line = |span: Span| self.compiler.grammar.source.line(span);
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

    fn optional_name(&mut self, form: &str) -> ParserResult<Option<VarRef>> {
        if self.take_sign(",") { self.variable(form).map(Some) } else { Ok(None) }
    }
}
