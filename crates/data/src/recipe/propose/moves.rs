//! Renames the files of test cases in `data/` whose numbers changed. If one cannot be renamed, all get their old names.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use juror_core::diagnostic::Diagnostic;
use juror_core::judgement::JudgeError;
use juror_core::recipe::{CASE_EXTENSIONS, CASE_FILES, LEGACY_CASE_EXTENSIONS};
use juror_core::root::FilePath;
use juror_core::stop::Stop;

pub(super) struct FileMoves(Vec<FileMove>);

struct FileMove {
    from: FilePath,
    to: FilePath,
    /// The last parts of the old and the new name of the test case.
    bases: [String; 2],
}

impl FileMoves {
    /// `renames` has the new names of test cases by their old ones. Fails if another file is in the way.
    pub(super) fn plan(data: &FilePath, renames: &BTreeMap<String, String>) -> Result<Self, Stop> {
        let mut moves = Vec::new();
        // Numbers become larger, so the last one moves first.
        for (old, new) in renames.iter().rev() {
            let base = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
            let extensions = CASE_EXTENSIONS.into_iter().chain(LEGACY_CASE_EXTENSIONS);
            for extension in extensions.chain([CASE_FILES]) {
                let from = data.join(old).with_added_extension(extension);
                if !from.is_missing() {
                    let to = data.join(new).with_added_extension(extension);
                    moves.push(FileMove { from, to, bases: [base(old), base(new)] });
                }
            }
        }
        let free: BTreeSet<&FilePath> = moves.iter().map(|one| &one.from).collect();
        match moves.iter().find(|one| !free.contains(&one.to) && !one.to.is_missing()) {
            None => Ok(Self(moves)),
            Some(FileMove { from, to, .. }) => {
                let name = from.file_name().unwrap_or_default().display();
                let message =
                    format!("is in the way: {name} would get this name, so nothing was added");
                let help = "remove or rename it; `juror generate --prune` removes what the recipe does not make";
                Err(Diagnostic::error(to, message).help(help).into())
            }
        }
    }

    pub(super) fn run(&self) -> Result<(), JudgeError> {
        for (index, one) in self.0.iter().enumerate() {
            if let Err(error) = one.run() {
                Self::undo_all(&self.0[..index]);
                return Err(JudgeError::on_file("rename", &one.from)(error));
            }
        }
        Ok(())
    }

    pub(super) fn undo(&self) {
        Self::undo_all(&self.0);
    }

    fn undo_all(moves: &[FileMove]) {
        // One that cannot be undone is found by `juror verify`.
        moves.iter().rev().for_each(|one| drop(one.back().run()));
    }
}

impl FileMove {
    fn run(&self) -> io::Result<()> {
        let Ok(target) = self.from.link_target() else { return self.from.rename(&self.to) };
        // A link leads to a file of the same case, or of an included one, which has the same number.
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let rest = name.strip_prefix(&*self.bases[0]).filter(|rest| rest.starts_with('.'));
        let target = match rest {
            Some(rest) => target.with_file_name(format!("{}{rest}", self.bases[1])),
            None => target,
        };
        self.to.create_link(&target)?;
        self.from.remove()
    }

    fn back(&self) -> Self {
        let [old, new] = self.bases.clone();
        Self { from: self.to.clone(), to: self.from.clone(), bases: [new, old] }
    }
}
