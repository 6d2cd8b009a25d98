//! The isolation methods as a list of modes. Each is tried, the strongest first, and the first that works is used. The
//! last one, plain, isolates nothing: it is used only if it was requested by name.
//!
//! A trial starts a slot, and takes a run to the point at which the program would start. Anything less proves nothing:
//! a container may permit a namespace and refuse the mount in it, and a kernel may permit both and take the rights
//! away.

use crate::sandbox::linux::detect::host::Host;
use crate::sandbox::slot::{CoreId, Slot};
use crate::sandbox::trial::try_host;
use juror_core::host::TriedIsolation;
use juror_core::isolation::{Isolation, RequiredIsolation};
use juror_core::judgement::JudgeError;

impl Host {
    /// Finds the strongest isolation method that works.
    ///
    /// # Errors
    /// If no method works, or none that the demand permits; the error says why and what to do.
    pub fn find(demand: RequiredIsolation) -> Result<Self, JudgeError> {
        Self::examine()?.first_slot(demand, None).map(|(host, _)| host)
    }

    /// This machine with the strongest isolation method that works, and the slot in which it was tried, on this core.
    pub(crate) fn first_slot(
        &self,
        demand: RequiredIsolation,
        core: Option<CoreId>,
    ) -> Result<(Self, Slot), JudgeError> {
        if demand == RequiredIsolation::Plain {
            let host = self.with_isolation(Isolation::Plain);
            let slot = try_host(&host, core)?;
            return Ok((host, slot));
        }
        choose_mode(self, demand, |mode| try_host(mode, core))
    }

    /// This machine with this isolation method.
    ///
    /// # Errors
    /// If it does not work here.
    pub fn try_isolation(isolation: Isolation) -> Result<Self, JudgeError> {
        let host = Self::examine()?;
        let mode = host.with_isolation(isolation);
        host.has_rights_for(isolation)?;
        try_host(&mode, None)?;
        Ok(mode)
    }

    pub(crate) fn try_all(&self) -> Vec<TriedIsolation> {
        let tried = |isolation| TriedIsolation {
            isolation,
            fault: self
                .has_rights_for(isolation)
                .and_then(|()| try_host(&self.with_isolation(isolation), None))
                .err(),
        };
        Isolation::ISOLATING.map(tried).into()
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
fn choose_mode<T>(
    host: &Host,
    demand: RequiredIsolation,
    try_out: impl Fn(&Host) -> Result<T, JudgeError>,
) -> Result<(Host, T), JudgeError> {
    let mut refused = Vec::new();
    let modes = Isolation::ISOLATING.map(|isolation| host.with_isolation(isolation));
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
            Err(error) => refused.push(TriedIsolation { isolation, fault: Some(error) }),
        }
    }
    Err(no_mode_fault(demand, &refused))
}

fn no_mode_fault(demand: RequiredIsolation, refused: &[TriedIsolation]) -> JudgeError {
    if let [.., TriedIsolation { fault: Some(above), .. }, TriedIsolation { fault: Some(last), .. }] =
        refused
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
    let (step, less) = match demand {
        RequiredIsolation::Full => {
            ("isolate programs fully", "--isolation=any accepts less, with a warning")
        }
        RequiredIsolation::Any | RequiredIsolation::Plain => (
            "isolate programs",
            "--isolation=plain isolates nothing: programs can do whatever you can",
        ),
    };
    let help = "`juror doctor` shows what forbids it here, and the command that allows it";
    JudgeError::new(step, reasons).help(format!("{help}; {less}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only the isolation methods in `working` work; all rights are available.
    fn check(working: &[Isolation], demand: RequiredIsolation, expected: Option<Isolation>) {
        let host = Host::examine().unwrap().with_all_rights();
        let chosen = choose_mode(&host, demand, |mode| {
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
    fn the_strongest_working_mode_that_meets_the_demand_is_chosen() {
        use Isolation::{Landlock, Namespaces, UserNamespaces};
        for demand in [RequiredIsolation::Any, RequiredIsolation::Full] {
            check(&Isolation::ISOLATING, demand, Some(Namespaces));
            check(&[UserNamespaces, Landlock], demand, Some(UserNamespaces));
            check(&[], demand, None);
            // Not even if it is the only one that works.
            check(&[Isolation::Plain], demand, None);
        }
        check(&[Landlock], RequiredIsolation::Any, Some(Landlock));
        check(&[Landlock], RequiredIsolation::Full, None);
    }

    #[test]
    fn a_fault_common_to_all_modes_is_reported_once() {
        let host = Host::examine().unwrap().with_all_rights();
        let fault = JudgeError::new("limit resources", "there is too little of it");
        let chosen = choose_mode::<()>(&host, RequiredIsolation::Any, |_| Err(fault.clone()));
        assert_eq!(chosen.unwrap_err(), fault);
    }
}
