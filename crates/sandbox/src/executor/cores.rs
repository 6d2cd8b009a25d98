//! Chooses cores that no other juror on this machine uses.
//!
//! A core is claimed by an abstract socket address with its number. The kernel frees it with the process, however that
//! ends, and it needs no file that another user could plant. Only processes in one network namespace see each other's
//! claims. In containers, the process number distributes the cores.

use std::os::fd::OwnedFd;

use crate::sandbox::CoreId;

/// Ends when this is dropped.
pub(super) struct CoreClaim {
    _socket: OwnedFd,
}

/// `None` if another process has claimed the core.
pub(super) fn claim_core(core: CoreId) -> Option<CoreClaim> {
    claim_named(&format!("juror core {}", core.0))
}

#[cfg(target_os = "linux")]
fn claim_named(name: &str) -> Option<CoreClaim> {
    use std::os::linux::net::SocketAddrExt as _;
    use std::os::unix::net::{SocketAddr, UnixDatagram};
    let address = SocketAddr::from_abstract_name(name).ok()?;
    let socket = UnixDatagram::bind_addr(&address).ok()?.into();
    Some(CoreClaim { _socket: socket })
}

/// Elsewhere nothing is pinned to a core.
#[cfg(not(target_os = "linux"))]
fn claim_named(_: &str) -> Option<CoreClaim> {
    None
}

/// A core for each job, in turn from the index `first`: first those that can be claimed, then the others. If there are
/// more jobs than cores, several share a core.
pub(super) fn assign_cores<C>(
    cores: &[CoreId],
    first: usize,
    jobs: usize,
    claim: impl Fn(CoreId) -> Option<C>,
) -> (Vec<Option<CoreId>>, Vec<C>) {
    let in_turn: Vec<CoreId> =
        (0..cores.len()).map(|index| cores[(first + index) % cores.len()]).collect();
    let (mut taken, mut others, mut claims) = (Vec::new(), Vec::new(), Vec::new());
    for core in in_turn {
        match (taken.len() < jobs).then(|| claim(core)).flatten() {
            Some(claim) => {
                taken.push(core);
                claims.push(claim);
            }
            None => others.push(core),
        }
    }
    taken.extend(others);
    let core = |index: usize| taken.get(index % taken.len().max(1)).copied();
    ((0..jobs).map(core).collect(), claims)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_that_nobody_has_come_first() {
        let check = |cores: usize, first, jobs, free: &[usize], expected: &[usize]| {
            let cores: Vec<CoreId> = (0..cores).map(CoreId).collect();
            let claim = |core: CoreId| free.contains(&core.0).then_some(core);
            let (taken, claims) = assign_cores(&cores, first, jobs, claim);
            let taken: Vec<usize> = taken.into_iter().flatten().map(|core| core.0).collect();
            assert_eq!(taken, expected, "{cores:?}, from {first}, {free:?}");
            assert!(claims.len() <= jobs && claims.iter().all(|core| taken.contains(&core.0)));
        };
        check(4, 6, 2, &[0, 1, 2, 3], &[2, 3]);
        check(4, 6, 2, &[1], &[1, 2]);
        check(4, 3, 2, &[], &[3, 0]);
        check(2, 0, 3, &[0, 1], &[0, 1, 0]);
        check(2, 0, 3, &[1], &[1, 0, 1]);
        check(0, 5, 2, &[], &[]);
        assert_eq!(assign_cores::<()>(&[], 0, 2, |_| None).0, [None, None]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_core_is_claimed_once_and_freed_with_the_claim() {
        let name = format!("juror test {}", std::process::id());
        let first = claim_named(&name);
        assert!(first.is_some() && claim_named(&name).is_none());
        drop(first);
        assert!(claim_named(&name).is_some());
    }
}
