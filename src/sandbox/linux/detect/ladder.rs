//! The ways to keep programs apart, as rungs of a ladder: each is tried out, the strongest first, and the
//! first that works is used. The lowest, plain, keeps nothing apart: it is stepped on only if it was asked for by name.
//!
//! Tried out means that a slot starts and takes a run to the point at which the program would start.
//! Nothing less says whether it works: a container may allow a namespace and refuse the mount in it, a
//! kernel may allow both and take the rights away.

use crate::model::host::Rung;
use crate::model::isolation::{Demand, Isolation};
use crate::model::judgement::JudgeError;
use crate::sandbox::linux::detect::host::Host;
use crate::sandbox::trial::try_out;

impl Host {
    /// Finds out what this machine offers, and the strongest way to keep programs apart that works.
    ///
    /// # Errors
    /// When none works, or none that the demand allows; the error says why and what to do.
    pub fn find(demand: Demand) -> Result<Self, JudgeError> {
        if demand == Demand::Plain {
            return Self::at(Isolation::Plain);
        }
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
    pub(in crate::sandbox::linux) fn try_all(&self) -> Vec<Rung> {
        let tried = |isolation| Rung {
            isolation,
            fault: self
                .has_rights_for(isolation)
                .and_then(|()| try_out(&self.with(isolation)))
                .err(),
        };
        Isolation::APART.map(tried).into()
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
    let rungs = Isolation::APART.map(|isolation| host.with(isolation));
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
            Err(error) => refused.push(Rung { isolation, fault: Some(error) }),
        }
    }
    Err(none_works(demand, &refused))
}

/// Why no rung can be used.
fn none_works(demand: Demand, refused: &[Rung]) -> JudgeError {
    if let [.., Rung { fault: Some(above), .. }, Rung { fault: Some(last), .. }] = refused
        && above == last
    {
        // It is not about ways to keep programs apart.
        return last.clone();
    }
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
        Demand::Any | Demand::Plain => JudgeError::new("isolate programs", reasons).help(
            "`juror doctor` says what forbids it here, and the command that allows it; --isolation=plain \
             isolates nothing: programs can do whatever you can",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which rung is chosen where only these work; all rights are there.
    fn check(working: &[Isolation], demand: Demand, expected: Option<Isolation>) {
        let host = Host::look().unwrap().with_all_rights();
        let chosen = climb(&host, demand, |rung| match working.contains(&rung.isolation()) {
            true => Ok(()),
            false => Err(JudgeError::new(rung.isolation().key(), "EPERM")),
        });
        match (chosen, expected) {
            (Ok(rung), Some(isolation)) => {
                assert_eq!(rung.isolation(), isolation, "{working:?}, {demand:?}");
                assert!(rung.refused().iter().all(|above| above.isolation < isolation));
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
            check(&Isolation::APART, demand, Some(Namespaces));
            check(&[UserNamespaces, Landlock], demand, Some(UserNamespaces));
            check(&[], demand, None);
            // Not even where it is all that works.
            check(&[Isolation::Plain], demand, None);
        }
        check(&[Landlock], Demand::Any, Some(Landlock));
        check(&[Landlock], Demand::Full, None);
    }

    #[test]
    fn what_all_rungs_fail_for_is_said_once() {
        let host = Host::look().unwrap().with_all_rights();
        let fault = JudgeError::new("limit resources", "there is too little of it");
        let chosen = climb(&host, Demand::Any, |_| Err(fault.clone()));
        assert_eq!(chosen.unwrap_err(), fault);
    }
}
