//! The files of one test case: which there are, and which must and must not be together.
//!
//! Source: problem package format 2025-09, "Test cases", "Sample data".

use crate::model::diagnostic::Diagnostic;
use crate::package::files::Item;
use crate::package::interaction;
use crate::package::kattis_2025_09::data::Part;
use crate::package::suggest::list;

/// What a file is to its test case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extension {
    In,
    Ans,
    Out,
    Interaction,
    InStatement,
    AnsStatement,
    InDownload,
    AnsDownload,
    Files,
    Yaml,
    Png,
    Jpg,
    Jpeg,
    Svg,
}

impl Extension {
    /// Longer ones first, so that `1.in.statement` is not taken for something else.
    const ALL: [Self; 14] = [
        Self::InStatement,
        Self::AnsStatement,
        Self::InDownload,
        Self::AnsDownload,
        Self::Interaction,
        Self::Files,
        Self::Yaml,
        Self::Jpeg,
        Self::Ans,
        Self::Out,
        Self::Png,
        Self::Jpg,
        Self::Svg,
        Self::In,
    ];

    const ILLUSTRATIONS: [Self; 4] = [Self::Png, Self::Jpg, Self::Jpeg, Self::Svg];

    fn text(self) -> &'static str {
        match self {
            Self::In => ".in",
            Self::Ans => ".ans",
            Self::Out => ".out",
            Self::Interaction => ".interaction",
            Self::InStatement => ".in.statement",
            Self::AnsStatement => ".ans.statement",
            Self::InDownload => ".in.download",
            Self::AnsDownload => ".ans.download",
            Self::Files => ".files",
            Self::Yaml => ".yaml",
            Self::Png => ".png",
            Self::Jpg => ".jpg",
            Self::Jpeg => ".jpeg",
            Self::Svg => ".svg",
        }
    }
}

/// A file's name, taken apart.
pub(super) struct Split<'a> {
    /// The name of the test case, with everything before it.
    pub base: &'a str,
    pub extension: Extension,
}

/// Takes the name of a test case's file apart; `None` for other files.
pub(super) fn split(item: &Item) -> Option<Split<'_>> {
    let extension = Extension::ALL.into_iter().find(|extension| {
        let is_directory = *extension == Extension::Files;
        item.name.ends_with(extension.text()) && item.is_directory() == is_directory
    })?;
    let base = item.name.strip_suffix(extension.text())?;
    let has_name = !base.is_empty() && !base.ends_with('/');
    has_name.then_some(Split { base, extension })
}

/// Whether a name leads through a `.files` directory: what is in there is not ours to read.
pub(super) fn is_in_files_directory(name: &str) -> bool {
    let mut parts = name.split('/');
    parts.next_back();
    parts.any(|part| part.ends_with(".files") && part != ".files")
}

/// Says of a file that it belongs to no test case.
pub(super) fn report_stranger(item: &Item, diagnostics: &mut Vec<Diagnostic>) {
    let name = item.base_name();
    if name.starts_with("README") {
        return;
    }
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let help = match extension {
        _ if name == "testdata.yaml" => "in format 2025-09: `test_group.yaml`",
        "hint" | "desc" => {
            "in format 2025-09: keys `hint` and `description` of the case's .yaml file"
        }
        "files" => "`.files` is a directory: put the file into it",
        "yml" => "did you mean `.yaml`?",
        "input" | "IN" | "inp" => "did you mean `.in`?",
        "a" | "answer" | "sol" | "ANS" => "did you mean `.ans`?",
        "output" | "OUT" => "did you mean `.out`, or `.ans` for the judge answer?",
        _ => "the files of a test case end in .in, .ans, .out, .yaml, .files and so on",
    };
    diagnostics
        .push(Diagnostic::warning(&item.path, "is ignored: it belongs to no test case").help(help));
}

/// The files of one test case.
#[derive(Default)]
pub(super) struct CaseFiles<'a> {
    files: Vec<CasePart<'a>>,
}

struct CasePart<'a> {
    extension: Extension,
    item: &'a Item,
}

impl<'a> CaseFiles<'a> {
    pub(super) fn add(&mut self, extension: Extension, item: &'a Item) {
        self.files.push(CasePart { extension, item });
    }

    pub(super) fn get(&self, extension: Extension) -> Option<&'a Item> {
        let mut files = self.files.iter();
        files.find(|file| file.extension == extension).map(|file| file.item)
    }

    /// Whether they show an exchange, and nothing of them is judged.
    fn are_for_display(&self) -> bool {
        let is_shown = |extension| {
            let judged = [Extension::Ans, Extension::Out, Extension::Files];
            !judged.contains(&extension)
        };
        self.get(Extension::Interaction).is_some()
            && self.files.iter().all(|file| is_shown(file.extension))
    }

    /// Those of these files that are there.
    fn among(&self, extensions: &[Extension]) -> Vec<&'a Item> {
        extensions.iter().filter_map(|&extension| self.get(extension)).collect()
    }
}

/// Checks the files of the case `name`; gives back its input if it is a case at all.
pub(super) fn check<'a>(
    name: &str,
    files: &CaseFiles<'a>,
    part: Part,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<&'a Item> {
    let base = name.rsplit('/').next().unwrap_or_default();
    let Some(input) = files.get(Extension::In) else {
        if part == Part::Sample && files.are_for_display() {
            diagnostics.extend(display_alone(base, files));
        } else {
            diagnostics.extend(orphans(base, files));
        }
        return None;
    };
    if base == "test_group" {
        let message = "a test case must not be called `test_group`";
        let help = "rename it: test_group.yaml could not be told from the group's settings";
        diagnostics.push(Diagnostic::error(&input.path, message).help(help));
        return None;
    }
    let answer = files.get(Extension::Ans);
    match (part, answer) {
        (Part::InvalidInput, Some(answer)) => {
            let message = "has no meaning: an invalid input has no answer";
            diagnostics.push(Diagnostic::warning(&answer.path, message).help("remove it"));
        }
        (Part::InvalidInput, None) | (_, Some(_)) => {}
        (_, None) => {
            let message = format!("has no `{base}.ans`");
            diagnostics.push(
                Diagnostic::error(&input.path, message)
                    .help("add it, or run `juror generate` if the package has a recipe"),
            );
        }
    }
    if matches!(part, Part::ValidOutput | Part::InvalidOutput)
        && files.get(Extension::Out).is_none()
    {
        let message = format!("has no `{base}.out`");
        let help = format!(
            "add the output that the output validator must {}",
            if part == Part::ValidOutput { "accept" } else { "refuse" }
        );
        diagnostics.push(Diagnostic::error(&input.path, message).help(help));
    }
    check_display(base, files, part, diagnostics);
    let interaction = files.get(Extension::Interaction);
    diagnostics.extend(interaction.and_then(|item| interaction::check(&item.path)));
    Some(input)
}

/// An exchange that is shown in the statement and that no test case has: strictly there is none to show, and
/// packages made for earlier drafts of the format have them.
fn display_alone(base: &str, files: &CaseFiles<'_>) -> Vec<Diagnostic> {
    let item = files.get(Extension::Interaction);
    let lone = item.map(|item| {
        let message = format!("is shown, and no test case is behind it: there is no `{base}.in`");
        let help = format!("add {base}.in and {base}.ans, so that the sample is judged, too");
        Diagnostic::warning(&item.path, message).help(help)
    });
    let faults = item.and_then(|item| interaction::check(&item.path));
    lone.into_iter().chain(faults).collect()
}

/// Files of a case without an input are one fault, not one each.
fn orphans(base: &str, files: &CaseFiles<'_>) -> Option<Diagnostic> {
    let mut items: Vec<&Item> = files.files.iter().map(|file| file.item).collect();
    items.sort_by_key(|item| &item.name);
    let (first, more) = items.split_first()?;
    let (also, them) = match more {
        [] => (String::new(), "file"),
        more => {
            let names = list(more.iter().map(|item| item.base_name()));
            (format!(", nor for {names}"), "files")
        }
    };
    let message = format!("there is no `{base}.in` for it{also}");
    let help = format!("add {base}.in, or remove the {them}");
    Some(Diagnostic::error(&first.path, message).help(help))
}

/// What may replace the input or the answer where a case is shown or downloaded.
struct Replacement {
    what: &'static str,
    shown: &'static [Extension],
    downloaded: &'static [Extension],
}

const REPLACEMENTS: [Replacement; 2] = [
    Replacement {
        what: "input",
        shown: &[Extension::InStatement, Extension::Interaction],
        downloaded: &[Extension::InDownload],
    },
    Replacement {
        what: "answer",
        shown: &[Extension::Out, Extension::AnsStatement, Extension::Interaction],
        downloaded: &[Extension::Out, Extension::AnsDownload],
    },
];

fn check_display(base: &str, files: &CaseFiles<'_>, part: Part, diagnostics: &mut Vec<Diagnostic>) {
    let illustrations = files.among(&Extension::ILLUSTRATIONS);
    if let [first, second, ..] = illustrations[..] {
        let message = format!("is a second illustration beside {}", first.base_name());
        diagnostics.push(
            Diagnostic::error(&second.path, message)
                .help("a test case has at most one; remove one"),
        );
    }
    if !matches!(part, Part::Sample | Part::Secret) {
        return;
    }
    for Replacement { what, shown, downloaded } in REPLACEMENTS {
        let [shown, downloaded] = [files.among(shown), files.among(downloaded)];
        let is_shown = |item: &Item| shown.iter().any(|shown| shown.name == item.name);
        let further = pairs(&downloaded).filter(|[_, second]| !is_shown(second));
        for [first, second] in pairs(&shown).chain(further) {
            let message = format!("and {} both replace the {what} of `{base}`", first.base_name());
            diagnostics.push(Diagnostic::error(&second.path, message).help("keep one of the two"));
        }
        match (shown.first(), downloaded.first()) {
            (Some(shown), None) => {
                let message =
                    format!("replaces the {what} where it is shown, but not for download");
                let extension = if what == "input" { "in" } else { "ans" };
                diagnostics.push(
                    Diagnostic::error(&shown.path, message)
                        .help(format!("add {base}.{extension}.download")),
                );
            }
            (None, Some(downloaded)) => {
                let message =
                    format!("replaces the {what} for download, but not where it is shown");
                let extension = if what == "input" { "in" } else { "ans" };
                diagnostics.push(
                    Diagnostic::error(&downloaded.path, message)
                        .help(format!("add {base}.{extension}.statement")),
                );
            }
            _ => {}
        }
    }
}

/// Each file but the first, with the first.
fn pairs<'s, 'a>(items: &'s [&'a Item]) -> impl Iterator<Item = [&'a Item; 2]> + 's {
    let first = items.first().copied();
    items.iter().skip(1).filter_map(move |item| first.map(|first| [first, *item]))
}
