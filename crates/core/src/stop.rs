//! Why work ended early, and how it hears that it should end.
//!
//! The requests are kept for the process and for each thread instead of being passed on. Long work is in crates that
//! know no command, such as a grammar that runs or an archive that is read; each of their functions would need a flag.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use crate::diagnostic::Diagnostic;
use crate::judgement::JudgeError;

/// Why there is no result. Only the command shows it; other code passes it on with `?`. The caller has what was done
/// before: in its events, or in values that it passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Ctrl-C, or a request to terminate.
    Interrupted,
    /// The judge failed.
    Fault(JudgeError),
    /// The package must be fixed first.
    Diagnosed(Vec<Diagnostic>),
    /// The request is impossible: what must be fixed, and every problem with it.
    Refused(RefusalSubject, Vec<Remark>),
}

/// Whether a signal asked this process to end. A process has only one set of signals.
static IS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Whether work noticed that.
static WAS_NOTICED: AtomicBool = AtomicBool::new(false);

/// Records that a signal asks this process to end.
pub fn interrupt() {
    IS_INTERRUPTED.store(true, Ordering::Relaxed);
}

/// Whether the process goes on if its terminal closes, because `nohup` started it. `status` is its
/// `/proc/self/status`, see `SigIgn` in proc_pid_status(5).
pub fn ignores_hangup(status: &str) -> bool {
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // The lowest bit is signal 1.
    ignored.is_some_and(|mask| mask.trim_end().ends_with(['1', '3', '5', '7', '9', 'b', 'd', 'f']))
}

/// A request to end some work, unlike a signal, which ends all work of the process. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<FlagState>);

#[derive(Default)]
struct FlagState {
    is_set: AtomicBool,
    /// What ends the waits of its work.
    wakers: Mutex<Vec<Waker>>,
}

type Waker = Arc<dyn Fn() + Send + Sync>;

impl StopFlag {
    /// Also wakes the threads that wait for something in work that this flag ends.
    pub fn set(&self) {
        self.0.is_set.store(true, Ordering::SeqCst);
        // A waker may take a lock that a thread holds while it adds or removes another one.
        let wakers = self.0.wakers.lock().clone();
        wakers.iter().for_each(|wake| wake());
    }

    pub fn is_set(&self) -> bool {
        self.0.is_set.load(Ordering::SeqCst)
    }
}

impl fmt::Debug for FlagState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FlagState").field(&self.is_set).finish()
    }
}

/// While it exists, a flag that ends the current work calls a function.
#[must_use]
pub struct WakeGuard {
    flags: Vec<StopFlag>,
    waker: Waker,
}

impl Drop for WakeGuard {
    fn drop(&mut self) {
        for flag in &self.flags {
            flag.0.wakers.lock().retain(|other| !Arc::ptr_eq(other, &self.waker));
        }
    }
}

/// Calls `wake` if the current work of this thread is to end from now on; also once more, or a moment after the guard
/// is gone. Who waits checks [`check_interrupted`] after this, so that an earlier request counts, too.
pub fn wake_on_stop(wake: impl Fn() + Send + Sync + 'static) -> WakeGuard {
    let (flags, waker): (_, Waker) = (FLAGS.with_borrow(Clone::clone), Arc::new(wake));
    flags.iter().for_each(|flag| flag.0.wakers.lock().push(Arc::clone(&waker)));
    WakeGuard { flags, waker }
}

thread_local! {
    /// The flags that can end the current work of this thread.
    static FLAGS: RefCell<Vec<StopFlag>> = const { RefCell::new(Vec::new()) };
}

/// Does work that these flags can end, too.
pub fn with_stop_flags<R>(flags: &[StopFlag], work: impl FnOnce() -> R) -> R {
    let all = FLAGS.with_borrow(|outer| [outer, flags].concat());
    poll_flags(all, work)
}

/// A part of the current work, for other threads: the same flags can end it.
pub fn with_same_stop_flags<R>(work: impl Fn() -> R) -> impl Fn() -> R {
    let flags = FLAGS.with_borrow(Clone::clone);
    move || poll_flags(flags.clone(), &work)
}

fn poll_flags<R>(flags: Vec<StopFlag>, work: impl FnOnce() -> R) -> R {
    /// Restores the flags even after a panic.
    struct Outer(Vec<StopFlag>);
    impl Drop for Outer {
        fn drop(&mut self) {
            FLAGS.set(std::mem::take(&mut self.0));
        }
    }
    let _outer = Outer(FLAGS.replace(flags));
    work()
}

/// Long work that runs no programs calls this often, and returns [`Stop::Interrupted`] if it is true.
pub fn is_interrupted() -> bool {
    if IS_INTERRUPTED.load(Ordering::Relaxed) {
        notice_interruption();
        return true;
    }
    FLAGS.with_borrow(|flags| flags.iter().any(StopFlag::is_set))
}

/// Records that work ends because of a signal.
pub fn notice_interruption() {
    WAS_NOTICED.store(true, Ordering::Relaxed);
}

pub fn was_interruption_noticed() -> bool {
    WAS_NOTICED.load(Ordering::Relaxed)
}

pub fn check_interrupted() -> Result<(), Stop> {
    if is_interrupted() { Err(Stop::Interrupted) } else { Ok(()) }
}

/// What the user must fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalSubject {
    CommandLine,
    /// The selection: it is empty.
    Selection,
    Package,
    /// A submission, an input or other data.
    Submission,
    /// A program of the command line that others are judged by: a generator, a reference or a checker.
    HelperProgram,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    Diagnostic(Diagnostic),
    Sentence {
        /// What is wrong. Without help, it also says what to do.
        message: String,
        help: Option<String>,
    },
}

impl Remark {
    pub fn with_help(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Sentence { message: message.into(), help: Some(help.into()) }
    }

    /// Puts the name of an option or a value before the message.
    #[must_use]
    pub fn about_option(self, name: &str) -> Self {
        match self {
            Self::Sentence { message, help } => {
                Self::Sentence { message: format!("{name}: {message}"), help }
            }
            diagnostic @ Self::Diagnostic(_) => diagnostic,
        }
    }

    pub fn into_parts(self) -> (String, Option<String>) {
        match self {
            Self::Sentence { message, help } => (message, help),
            Self::Diagnostic(diagnostic) => (diagnostic.message, diagnostic.help),
        }
    }
}

impl Stop {
    /// For a command line that asks for something impossible.
    pub fn usage(what: impl Into<Remark>) -> Self {
        Self::Refused(RefusalSubject::CommandLine, vec![what.into()])
    }

    /// For diagnostics that are not about the package.
    #[must_use]
    pub fn refused_for(self, subject: RefusalSubject) -> Self {
        match self {
            Self::Diagnosed(diagnostics) => {
                Self::Refused(subject, diagnostics.into_iter().map(Remark::from).collect())
            }
            stop => stop,
        }
    }
}

impl fmt::Display for Stop {
    /// One line for each problem, and one for its help.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let helped = |message: String, help: &Option<String>| match help {
            Some(help) => format!("{message}\n{help}"),
            None => message,
        };
        let diagnostic = |found: &Diagnostic| helped(found.to_string(), &found.help);
        let lines: Vec<String> = match self {
            Self::Interrupted => vec!["interrupted".to_owned()],
            Self::Fault(error) => vec![helped(format!("cannot {error}"), &error.help)],
            Self::Diagnosed(all) => all.iter().map(diagnostic).collect(),
            Self::Refused(_, remarks) => remarks
                .iter()
                .map(|remark| match remark {
                    Remark::Diagnostic(found) => diagnostic(found),
                    Remark::Sentence { message, help } => helped(message.clone(), help),
                })
                .collect(),
        };
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for Stop {}

/// The result.
///
/// Diagnostics are added to the list instead, so that other problems can be reported, too.
pub fn collect_diagnostics<T>(
    result: Result<T, Stop>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Option<T>, Stop> {
    let (result, found) = split_diagnostics(result)?;
    diagnostics.extend(found);
    Ok(result)
}

/// The result, or diagnostics instead.
pub fn split_diagnostics<T>(result: Result<T, Stop>) -> Result<(Option<T>, Vec<Diagnostic>), Stop> {
    match result {
        Ok(result) => Ok((Some(result), Vec::new())),
        Err(Stop::Diagnosed(found)) => Ok((None, found)),
        Err(stop) => Err(stop),
    }
}

impl From<JudgeError> for Stop {
    fn from(error: JudgeError) -> Self {
        Self::Fault(error)
    }
}

impl From<Diagnostic> for Stop {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Diagnosed(vec![diagnostic])
    }
}

impl From<Diagnostic> for Remark {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Diagnostic(diagnostic)
    }
}

impl<S: Into<String>> From<S> for Remark {
    fn from(sentence: S) -> Self {
        Self::Sentence { message: sentence.into(), help: None }
    }
}

impl From<JudgeError> for Remark {
    fn from(error: JudgeError) -> Self {
        Self::Sentence { message: format!("cannot {error}"), help: error.help }
    }
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use super::*;

    #[test]
    fn a_program_of_nohup_ignores_that_its_terminal_closes() {
        let check = |mask: &str, expected: bool| {
            let status = format!("SigBlk:\t0000000000000001\nSigIgn:\t{mask}\nSigCgt:\t0\n");
            assert_eq!(ignores_hangup(&status), expected, "{mask}");
        };
        check("0000000000000000", false);
        check("0000000000000001", true);
        check("0000000000001006", false);
        check("000000000000100d", true);
        check("fffffffffffffffe", false);
        check("ffffffffffffffff", true);
        assert!(!ignores_hangup(""), "another system");
    }

    #[test]
    fn a_flag_ends_only_the_work_that_polls_it() {
        let [judge, run, other] = std::array::from_fn(|_| StopFlag::default());
        let check = |flags: &[&StopFlag], set: &StopFlag, expected: bool| {
            assert!(!is_interrupted());
            let flags: Vec<StopFlag> = flags.iter().map(|flag| (*flag).clone()).collect();
            with_stop_flags(&flags, || {
                assert!(!is_interrupted(), "nothing is set yet");
                set.set();
                assert_eq!(is_interrupted(), expected);
                let here = with_same_stop_flags(is_interrupted);
                let elsewhere = std::thread::scope(|scope| {
                    [scope.spawn(&here).join(), scope.spawn(is_interrupted).join()]
                        .map(Result::unwrap)
                });
                assert_eq!(elsewhere, [expected, false], "a thread of the work, and another");
                with_stop_flags(&[StopFlag::default()], || assert_eq!(is_interrupted(), expected));
            });
            assert!(!is_interrupted(), "later work of this thread");
            set.0.is_set.store(false, Ordering::SeqCst);
        };
        check(&[&judge], &judge, true);
        check(&[&judge, &run], &judge, true);
        check(&[&judge, &run], &run, true);
        check(&[&judge, &run], &other, false);
        check(&[], &judge, false);
    }

    #[test]
    fn a_flag_wakes_those_who_wait_in_its_work() {
        let check = |own: &[&StopFlag], set: &StopFlag, is_woken: bool| {
            let flags: Vec<StopFlag> = own.iter().map(|flag| (*flag).clone()).collect();
            let (sender, woken) = std::sync::mpsc::channel();
            let wake = move || _ = sender.send(());
            let guard = with_stop_flags(&flags, || wake_on_stop(wake));
            set.set();
            assert_eq!(woken.try_recv().is_ok(), is_woken);
            drop(guard);
            set.set();
            assert!(woken.try_recv().is_err(), "the wait is over");
            assert!(own.iter().all(|flag| flag.0.wakers.lock().is_empty()));
        };
        let [judge, run, other] = std::array::from_fn(|_| StopFlag::default());
        check(&[&judge], &judge, true);
        check(&[&judge, &run], &judge, true);
        check(&[&judge, &run], &run, true);
        check(&[&judge, &run], &other, false);
        check(&[], &judge, false);
    }

    #[test]
    fn a_panic_leaves_no_flags_behind() {
        let flag = StopFlag::default();
        let work = || with_stop_flags(from_ref(&flag), || panic!());
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        flag.set();
        assert!(panicked.is_err() && !is_interrupted());
    }
}
