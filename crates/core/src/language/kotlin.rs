//! The class that starts in a Kotlin program. The compiler names it in the archive only if it is the only one, and its
//! `main` stands at the top of a file.

use std::path::{Path, PathBuf};

use regex::Regex;

use crate::language::entry::{self, missing_entry, several_main_files};
use crate::language::essence;
use crate::language::fault::ProgramFault;
use crate::tree::TreeEntry;

struct StartingClass {
    /// With its package.
    name: String,
    file: PathBuf,
    /// As of [`start_certainty`]; 0 if the file is not the program's own.
    certainty: u8,
}

/// The class or file that `entry_point` names; the usual one; the only one of the program's own files. Without any, the
/// class of the first file: the virtual machine reports what is wrong with it.
pub fn starting_class(
    sources: &[&TreeEntry],
    own: &[PathBuf],
    entry_point: Option<&str>,
) -> Result<String, ProgramFault> {
    let classes = sources.iter().flat_map(|file| starting_classes(file, own.contains(&file.name)));
    let classes: Vec<StartingClass> = classes.collect();
    let named = |word: &str| {
        let short = |class: &StartingClass| class.name.rsplit('.').next() == Some(word);
        let is_file = |file: &Path| file == Path::new(word);
        classes.iter().find(|class| {
            class.name == word
                || short(class)
                || is_file(&class.file)
                || is_file(&class.file.with_extension(""))
        })
    };
    if let Some(entry_point) = entry_point {
        let files = entry::names(sources.iter().copied());
        let class = named(entry_point).ok_or_else(|| missing_entry(entry_point, &files))?;
        return Ok(class.name.clone());
    }
    if let Some(usual) = named("main").or_else(|| named("Main")) {
        return Ok(usual.name.clone());
    }
    let most = classes.iter().map(|class| class.certainty).max();
    let starting = classes.iter().filter(|class| Some(class.certainty) == most);
    let names: Vec<PathBuf> = starting.map(|class| PathBuf::from(&class.name)).collect();
    match &names[..] {
        [only] => Ok(only.to_string_lossy().into_owned()),
        [] => Ok(sources.first().map_or_else(String::new, |file| file_class(file))),
        several => Err(several_main_files(several, "main.kt")),
    }
}

/// 2 if a `main` at the top of the file starts, 1 if one in an object does, else 0.
pub(super) fn start_certainty(source: &[u8]) -> u8 {
    let starts = scan_starts(&code_of(source));
    starts.iter().map(|object| 2 - u8::from(object.is_some())).max().unwrap_or_default()
}

fn starting_classes(file: &TreeEntry, is_own: bool) -> Vec<StartingClass> {
    let code = code_of(file.bytes());
    let package = first_match(r"(?m)^\s*package\s+([\w.]+)", &code);
    let package = package.map(|name| name + ".").unwrap_or_default();
    let class = |object: Option<String>| StartingClass {
        certainty: if is_own { 2 - u8::from(object.is_some()) } else { 0 },
        name: format!("{package}{}", object.unwrap_or_else(|| file_class(file))),
        file: file.name.clone(),
    };
    scan_starts(&code).into_iter().map(class).collect()
}

fn code_of(source: &[u8]) -> String {
    String::from_utf8_lossy(&essence::without_strings_and_comments("kotlin", source)).into_owned()
}

fn first_match(pattern: &str, text: &str) -> Option<String> {
    Some(Regex::new(pattern).ok()?.captures(text)?.get(1)?.as_str().to_owned())
}

/// The class of what is declared at the top of a file: `my-sum.kt` gives `My_sumKt`.
///
/// Source: the Kotlin documentation, "Calling Kotlin from Java", "Package-level functions".
fn file_class(file: &TreeEntry) -> String {
    let source = String::from_utf8_lossy(file.bytes());
    if let Some(name) = first_match(r#"@file:\s*JvmName\(\s*"(\w+)""#, &source) {
        return name;
    }
    let stem = file.name.file_stem().unwrap_or_default().to_string_lossy();
    let stem = stem.replace(|letter: char| !letter.is_alphanumeric(), "_");
    let mut letters = stem.chars();
    match letters.next().filter(|letter| !letter.is_numeric()) {
        Some(first) => format!("{}{}Kt", first.to_uppercase(), letters.as_str()),
        None => format!("_{stem}Kt"),
    }
}

/// For each `main` that the virtual machine can start, the object or class around it; `None` at the top of the file. In
/// an object, or in a companion of a class, the function must be static and take arguments. This is not a parser.
fn scan_starts(code: &str) -> Vec<Option<String>> {
    let pattern = Regex::new(r"\w+|\S");
    let matches = pattern.iter().flat_map(|pattern| pattern.find_iter(code));
    let words: Vec<&str> = matches.map(|word| word.as_str()).collect();
    let mut starts = Vec::new();
    let (mut depth, mut declared) = (0_usize, "");
    for (at, word) in words.iter().enumerate() {
        match *word {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            "class" | "object" if depth == 0 => {
                declared = words.get(at + 1).copied().unwrap_or_default();
            }
            "fun" if words[at..].starts_with(&["fun", "main", "("]) => {
                let mut parameters = words[at + 3..].iter().take_while(|word| **word != ")");
                let takes_words = parameters.clone().any(|word| ["Array", "vararg"].contains(word));
                let earlier = words[..at].iter().rev();
                let mut modifiers = earlier.take_while(|word| !["{", "}", "fun"].contains(*word));
                if depth == 0 && (takes_words || parameters.next().is_none()) {
                    starts.push(None);
                } else if takes_words && modifiers.any(|word| *word == "JvmStatic") {
                    starts.push(Some(declared.to_owned()));
                }
            }
            _ => {}
        }
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Node;

    /// Files as `name=text`.
    fn check(files: &[&str], entry_point: Option<&str>, expected: &str) {
        let entry = |(name, text): (&str, &str)| TreeEntry::new(name, Node::plain(text.as_bytes()));
        let files: Vec<TreeEntry> =
            files.iter().filter_map(|file| file.split_once('=')).map(entry).collect();
        let sources: Vec<&TreeEntry> = files.iter().collect();
        let own: Vec<PathBuf> = files.iter().map(|file| file.name.clone()).collect();
        let class = starting_class(&sources, &own, entry_point);
        assert_eq!(class.unwrap_or_else(|fault| fault.message), expected, "{files:?}");
    }

    #[test]
    fn a_main_is_at_the_top_of_a_file_or_in_an_object() {
        let check = |file: &str, expected: &str| check(&[file], None, expected);
        let main = "fun main(args: Array<String>)";
        check(&format!("sum.kt={main} = println(1)"), "SumKt");
        check("my-sum.kt=fun main() { }", "My_sumKt");
        check("1a.kt=suspend fun main() { }", "_1aKt");
        check("a.kt=package org.x\nfun main() { }", "org.x.AKt");
        check("a.kt=@file:JvmName(\"Sol\")\nfun main() { }", "Sol");
        check(&format!("a.kt=object Main {{ @JvmStatic {main} {{ }} }}"), "Main");
        check(&format!("a.kt=package p\nobject A : B() {{ @JvmStatic\n{main} {{ }} }}"), "p.A");
        let companion = |name: &str| {
            format!(
                "a.kt=class A(val x: Int) {{ companion object {name}{{ @JvmStatic {main} {{}} }} }}"
            )
        };
        check(&companion(""), "A");
        check(&companion("Start "), "A");
        check(
            &format!("a.kt=object A {{ @JvmStatic fun f() = 1\n{main} {{ }} }}\nfun main() {{}}"),
            "AKt",
        );
        check("a.kt=fun f(x: Any) = x::class\nfun main() { }", "AKt");
        check("a.kt=fun read() = readLine()!!", "AKt");
    }

    #[test]
    fn several_classes_that_start_are_named() {
        let both = ["a.kt=fun main() {}", "b.kt=fun main() {}"];
        check(&both, None, "each of `AKt`, `BKt` could be the main file");
        check(&both, Some("b.kt"), "BKt");
        check(&both, Some("b"), "BKt");
        check(&both, Some("AKt"), "AKt");
        check(&both, Some("c"), "entry point `c` not found among `a.kt`, `b.kt`");
        check(&["a.kt=fun main() {}", "main.kt=fun main() {}"], None, "MainKt");
        let object = "a.kt=object A { @JvmStatic fun main(args: Array<String>) { } }";
        check(&[object, "b.kt=fun main() {}"], None, "BKt");
    }
}
