//! The ways to keep programs apart, as rungs of a ladder: each is tried out, the strongest first, and the
//! first that works is used.
//!
//! Tried out means that a slot starts and takes a run to the point at which the program would start.
//! Nothing less says whether it works: a container may allow a namespace and refuse the mount in it, a
//! kernel may allow both and take the rights away.

use std::time::Duration;

use crate::model::host::Rung;
use crate::model::isolation::{Demand, Isolation};
use crate::model::job::{Command, Input, Job};
use crate::model::judgement::JudgeError;
use crate::model::limits::Limits;
use crate::model::units::Bytes;
use crate::sandbox::host::Host;
use crate::sandbox::slot::{Slot, SlotOptions};

impl Host {
    /// Finds out what this machine offers, and the strongest way to keep programs apart that works.
    ///
    /// # Errors
    /// When none works, or none that the demand allows; the error says why and what to do.
    pub fn find(demand: Demand) -> Result<Self, JudgeError> {
        let found = Self::look()?;
        let tried = |rung: &Host| try_out(rung);
        climb(&found, demand, tried)
    }

    /// As [`find`](Self::find), with whatever works.
    pub fn probe() -> Result<Self, JudgeError> {
        Self::find(Demand::Any)
    }

    /// What this machine offers, with programs kept apart in this one way.
    ///
    /// # Errors
    /// When that does not work here.
    pub fn at(isolation: Isolation) -> Result<Self, JudgeError> {
        let host = Self::look()?;
        let rung = host.with(isolation);
        host.has_rights_for(isolation)?;
        try_out(&rung)?;
        Ok(rung)
    }

    /// Tries out every way to keep programs apart.
    pub(super) fn try_all(&self) -> Vec<Rung> {
        let tried = |isolation| Rung {
            isolation,
            fault: self
                .has_rights_for(isolation)
                .and_then(|()| try_out(&self.with(isolation)))
                .err(),
        };
        Isolation::ALL.map(tried).into()
    }

    fn has_rights_for(&self, isolation: Isolation) -> Result<(), JudgeError> {
        if isolation == Isolation::Namespaces && !self.is_administrator() {
            let reason = "this user has no right to make mounts and to change its user";
            return Err(JudgeError::new("make namespaces", reason).help("run juror as root"));
        }
        Ok(())
    }
}

/// The first rung that works.
fn climb(
    host: &Host,
    demand: Demand,
    try_out: impl Fn(&Host) -> Result<(), JudgeError>,
) -> Result<Host, JudgeError> {
    let mut refused = Vec::new();
    let rungs = Isolation::ALL.map(|isolation| host.with(isolation));
    for mut rung in rungs {
        let isolation = rung.isolation();
        if !demand.is_met_by(isolation) {
            break;
        }
        let tried = host.has_rights_for(isolation).and_then(|()| try_out(&rung));
        match tried {
            Ok(()) => {
                rung.refused = refused;
                return Ok(rung);
            }
            Err(error) => refused.push(Rung {
                isolation,
                fault: Some(error),
            }),
        }
    }
    Err(none_works(demand, &refused))
}

/// Why no rung can be used.
fn none_works(demand: Demand, refused: &[Rung]) -> JudgeError {
    let reasons: Vec<String> = refused
        .iter()
        .filter_map(|rung| {
            let fault = rung.fault.as_ref()?;
            Some(format!("{}: {fault}", rung.isolation))
        })
        .collect();
    let reasons = reasons.join("; ");
    match demand {
        Demand::Full => JudgeError::new("isolate programs fully", reasons).help(
            "`juror doctor` says what forbids it here, and the command that allows it; \
             --isolation=any makes do with less, and says so",
        ),
        Demand::Any => JudgeError::new("isolate programs", reasons)
            .help("`juror doctor` says what forbids it here, and the command that allows it"),
    }
}

/// Takes a run to the point at which the program would start.
fn try_out(rung: &Host) -> Result<(), JudgeError> {
    let mut slot = Slot::start(rung, &SlotOptions::default())?;
    let nothing = "/juror-tries-this-sandbox-out".to_owned();
    let job = Job {
        command: Command {
            argv: vec![nothing],
            ..Command::default()
        },
        stdin: Input::Empty,
        files: Vec::new(),
        writable: true,
        box_size: Bytes::mib(1),
        limits: Limits {
            cpu_time: Some(Duration::from_secs(10)),
            wall_time: Some(Duration::from_secs(10)),
            memory: Some(Bytes::mib(64)),
            output: Some(Bytes::mib(1)),
            processes: Some(4),
        },
        collect: Vec::new(),
        keep: None,
    };
    match slot.run(&job) {
        // Everything was done but to start a program that is not there.
        Err(error) if error.step.starts_with("start the program") => Ok(()),
        Err(error) => Err(error),
        Ok(_) => Err(JudgeError::new(
            "try the sandbox out",
            "a program ran that is not there",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which rung is chosen where only these work; all rights are there.
    fn check(working: &[Isolation], demand: Demand, expected: Option<Isolation>) {
        let host = Host::look().unwrap().with_all_rights();
        let chosen = climb(&host, demand, |rung| {
            match working.contains(&rung.isolation()) {
                true => Ok(()),
                false => Err(JudgeError::new("make namespaces", "EPERM")),
            }
        });
        match (chosen, expected) {
            (Ok(rung), Some(isolation)) => {
                assert_eq!(rung.isolation(), isolation, "{working:?}, {demand:?}");
                assert!(
                    rung.refused()
                        .iter()
                        .all(|above| above.isolation < isolation)
                );
                assert!(rung.refused().iter().all(|above| above.fault.is_some()));
            }
            (Err(error), None) => {
                assert!(error.help.unwrap_or_default().contains("juror doctor"));
            }
            (chosen, _) => panic!("{working:?}, {demand:?}: {chosen:?}"),
        }
    }

    #[test]
    fn the_strongest_rung_that_works_is_chosen_and_never_one_below_the_demand() {
        use Isolation::{Landlock, Namespaces, UserNamespaces};
        for demand in [Demand::Any, Demand::Full] {
            check(&Isolation::ALL, demand, Some(Namespaces));
            check(&[UserNamespaces, Landlock], demand, Some(UserNamespaces));
            check(&[], demand, None);
        }
        check(&[Landlock], Demand::Any, Some(Landlock));
        check(&[Landlock], Demand::Full, None);
    }
}
