//! Whose key it is. A server never answers what a key has no right to ask, so this is asked first.

use serde_json::Value;

use crate::nats::link::NatsLink;
use juror_core::cluster::{WHO_AM_I, WORKERS_ACCOUNT};

/// Whether the link has a worker's key. False if the server does not say.
pub fn is_workers_link(link: &NatsLink) -> bool {
    let told = link.ask_once(WHO_AM_I, b"");
    let told = told.and_then(|it| serde_json::from_slice::<Value>(&it.payload).ok());
    told.is_some_and(|it| is_of_worker(&it["data"]))
}

/// Whether these rights are a worker's: it may not publish everywhere.
pub fn is_of_worker(me: &Value) -> bool {
    me["account"] == WORKERS_ACCOUNT || me["permissions"]["publish"]["allow"].is_array()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rights_tell_who_it_is() {
        let check = |me: Value, expected| assert_eq!(is_of_worker(&me), expected, "{me}");
        check(json!({ "account": "JUROR" }), false);
        check(Value::Null, false);
        check(json!({ "account": "WORKERS" }), true);
        check(
            json!({ "account": "OTHER", "permissions": { "publish": { "allow": ["res.>"] } } }),
            true,
        );
    }
}
