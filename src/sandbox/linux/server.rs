//! The slot's process: one run after the other until the judge is gone.

use std::ffi::{CString, c_char};
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, IntoRawFd, OwnedFd, RawFd};
use std::ptr;
use std::sync::atomic::Ordering;

use crate::model::limits::Limits;
use crate::model::units::Bytes;
use crate::sandbox::fault::{Fault, Step};
use crate::sandbox::image::Image;
use crate::sandbox::linux::boxes::{self, Boxes, Shape};
use crate::sandbox::linux::cgroup::{Baseline, Gates, Used};
use crate::sandbox::linux::init::{self, Kind, Plan, Report};
use crate::sandbox::linux::prepare::{self, Ready, Setup, View};
use crate::sandbox::linux::resources;
use crate::sandbox::linux::room::{self, Room};
use crate::sandbox::linux::rooms::Rooms;
use crate::sandbox::linux::supervise::{Stopped, Supervisor, Sweep};
use crate::sandbox::linux::sys;
use crate::sandbox::linux::sys_room;
use crate::sandbox::linux::tree::Tree;
use crate::sandbox::linux::wire::{
    self, Answer, Facts, Found, Placed, PlacedWhat, Request, RunRequest,
};

/// Numbers of [`Facts::stop`].
pub(super) mod stop_code {
    pub(in crate::sandbox) const NONE: u8 = 0;
    pub(in crate::sandbox) const CPU_TIME: u8 = 1;
    pub(in crate::sandbox) const WALL_TIME: u8 = 2;
    pub(in crate::sandbox) const MEMORY: u8 = 3;
    pub(in crate::sandbox) const OUTPUT: u8 = 4;
    pub(in crate::sandbox) const DEADLOCK: u8 = 5;
    pub(in crate::sandbox) const DISMISSED: u8 = 6;
}

/// Everything a slot's process has.
struct Server {
    setup: Setup,
    socket: OwnedFd,
    ready: Ready,
    /// Rooms that were left without a trace.
    rooms: Rooms,
}

/// What a run gave, and the descriptors to send with it.
struct Finished {
    answer: Answer,
    fds: Vec<OwnedFd>,
}

/// Serves until the judge is gone. Runs in a fork of the judge, and never returns into its code.
pub(super) fn serve(setup: Setup, socket: RawFd) -> ! {
    let socket = prepare::keep_only(socket);
    match prepare::get_ready(&setup) {
        Ok(ready) => {
            let mut server = Server {
                setup,
                socket,
                ready,
                rooms: Rooms::default(),
            };
            server.answer_all();
            server.rooms.clear();
            if let View::Bare(yard) = &mut server.ready.view {
                yard.remove();
            }
            if let Some(group) = &mut server.ready.group {
                group.remove();
            }
        }
        Err(fault) => {
            let _ = wire::send(&socket, &Answer::Failed(fault).encode(), &[]);
        }
    }
    sys::exit(0)
}

impl Server {
    /// Answers requests until the other end is gone.
    fn answer_all(&mut self) {
        let mut buffer = vec![0; wire::LONGEST];
        let mut sent = wire::send(&self.socket, &Answer::Ready.encode(), &[]);
        while sent.is_ok() {
            let Ok(received) = wire::receive(&self.socket, &mut buffer) else {
                return;
            };
            let mut fds = received.fds;
            match Request::read(received.message, &mut fds) {
                Some(Request::Run(request)) => {
                    let ran = self.run(&request, fds);
                    let finished = ran.unwrap_or_else(|fault| Finished {
                        answer: Answer::Failed(fault),
                        fds: Vec::new(),
                    });
                    let fds: Vec<BorrowedFd<'_>> = finished.fds.iter().map(AsFd::as_fd).collect();
                    sent = wire::send(&self.socket, &finished.answer.encode(), &fds);
                }
                // For a run that is over.
                Some(Request::End { .. }) => {}
                None => return,
            }
        }
    }

    /// Runs a job and counts what it used.
    fn run(&mut self, request: &RunRequest, mut fds: Vec<OwnedFd>) -> Result<Finished, Fault> {
        let contents = (fds.len() > 3).then(|| fds.pop()).flatten();
        let asked = request;
        let translated;
        let mut request = request;
        if let Some(group) = &mut self.ready.group {
            group.settle();
            if group.is_littered() {
                self.rooms.clear();
                group.let_go()?;
            }
        }
        let kept = self.rooms.take(request);
        match &mut self.ready.view {
            // A room keeps what is shown in it.
            View::Template(_) if kept.is_some() => {}
            View::Template(template) => {
                let shown = template.show(&request.visible);
                if !matches!(shown, Ok(true)) {
                    self.rooms.clear();
                }
                shown?;
            }
            View::Bare(yard) => {
                yard.show(&request.visible)?;
                translated = yard.translate(request);
                request = &translated;
            }
        }
        let limits = limits_of(request);
        if let Some(group) = &mut self.ready.group
            && !(request.files.is_empty() || kept.is_some() && is_small(&request.files))
        {
            group.lift()?;
        }
        let mut room = match kept {
            Some(mut room) => {
                room.renew(self.setup.identity, request, contents)?;
                room
            }
            None => self.make_room(request, contents)?,
        };
        let gates = match &mut self.ready.group {
            Some(group) => group.prepare(&limits, self.rooms.count())?,
            None => Gates::NONE,
        };
        let strings = Strings::of(request)?;
        let mut plan = self.plan(request, &strings, gates)?;
        plan.landlock = room.rules.as_ref().map_or(-1, AsRawFd::as_raw_fd);
        if let View::Bare(yard) = &self.ready.view {
            let bare = yard.plan()?;
            plan.directory.clone_from(&bare.directory);
            plan.bare = Some(bare);
        }
        plan.stdio = stdio(&fds)?;
        match room.start(&plan, &self.ready) {
            // Once more, if the machine was only busy.
            Err(fault) if is_transient(&fault) => room.start(&plan, &self.ready)?,
            started => started?,
        }
        let sweep = match plan.bare {
            Some(_) => Sweep::Domain {
                boxes: &room.boxes,
                size: request.box_size,
            },
            None => Sweep::FirstProcess,
        };
        // The judge sees the end of the program's output only when nobody here holds it open. In a room, PID 1
        // has the same descriptors as the slot, and closes them.
        match plan.bare {
            Some(_) => drop(fds),
            None => fds.into_iter().for_each(|fd| _ = fd.into_raw_fd()),
        }
        let watched = Supervisor {
            socket: &self.socket,
            group: self.ready.group.as_ref(),
            report: &plan.report,
            run: request.run,
            sweep,
            next_search: 0,
            limits: &limits,
            cores: self.ready.cores,
            tree: self.ready.looks_at_processes.then(Tree::new),
        }
        .watch(&room.running()?);
        if plan.bare.is_none() {
            // In case PID 1 was killed before it did. Nothing that was opened since is open still.
            plan.stdio.iter().for_each(|fd| sys_room::close(*fd));
        }
        self.finish(asked, &plan, watched?, room)
    }

    /// A room with the files of the job in its box.
    fn make_room(
        &mut self,
        request: &RunRequest,
        contents: Option<OwnedFd>,
    ) -> Result<Room, Fault> {
        let number = self.rooms.make_place();
        let shape = Shape {
            size: request.box_size,
            writable: request.writable,
            owner: self.setup.identity,
        };
        if let Some(tables) = &self.ready.tables {
            room::collect_sockets(tables)?;
        }
        let boxes = match &mut self.ready.view {
            View::Template(_) => {
                let boxes = Boxes::make(shape, &request.files, contents)?;
                boxes.link(&request.visible, self.setup.identity)?;
                boxes
            }
            View::Bare(yard) => yard.boxes(shape, &request.files, contents)?,
        };
        let rules = match (&self.ready.view, self.ready.landlock, &self.ready.devices) {
            (View::Bare(yard), _, _) => {
                Some(yard.rules(&boxes, request.writable, &request.visible)?)
            }
            (View::Template(_), Some(version), Some(devices)) => {
                Some(boxes::landlock(version, &boxes, devices)?)
            }
            (View::Template(_), _, _) => None,
        };
        Room::new(number, boxes, rules, request, &self.ready)
    }

    /// Everything PID 1 and PID 2 need, but descriptors.
    fn plan(&self, request: &RunRequest, strings: &Strings, gates: Gates) -> Result<Plan, Fault> {
        let program = strings.argv.first().cloned();
        let program = program.ok_or_else(|| Fault::new("start the program", "no program given"))?;
        let pointers = |list: &[CString]| -> Vec<*const c_char> {
            list.iter()
                .map(|text| text.as_ptr())
                .chain([ptr::null()])
                .collect()
        };
        Ok(Plan {
            program,
            argv: pointers(&strings.argv),
            envp: pointers(&strings.env),
            directory: c"/box".to_owned(),
            bare: None,
            stdio: [-1; 3],
            identity: self.setup.identity,
            resources: resources::list(request, &self.setup, &self.ready.ceilings)?,
            nice: self.ready.nice,
            landlock: -1,
            gates,
            stack: self.ready.second_stack,
            report: Report::default(),
        })
    }

    /// Counts, and searches the box.
    fn finish(
        &mut self,
        request: &RunRequest,
        plan: &Plan,
        stopped: Stopped,
        mut room: Room,
    ) -> Result<Finished, Fault> {
        let report = &plan.report;
        let baseline: Baseline = stopped.baseline;
        if !stopped.first_stays {
            room.is_over();
            // The files that the program left may fill the group up to its limit, and of those who are still
            // in it the kernel can kill none.
            if let Some(group) = &mut self.ready.group {
                group.lift()?;
            }
        }
        if room.shows_age() {
            self.ready.may_keep = false;
        }
        if stopped.interrupted {
            // Its counters belong to nobody, but the group must forget them.
            self.used(&baseline);
            return Ok(Finished {
                answer: Answer::Interrupted,
                fds: Vec::new(),
            });
        }
        let mut facts = Facts {
            status: stopped.status,
            stop: stopped.stop,
            started: report.started.load(Ordering::Relaxed),
            wall: stopped.wall,
            ..Facts::default()
        };
        let mut fds = Vec::new();
        let mut is_kept = false;
        facts.files = if request.writable {
            room.new_bytes(stopped.first_stays)?
        } else {
            0
        };
        let is_killed = facts.stop == stop_code::NONE && facts.status & 0x7f != 0;
        let refused = match is_killed {
            true => refused_memory(plan, &room.boxes),
            false => None,
        };
        let mut are_single = true;
        for name in &request.collect {
            let searched = room.boxes.find(name)?;
            facts.found.push(searched.found);
            are_single &= searched.is_single;
            fds.extend(searched.file);
        }
        debug_assert!(
            facts
                .found
                .iter()
                .filter(|found| **found == Found::File)
                .count()
                == fds.len()
        );
        if request.keep {
            fds.push(room.boxes.open()?);
        }
        if stopped.first_stays && are_single && room.may_stay(&facts, request.writable) {
            room.was_left();
            self.rooms.keep(room);
            is_kept = true;
        } else {
            // Gives back the memory of the box, unless the judge is to have it.
            drop(room);
        }
        if let (View::Bare(yard), false) = (&mut self.ready.view, request.keep) {
            yard.remove_now();
        }
        let used = self.used(&baseline);
        if !stopped.never_started {
            // Else the meters still show what was before.
            facts.cpu = stopped.usage.cpu;
            facts.memory = used.memory.unwrap_or(stopped.usage.memory);
        }
        facts.refused_processes = used.refused_processes;
        let decided = matches!(facts.stop, stop_code::CPU_TIME | stop_code::OUTPUT);
        if used.killed_for_memory > 0 && !decided {
            facts.stop = stop_code::MEMORY;
        }
        match (refused, request.memory) {
            (Some(asked), Some(limit)) if asked > limit => facts.stop = stop_code::MEMORY,
            (Some(asked), _) => return Err(short_of_memory("refuses it", asked, request.memory)),
            (None, _) => {}
        }
        if is_kept && (facts.stop != stop_code::NONE || used.refused_processes > 0) {
            // It says that it left no trace; but this was no plain run.
            self.rooms.drop_last();
        }
        if used.within_limit && !decided {
            let held = facts.memory;
            return Err(short_of_memory("killed it with", held, request.memory));
        }
        explain(report, &stopped, &facts, request)?;
        Ok(Finished {
            answer: Answer::Done(facts),
            fds,
        })
    }

    fn used(&mut self, baseline: &Baseline) -> Used {
        match &mut self.ready.group {
            Some(group) => group.finish(baseline),
            None => Used::default(),
        }
    }
}

/// Whether the contents of these files are few: they are on the account of a slot whose last run's limit still holds.
fn is_small(files: &[Placed]) -> bool {
    let length = |placed: &Placed| match placed.what {
        PlacedWhat::File { length, .. } => length,
        PlacedWhat::Link { .. } | PlacedWhat::Directory => 0,
    };
    files.iter().map(length).sum::<u64>() <= room::SMALL
}

/// The memory that a program asked for by its file, if the kernel refused that, so that it never began.
fn refused_memory(plan: &Plan, boxes: &Boxes) -> Option<u64> {
    let flags = libc::O_RDONLY | libc::O_NONBLOCK | libc::O_NOCTTY;
    let file = match plan.program.to_bytes().strip_prefix(b"/box/") {
        // The slot does not see the box where a program does.
        Some(name) if plan.bare.is_none() => {
            let name = CString::new(name).ok()?;
            sys::open_beneath(boxes.main.as_fd(), &name, flags)
        }
        _ => sys::openat(libc::AT_FDCWD, &plan.program, flags, 0),
    };
    let file = File::from(file.ok()?);
    let image =
        Image::read(&file).filter(|_| file.metadata().is_ok_and(|found| found.is_file()))?;
    let data = plan.resources.iter().find(|limit| limit.kind == Kind::Data);
    let is_too_much = data.is_some_and(|limit| image.writable > limit.soft);
    let is_refused = is_too_much || image.zeros > 0 && sys::refuses_memory(image.zeros);
    is_refused.then_some(image.writable)
}

/// The kernel does not give a program the memory that it is allowed to have.
fn short_of_memory(what: &str, amount: u64, limit: Option<u64>) -> Fault {
    let allowed = limit.map_or("any amount".to_owned(), |limit| Bytes(limit).to_string());
    Fault {
        reason: format!(
            "ENOMEM: the kernel {what} {}, and it is allowed {allowed}: the machine has no more, or the \
             control group that juror is in",
            Bytes(amount)
        ),
        ..Fault::system("run the program", sys::Errno(libc::ENOMEM))
    }
}

/// Tells a run that went wrong before the program started from one that did not.
fn explain(
    report: &Report,
    stopped: &Stopped,
    facts: &Facts,
    request: &RunRequest,
) -> Result<(), Fault> {
    use std::sync::atomic::Ordering::Acquire;
    let failed = report.failed.load(Acquire);
    if failed != 0 {
        let errno = sys::Errno(report.errno.load(Acquire));
        let step = init::Step::name(failed);
        if failed != init::Step::Execute as u32 {
            return Err(Fault::system(step, errno));
        }
        let program = request.argv.first().map_or(&[][..], Vec::as_slice);
        let program = String::from_utf8_lossy(program).into_owned();
        return Err(errno).step_on(step, program);
    }
    if facts.stop == stop_code::NONE && !stopped.ended_by_itself {
        let step = "run the program";
        let reason = "its first process was killed by somebody else";
        return Err(Fault::new(step, reason));
    }
    if facts.stop == stop_code::NONE && stopped.wall == 0 && stopped.never_started {
        let step = "run the program";
        return Err(Fault::new(step, "it was killed before it started"));
    }
    Ok(())
}

/// Strings as the kernel takes them.
struct Strings {
    argv: Vec<CString>,
    env: Vec<CString>,
}

impl Strings {
    fn of(request: &RunRequest) -> Result<Self, Fault> {
        let list = |texts: &[Vec<u8>]| -> Result<Vec<CString>, Fault> {
            texts
                .iter()
                .map(|text| {
                    CString::new(text.as_slice()).map_err(|_| {
                        Fault::new("start the program", "an argument has a zero byte in it")
                    })
                })
                .collect()
        };
        Ok(Self {
            argv: list(&request.argv)?,
            env: list(&request.env)?,
        })
    }
}

fn stdio(fds: &[OwnedFd]) -> Result<[RawFd; 3], Fault> {
    match fds {
        [input, output, error] => Ok([input.as_raw_fd(), output.as_raw_fd(), error.as_raw_fd()]),
        _ => Err(Fault::new(
            "connect the standard streams",
            "the judge did not send them",
        )),
    }
}

fn limits_of(request: &RunRequest) -> Limits {
    use std::time::Duration;
    Limits {
        cpu_time: request.cpu_time.map(Duration::from_nanos),
        wall_time: request.wall_time.map(Duration::from_nanos),
        memory: request.memory.map(Bytes),
        output: request.output.map(Bytes),
        processes: request.processes,
    }
}

/// Whether the same may well succeed a moment later.
fn is_transient(fault: &Fault) -> bool {
    matches!(fault.errno, Some(libc::EAGAIN | libc::EBUSY))
}
