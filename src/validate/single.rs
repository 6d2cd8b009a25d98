//! Input validators on an input that is in no file, as often as somebody asks.

use std::sync::Arc;

use crate::executor::RunError;
use crate::model::diagnostic::Diagnostic;
use crate::model::job::Input;
use crate::validate::programs::{Opinion, Question, Validator, ask, build};
use crate::validate::{Proof, Proving};

