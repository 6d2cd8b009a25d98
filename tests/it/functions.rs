//! Lines of `juror grade` that ask for a function: calls, what they return, and programs that cheat.

use serde_json::{Value, json};

use crate::fixture::Fixture;

fn line(language: &str, source: &str, call: &Value, cases: &[(&str, &str)]) -> Value {
    let cases = cases.iter().map(|(input, answer)| json!({ "input": input, "answer": answer }));
    json!({
        "source": { "text": source, "language": language },
        "call": call,
        "cases": cases.collect::<Vec<_>>(),
    })
}

fn results(lines: &[Value]) -> Vec<Value> {
    results_with(&[], lines)
}

/// The results of lines, in their order.
pub(crate) fn results_with(options: &[&str], lines: &[Value]) -> Vec<Value> {
    let fixture = Fixture::new();
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let mut command = fixture.juror("grade");
    let output =
        command.arg("--ordered").args(options).write_stdin(text).output().expect("juror runs");
    let out = String::from_utf8(output.stdout).expect("text");
    let results = out.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    let results: Vec<Value> = results.collect();
    assert_eq!(results.len(), lines.len(), "{}", String::from_utf8_lossy(&output.stderr));
    results
}

/// The verdict with its cause, or the message of the fault.
fn shown(result: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match &result["error"] {
        Value::Null => {
            format!("{} {}", text(&result["verdict"]), text(&result["cause"])).trim().to_owned()
        }
        error => text(&error["message"]),
    }
}

/// A source, the call, test cases, and how what is shown begins.
type Row<'a> = (&'a str, Value, &'a [(&'a str, &'a str)], &'a str);

fn check(language: &str, rows: &[Row<'_>]) {
    let lines: Vec<Value> =
        rows.iter().map(|(source, call, cases, _)| line(language, source, call, cases)).collect();
    for ((source, .., expected), result) in rows.iter().zip(results(&lines)) {
        let found = shown(&result);
        assert!(found.starts_with(expected), "{source}\n{found}\ninstead of {expected}");
    }
}

const TWO_SUM: &str = "class Solution:
    def twoSum(self, nums: List[int], target: int) -> List[int]:
        seen = {}
        for at, number in enumerate(nums):
            if target - number in seen:
                return seen[target - number], at
            seen[number] = at
";

#[test]
fn what_a_function_returns_is_judged() {
    let function = |name: &str| json!({ "function": name });
    let with = |more: Value| {
        let mut call = json!({ "function": "f" });
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        call
    };
    let lines = json!({ "function": "twoSum", "arguments": "lines" });
    let nodes = "def f(head: Optional[ListNode]) -> Optional[ListNode]:
    first = None
    while head:
        head.next, first, head = first, head, head.next
    return first
";
    let mirror = "def f(root: Optional[TreeNode]):
    if root: root.left, root.right = f(root.right), f(root.left)
    return root
";
    check(
        "python3",
        &[
            (
                TWO_SUM,
                function("twoSum"),
                &[("[[2, 7, 11], 9]", "[0, 1]"), ("[[3, 3], 6]", "[0,1]")],
                "AC",
            ),
            (TWO_SUM, lines, &[("[2, 7, 11]\n9\n", "[0, 1]\n")], "AC"),
            (
                TWO_SUM,
                json!({ "function": "twoSum", "class": "Solution" }),
                &[("[[2, 7], 9]", "[1, 0]")],
                "WA the value differs: expected `1`, got `0`",
            ),
            (
                "def f(a, b):\n    return a + b\n",
                function("f"),
                &[("[1, 2]", "3"), ("[\"x\", \"y\"]", "\"xy\"")],
                "AC",
            ),
            (
                "def f(n):\n    return 10 ** n + 1\n",
                function("f"),
                &[("[30]", "1000000000000000000000000000001")],
                "AC",
            ),
            (
                "def f(n):\n    return 10 ** n\n",
                function("f"),
                &[("[30]", "1000000000000000000000000000001")],
                "WA",
            ),
            (
                "def f(n):\n    return 10 ** n\n",
                function("f"),
                &[("[5000]", &format!("1{}", "0".repeat(5000)))],
                "AC",
            ),
            ("def f():\n    return 0.1 + 0.2\n", function("f"), &[("[]", "0.3")], "WA"),
            (
                "def f():\n    return 0.1 + 0.2\n",
                with(json!({ "tolerance": 1e-9 })),
                &[("[]", "0.3")],
                "AC",
            ),
            (
                "def f():\n    return [3, 1, 2]\n",
                with(json!({ "any_order": true })),
                &[("[]", "[1, 2, 3]")],
                "AC",
            ),
            ("def f():\n    return [3, 1, 2]\n", function("f"), &[("[]", "[1, 2, 3]")], "WA"),
            (
                "def f(x):\n    return x\n",
                function("f"),
                &[("[null]", "null"), ("[{\"a\": [true]}]", "{\"a\": [true]}")],
                "AC",
            ),
            ("def f():\n    pass\n", function("f"), &[("[]", "null")], "AC"),
            (nodes, function("f"), &[("[[1, 2, 3]]", "[3, 2, 1]"), ("[[]]", "[]")], "AC"),
            (
                mirror,
                function("f"),
                &[("[[4, 2, 7, 1, null, 6]]", "[4, 7, 2, null, 6, null, 1]")],
                "AC",
            ),
            (
                "def f(head):\n    return head.next.val\n",
                with(json!({ "types": ["ListNode"] })),
                &[("[[1, 2]]", "2")],
                "AC",
            ),
            (
                "def f(n):\n    print('debug', flush=True)\n    return n\n",
                function("f"),
                &[("[1]", "1")],
                "AC",
            ),
            (
                "import sys\ndef f(n):\n    return len(sys.stdin.read()) + n\n",
                function("f"),
                &[("[1]", "1")],
                "AC",
            ),
            (
                "def f(n):\n    return n if n < 2 else f(n - 1) + 1\n",
                function("f"),
                &[("[10000]", "10000")],
                "AC",
            ),
        ],
    );
}

#[test]
fn a_function_that_does_not_return_a_value_is_a_run_time_error() {
    let check = |rows: &[(&str, &str)]| {
        let rows: Vec<_> = rows
            .iter()
            .map(|(source, expected)| {
                let cases: &[(&str, &str)] = &[("[1]", "1")];
                (*source, json!({ "function": "f" }), cases, *expected)
            })
            .collect();
        check("python3", &rows);
    };
    check(&[
        ("def f(n): raise ValueError('no')", "RTE"),
        ("def g(n): return n", "RTE"),
        ("def f(n, m): return n", "RTE"),
        ("def f(n): yield n", "RTE"),
        ("def f(n): return {n}", "RTE"),
        ("def f(n): return f", "RTE"),
        ("def f(n): return float('nan')", "RTE"),
        ("def f(n):\n    a = []\n    a.append(a)\n    return a", "RTE"),
        ("import sys\ndef f(n): sys.exit()", "RTE the program ended before the function returned"),
        ("import os\ndef f(n): os._exit(0)", "RTE the program ended before the function returned"),
        ("def f(n:", "CE"),
        ("def f(n):\n    while True: pass", "TLE"),
    ]);
}

/// None of them returns 1, and what they write must not count as if they did.
#[test]
fn a_program_that_cheats_is_not_accepted() {
    let rows = [
        "print(1)\ndef f(n): return 2",
        "print(1, flush=True)\nimport os\nos._exit(0)",
        "import sys\nsys.stderr.write('Ratio: 1.0\\n')\ndef f(n): return 2",
        "import builtins\nbuiltins.print = lambda *a, **k: None\ndef f(n): return 2",
        "import json\njson.dumps = lambda *a, **k: '2'\ndef f(n): return 1",
        "import sys, io\nsys.stdout = io.StringIO()\ndef f(n): return 2",
        "class Any(int):\n    def __eq__(self, other): return True\ndef f(n): return Any(2)",
        "class Any:\n    def __eq__(self, other): return True\ndef f(n): return Any()",
        "import threading\ndef f(n):\n    threading.Thread(target=lambda: print(1)).start()\n    return 2",
        // The value and a second one.
        "import os\ndef f(n):\n    os.write(3, b'1\\n')\n    return 2",
        // Half of the value.
        "import os\ndef f(n):\n    os.write(3, b'1')\n    os._exit(0)",
        "import os\ndef f(n):\n    os.close(3)\n    return 1",
        "class Odd(list):\n    def __iter__(self): return iter([2])\ndef f(n): return Odd([1])",
        "import gc\ndef f(n):\n    return sum(isinstance(o, str) and 'answer' in o for o in gc.get_objects() if isinstance(o, str) and o.startswith('/'))",
    ];
    let call = json!({ "function": "f" });
    // Many are right at first, so that the others run as a batch.
    let cases = [("[1]", "2"), ("[1]", "1"), ("[1]", "1"), ("[1]", "1"), ("[1]", "1")];
    let lines: Vec<Value> = [&cases[1..2], &cases[..]]
        .iter()
        .flat_map(|cases| rows.iter().map(|source| line("python3", source, &call, cases)))
        .collect();
    let (batched, fresh) = (results(&lines), results_with(&["--fresh"], &lines));
    for ((source, result), fresh) in rows.iter().cycle().zip(&batched).zip(&fresh) {
        let verdict = result["verdict"].as_str();
        assert!(matches!(verdict, Some("WA" | "RTE")), "{source}\n{result}");
        for key in ["verdict", "test_case", "passed"] {
            assert_eq!(result[key], fresh[key], "{source}\n{result}\n{fresh}");
        }
    }
}

#[test]
fn a_line_that_cannot_be_called_says_why() {
    let good = "def f(n): return n";
    let call = |call: Value, cases: &[(&str, &str)]| line("python3", good, &call, cases);
    let one: &[(&str, &str)] = &[("[1]", "1")];
    let with = |key: &str, value: Value| {
        let mut line = call(json!({ "function": "f" }), one);
        line[key] = value;
        line
    };
    let without_call = |key: &str, value: &str| {
        let mut line = with(key, json!(value));
        line.as_object_mut().unwrap().remove("call");
        line
    };
    let rows = [
        (call(json!({ "function": "f()" }), one), "`/call/function`: `f()` is not a name"),
        (call(json!({ "function": "" }), one), "`/call/function`: `` is not a name"),
        (
            call(json!({ "function": "f", "class": "a b" }), one),
            "`/call/class`: `a b` is not a name",
        ),
        (
            call(json!({ "function": "f", "tolerance": -1 }), one),
            "`/call/tolerance`: the error `-1e0` of `json` is negative",
        ),
        (
            call(json!({ "function": "f" }), &[("1", "1")]),
            "`/cases/0/input`: is not a JSON list of arguments",
        ),
        (
            call(json!({ "function": "f" }), &[("[1]", "1"), ("[1]", "one")]),
            "`/cases/1/answer`: is not a JSON value",
        ),
        (
            call(json!({ "function": "f" }), &[("[1]", "NaN")]),
            "`/cases/0/answer`: is not a JSON value",
        ),
        (
            call(json!({ "function": "f", "arguments": "lines" }), &[("1\nx", "1")]),
            "`/cases/0/input`: has a line that is not a JSON value",
        ),
        (with("compare", json!("words")), "has both `/call` and `/compare`"),
        (
            with("source", json!({ "text": "f() {}", "language": "bash" })),
            "juror calls no functions in Bash",
        ),
        (without_call("fn_name", "twoSum"), "`/fn_name` asks for a function: `twoSum`"),
        (
            without_call("starter_code", "class Solution:\n    def add(self, a):\n"),
            "`/starter_code` asks for a function: `class Solution:`",
        ),
    ];
    let lines: Vec<Value> = rows.iter().map(|(line, _)| line.clone()).collect();
    let found = results(&lines);
    for ((_, expected), result) in rows.iter().zip(&found) {
        assert!(shown(result).starts_with(expected), "{result}\ninstead of {expected}");
    }
    let help = |at: usize| found[at]["error"]["help"].as_str().unwrap_or_default().to_owned();
    assert!(help(10).starts_with(r#"add "call": {"function": "twoSum", "arguments": "json"}"#));
    assert!(help(11).starts_with(r#"add "call": {"function": "add", "arguments": "json"}"#));
}

#[test]
fn functions_in_cpp_are_called_by_their_types() {
    let function = |name: &str| json!({ "function": name });
    let two_sum = "class Solution {
public:
    vector<int> twoSum(vector<int>& nums, int target) {
        cout << \"debug\" << endl;
        unordered_map<int, int> seen;
        for (int at = 0; at < nums.size(); at++) {
            if (seen.count(target - nums[at])) return {seen[target - nums[at]], at};
            seen[nums[at]] = at;
        }
        return {};
    }
};
";
    let others = "#include <bits/stdc++.h>
#define int long long
struct Solution {
    TreeNode* mirror(TreeNode* root) {
        if (root) swap(root->left, root->right), mirror(root->left), mirror(root->right);
        return root;
    }
    ListNode* reversed(ListNode* head) {
        ListNode* first = nullptr;
        while (head) swap(head->next, first), swap(head, first);
        return first;
    }
    vector<vector<string>> texts(const vector<string>& all, char letter, bool is, double real, int number) {
        return {all, {string(1, letter), is ? \"yes\" : \"no\", to_string(number), to_string(real)}};
    }
    double half(double number) const { return number / 2; }
    vector<bool> marks(vector<vector<char>> grid) { return {grid[0][0] == 'x', grid.size() == 2}; }
    map<string, int> lengths(vector<string> all) {
        map<string, int> found;
        for (auto& text : all) found[text] = text.size();
        return found;
    }
    void nothing(int) {}
};
";
    let lines = json!({ "function": "mirror", "arguments": "lines" });
    let texts = "[[\"a\\n\", \"\\u00e9\\ud83d\\ude00\"], \"z\", true, 0.5, -9007199254740993]";
    let texts_answer =
        "[[\"a\\n\", \"\u{e9}\u{1f600}\"], [\"z\", \"yes\", \"-9007199254740993\", \"0.500000\"]]";
    check(
        "cpp",
        &[
            (
                two_sum,
                function("twoSum"),
                &[("[[2, 7, 11], 9]", "[0, 1]"), ("[[3, 3], 6]", "[0,1]")],
                "AC",
            ),
            (
                two_sum,
                function("twoSum"),
                &[("[[2, 7, 11], 9]", "[1, 0]")],
                "WA the value differs: expected `1`, got `0`",
            ),
            (
                others,
                lines,
                &[("[4, 2, 7, 1, null, 6]", "[4, 7, 2, null, 6, null, 1]"), ("[]", "[]")],
                "AC",
            ),
            (others, function("reversed"), &[("[[1, 2, 3]]", "[3, 2, 1]"), ("[[]]", "[]")], "AC"),
            (others, function("texts"), &[(texts, texts_answer)], "AC"),
            (others, function("half"), &[("[3]", "1.5")], "AC"),
            (others, function("marks"), &[("[[[\"x\"], [\"y\"]]]", "[true, true]")], "AC"),
            (others, function("lengths"), &[("[[\"ab\", \"c\"]]", "{\"c\": 1, \"ab\": 2}")], "AC"),
            (others, function("nothing"), &[("[1]", "null")], "AC"),
            (
                "int add(int a, const string& b) { return a + b.size(); }",
                function("add"),
                &[("[3, \"ab\"]", "5")],
                "AC",
            ),
            ("int add(int a) { return a; }", function("add"), &[("[1.5]", "1")], "RTE"),
            ("int add(int a) { return a; }", function("sub"), &[("[1]", "1")], "CE"),
            (
                "int add(int a) { exit(0); }",
                function("add"),
                &[("[1]", "1")],
                "RTE the program ended before the function returned",
            ),
        ],
    );
}

#[test]
fn methods_in_java_are_called_by_their_types() {
    if !crate::builds::has_tool("javac") {
        return;
    }
    let function = |name: &str| json!({ "function": name });
    let source = "class Solution {
    public int[] twoSum(int[] nums, int target) {
        System.out.println(\"debug\");
        Map<Integer, Integer> seen = new HashMap<>();
        for (int at = 0; at < nums.length; at++) {
            if (seen.containsKey(target - nums[at])) return new int[] {seen.get(target - nums[at]), at};
            seen.put(nums[at], at);
        }
        return null;
    }
    TreeNode mirror(TreeNode root) {
        if (root == null) return null;
        TreeNode left = root.left;
        root.left = mirror(root.right);
        root.right = mirror(left);
        return root;
    }
    ListNode joined(ListNode[] all) {
        ListNode first = null;
        for (ListNode node : all) for (; node != null; node = node.next) first = new ListNode(node.val, first);
        return first;
    }
    List<List<String>> texts(List<String> all, char letter, boolean is, double real, long number) {
        return List.of(all, List.of(letter + \"\", is + \"\", real + \"\", number + \"\"));
    }
    int fails(int n) { throw new IllegalStateException(); }
    int ends(int n) { System.exit(0); return n; }
}
";
    let texts = "[[\"a\\n\", \"\\u00e9\\ud83d\\ude00\"], \"z\", true, 0.5, -9007199254740993]";
    let texts_answer =
        "[[\"a\\n\", \"\u{e9}\u{1f600}\"], [\"z\", \"true\", \"0.5\", \"-9007199254740993\"]]";
    let lines = json!({ "function": "mirror", "class": "Solution", "arguments": "lines" });
    check(
        "java",
        &[
            (
                source,
                function("twoSum"),
                &[("[[2, 7, 11], 9]", "[0, 1]"), ("[[1], 6]", "null")],
                "AC",
            ),
            (
                source,
                lines,
                &[("[4, 2, 7, 1, null, 6]", "[4, 7, 2, null, 6, null, 1]"), ("[]", "[]")],
                "AC",
            ),
            (source, function("joined"), &[("[[[1, 4], [], [2]]]", "[2, 4, 1]")], "AC"),
            (source, function("texts"), &[(texts, texts_answer)], "AC"),
            (source, function("fails"), &[("[1]", "1")], "RTE"),
            (source, function("missing"), &[("[1]", "1")], "RTE"),
            (
                source,
                function("ends"),
                &[("[1]", "1")],
                "RTE the program ended before the function returned",
            ),
        ],
    );
}

/// Each row: a source, the test, what is shown, and whether the program could have forged it.
#[test]
fn asserts_are_taken_apart_or_run() {
    let check = "def check(candidate):\n    assert candidate(1, (2,)) == (1, 2)\n    assert candidate(2, ()) == (2,)\n";
    let near = "import math\ndef check(candidate):\n    assert abs(candidate(2) - math.sqrt(2)) < 1e-6\n    assert True\n";
    let pair = "def f(a, b): return (a,) + b";
    let add = json!(["assert add(1, 2) == 3", "assert add([1], [2]) == [1, 2]"]);
    let rows: [(&str, Value, &str, bool); 13] = [
        ("def add(a, b): return a + b", add.clone(), "AC", false),
        (
            "def add(a, b): return 3",
            add.clone(),
            "WA the value differs: expected `[1,2]`, got `3`",
            false,
        ),
        ("def sub(a, b): return 3", add, "RTE", false),
        (pair, json!(check), "AC", false),
        // A list is no tuple.
        ("def f(a, b): return [a, *b]", json!(check), "WA the value differs", false),
        (
            "import collections\ndef f(a, b): return collections.OrderedDict(a=b)",
            json!("assert f(1, 2) == {'a': 2}"),
            "AC",
            false,
        ),
        ("def f(): return {1: 2}", json!("assert f() == {'a': 2}"), "WA", false),
        ("def f(): return float('nan')", json!("assert f() == 1"), "WA", false),
        ("def f(n): return n ** 0.5", json!(near), "AC", true),
        ("def f(n): return n", json!(near), "WA", true),
        ("def f(n): return g(n)", json!(near), "RTE", true),
        (
            "import os\ndef f(n): os._exit(0)",
            json!(near),
            "RTE the program ended before the function returned",
            true,
        ),
        (
            "def f(n): raise SystemExit",
            json!(near),
            "RTE the program ended before the function returned",
            true,
        ),
    ];
    let lines: Vec<Value> = rows
        .iter()
        .map(|(source, test, ..)| {
            let source = json!({ "text": source, "language": "python3" });
            json!({ "source": source, "asserts": { "test": test, "function": "f" } })
        })
        .collect();
    for ((source, test, expected, forgeable), result) in rows.iter().zip(results(&lines)) {
        let found = shown(&result);
        assert!(found.starts_with(expected), "{source}\n{test}\n{result}\ninstead of {expected}");
        assert_eq!(result["forgeable"], *forgeable, "{source}\n{test}");
    }
}
