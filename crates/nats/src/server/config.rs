//! The files of a cluster: what each server, submitter and worker needs in its directory.

use std::path::PathBuf;

use crate::address::NatsKey;
use crate::server::calls::{CALLS, HOW_STORED, inbox};
use crate::server::model::{WHO_AM_I, WORKERS_ACCOUNT as WORKERS};
use juror_core::units::Bytes;

/// The account with the streams.
pub const SUBMITTERS: &str = "JUROR";
/// The default port for clients.
pub const PORT: u16 = 4222;
/// Servers talk with each other on the port for clients plus this.
const ROUTES: u16 = 2000;
/// The largest message that servers accept.
const MESSAGE: Bytes = Bytes::mib(1);
/// How much memory streams may take: they hold what workers announce about themselves.
const MEMORY: Bytes = Bytes::mib(64);

/// The cluster to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterPlan {
    pub name: String,
    /// Its servers: one or three.
    pub servers: Vec<ServerAddress>,
    pub workers: Vec<String>,
    /// How much disk streams may take on each server.
    pub disk: Bytes,
}

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerAddress {
    pub host: String,
    pub port: u16,
}

/// A server's certificate and its private key, as text.
#[derive(Clone, Debug)]
pub struct Certificate {
    pub public: String,
    pub private: String,
}

/// All secrets of a cluster, with their public parts.
#[derive(Clone, Debug)]
pub struct ClusterSecrets {
    /// The certificate of the authority that signs the servers' certificates.
    pub authority: String,
    pub servers: Vec<Certificate>,
    pub submitter: NatsKey,
    pub workers: Vec<NatsKey>,
}

/// A file to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterFile {
    pub path: PathBuf,
    pub text: String,
    /// Whether only its owner may read it.
    pub is_secret: bool,
}

impl ServerAddress {
    /// The name of the server and of its directory.
    pub fn name(&self) -> String {
        match self.port {
            PORT => self.host.clone(),
            port => format!("{}-{port}", self.host),
        }
    }

    fn route(&self) -> String {
        format!("{}:{}", self.host, self.port + ROUTES)
    }
}

impl ClusterPlan {
    /// The address of all servers, as `submit` and `work` take it, if the key and authority files are in a
    /// directory.
    pub fn url(&self, key: &str, authority: &str) -> String {
        let places = self.servers.iter().map(|server| format!("{}:{}", server.host, server.port));
        let places = places.collect::<Vec<_>>().join(",");
        format!("nats://{places}?key={key}&ca={authority}")
    }

    /// All files of the cluster.
    pub fn files(&self, secrets: &ClusterSecrets) -> Vec<ClusterFile> {
        let mut files = Vec::new();
        for (server, certificate) in self.servers.iter().zip(&secrets.servers) {
            let dir = PathBuf::from("servers").join(server.name());
            files.push(open(dir.join("nats.conf"), self.server(server, secrets)));
            files.push(open(dir.join("ca.crt"), secrets.authority.clone()));
            files.push(open(dir.join("server.crt"), certificate.public.clone()));
            files.push(secret(dir.join("server.key"), certificate.private.clone()));
        }
        let mut user = |dir: PathBuf, key: &NatsKey| {
            files.push(open(dir.join("ca.crt"), secrets.authority.clone()));
            files.push(secret(dir.join("nats.key"), format!("{}\n", key.seed)));
        };
        user(PathBuf::from("submitter"), &secrets.submitter);
        for (name, key) in self.workers.iter().zip(&secrets.workers) {
            user(PathBuf::from("workers").join(name), key);
        }
        files
    }

    /// The configuration of a server.
    fn server(&self, server: &ServerAddress, secrets: &ClusterSecrets) -> String {
        let (name, port, disk) = (server.name(), server.port, self.disk.0);
        let (message, memory) = (MESSAGE.0, MEMORY.0);
        let accounts = self.accounts(secrets);
        let cluster = self.cluster(server);
        format!(
            "\
# Made by `juror-nats init`. Start the server in this directory: nats-server -c nats.conf
server_name: \"{name}\"
listen: \"0.0.0.0:{port}\"
max_payload: {message}

tls {{
  cert_file: \"server.crt\"
  key_file: \"server.key\"
  ca_file: \"ca.crt\"
}}

jetstream {{
  store_dir: \"store\"
  max_file_store: {disk}
  max_memory_store: {memory}
  # What was confirmed is on the disk, even after a crash.
  sync_interval: always
}}
{cluster}
{accounts}"
        )
    }

    /// How the servers find each other, if there are several.
    fn cluster(&self, server: &ServerAddress) -> String {
        if self.servers.len() == 1 {
            return String::new();
        }
        let (name, port) = (&self.name, server.port + ROUTES);
        let others = self.servers.iter().filter(|other| *other != server);
        let routes: String =
            others.map(|peer| format!("    \"tls://{}\"\n", peer.route())).collect();
        format!(
            "
cluster {{
  name: \"{name}\"
  listen: \"0.0.0.0:{port}\"
  tls {{
    cert_file: \"server.crt\"
    key_file: \"server.key\"
    ca_file: \"ca.crt\"
    # Only holders of a key signed by the same authority can join as servers.
    verify: true
  }}
  routes: [
{routes}  ]
}}
"
        )
    }

    fn accounts(&self, secrets: &ClusterSecrets) -> String {
        let exports = CALLS.iter().map(|call| {
            let subject = call.of_all();
            let what = call.what;
            format!("      # {what}\n      {{ service: \"{subject}\", accounts: [{WORKERS}] }}\n")
        });
        let imports = CALLS.iter().map(|call| {
            let subject = call.of_all();
            format!("      {{ service: {{ account: {SUBMITTERS}, subject: \"{subject}\" }} }}\n")
        });
        let users = self.workers.iter().zip(&secrets.workers).map(|(name, key)| worker(name, key));
        let exports: String = exports.collect();
        let imports: String = imports.collect();
        let users: String = users.collect();
        let submitter = &secrets.submitter.user;
        format!(
            "\
system_account: SYS
accounts {{
  SYS {{
    exports: [
      {{ service: \"{HOW_STORED}\", accounts: [{SUBMITTERS}], response: stream }}
    ]
  }}
  {SUBMITTERS} {{
    jetstream: enabled
    users: [
      {{ nkey: {submitter} }}
    ]
    imports: [
      {{ service: {{ account: SYS, subject: \"{HOW_STORED}\" }} }}
    ]
    exports: [
{exports}    ]
  }}
  {WORKERS} {{
    imports: [
{imports}    ]
    users: [
{users}    ]
  }}
}}
"
        )
    }
}

/// A worker's rights: its calls and their answers.
fn worker(name: &str, key: &NatsKey) -> String {
    let key = &key.user;
    let subjects = CALLS.iter().map(|call| call.of(key)).chain([WHO_AM_I.to_owned()]);
    let subjects: String = subjects.map(|subject| format!("            \"{subject}\"\n")).collect();
    let inbox = inbox(key);
    format!(
        "      # {name}
      {{
        nkey: {key}
        permissions {{
          publish {{ allow: [
{subjects}          ] }}
          subscribe {{ allow: [\"{inbox}.>\"] }}
        }}
      }}
"
    )
}

fn open(path: PathBuf, text: String) -> ClusterFile {
    ClusterFile { path, text, is_secret: false }
}

fn secret(path: PathBuf, text: String) -> ClusterFile {
    ClusterFile { path, text, is_secret: true }
}
