//! The strength of test data: gates, parts, score, missed programs with inputs that would catch them, and the kill
//! matrix.

use crate::report::html::PageContent;
use crate::report::result::CommandResult;
use crate::report::style::{Style, TextRole};
use crate::report::terminal::columns::TableCell;
use crate::report::terminal::page::{INDENT, Label, Page};
use crate::report::terminal::tools;
use juror_core::exit_code::ExitCode;
use juror_core::text::{count, count_if_any, joined, printable};
use juror_data::strength::result::{
    CaseKills, GateState, MissedInput, RightProgram, ScorePart, Strength, Subject, SubjectKind,
    SubjectStatus,
};

const MAX_INPUT_LINES: usize = 12;

const MAX_UNDECIDED: usize = 10;

impl CommandResult for Strength {
    fn render(&self, page: &mut Page<'_>) {
        let style = page.style;
        if style.is_quiet() {
            page.line(0, &score_text(self, style));
            return;
        }
        write_gates(page, self);
        if !self.subjects.is_empty() {
            page.blank();
            write_tally(page, self);
            let missed =
                self.subjects.iter().filter(|subject| subject.status == SubjectStatus::Missed);
            for subject in missed {
                page.blank();
                write_missed(page, subject);
            }
            write_undecided(page, self);
            if self.matrix {
                page.blank();
                write_matrix(page, self);
            }
            page.blank();
            tools::write(page, self);
            write_parts(page, self);
        }
        for lack in &self.lacking {
            page.labelled(0, "missing:   ", &lack.to_string());
        }
        page.line(0, &format!("score:     {}", score_text(self, style)));
        let gained = self.gained.as_ref().filter(|gained| gained.is_visible());
        page.labelled_if_any(0, "gained:    ", gained.map(ToString::to_string));
        write_next_step(page, self);
    }

    fn exit_code(&self) -> ExitCode {
        if self.gates.iter().any(|gate| gate.state == GateState::Shut) {
            // The gates report what is wrong.
            ExitCode::InvalidPackage
        } else if self.subjects.is_empty() {
            ExitCode::NothingSelected
        } else {
            ExitCode::Success
        }
    }

    fn page_content(&self) -> PageContent<'_> {
        PageContent::Strength(self)
    }
}

fn score_text(found: &Strength, style: &Style) -> String {
    let role = match (found.score, found.grade) {
        (None, _) => TextRole::Bad,
        (_, Some(_)) => TextRole::Title,
        _ => TextRole::Plain,
    };
    style.paint(role, &found.score_in_words())
}

fn write_gates(page: &mut Page<'_>, found: &Strength) {
    for gate in &found.gates {
        let (role, word) = match gate.state {
            GateState::Open => (TextRole::Good, "ok       "),
            GateState::Shut => (TextRole::Bad, "FAILED   "),
            GateState::Unknown => (TextRole::Dim, "unknown  "),
        };
        let text = format!("{}: {}", gate.name, printable(&gate.detail));
        page.labelled(0, Label::new(role, word), &text);
    }
}

fn write_tally(page: &mut Page<'_>, found: &Strength) {
    let kinds = [
        (SubjectKind::Submission, "wrong submission"),
        (SubjectKind::Wrapper, "wrapper"),
        (SubjectKind::Mutant, "mutant"),
    ];
    let all = kinds.into_iter().filter_map(|(kind, noun)| {
        let of_kind = found.subjects.iter().filter(|subject| subject.kind == kind);
        count_if_any(of_kind.count(), noun)
    });
    let pool = match found.pool {
        0 => String::new(),
        pool => format!("; {} show how hard each is to catch", count(pool, "fresh input")),
    };
    page.labelled(0, "programs:  ", &(joined(all, ", ") + &pool));
    if !found.references.is_empty() {
        let name = |program: &RightProgram| match program.mutants {
            0 => printable(&program.submission),
            mutants => format!("{} ({})", printable(&program.submission), count(mutants, "mutant")),
        };
        page.labelled(0, "made from: ", &joined(found.references.iter().map(name), ", "));
    }
    page.labelled(0, "outcome:   ", &found.tally());
    let minimal = found.minimal.len();
    if minimal > 0 {
        let text = format!(
            "{} of {} catch everything that is caught{}",
            minimal,
            count(found.cases.len(), "test case"),
            if found.matrix { "" } else { ", as far as they were tried; --matrix tries all" }
        );
        page.labelled(0, "needed:    ", &text);
    }
    page.labelled_if_any(0, "held out:  ", found.hold_out.as_ref().map(ToString::to_string));
}

fn write_missed(page: &mut Page<'_>, subject: &Subject) {
    let style = page.style;
    let label = style.paint(TextRole::Bad, "missed");
    let name = style.paint(TextRole::Title, &printable(&subject.id));
    page.line(0, &format!("{label}  {name}  {}", printable(&subject.fault)));
    if let Some(edit) = &subject.edit {
        let position = format!("{}:{}:{}", printable(&edit.file), edit.line, edit.column);
        page.line(INDENT, &position);
        page.edited(INDENT + 2, "-", TextRole::Actual, edit.before.lines());
        page.edited(INDENT + 2, "+", TextRole::Expected, edit.after.lines());
    }
    if let Some(missed) = &subject.missed {
        write_killer(page, missed);
    }
}

fn write_killer(page: &mut Page<'_>, missed: &MissedInput) {
    let text = format!("{}: {}", missed.verdict.name(), printable(&missed.cause));
    page.labelled(INDENT, "caught by: ", &text);
    let lines: Vec<&[u8]> = missed.input.split(|byte| *byte == b'\n').collect();
    let lines = lines.strip_suffix(&[&b""[..]]).unwrap_or(&lines);
    page.quoted(&lines[..lines.len().min(MAX_INPUT_LINES)]);
    if lines.len() > MAX_INPUT_LINES {
        page.quoted_line(&format!("... {} more", count(lines.len() - MAX_INPUT_LINES, "line")));
    }
    let also = match missed.also.len() {
        0 => String::new(),
        others => format!("; it catches {others} more that are missed"),
    };
    page.labelled(INDENT, "gain:      ", &format!("{:.1} points{also}", missed.gain));
    let added = missed.promoted.as_ref().map(|name| format!("as test case {}", printable(name)));
    page.labelled_if_any(INDENT, "added:     ", added);
}

fn write_undecided(page: &mut Page<'_>, found: &Strength) {
    let style = page.style;
    let with_status = |status: SubjectStatus| {
        let all = found.subjects.iter().filter(move |subject| subject.status == status);
        all.map(|subject| {
            let id = printable(&subject.id);
            let line = subject.edit.as_ref().map(|edit| format!("line {}", edit.line));
            let bound = subject.bound.filter(|_| style.is_verbose());
            let tried =
                bound.map(|bound| format!("{} inputs, chance below {bound:.3}", subject.tried));
            match joined([line, tried].into_iter().flatten(), ", ") {
                known if known.is_empty() => id,
                known => format!("{id} ({known})"),
            }
        })
        .collect::<Vec<_>>()
    };
    let presumed = with_status(SubjectStatus::PresumedEquivalent);
    let mut undecided = with_status(SubjectStatus::Undecided);
    if undecided.len() > MAX_UNDECIDED && !style.is_verbose() {
        let more = undecided.split_off(MAX_UNDECIDED).len();
        undecided.push(format!("and {more} more; --verbose shows them"));
    }
    if !undecided.is_empty() {
        page.blank();
        page.labelled(0, "undecided: ", &undecided.join(", "));
    }
    if !presumed.is_empty() && style.is_verbose() {
        page.blank();
        page.labelled(0, "presumed equivalent: ", &presumed.join(", "));
    }
}

fn write_matrix(page: &mut Page<'_>, found: &Strength) {
    let row = |case: &CaseKills| {
        let only = case.only_killer_of.len();
        let minimal = found.minimal.contains(&case.test_case);
        vec![
            TableCell::left(printable(&case.test_case)),
            TableCell::right(case.kills.to_string()),
            TableCell::right(if only == 0 { String::new() } else { only.to_string() }),
            TableCell::left(if minimal { "needed" } else { "" }),
        ]
    };
    let titles = ["test case", "rejects", "alone", ""];
    let head = titles.map(|title| TableCell::left(title).with_look(TextRole::Dim)).to_vec();
    page.columns(0, std::iter::once(head).chain(found.cases.iter().map(row)));
}

fn write_parts(page: &mut Page<'_>, found: &Strength) {
    let shown = |part: &ScorePart| match part.value {
        Some(value) => format!("{} {value:.2}", part.name),
        None => format!("{} -", part.name),
    };
    page.labelled(0, "parts:     ", &joined(found.parts.iter().map(shown), ", "));
    let unmeasured = found.parts.iter().filter(|part| part.value.is_none());
    let names = joined(unmeasured.map(|part| part.name), ", ");
    if !names.is_empty() && found.score.is_some() {
        let text = format!("not measured, so the others count more: {names}");
        page.labelled(0, "           ", &text);
    }
}

fn write_next_step(page: &mut Page<'_>, found: &Strength) {
    let shut = found.gates.iter().filter(|gate| gate.state == GateState::Shut).count();
    let missed = found.count(SubjectStatus::Missed);
    let mut inputs = found.subjects.iter().filter_map(|subject| subject.missed.as_ref());
    let promoted = inputs.any(|missed| missed.promoted.is_some());
    let text = match (shut, missed) {
        (1.., _) => "fix what failed: nothing is measured until then".to_owned(),
        (0, 0) if found.cut => match found.time_needed() {
            Some(time) => format!(
                "give more --time: by what was done, about {}m",
                time.as_secs().div_ceil(60)
            ),
            None => "give more --time".to_owned(),
        },
        (0, 0) => return,
        (0, _) if promoted => "run it again to see what the new test cases gain".to_owned(),
        // The command that adds the inputs follows.
        (0, _) => return,
    };
    page.labelled(0, "next:      ", &text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::style::Verbosity;

    #[test]
    fn many_undecided_programs_are_counted() {
        let check = |count: usize, verbosity: Verbosity, expected: &[&str]| {
            let of = |at| Subject {
                status: SubjectStatus::Undecided,
                ..Subject::new(format!("p{at}"), SubjectKind::Wrapper, "fault")
            };
            let found = Strength { subjects: (0..count).map(of).collect(), ..Strength::default() };
            let style = Style { color: false, unicode: true, width: 300, verbosity };
            let mut page = Page::new(&style);
            write_undecided(&mut page, &found);
            let text = page.into_text();
            let reasons = text.trim().strip_prefix("undecided: ").unwrap_or_default();
            let ends: Vec<&str> = reasons.split(", ").skip(9).collect();
            assert_eq!(ends, expected, "{count}");
        };
        check(0, Verbosity::Normal, &[]);
        check(10, Verbosity::Normal, &["p9"]);
        check(12, Verbosity::Normal, &["p9", "and 2 more; --verbose shows them"]);
        check(12, Verbosity::Verbose, &["p9", "p10", "p11"]);
    }
}
