//! Works on several packages at once, and reports them one after the other.

use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use crate::ops::context::Context;
use juror_core::event::StampedEvent;
use juror_core::exit_code::ExitCode;
use juror_core::judgement::JudgeError;
use juror_core::stop::{Stop, with_same_stop_flags};

const MAX_OPEN_PACKAGES: usize = 8;

/// Events are collected for this long, so that not every event wakes a thread.
const COLLECT_TIME: Duration = Duration::from_millis(1);

type ProcessPackage<'a, T> =
    &'a (dyn Fn(usize, &Path, Result<T, Stop>, &Context) -> Result<(), Stop> + Sync);

pub struct PackageWork<'a, T> {
    /// Called in order, one at a time. Its result is for `process`.
    pub begin: &'a (dyn Fn(&Path, &Context) -> Result<T, Stop> + Sync),
    /// Works on the package with this index, at the same time as others. Fails only if the command must end.
    pub process: ProcessPackage<'a, T>,
    pub stop_all: &'a (dyn Fn() + Sync),
}

struct ActivePackage {
    dir: PathBuf,
    /// Taken by the thread that works on the package.
    context: Mutex<Option<Context>>,
    /// Whether the other packages may continue, and the exit code.
    done: OnceLock<(bool, ExitCode)>,
}

impl<T> PackageWork<'_, T> {
    /// Works on `at_once` packages at a time. If a package must end the command, packages after it are not reported.
    ///
    /// # Errors
    /// If the command must end and no event has said so, or no thread can be started.
    pub fn run(&self, context: &Context, dirs: &[PathBuf], at_once: usize) -> Result<(), Stop> {
        let at_once = at_once.min(dirs.len()).min(MAX_OPEN_PACKAGES);
        if at_once < 2 {
            let mut dirs = dirs.iter().enumerate();
            return dirs.try_for_each(|(index, dir)| {
                (self.process)(index, dir, (self.begin)(dir, context), context)
            });
        }
        let package = |dir: &PathBuf| {
            let (sender, events) = channel();
            let own = Mutex::new(Some(context.for_concurrent_work(sender)));
            (ActivePackage { dir: dir.clone(), context: own, done: OnceLock::new() }, events)
        };
        let (packages, receivers): (Vec<ActivePackage>, Vec<Receiver<StampedEvent>>) =
            dirs.iter().map(package).unzip();
        let (next, is_over) = (Mutex::new(0), AtomicBool::new(false));
        let work = with_same_stop_flags(|| self.run_thread(&packages, &next, &is_over));
        thread::scope(|scope| {
            for number in 0..at_once {
                match thread::Builder::new().spawn_scoped(scope, &work) {
                    Err(error) if number == 0 => {
                        return Err(JudgeError::new("start a thread for packages", error).into());
                    }
                    // Fewer threads do the same work.
                    Err(_) => break,
                    Ok(_) => {}
                }
            }
            for (package, events) in packages.iter().zip(receivers) {
                while let Ok(stamped) = events.recv() {
                    context.forward(&stamped);
                    events.try_iter().for_each(|stamped| context.forward(&stamped));
                    thread::sleep(COLLECT_TIME);
                }
                // If this is not set, the thread has panicked, and so will the scope.
                let Some((may_continue, code)) = package.done.get() else { break };
                context.add_exit_code(*code);
                if !may_continue {
                    is_over.store(true, Ordering::SeqCst);
                    (self.stop_all)();
                    break;
                }
            }
            Ok(())
        })
    }

    fn run_thread(&self, packages: &[ActivePackage], next: &Mutex<usize>, is_over: &AtomicBool) {
        while !is_over.load(Ordering::SeqCst) {
            // Locked until the package has begun, since packages begin in order.
            let mut next = next.lock();
            let index = *next;
            let Some(package) = packages.get(index) else { return };
            *next += 1;
            let own = package.context.lock().take();
            let Some(own) = own else { continue };
            let begun = (self.begin)(&package.dir, &own);
            drop(next);
            let done = (self.process)(index, &package.dir, begun, &own);
            let may_continue = done.is_ok();
            if let Err(stop) = done {
                own.report_stop(stop);
            }
            // Must be set before the context is dropped, because the receiver reads it after the last event.
            let _ = package.done.set((may_continue, own.exit_code()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parking_lot::Condvar;

    use juror_core::event::Event;

    /// The indexes of packages, in the order of their work.
    #[derive(Default)]
    struct PackageLog {
        all: Mutex<Vec<usize>>,
        changed: Condvar,
    }

    impl PackageLog {
        fn record(&self, index: usize) {
            self.all.lock().push(index);
            self.changed.notify_all();
        }

        fn wait_for(&self, index: usize) {
            let mut all = self.all.lock();
            let lacks = |all: &mut Vec<usize>| !all.contains(&index);
            let long = Duration::from_secs(60);
            let is_late = self.changed.wait_while_for(&mut all, lacks, long).timed_out();
            assert!(!is_late, "{index} is not at work beside the one before it");
        }
    }

    /// Processes one package for each result in `ends`; `work` runs in each. Returns the messages, the exit code, and
    /// how often all work was stopped.
    fn run_packages(
        ends: &[Result<(), Stop>],
        at_once: usize,
        work: &(dyn Fn(usize) + Sync),
    ) -> (String, ExitCode, usize) {
        let (sender, heard) = channel();
        let ended = Mutex::new(0);
        let say = |context: &Context, what: String| {
            context.send_event(Event::Complained { message: what, help: None });
        };
        let dirs: Vec<PathBuf> = (0..ends.len()).map(|number| number.to_string().into()).collect();
        let context = Context::new(move |stamped| drop(sender.send(stamped.clone())));
        let done = PackageWork {
            begin: &|dir, context| {
                say(context, format!("b{}", dir.display()));
                Ok(())
            },
            process: &|index, dir, begun, context| {
                context.contain_failure(begun.and_then(|()| {
                    work(index);
                    say(context, format!("w{index}"));
                    ends[index].clone()
                }))?;
                say(context, format!("n{}", dir.display()));
                Ok(())
            },
            stop_all: &|| *ended.lock() += 1,
        }
        .run(&context, &dirs, at_once);
        if let Err(stop) = done {
            context.report_stop(stop);
        }
        let code = context.exit_code();
        drop(context);
        let words = heard.iter().filter_map(|stamped| match stamped.event {
            Event::Complained { message, .. } => Some(message),
            _ => None,
        });
        let words: Vec<String> = words.collect();
        (words.join(" "), code, ended.into_inner())
    }

    #[test]
    fn packages_are_reported_in_order_even_if_the_next_is_done_first() {
        let expected = "b0 w0 n0 b1 w1 n1 b2 w2 n2 b3 w3 n3";
        for at_once in [1, 2, 4, 9] {
            let spoken = PackageLog::default();
            let work = |index: usize| {
                if at_once > 1 && index.is_multiple_of(2) {
                    spoken.wait_for(index + 1);
                }
                spoken.record(index);
            };
            let result = run_packages(&[const { Ok(()) }; 4], at_once, &work);
            assert_eq!(result, (expected.to_owned(), ExitCode::Success, 0), "{at_once}");
        }
    }

    #[test]
    fn an_error_ends_one_package_and_an_interruption_ends_all() {
        let refused = || Err(Stop::Refused(juror_core::stop::RefusalSubject::Package, Vec::new()));
        let check = |ends: &[Result<(), Stop>], expected: &str, code: ExitCode| {
            for at_once in [1, 2, 4] {
                let (words, got, ended) = run_packages(ends, at_once, &|_| {});
                assert_eq!((words.as_str(), got), (expected, code), "{at_once}");
                let is_cut = code == ExitCode::Interrupted && at_once > 1;
                assert_eq!(ended, usize::from(is_cut), "{at_once}");
            }
        };
        check(&[Ok(()), refused(), Ok(())], "b0 w0 n0 b1 w1 n1 b2 w2 n2", ExitCode::InvalidPackage);
        let cut = Err(Stop::Interrupted);
        check(&[Ok(()), cut, Ok(())], "b0 w0 n0 b1 w1", ExitCode::Interrupted);
    }
}
