//! The isolation methods as a list of modes. Each is tried, the strongest first, and the first that works is used. The
//! last one, plain, isolates nothing: it is used only if it was requested by name.
//!
//! A trial starts a slot, and takes a run to the point at which the program would start. Anything less proves nothing:
//! a container may permit a namespace and refuse the mount in it, and a kernel may permit both and take the rights
//! away.

use crate::model::host::TriedMode;
use crate::model::isolation::{Demand, Isolation};
use crate::model::judgement::JudgeError;
use crate::sandbox::linux::detect::host::Host;
use crate::sandbox::slot::{CoreId, Slot};
use crate::sandbox::trial::try_out;

impl Host {
    /// Finds the strongest isolation method that works.
    ///
    /// # Errors
    /// If no method works, or none that the demand permits; the error says why and what to do.
    pub fn find(demand: Demand) -> Result<Self, JudgeError> {
        Self::look()?.first_slot(demand, None).map(|(host, _)| host)
    }

    /// This machine with the strongest isolation method that works, and the slot in which it was tried, on this core.
    pub(crate) fn first_slot(
        &self,
        demand: Demand,
        core: Option<CoreId>,
    ) -> Result<(Self, Slot), JudgeError> {
        if demand == Demand::Plain {
            let host = self.with(Isolation::Plain);
            let slot = try_out(&host, core)?;
            return Ok((host, slot));
        }
        choose(self, demand, |mode| try_out(mode, core))
    }

    /// This machine with this isolation method.
    ///
    /// # Errors
    /// If it does not work here.
    pub fn at(isolation: Isolation) -> Result<Self, JudgeError> {
        let host = Self::look()?;
        let mode = host.with(isolation);
        host.has_rights_for(isolation)?;
        try_out(&mode, None)?;
        Ok(mode)
    }

    pub(crate) fn try_all(&self) -> Vec<TriedMode> {
        let tried = |isolation| TriedMode {
            isolation,
            fault: self
                .has_rights_for(isolation)
                .and_then(|()| try_out(&self.with(isolation), None))
                .err(),
        };
        Isolation::APART.map(tried).into()
    }

    fn has_rights_for(&self, isolation: Isolation) -> Result<(), JudgeError> {
        if isolation == Isolation::Namespaces && !self.is_administrator {
            let reason = "this user has no right to make mounts and to change its user";
            return Err(JudgeError::new("make namespaces", reason).help("run juror as root"));
        }
        Ok(())
    }
}

/// The first mode that works, with the result of its trial.
fn choose<T>(
    host: &Host,
    demand: Demand,
    try_out: impl Fn(&Host) -> Result<T, JudgeError>,
) -> Result<(Host, T), JudgeError> {
    let mut refused = Vec::new();
    let modes = Isolation::APART.map(|isolation| host.with(isolation));
    for mut mode in modes {
        let isolation = mode.isolation();
        if !demand.is_met_by(isolation) {
            break;
        }
        let tried = host.has_rights_for(isolation).and_then(|()| try_out(&mode));
        match tried {
            Ok(tried) => {
                mode.refused = refused;
                return Ok((mode, tried));
            }
            Err(error) => refused.push(TriedMode { isolation, fault: Some(error) }),
        }
    }
    Err(none_works(demand, &refused))
}

fn none_works(demand: Demand, refused: &[TriedMode]) -> JudgeError {
    if let [.., TriedMode { fault: Some(above), .. }, TriedMode { fault: Some(last), .. }] = refused
        && above == last
    {
        // The failure is not about isolation.
        return last.clone();
    }
    let reasons: Vec<String> = refused
        .iter()
        .filter_map(|mode| {
            let fault = mode.fault.as_ref()?;
            Some(format!("{}: {fault}", mode.isolation))
        })
        .collect();
    let reasons = reasons.join("; ");
    match demand {
        Demand::Full => JudgeError::new("isolate programs fully", reasons).help(
            "`juror doctor` shows what forbids it here, and the command that allows it; \
             --isolation=any accepts less, with a warning",
        ),
        Demand::Any | Demand::Plain => JudgeError::new("isolate programs", reasons).help(
            "`juror doctor` shows what forbids it here, and the command that allows it; --isolation=plain \
             isolates nothing: programs can do whatever you can",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only the isolation methods in `working` work; all rights are available.
    fn check(working: &[Isolation], demand: Demand, expected: Option<Isolation>) {
        let host = Host::look().unwrap().with_all_rights();
        let chosen = choose(&host, demand, |mode| {
            if working.contains(&mode.isolation()) {
                Ok(())
            } else {
                Err(JudgeError::new(mode.isolation().name(), "EPERM"))
            }
        });
        match (chosen, expected) {
            (Ok((mode, ())), Some(isolation)) => {
                assert_eq!(mode.isolation(), isolation, "{working:?}, {demand:?}");
                assert!(mode.refused().iter().all(|above| above.isolation < isolation));
                assert!(mode.refused().iter().all(|above| above.fault.is_some()));
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
            // Not even if it is the only one that works.
            check(&[Isolation::Plain], demand, None);
        }
        check(&[Landlock], Demand::Any, Some(Landlock));
        check(&[Landlock], Demand::Full, None);
    }

    #[test]
    fn what_all_rungs_fail_for_is_said_once() {
        let host = Host::look().unwrap().with_all_rights();
        let fault = JudgeError::new("limit resources", "there is too little of it");
        let chosen = choose::<()>(&host, Demand::Any, |_| Err(fault.clone()));
        assert_eq!(chosen.unwrap_err(), fault);
    }
}
