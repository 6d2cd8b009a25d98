//! The key of work: a digest of everything that decides its result, except limits that `cache/reuse.rs` compares.
//!
//! A result may hold under other limits of time and memory, too. So the key only has whether there are such limits.

use std::path::Path;

use serde::Serialize;

use crate::cache::surroundings::{Surroundings, digest_of, processor};
use juror_core::blob::{Blob, Digest};
use juror_core::job::{BoxRetention, Job, VisibleContent, VisiblePath};
use juror_core::text::hex;
use juror_core::tree::{FileMode, Node, TreeEntry};
use juror_core::units::Bytes;
use juror_core::work::Work;
use juror_core::worker::WorkerKind;
use juror_sandbox::sandbox::RULES;

#[derive(Serialize)]
struct JobContent<'a> {
    argv: &'a [String],
    env: &'a [(String, String)],
    visible: Vec<VisibleContentKey<'a>>,
    stdin: Digest,
    files: Vec<EntryContent<'a>>,
    writable: bool,
    box_size: Bytes,
    output: Option<Bytes>,
    processes: Option<u32>,
    has_cpu_limit: bool,
    has_memory_limit: bool,
    collect: &'a [String],
    keep: &'a BoxRetention,
    /// Set if the program belongs to the system.
    program: Option<Digest>,
    /// The processor, if the compiler may use all its features.
    native: Option<Vec<String>>,
    is_timed: bool,
}

#[derive(Serialize)]
enum VisibleContentKey<'a> {
    Tree(&'a [u8], Vec<EntryContent<'a>>),
    Installed(&'a [u8], &'a str, &'a str, Option<Digest>),
}

#[derive(Serialize)]
enum EntryContent<'a> {
    File(&'a [u8], Digest, FileMode),
    Link(&'a [u8], &'a [u8]),
    Directory(&'a [u8]),
}

/// Where work runs, and what programs notice there.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) mechanism: &'a str,
    /// This machine, which has the files of all jobs.
    pub(super) surroundings: &'a Surroundings,
    pub(super) workers: Option<&'a WorkerKind>,
}

impl Place<'_> {
    fn system_digest(&self) -> Option<Digest> {
        match self.workers {
            // Results of others never count as those of this machine.
            Some(kind) => digest_of(&("workers", &kind.command, kind.identity.system)),
            None => self.surroundings.system_digest(),
        }
    }

    fn hardware_digest(&self) -> Option<Digest> {
        match self.workers {
            Some(kind) => Some(kind.identity.hardware),
            None => self.surroundings.hardware_digest(),
        }
    }

    fn processor(&self) -> Vec<String> {
        self.workers.map_or_else(processor, |kind| vec![hex(&kind.identity.hardware.0)])
    }

    fn installed_digest(&self, path: &Path) -> Option<Digest> {
        match self.workers {
            Some(kind) => kind.tools.get(path).copied(),
            None => self.surroundings.installed_digest(path),
        }
    }
}

/// `None` if something in the work cannot be read.
pub(super) fn key_of(work: &Work, place: Place<'_>) -> Option<Digest> {
    let jobs = work.jobs();
    let machine = machine(jobs.iter().any(|job| job.is_timed), place)?;
    let contents =
        jobs.into_iter().map(|job| job_content(job, place)).collect::<Option<Vec<_>>>()?;
    let joint = match work {
        Work::Single(_) => None,
        Work::Joint(job) => Some((job.accept_exit_code, job.transcript)),
    };
    digest_of(&(RULES, place.mechanism, place.system_digest()?, contents, machine, joint))
}

/// The machine, if its speed matters. The outer `None`: it cannot be found out.
fn machine(is_timed: bool, place: Place<'_>) -> Option<Option<Digest>> {
    if is_timed { place.hardware_digest().map(Some) } else { Some(None) }
}

fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

fn job_content<'a>(job: &'a Job, place: Place<'_>) -> Option<JobContent<'a>> {
    let Job { command, stdin, files, writable, box_size, limits, collect, keep, is_timed } = job;
    Some(JobContent {
        argv: &command.argv,
        env: &command.env,
        visible: command
            .visible
            .iter()
            .map(|shown| visible(shown, place))
            .collect::<Option<_>>()?,
        stdin: place.surroundings.blob_digest(stdin)?,
        files: entries(files, place.surroundings)?,
        writable: *writable,
        box_size: *box_size,
        output: limits.output,
        processes: limits.processes,
        has_cpu_limit: limits.cpu_time.is_some(),
        has_memory_limit: limits.memory.is_some(),
        collect,
        keep,
        program: system_program(job).and_then(|path| place.installed_digest(path)),
        native: is_native(job).then(|| place.processor()),
        is_timed: *is_timed,
    })
}

fn visible<'a>(shown: &'a VisiblePath, place: Place<'_>) -> Option<VisibleContentKey<'a>> {
    let inside = bytes(&shown.inside);
    Some(match &shown.what {
        // The contents of such a tree are unknown.
        VisibleContent::Tree(tree) if tree.entries.is_empty() && tree.directory().is_some() => {
            return None;
        }
        VisibleContent::Tree(tree) => {
            VisibleContentKey::Tree(inside, entries(&tree.entries, place.surroundings)?)
        }
        VisibleContent::Installed { name, identity } => VisibleContentKey::Installed(
            inside,
            name,
            identity,
            place.installed_digest(&shown.inside),
        ),
    })
}

fn entries<'a>(
    entries: &'a [TreeEntry],
    surroundings: &Surroundings,
) -> Option<Vec<EntryContent<'a>>> {
    let entry = |entry: &'a TreeEntry| {
        let name = bytes(&entry.name);
        Some(match &entry.node {
            Node::File { blob, mode } => {
                EntryContent::File(name, surroundings.blob_digest(blob)?, *mode)
            }
            Node::Link(target) => EntryContent::Link(name, bytes(target)),
            Node::Directory => EntryContent::Directory(name),
        })
    };
    entries.iter().map(entry).collect()
}

/// The file that starts; `None` if it comes with the job.
fn system_program(job: &Job) -> Option<&Path> {
    let path = Path::new(job.command.argv.first()?);
    let is_own = |shown: &VisiblePath| {
        matches!(shown.what, VisibleContent::Tree(_)) && path.starts_with(&shown.inside)
    };
    (!job.command.visible.iter().any(is_own)).then_some(path)
}

/// Whether the files of a job are as they were when its key was computed.
pub(super) fn is_unchanged(job: &Job, surroundings: &Surroundings) -> bool {
    let same = |path: &Path| {
        !path.is_file() || surroundings.file_digest(path) == surroundings.installed_digest(path)
    };
    let mut installed = job.command.visible.iter().filter_map(|shown| match &shown.what {
        VisibleContent::Installed { .. } => Some(&*shown.inside),
        VisibleContent::Tree(_) => None,
    });
    let same_tool = |path| surroundings.read_installed(path) == surroundings.installed_digest(path);
    job.blobs().all(|blob| surroundings.is_unchanged(blob))
        && system_program(job).is_none_or(same)
        // Only for builds: runs are many and short, and to read their tools again would take longer.
        && (job.keep == BoxRetention::Nothing || installed.all(same_tool))
}

/// Whether a compiler may use all features of the processor: an argument or a script among the sources says so.
fn is_native(job: &Job) -> bool {
    const SCRIPT: u64 = 64 << 10;
    let has = |text: &[u8]| memchr::memmem::find(text, b"native").is_some();
    let is_short = |blob: &&Blob| blob.len().is_ok_and(|length| length <= SCRIPT);
    job.keep != BoxRetention::Nothing
        && (job.command.argv.iter().any(|word| has(word.as_bytes()))
            || job
                .files
                .iter()
                .filter_map(TreeEntry::blob)
                .filter(is_short)
                .any(|blob| blob.bytes().is_some_and(has)))
}

#[cfg(test)]
mod tests {
    use juror_core::root::FilePath;
    use std::fs;
    use std::path::PathBuf;
    use std::sync::Arc;
    use std::time::{Duration, SystemTime};

    use super::*;
    use juror_core::job::Command;
    use juror_core::joint::JointJob;
    use juror_core::limits::Limits;
    use juror_core::tree::Tree;
    use juror_core::worker::{MachineIdentity, WorkerId};

    fn job() -> Job {
        let program = TreeEntry::new("run", Node::plain(&b"program"[..]));
        Job {
            command: Command {
                argv: vec!["/program/run".to_owned(), "1".to_owned()],
                env: vec![("A".to_owned(), "b".to_owned())],
                visible: vec![
                    VisiblePath::tree("/program", &Arc::new(Tree::from(vec![program]))),
                    VisiblePath {
                        inside: "/nowhere/tool".into(),
                        what: VisibleContent::Installed {
                            name: "tool".to_owned(),
                            identity: "1".to_owned(),
                        },
                    },
                ],
            },
            stdin: b"input".to_vec().into(),
            files: vec![TreeEntry::new("file", Node::plain(&b"text"[..]))],
            limits: Limits::of_machine_check(),
            collect: vec!["out".to_owned()],
            ..Job::default()
        }
    }

    fn place<'a>(mechanism: &'a str, surroundings: &'a Surroundings) -> Place<'a> {
        Place { mechanism, surroundings, workers: None }
    }

    /// Each change of a job changes its key, except for limits that are compared when a record is read.
    #[test]
    fn everything_that_a_program_can_notice_is_in_the_key() {
        let surroundings = Surroundings::default();
        let key = |work: Work| key_of(&work, place("mechanism", &surroundings)).expect("a key");
        type JobChange = fn(&mut Job);
        let changes: [JobChange; 21] = [
            |job| job.command.argv.push("2".to_owned()),
            |job| job.command.argv[0] = "/bin/sh".to_owned(),
            |job| job.command.argv[0] = "/bin/cat".to_owned(),
            |job| job.command.env[0].1 = "c".to_owned(),
            |job| job.command.visible.truncate(1),
            |job| job.command.visible[0].inside = "/elsewhere".into(),
            |job| {
                let other = TreeEntry::new("run", Node::plain(&b"another"[..]));
                job.command.visible[0].what =
                    VisibleContent::Tree(Arc::new(Tree::from(vec![other])));
            },
            |job| {
                let what =
                    VisibleContent::Installed { name: "tool".to_owned(), identity: "2".to_owned() };
                job.command.visible[1].what = what;
            },
            |job| job.stdin = b"inpux".to_vec().into(),
            |job| job.files[0].name = "other".into(),
            |job| job.files[0].node = Node::plain(&b"texts"[..]),
            |job| job.files[0].node = Node::Link("text".into()),
            |job| job.files[0].node = Node::Directory,
            |job| job.files.clear(),
            |job| job.writable = true,
            |job| job.box_size = Bytes(1),
            |job| job.limits.output = Some(Bytes(1)),
            |job| job.limits.processes = Some(1),
            |job| job.collect.clear(),
            |job| job.keep = BoxRetention::ALL,
            |job| job.is_timed = true,
        ];
        let mut seen = vec![key(job().into())];
        for (index, change) in changes.into_iter().enumerate() {
            let mut changed = job();
            change(&mut changed);
            let key = key(changed.into());
            assert!(!seen.contains(&key), "change {index}");
            seen.push(key);
        }
        assert_ne!(key_of(&job().into(), place("another", &surroundings)), Some(seen[0]));
        let joint =
            JointJob { program: job(), partner: job(), accept_exit_code: 42, transcript: None };
        let other = JointJob { accept_exit_code: 0, ..joint.clone() };
        assert_ne!(key(joint.into()), key(other.into()));

        let mut same = job();
        same.limits.cpu_time = Some(Duration::from_secs(77));
        same.limits.wall_time = None;
        same.limits.memory = Some(Bytes::mib(77));
        assert_eq!(key(same.into()), seen[0]);
    }

    /// If keys change but [`RULES`] does not, stored results get another meaning or are lost.
    #[test]
    fn recorded_jobs_have_their_recorded_keys() {
        let surroundings = Surroundings::default();
        let key = |job: &Job| {
            let digest = digest_of(&(RULES, job_content(job, place("", &surroundings)))).unwrap();
            juror_core::text::hex(&digest.0[..16])
        };
        let build = Job {
            files: vec![
                TreeEntry::new("sources", Node::Directory),
                TreeEntry::new("sources/a", Node::plain(&b"text"[..])),
                TreeEntry::new("sources/b", Node::Link("a".into())),
            ],
            writable: true,
            keep: BoxRetention::ALL,
            ..job()
        };
        let least = Job { command: job().command, ..Job::default() };
        let recorded = [
            "bcea5f087d696bbc8a838e9d6a786b85",
            "f27ac4f8d1b9d0c9b34e617a24d2f278",
            "eaf616d71cdff9e147f28b90d620cd96",
        ];
        assert_eq!(
            [key(&job()), key(&build), key(&least)],
            recorded,
            "raise RULES if programs now see something else, then record these keys"
        );
    }

    #[test]
    fn a_file_counts_by_its_contents_and_one_that_is_missing_gives_no_key() {
        let surroundings = Surroundings::default();
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| -> PathBuf { dir.path().join(name) };
        for (name, text) in [("a", "input"), ("b", "input"), ("c", "other")] {
            fs::write(path(name), text).unwrap();
        }
        let key =
            |blob: Blob| key_of(&Job { stdin: blob, ..job() }.into(), place("", &surroundings));
        let memory = key(b"input".to_vec().into());
        assert!(memory.is_some());
        assert_eq!(key(Blob::file(&FilePath::root(path("a")))), memory);
        assert_eq!(key(Blob::file(&FilePath::root(path("b")))), memory);
        assert_ne!(key(Blob::file(&FilePath::root(path("c")))), memory);
        assert_eq!(key(Blob::file(&FilePath::root(path("d")))), None);
    }

    /// A file is read once for the key, and checked again before a result is stored under it.
    #[test]
    fn a_file_that_changes_during_a_run_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let check = |age: u64, text: &str, expected: bool| {
            let surroundings = Surroundings::default();
            let set = |text: &str| {
                fs::write(&path, text).unwrap();
                let then = SystemTime::now() - Duration::from_secs(age);
                fs::File::open(&path).unwrap().set_modified(then).unwrap();
            };
            set("input");
            let job = Job { stdin: Blob::file(&FilePath::root(&path)), ..job() };
            let key = || key_of(&job.clone().into(), place("", &surroundings));
            let first = key();
            assert!(is_unchanged(&job, &surroundings));
            set(text);
            assert_eq!(key(), first, "it is another job in the next command");
            assert_eq!(is_unchanged(&job, &surroundings), expected, "{age} {text}");
        };
        for age in [0, 100] {
            check(age, "input", false);
            check(age, "inpux", false);
            check(age, "longer", false);
        }
    }

    #[test]
    fn a_tool_that_changes_during_a_build_is_noticed() {
        let check = |keep: BoxRetention, change: fn(&Path), expected: bool| {
            let dir = tempfile::tempdir().unwrap();
            fs::create_dir(dir.path().join("bin")).unwrap();
            fs::write(dir.path().join("bin/cfg"), "F=1").unwrap();
            let (name, identity) = ("gcc".to_owned(), "12".to_owned());
            let what = VisibleContent::Installed { name, identity };
            let mut job = Job { keep, ..job() };
            job.command.visible.push(VisiblePath { inside: dir.path().to_path_buf(), what });
            let surroundings = Surroundings::default();
            assert!(key_of(&job.clone().into(), place("", &surroundings)).is_some());
            change(dir.path());
            assert_eq!(is_unchanged(&job, &surroundings), expected, "{:?}", job.keep);
        };
        check(BoxRetention::ALL, |_| (), true);
        check(BoxRetention::ALL, |dir| fs::write(dir.join("bin/cfg"), "F=2").unwrap(), false);
        check(BoxRetention::ALL, |dir| fs::write(dir.join("new"), "").unwrap(), false);
        check(BoxRetention::ALL, |dir| fs::remove_dir_all(dir.join("bin")).unwrap(), false);
        // To read it after each of many short runs would take longer than they.
        check(BoxRetention::Nothing, |dir| fs::write(dir.join("new"), "").unwrap(), true);
    }

    #[test]
    fn the_processor_is_in_the_key_of_native_builds() {
        let check = |argument: &str, text: &str, keep: BoxRetention, expected: bool| {
            let mut job = job();
            job.command.argv.push(argument.to_owned());
            job.files.push(TreeEntry::new("build", Node::plain(text.as_bytes())));
            job.keep = keep;
            assert_eq!(is_native(&job), expected, "{argument} {text}");
        };
        check("-O2", "cc", BoxRetention::ALL, false);
        check("-march=native", "cc", BoxRetention::ALL, true);
        check("-O2", "cc -march=native", BoxRetention::ALL, true);
        check("-march=native", "cc", BoxRetention::Nothing, false);
    }

    /// Each change of the workers changes the keys of jobs that notice it, and no others.
    #[test]
    fn results_of_workers_have_keys_of_their_own() {
        let surroundings = Surroundings::default();
        let digest = |text: &str| Blob::from(text.as_bytes()).digest().expect("bytes in memory");
        let python: PathBuf = "/usr/bin/python3".into();
        let kind = WorkerKind {
            command: "ssh a juror worker --stdio".to_owned(),
            mechanism: "namespaces".to_owned(),
            identity: MachineIdentity { system: digest("system"), hardware: digest("hardware") },
            tools: [(python.clone(), digest("3.13"))].into(),
            workers: vec![WorkerId { connection: 0, member: 0 }],
        };
        let timed = Job { is_timed: true, ..job() };
        let mut native = Job { keep: BoxRetention::ALL, ..job() };
        native.command.argv.push("-march=native".to_owned());
        let mut script = job();
        script.command.argv[0] = "/usr/bin/python3".to_owned();
        let keys = |kind: Option<&WorkerKind>| {
            let mechanism = kind.map_or("namespaces", |kind| &kind.mechanism);
            let place = Place { mechanism, surroundings: &surroundings, workers: kind };
            [job(), timed.clone(), native.clone(), script.clone()]
                .map(|job| key_of(&job.into(), place).expect("a key"))
        };
        let first = keys(Some(&kind));
        let differences = |other: [Digest; 4]| {
            let pairs = first.iter().zip(&other);
            pairs.map(|(a, b)| if a == b { '=' } else { '!' }).collect::<String>()
        };
        let check = |change: fn(&mut WorkerKind), expected: &str| {
            let mut changed = kind.clone();
            change(&mut changed);
            assert_eq!(differences(keys(Some(&changed))), expected, "{changed:?}");
        };
        check(|_| (), "====");
        check(|kind| kind.workers.clear(), "====");
        check(|kind| kind.command.push('2'), "!!!!");
        check(|kind| kind.mechanism.push('2'), "!!!!");
        check(|kind| kind.identity.system.0[0] ^= 1, "!!!!");
        check(|kind| kind.identity.hardware.0[0] ^= 1, "=!!=");
        check(|kind| kind.tools.clear(), "===!");
        assert_eq!(differences(keys(None)), "!!!!");
    }
}
