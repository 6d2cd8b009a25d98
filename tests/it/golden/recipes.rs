//! Recipes that are wrong in every way, as a user sees the remarks about them.

use std::fs;

use juror::model::event::{Event, Stamped};
use juror::package::recipe;

use super::streams::{begun, finished};

const FAULTY: &str = "\
solution: submissions/accepted/right.py
solutoin: /submissions/accepted/right.py
gitignore_generated: true
generators:
  tree: [tree.py, tree.h]
data:
  sample:
    include: [secret]
    data:
      '1': {in: 1 2, ans: '3', match: '('}
      '1-a': gne.py 5
  secret:
    include: [sample]
    data:
    - a: {generate: 'gen.py {seed} {seed}'}
    - b: {generate: 'gen.py {seeed}'}
    - c: {generate: gen.py {seed}, count: 1..3}
    - d: {generate: gen.py 5, count: 3}
    - e: {in: x, copy: manual/1}
    - {f: gen.py 1, g: gen.py 2}
  secrets: {data: {}}
  invalid_input:
    data:
      x: gen.py {seed}
      y: gen.py {seed}
      z: {in: '0', descripton: too small}
      u:
";

/// What reading a recipe finds, with its file named as from beside the package.
pub(super) fn faults() -> Vec<Stamped> {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(&path, text).expect("a file");
        path
    };
    write("sum/generators/gen.py", "print(1, 2)\n");
    write("sum/generators/tree.py", "print(1, 2)\n");
    write("sum/generators/manual/1.in", "1 2\n");
    let faulty = FAULTY.replace("gen.py {seed}, count", "'gen.py {seed}', count");
    let path = write("sum/generators/generators.yaml", &faulty);
    let reading = recipe::read(&path, &dir.path().join("sum"));
    let mut events = vec![begun("generate", "sum")];
    events.extend(reading.diagnostics.into_iter().map(|mut diagnostic| {
        let place = &mut diagnostic.place.path;
        *place = place.strip_prefix(dir.path()).expect("in the package").to_owned();
        let root = format!("{}/", dir.path().display());
        diagnostic.help = diagnostic.help.map(|help| help.replace(&root, ""));
        Event::Diagnosed(diagnostic)
    }));
    finished(events, 12)
}
