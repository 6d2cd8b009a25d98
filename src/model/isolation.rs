//! How far a program is kept apart from the machine, and how far it has to be.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::words::words;

/// What keeps a program apart from the machine, the strongest first.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Isolation {
    /// Namespaces made with root's rights.
    Namespaces,
    /// Namespaces within a user namespace, which needs no rights.
    UserNamespaces,
    /// Landlock, a filter of system calls and resource limits; no namespaces.
    Landlock,
    /// Nothing: limits and measurements alone.
    Plain,
}

impl Isolation {
    /// All, the strongest first.
    pub const ALL: [Self; 4] =
        [Self::Namespaces, Self::UserNamespaces, Self::Landlock, Self::Plain];

    /// Those that keep programs apart at all, the strongest first.
    pub const APART: [Self; 3] = [Self::Namespaces, Self::UserNamespaces, Self::Landlock];

    /// Whether nothing of the machine can be seen or reached: whether there are namespaces.
    pub const fn is_full(self) -> bool {
        match self {
            Self::Namespaces | Self::UserNamespaces => true,
            Self::Landlock | Self::Plain => false,
        }
    }

    /// A word for programs, such as `user-namespaces`.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Namespaces => "namespaces",
            Self::UserNamespaces => "user-namespaces",
            Self::Landlock => "landlock",
            Self::Plain => "plain",
        }
    }
}

impl fmt::Display for Isolation {
    /// Such as `user namespaces`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Namespaces => "namespaces",
            Self::UserNamespaces => "user namespaces",
            Self::Landlock => "landlock, no namespaces",
            Self::Plain => "plain, no isolation",
        })
    }
}

words! {
    /// How far programs have to be kept apart.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Demand {
        /// By namespaces, or nothing runs.
        Full = "full",
        /// By the best that the machine allows; less than namespaces is said aloud.
        #[default]
        Any = "any",
        /// By nothing, also if the machine allows more.
        Plain = "plain",
    }
}

impl Demand {
    /// Whether this is enough.
    pub const fn is_met_by(self, isolation: Isolation) -> bool {
        match self {
            Self::Full => isolation.is_full(),
            Self::Any => true,
            Self::Plain => matches!(isolation, Isolation::Plain),
        }
    }
}
