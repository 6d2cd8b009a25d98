//! Hunts an input on which a submission fails, and makes it small.
