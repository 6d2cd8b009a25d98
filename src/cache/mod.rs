//! What is known of earlier runs, so that they need not be repeated.

pub mod store;
