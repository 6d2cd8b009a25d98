//! The environment of every program.

/// Where programs are sought by name.
pub(crate) const PROGRAM_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Paths are those in a box.
const DEFAULTS: [(&str, &str); 5] = [
    ("PATH", PROGRAM_PATH),
    ("HOME", "/box"),
    ("LANG", "C.UTF-8"),
    ("TZ", "UTC"),
    ("TMPDIR", "/tmp"),
];

/// The variables of the job take precedence.
pub(super) fn program_environment(added: &[(String, String)]) -> Vec<(String, String)> {
    let stays = |name: &str| added.iter().all(|(other, _)| other != name);
    DEFAULTS
        .iter()
        .filter(|(name, _)| stays(name))
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .chain(added.iter().cloned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_jobs_variables_take_precedence() {
        let check = |added: &[(&str, &str)], expected: &str| {
            let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
            let added: Vec<_> = added.iter().map(owned).collect();
            let all = program_environment(&added);
            let shown: Vec<_> = all.iter().map(|(name, value)| format!("{name}={value}")).collect();
            assert_eq!(shown.join(" "), expected);
        };
        let path = "PATH=/usr/local/bin:/usr/bin:/bin";
        let rest = "LANG=C.UTF-8 TZ=UTC TMPDIR=/tmp";
        check(&[], &format!("{path} HOME=/box {rest}"));
        check(&[("HOME", "/"), ("A", "b")], &format!("{path} {rest} HOME=/ A=b"));
    }
}
