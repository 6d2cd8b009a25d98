//! Runs suspects on test cases and on the pool. While some run, the next ones are built.

use std::ops::Range;
use std::time::{Duration, Instant};

use crate::strength::measure::{Measurement, ROUND_SIZE};
use crate::strength::measured_subject::{self, MeasuredSubject, WrongProgram};
use crate::strength::result::{Kill, Strength, SubjectKind, SubjectStatus};
use crate::strength::test_bed::{CaseResults, Goal, PoolResult, Suspect};
use crate::strength::{matrix, score};
use juror_core::event::{Event, Note};
use juror_core::stop::Stop;
use juror_core::text::count;
use juror_core::verdict::Verdict;
use juror_judging::judge::case::CaseTexts;

/// After so many subjects, the test cases are sorted again by what they reject.
const CHUNK_SIZE: usize = 64;

/// The numbers are indexes of entries.
enum SuspectTask {
    Build(Vec<usize>),
    Run(usize),
}

/// The numbers are indexes of entries.
enum TaskResult {
    /// Empty if the time ran out.
    Built(Vec<(usize, Option<Suspect>)>),
    /// `None` if the time ran out.
    Run(usize, Option<SuspectResults>),
    Postponed(usize),
}

struct SuspectResults {
    /// `None` if they were known.
    cases: Option<CaseResults>,
    pool: Option<PoolResult>,
    pool_time: Duration,
}

impl Measurement<'_> {
    /// Runs suspects on the test cases and on the pool, as long as there is time.
    pub(super) fn run_suspects(
        &self,
        entries: &mut [MeasuredSubject],
        pool: &[CaseTexts],
        report: &mut Strength,
    ) -> Result<(), Stop> {
        let cases = self.search.test_bed.cases;
        let sizes: Vec<u64> = cases.iter().map(|case| case.input_size()).collect();
        let mut kills = vec![0; cases.len()];
        for kill in entries.iter().flat_map(|entry| &entry.subject.killers) {
            let index = cases.iter().position(|case| case.test_case.name == kill.test_case);
            index.into_iter().for_each(|index| kills[index] += 1);
        }
        let mut queue: Vec<usize> = (0..entries.len()).collect();
        queue.sort_by_key(|&index| entries[index].priority());
        measured_subject::sort_risky_last(&mut queue, entries);
        let total = queue.len();
        // What needs no build is run while the first others are built.
        let ready = queue.iter().filter(|&&index| entries[index].source.is_none()).count();
        let start = |number: usize| match number {
            0 => 0,
            number => (ready + (number - 1) * CHUNK_SIZE).min(total),
        };
        let chunk = |number: usize| -> Range<usize> { start(number)..start(number + 1) };
        let chunks = 1 + (total - ready).div_ceil(CHUNK_SIZE);
        // How long one core takes to run the survivors on the pool.
        let mut on_survivors = Duration::ZERO;
        let mut longest = Duration::ZERO;
        // Those that may be too slow are run after all others.
        let mut slow: Vec<usize> = Vec::new();
        let report_progress = |done| self.search.arena().bench.report_step("subjects", done, total);
        for number in 0..=chunks + 1 {
            report_progress(start(number.saturating_sub(1)) - slow.len());
            let is_last = number > chunks;
            let built: Vec<usize> = match number.checked_sub(1) {
                None => Vec::new(),
                Some(_) if is_last => std::mem::take(&mut slow),
                Some(before) => queue[chunk(before)].to_vec(),
            };
            let order = matrix::cheapest_first(&kills, &sizes);
            if number == 2 {
                self.announce_shortage(longest * (chunks as u32 - 1), total);
            }
            let started = Instant::now();
            let end = self.deadline_for_cases(on_survivors, pool.len());
            self.search.arena().scheduler.set_deadline(Some(end));
            let to_build = self.group_builds(entries, &queue[chunk(number)]);
            let mut tasks: Vec<SuspectTask> =
                to_build.into_iter().map(SuspectTask::Build).collect();
            let builds = tasks.len();
            tasks.extend(built.into_iter().map(SuspectTask::Run));
            // What takes long comes first, so that no slot waits at the end. Shortly before the end, there is no time
            // to run what is built.
            if end.saturating_duration_since(started) < longest * 2 {
                tasks.rotate_left(builds);
            }
            let results = self.run_in_parallel(&tasks, |task| match task {
                SuspectTask::Build(indexes) => self.build_group(entries, indexes),
                SuspectTask::Run(index) => {
                    let result = self.run_suspect(*index, entries, &order, pool, is_last);
                    let result = self.search.arena().in_time(result)?;
                    Ok(result.unwrap_or(TaskResult::Run(*index, None)))
                }
            })?;
            for result in results {
                match result {
                    TaskResult::Built(built) => {
                        for (index, suspect) in built {
                            entries[index].store_build(suspect);
                        }
                    }
                    TaskResult::Run(index, run) => {
                        let on_cases = run.iter().filter_map(|run| run.cases.as_ref());
                        for (case, _) in on_cases.flat_map(|cases| &cases.rejected) {
                            kills[*case] += 1;
                        }
                        let took = run.as_ref().map_or(Duration::ZERO, |run| run.pool_time);
                        report.cut |= self.store_results(&mut entries[index], run);
                        if entries[index].subject.status == SubjectStatus::Undecided {
                            on_survivors += took;
                        }
                    }
                    TaskResult::Postponed(index) => slow.push(index),
                }
            }
            longest = longest.max(started.elapsed());
        }
        self.search.arena().scheduler.set_deadline(None);
        report_progress(total);
        Ok(())
    }

    /// Says early that the time will not do, by how long the first builds and runs took.
    fn announce_shortage(&self, needed: Duration, programs: usize) {
        let left = self.search.end.saturating_duration_since(Instant::now());
        // Builds that the end cut off tell nothing.
        if !left.is_zero() && needed > left {
            let text = format!(
                "the time will not do: by the first builds, {} need at least {}m more; give more --time",
                count(programs, "program"),
                needed.as_secs().div_ceil(60)
            );
            (self.search.arena().bench.events)(Event::Noted(Note::Remark(text)));
        }
    }

    /// When runs on test cases must end, so that survivors can be presumed equivalent after one round of the search.
    fn deadline_for_cases(&self, on_survivors: Duration, pool: usize) -> Instant {
        let slots = self.search.arena().bench.executor.slots();
        let round = on_survivors.mul_f64(ROUND_SIZE as f64 / (pool.max(1) * slots.max(1)) as f64);
        self.search.end - round.clamp(self.search_time / 4, self.search_time)
    }

    fn group_builds(&self, entries: &[MeasuredSubject], indexes: &[usize]) -> Vec<Vec<usize>> {
        let all = indexes.iter().filter_map(|&at| Some((at, entries[at].source.as_ref()?)));
        let slots = self.search.arena().bench.executor.slots();
        measured_subject::build_groups(&all.collect::<Vec<_>>(), slots)
    }

    fn build_group(
        &self,
        entries: &[MeasuredSubject],
        indexes: &[usize],
    ) -> Result<TaskResult, Stop> {
        let sources = indexes.iter().filter_map(|&index| entries[index].source.as_ref());
        let sources: Vec<&WrongProgram> = sources.collect();
        let arena = self.search.arena();
        let built = arena.in_time(measured_subject::build_group(arena, &sources))?;
        Ok(TaskResult::Built(indexes.iter().copied().zip(built.unwrap_or_default()).collect()))
    }

    fn run_suspect(
        &self,
        index: usize,
        entries: &[MeasuredSubject],
        order: &[usize],
        pool: &[CaseTexts],
        is_patient: bool,
    ) -> Result<TaskResult, Stop> {
        let entry = &entries[index];
        let Some(suspect) = &entry.suspect else { return Ok(TaskResult::Run(index, None)) };
        let test_bed = self.search.test_bed;
        let is_submission = entry.subject.kind == SubjectKind::Submission;
        let most = match (self.matrix, is_submission) {
            (true, _) => usize::MAX,
            (false, true) => 1,
            (false, false) => 2,
        };
        let goal = Goal { rejections: most, is_patient: is_patient || self.matrix };
        let on_cases = if entry.is_judged() {
            None
        } else {
            match test_bed.run_on_cases(suspect, order, goal)? {
                None => return Ok(TaskResult::Postponed(index)),
                on_cases => on_cases,
            }
        };
        let mut rejected = on_cases.iter().flat_map(|results| &results.rejected);
        // A submission that is slow here is slow there, too.
        let is_slow = is_submission && rejected.any(|kill| kill.1 == Verdict::TimeLimitExceeded);
        let started = Instant::now();
        let on_pool = if pool.is_empty() || is_slow {
            None
        } else {
            Some(test_bed.run_on_pool(suspect, pool)?)
        };
        let pool_time = started.elapsed();
        let results = SuspectResults { cases: on_cases, pool: on_pool, pool_time };
        Ok(TaskResult::Run(index, Some(results)))
    }

    /// Returns whether the time ran out first.
    fn store_results(&self, entry: &mut MeasuredSubject, results: Option<SuspectResults>) -> bool {
        let is_judged = entry.is_judged();
        let subject = &mut entry.subject;
        let Some(SuspectResults { cases: on_cases, pool: on_pool, .. }) = results else {
            let is_late = !is_judged && subject.status != SubjectStatus::Unviable;
            if is_late {
                subject.status = SubjectStatus::NotRun;
            }
            return is_late;
        };
        if let Some(on_pool) = on_pool {
            subject.hardness = score::hardness(on_pool.rejecting, on_pool.tried);
            subject.tried = on_pool.tried as u64;
        }
        let Some(on_cases) = on_cases else { return false };
        let cases = self.search.test_bed.cases;
        let kill = |&(index, verdict): &(usize, Verdict)| Kill {
            test_case: cases[index].test_case.name.clone(),
            verdict,
        };
        subject.killers = on_cases.rejected.iter().map(kill).collect();
        subject.status = if subject.killers.is_empty() {
            SubjectStatus::Undecided
        } else {
            SubjectStatus::Caught
        };
        // By test cases alone, more programs would look equal the weaker the test cases are.
        entry.signature = match on_pool {
            Some(on_pool) => on_pool.signature.zip(on_cases.signature),
            None => on_cases.signature.map(|signature| (0, signature)),
        };
        if entry.source.is_some() && !on_cases.rejected.is_empty() {
            // Frees the program: it does not run again.
            entry.suspect = None;
        }
        false
    }
}

impl MeasuredSubject {
    fn is_judged(&self) -> bool {
        self.subject.kind == SubjectKind::Submission && self.source.is_none()
    }

    /// The cheapest per subject comes first, so that much is done if time is short.
    fn priority(&self) -> u8 {
        match &self.source {
            None => 0,
            Some(WrongProgram::Mutant(mutant)) if mutant.is_bundled() => 1,
            Some(WrongProgram::Submission(_)) => 2,
            Some(WrongProgram::Mutant(mutant)) if !mutant.starts_slowly() => 3,
            Some(WrongProgram::Mutant(_)) => 4,
        }
    }

    fn store_build(&mut self, suspect: Option<Suspect>) {
        if suspect.is_none() {
            self.subject.status = SubjectStatus::Unviable;
        }
        self.suspect = suspect;
    }
}
