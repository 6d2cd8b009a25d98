//! `juror completions` and `juror man`.

use std::fs;
use std::process::Command;

use crate::fixture::Fixture;

#[test]
fn shells_complete_commands_and_options() {
    let fixture = Fixture::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = fixture.juror(&format!("completions {shell}")).output().expect("juror runs");
        let script = String::from_utf8_lossy(&script.stdout).into_owned();
        assert!(script.contains("verify") && script.contains("time-limit"), "{shell}: {script}");
        fixture.write(shell, &script);
    }
    fixture.check("completions fis", 2, &["a similar value exists: 'fish'"]);

    let check = |words: &[&str], expected: &str| {
        let script = format!(
            "source ./bash; COMP_WORDS=({words}); COMP_CWORD={last}; _juror juror {word} x; echo ${{COMPREPLY[*]}}",
            words = words.join(" "),
            last = words.len() - 1,
            word = words[words.len() - 1],
        );
        let mut bash = Command::new("bash");
        let output = bash.current_dir(fixture.root()).args(["-c", &script]).output();
        let output = output.expect("bash runs");
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), expected, "{words:?}");
    };
    check(&["juror", "ver"], "verify");
    check(&["juror", "judge", "--time"], "--time-limit");
    check(&["juror", "completions", "z"], "zsh");
}

#[test]
fn each_command_has_a_man_page() {
    let fixture = Fixture::new();
    fixture.write("pages/juror.1", "an older page");
    fixture.check("man pages", 0, &[]);
    let page = |name: &str| fs::read_to_string(fixture.path("pages").join(name)).expect("a page");
    for (name, part) in [
        ("juror.1", "juror\\-verify"),
        ("juror-judge.1", "time\\-limit"),
        ("juror-grammar-check.1", "SYNOPSIS"),
    ] {
        assert!(page(name).contains(part), "{name}: {}", page(name));
    }
    let number = fs::read_dir(fixture.path("pages")).expect("pages").count();
    assert!(number > 10, "{number} pages, and no file beside them");
    fixture.check("man pages/juror.1/below", 2, &["cannot write man pages to pages/juror.1/below"]);
}
