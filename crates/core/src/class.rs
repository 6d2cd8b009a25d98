//! The class whose submissions were judged: who handed in what.

use serde::{Deserialize, Serialize};

/// A folder with the work of several students.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Class {
    /// The folder, as the user wrote it.
    pub folder: String,
    /// The name of the form in which it was downloaded, such as `moodle`; `plain` if none was recognised.
    pub form: String,
    /// Files that all students got from the teacher. They are nobody's own work.
    pub template: Vec<String>,
    /// In the order of judging.
    pub students: Vec<Student>,
}

/// A student, with or without a program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Student {
    pub name: String,
    /// The number by which the learning platform knows the student or the submission.
    pub number: Option<String>,
    /// Whether the work was handed in after the deadline, if the form says so.
    pub late: bool,
    /// The names of the student's submissions. A student without a program has one, too.
    pub submissions: Vec<String>,
}
