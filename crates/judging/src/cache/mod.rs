//! The results of earlier runs, so that these need not be repeated.

pub mod cached;
mod key;
pub mod knowledge;
mod record;
pub mod result_cache;
mod reuse;
pub mod store;
pub mod surroundings;
#[cfg(test)]
mod tests;
