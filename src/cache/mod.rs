//! What is known of earlier runs, so that they need not be repeated.

mod beyond;
pub mod cached;
mod fact;
mod holds;
mod key;
pub mod store;
mod surroundings;
pub mod tools;
#[cfg(test)]
mod tests;
