//! Fresh keys and certificates.

use nkeys::KeyPair as UserPair;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose, date_time_ymd,
};

use crate::address::NatsKey;
use crate::server::config::{Certificate, ClusterPlan, ClusterSecrets};
use juror_core::judgement::JudgeError;

/// Makes all keys of a cluster. The key of the authority is not kept, so nobody can add a server.
///
/// # Errors
/// If the system has no random numbers, or the plan does not yield valid certificates.
pub fn fresh(plan: &ClusterPlan) -> Result<ClusterSecrets, JudgeError> {
    let certificates = certificates(plan);
    let (authority, servers) =
        certificates.map_err(|error| JudgeError::new("make certificates", error))?;
    let submitter = user()?;
    let workers = plan.workers.iter().map(|_| user()).collect::<Result<_, _>>()?;
    Ok(ClusterSecrets { authority, servers, submitter, workers })
}

fn user() -> Result<NatsKey, JudgeError> {
    let pair = UserPair::new_user();
    let seed = pair.seed().map_err(|error| JudgeError::new("make a key", error))?;
    Ok(NatsKey { user: pair.public_key(), seed })
}

fn certificates(plan: &ClusterPlan) -> Result<(String, Vec<Certificate>), rcgen::Error> {
    let mut params = certificate_params(&plan.name, Vec::new())?;
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    let key = KeyPair::generate()?;
    let authority = params.self_signed(&key)?.pem();
    let issuer = Issuer::new(params, key);
    let server = |host: &str| {
        let mut params = certificate_params(host, vec![host.to_owned()])?;
        // Each server is also a client of the others.
        params.extended_key_usages =
            vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        params.use_authority_key_identifier_extension = true;
        let key = KeyPair::generate()?;
        let public = params.signed_by(&key, &issuer)?.pem();
        Ok(Certificate { public, private: key.serialize_pem() })
    };
    let servers = plan.servers.iter().map(|own| server(&own.host)).collect::<Result<_, _>>()?;
    Ok((authority, servers))
}

/// The contents of a certificate, except its purpose.
fn certificate_params(name: &str, hosts: Vec<String>) -> Result<CertificateParams, rcgen::Error> {
    let mut params = CertificateParams::new(hosts)?;
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    // Clocks are not accurate enough for a certificate that begins today.
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = date_time_ymd(2099, 1, 1);
    Ok(params)
}
