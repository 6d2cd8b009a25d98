//! How well a program is isolated from the machine, and how well it must be.

use serde::{Deserialize, Serialize};

use crate::words::words;

words! {
    /// What keeps a program apart from the machine, the strongest first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    #[derive(Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(rename_all = "kebab-case")]
    pub enum Isolation {
        /// Namespaces made with root's rights.
        Namespaces = "namespaces",
        /// Namespaces within a user namespace, which needs no rights.
        UserNamespaces = "user namespaces",
        /// Landlock, a filter of system calls and resource limits; no namespaces.
        Landlock = "landlock, no namespaces",
        /// Nothing: limits and measurements alone.
        Plain = "plain, no isolation",
    }
}

impl Isolation {
    /// The methods that isolate, the strongest first.
    pub const ISOLATING: [Self; 3] = [Self::Namespaces, Self::UserNamespaces, Self::Landlock];

    /// Whether there are namespaces, so that programs see and reach nothing of the machine.
    pub const fn is_full(self) -> bool {
        match self {
            Self::Namespaces | Self::UserNamespaces => true,
            Self::Landlock | Self::Plain => false,
        }
    }
}

words! {
    /// How well programs must be isolated.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum RequiredIsolation {
        /// By namespaces; otherwise nothing runs.
        Full = "full",
        /// As well as the machine allows; a warning is shown if that is less than namespaces.
        #[default]
        Any = "any",
        /// Not at all, even if the machine allows more.
        Plain = "plain",
    }
}

impl RequiredIsolation {
    pub const fn is_met_by(self, isolation: Isolation) -> bool {
        match self {
            Self::Full => isolation.is_full(),
            Self::Any => true,
            Self::Plain => matches!(isolation, Isolation::Plain),
        }
    }
}
