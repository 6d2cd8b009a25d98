//! Public data sets by name: a map and defaults for each.
//!
//! Time limits are those of the graders that the sets come with, if the sets have none.
//!
//! Sources: LiveCodeBench/LiveCodeBench, hendrycks/apps, FlagOpen/TACO, google-deepmind/code_contests, the cards of
//! ByteDance-Seed/Code-Contests-Plus and open-r1/codeforces, openai/human-eval, google-research/mbpp.

/// Lines as `to_json` of the set's library writes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataSet {
    pub name: &'static str,
    /// As `--map`; the keys of `COMMON` are added.
    pub(super) map: &'static str,
    /// As `--defaults`.
    pub(super) defaults: &'static str,
}

/// What all have.
pub(super) const COMMON: &str = r#"{"id": "/id", "sample": "/sample", "source": {"text": "/completion", "language": "/language"}}"#;

const PYTHON_4_S: &str = r#"{"source": {"language": "python3"}, "limits": {"time": 4}, "compare": "float=1e-5,integers=exact"}"#;

const DATA_SETS: [DataSet; 8] = [
    DataSet {
        name: "livecodebench",
        map: r#"{"problem": "/question_id", "call": {"function": "/metadata/func_name", "arguments": "=lines"}, "cases": [
            {"each": "/public_test_cases", "input": "/input", "answer": "/output"},
            {"each": "/private_test_cases", "input": "/input", "answer": "/output"}]}"#,
        defaults: r#"{"source": {"language": "python3"}, "limits": {"time": 6}, "compare": "float=0,integers=exact"}"#,
    },
    DataSet {
        name: "apps",
        map: r#"{"problem": "/problem_id", "call": {"function": "/input_output/fn_name", "arguments": "=values", "boxed": true},
            "cases": {"input": "/input_output/inputs", "answer": "/input_output/outputs"}}"#,
        defaults: PYTHON_4_S,
    },
    DataSet {
        name: "taco",
        map: r#"{"problem": "/task_id", "call": {"function": "/input_output/fn_name", "arguments": "=values", "boxed": true},
            "cases": {"input": "/input_output/inputs", "answer": "/input_output/outputs"}}"#,
        defaults: PYTHON_4_S,
    },
    DataSet {
        name: "code-contests",
        map: r#"{"problem": "/name", "limits": {"time": "/time_limit", "memory_bytes": "/memory_limit_bytes"}, "cases": [
            {"input": "/public_tests/input", "answer": "/public_tests/output"},
            {"input": "/private_tests/input", "answer": "/private_tests/output"},
            {"input": "/generated_tests/input", "answer": "/generated_tests/output"}]}"#,
        defaults: "{}",
    },
    DataSet {
        name: "code-contests-plus",
        map: r#"{"problem": "/id", "limits": {"time_ms": "/time_limit", "memory": "/memory_limit"},
            "compare": {"checker": {"text": "/checker", "language": "=cpp", "protocol": "=testlib"}},
            "cases": {"each": "/test_cases", "input": "/input", "answer": "/output"}}"#,
        defaults: "{}",
    },
    DataSet {
        name: "open-r1-codeforces",
        map: r#"{"problem": "/id", "limits": {"time": "/time_limit", "memory": "/memory_limit"},
            "compare": {"checker": {"text": "/generated_checker", "language": "=python3", "protocol": "=open-r1"}},
            "cases": {"each": "/official_tests", "input": "/input", "answer": "/output"}}"#,
        defaults: "{}",
    },
    DataSet {
        name: "humaneval",
        map: r#"{"problem": "/task_id", "asserts": {"test": "/test", "function": "/entry_point"},
            "source": {"prompt": "/prompt", "text": "/completion", "language": "/language"}}"#,
        defaults: r#"{"source": {"language": "python3"}, "limits": {"time": 3}}"#,
    },
    DataSet {
        name: "mbpp",
        map: r#"{"problem": "/task_id", "asserts": {"test": ["/test_imports", "/test_setup_code", "/test_list"]}}"#,
        defaults: r#"{"source": {"language": "python3"}, "limits": {"time": 3}}"#,
    },
];

pub fn names() -> impl Iterator<Item = &'static str> {
    DATA_SETS.iter().map(|set| set.name)
}

pub fn find(name: &str) -> Option<&'static DataSet> {
    DATA_SETS.iter().find(|set| set.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grade::settings::LineSettings;

    #[test]
    fn each_data_set_has_a_map_and_defaults() {
        for name in names() {
            let settings = find(name).map(|set| LineSettings::default().with_data_set(set));
            let settings = settings.expect(name).expect(name);
            assert_ne!(settings.problem_pointer(), "/problem", "{name}");
        }
    }
}
