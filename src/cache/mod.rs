//! The results of earlier runs, so that these need not be repeated.

pub mod cached;
mod fact;
mod headers;
mod holds;
mod key;
pub mod knowledge;
pub mod result_cache;
pub mod store;
mod surroundings;
#[cfg(test)]
mod tests;
