//! Works on several packages at once, and reports them one after the other.

use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use crate::model::event::Stamped;
use crate::model::exit_code::ExitCode;
use crate::model::judgement::JudgeError;
use crate::model::stop::Stop;
use crate::ops::context::Context;

const MOST: usize = 8;

/// Events are collected for this long, so that not every event wakes a thread.
const MOMENT: Duration = Duration::from_millis(1);

type Begin<'a, T, N> = &'a (dyn Fn(&Path, &Context) -> Result<(T, N), Stop> + Sync);

pub struct Work<'a, T, N> {
    /// Called in order, one at a time. Returns the values for `process` and `report_next_steps`.
    pub begin: Begin<'a, T, N>,
    /// Works on the package with this index, at the same time as others.
    pub go_on: &'a (dyn Fn(usize, T, &Context) -> Result<(), Stop> + Sync),
    /// Called even if the work failed.
    pub next: &'a (dyn Fn(&Path, Option<N>, &Context) + Sync),
    pub end: &'a (dyn Fn() + Sync),
}

struct Lane {
    dir: PathBuf,
    /// Taken by the thread that works on the package.
    context: Mutex<Option<Context>>,
    /// Whether the other packages may continue, and the exit code.
    done: OnceLock<(bool, ExitCode)>,
}

impl<T, N> Work<'_, T, N> {
    /// Works on `at_once` packages at a time. If a package must end the command, packages after it are not reported.
    ///
    /// # Errors
    /// If the command must end and no event has said so, or no thread can be started.
    pub fn run(&self, context: &Context, dirs: &[PathBuf], at_once: usize) -> Result<(), Stop> {
        let at_once = at_once.min(dirs.len()).min(MOST);
        if at_once < 2 {
            let mut dirs = dirs.iter().enumerate();
            return dirs.try_for_each(|(index, dir)| {
                self.one(index, dir, (self.begin)(dir, context), context)
            });
        }
        let lane = |dir: &PathBuf| {
            let (sender, heard) = channel();
            let own = Mutex::new(Some(context.aside(sender)));
            (Lane { dir: dir.clone(), context: own, done: OnceLock::new() }, heard)
        };
        let (lanes, heard): (Vec<Lane>, Vec<Receiver<Stamped>>) = dirs.iter().map(lane).unzip();
        let (next, is_over) = (Mutex::new(0), AtomicBool::new(false));
        thread::scope(|scope| {
            for number in 0..at_once {
                let work = || self.work(&lanes, &next, &is_over);
                match thread::Builder::new().spawn_scoped(scope, work) {
                    Err(error) if number == 0 => {
                        return Err(JudgeError::new("start a thread for packages", error).into());
                    }
                    Err(_) => break,
                    Ok(_) => {}
                }
            }
            for (lane, heard) in lanes.iter().zip(heard) {
                while let Ok(stamped) = heard.recv() {
                    context.tell(&stamped);
                    heard.try_iter().for_each(|stamped| context.tell(&stamped));
                    thread::sleep(MOMENT);
                }
                // If this is not set, the thread has panicked, and so will the scope.
                let Some((may_go_on, ended)) = lane.done.get() else { break };
                context.end_with(*ended);
                if !may_go_on {
                    is_over.store(true, Ordering::SeqCst);
                    (self.end)();
                    break;
                }
            }
            Ok(())
        })
    }

    fn work(&self, lanes: &[Lane], next: &Mutex<usize>, is_over: &AtomicBool) {
        while !is_over.load(Ordering::SeqCst) {
            let mut turn = next.lock();
            let index = *turn;
            let Some(lane) = lanes.get(index) else { return };
            *turn += 1;
            let own = lane.context.lock().take();
            let Some(own) = own else { continue };
            let begun = (self.begin)(&lane.dir, &own);
            drop(turn);
            let done = self.one(index, &lane.dir, begun, &own);
            let may_go_on = done.is_ok();
            if let Err(stop) = done {
                own.stopped(stop);
            }
            // Must be set before the context is dropped, because the receiver reads it after the last event.
            let _ = lane.done.set((may_go_on, own.ended()));
        }
    }

    fn one(
        &self,
        index: usize,
        dir: &Path,
        begun: Result<(T, N), Stop>,
        context: &Context,
    ) -> Result<(), Stop> {
        let mut next = None;
        context.part(begun.and_then(|(begun, known)| {
            next = Some(known);
            (self.go_on)(index, begun, context)
        }))?;
        (self.next)(dir, next, context);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parking_lot::Condvar;

    use crate::model::event::Event;

    /// The indexes of packages, in the order of their work.
    #[derive(Default)]
    struct Spoken {
        all: Mutex<Vec<usize>>,
        changed: Condvar,
    }

    impl Spoken {
        fn speak(&self, index: usize) {
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
    fn told(
        ends: &[Result<(), Stop>],
        at_once: usize,
        work: &(dyn Fn(usize) + Sync),
    ) -> (String, ExitCode, usize) {
        let (sender, heard) = channel();
        let ended = Mutex::new(0);
        let say = |context: &Context, what: String| {
            context.event(Event::Complained { message: what, help: None });
        };
        let dirs: Vec<PathBuf> = (0..ends.len()).map(|it| it.to_string().into()).collect();
        let context = Context::new(move |stamped| drop(sender.send(stamped.clone())));
        let done = Work {
            begin: &|dir, context| {
                say(context, format!("b{}", dir.display()));
                Ok(((), ()))
            },
            go_on: &|index, (), context| {
                work(index);
                say(context, format!("w{index}"));
                ends[index].clone()
            },
            next: &|dir, _, context| say(context, format!("n{}", dir.display())),
            end: &|| *ended.lock() += 1,
        }
        .run(&context, &dirs, at_once);
        if let Err(stop) = done {
            context.stopped(stop);
        }
        let code = context.ended();
        drop(context);
        let words = heard.iter().filter_map(|stamped| match stamped.event {
            Event::Complained { message, .. } => Some(message),
            _ => None,
        });
        let words: Vec<String> = words.collect();
        (words.join(" "), code, ended.into_inner())
    }

    #[test]
    fn packages_are_told_one_after_the_other_though_the_next_is_done_first() {
        let expected = "b0 w0 n0 b1 w1 n1 b2 w2 n2 b3 w3 n3";
        for at_once in [1, 2, 4, 9] {
            let spoken = Spoken::default();
            let work = |index: usize| {
                if at_once > 1 && index.is_multiple_of(2) {
                    spoken.wait_for(index + 1);
                }
                spoken.speak(index);
            };
            let told = told(&[const { Ok(()) }; 4], at_once, &work);
            assert_eq!(told, (expected.to_owned(), ExitCode::Success, 0), "{at_once}");
        }
    }

    #[test]
    fn what_ends_one_package_ends_it_alone_or_all_that_follow() {
        let refused = || Err(Stop::Refused(crate::model::stop::Mend::Package, Vec::new()));
        let check = |ends: &[Result<(), Stop>], expected: &str, code: ExitCode| {
            for at_once in [1, 2, 4] {
                let (words, got, ended) = told(ends, at_once, &|_| {});
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
