//! The languages that support mutants: the grammar of each, and the roles of its kinds of nodes.

use crate::mutate::syntax::Role::*;

/// The role of a node, the same in all languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Argument,
    Assign,
    Augment,
    Binary,
    Block,
    Break,
    Call,
    Continue,
    Declaration,
    Element,
    Expression,
    Function,
    If,
    Index,
    Integer,
    Lambda,
    Loop,
    Macro,
    Name,
    Range,
    Return,
    /// Nothing below this node is changed.
    Skip,
    Ternary,
    Text,
    Tokens,
    Type,
    Unary,
    Update,
}

/// The syntax of a language.
#[derive(Debug)]
pub(super) struct Syntax {
    /// The codes of juror's languages with this syntax.
    pub codes: &'static [&'static str],
    /// Its grammar.
    pub grammar: fn() -> tree_sitter::Language,
    /// The kinds of nodes with each role.
    pub roles: &'static [(Role, &'static [&'static str])],
    /// The text that replaces an omitted statement.
    pub nothing: &'static str,
    /// The prefix that negates a condition.
    pub not: &'static str,
    /// The constants true and false.
    pub constants: [&'static str; 2],
    /// Types, and for each the narrower types that can replace it without further changes.
    pub types: &'static [(&'static str, &'static [&'static str])],
    /// Expressions that narrow a value, with `{}` for the value.
    pub casts: &'static [&'static str],
    /// An expression that rounds a number to a float of 32 bits, with `{}` for the number, if there is one.
    pub rounded: Option<&'static str>,
    /// The keyword before a declaration that keeps its value for the next iteration.
    pub kept: Option<&'static str>,
    /// Whether indentation marks blocks.
    pub is_by_indent: bool,
}

const CPP_TYPES: &[(&str, &[&str])] = &[
    ("long long int", &["int", "short", "unsigned char", "float"]),
    ("long long", &["int", "short", "unsigned char", "float"]),
    ("unsigned long long", &["unsigned", "unsigned short", "unsigned char", "float"]),
    ("long", &["int", "short", "unsigned char", "float"]),
    ("unsigned", &["unsigned short", "unsigned char"]),
    ("unsigned int", &["unsigned short", "unsigned char"]),
    ("int", &["short", "unsigned char", "unsigned", "float"]),
    ("short", &["unsigned char"]),
    ("size_t", &["int", "unsigned short", "unsigned char"]),
    ("int64_t", &["int", "short", "unsigned char", "float"]),
    ("uint64_t", &["unsigned", "unsigned short", "unsigned char"]),
    ("int32_t", &["short", "unsigned char", "unsigned", "float"]),
    ("uint32_t", &["unsigned short", "unsigned char"]),
    ("__int128", &["long long", "int"]),
    ("double", &["float", "int"]),
    ("long double", &["float"]),
];

/// All syntaxes.
pub(super) static SYNTAXES: [Syntax; 4] = [
    Syntax {
        codes: &["c", "cgmp", "cpp", "cppgmp"],
        grammar: || tree_sitter_cpp::LANGUAGE.into(),
        roles: &[
            (Argument, &["argument_list"]),
            (Assign, &["assignment_expression"]),
            (Binary, &["binary_expression"]),
            (Block, &["compound_statement"]),
            (Break, &["break_statement"]),
            (Call, &["call_expression"]),
            (Continue, &["continue_statement"]),
            (Declaration, &["declaration"]),
            (Element, &["initializer_list"]),
            (Expression, &["expression_statement"]),
            (Function, &["function_definition"]),
            (If, &["if_statement"]),
            (Index, &["subscript_expression"]),
            (Integer, &["number_literal"]),
            (Lambda, &["lambda_expression"]),
            (Loop, &["for_statement", "while_statement", "do_statement", "for_range_loop"]),
            (Name, &["identifier", "field_identifier", "type_identifier"]),
            (Return, &["return_statement"]),
            (
                Skip,
                &[
                    "comment",
                    "preproc_include",
                    "preproc_call",
                    "preproc_function_def",
                    "static_assert_declaration",
                    "using_declaration",
                    "attribute_declaration",
                    "asm_statement",
                    "gnu_asm_expression",
                ],
            ),
            (Ternary, &["conditional_expression"]),
            (
                Text,
                &["string_literal", "char_literal", "raw_string_literal", "concatenated_string"],
            ),
            (Type, &["primitive_type", "sized_type_specifier", "type_identifier"]),
            (Unary, &["unary_expression", "pointer_expression"]),
            (Update, &["update_expression"]),
        ],
        nothing: ";",
        not: "!",
        constants: ["1", "0"],
        types: CPP_TYPES,
        casts: &[],
        rounded: Some("(float) ({})"),
        kept: Some("static"),
        is_by_indent: false,
    },
    Syntax {
        codes: &["rust"],
        grammar: || tree_sitter_rust::LANGUAGE.into(),
        roles: &[
            (Argument, &["arguments"]),
            (Assign, &["assignment_expression"]),
            (Augment, &["compound_assignment_expr"]),
            (Binary, &["binary_expression"]),
            (Block, &["block"]),
            (Break, &["break_expression"]),
            (Call, &["call_expression"]),
            (Continue, &["continue_expression"]),
            (Declaration, &["let_declaration"]),
            (Element, &["array_expression", "tuple_expression"]),
            (Expression, &["expression_statement"]),
            (Function, &["function_item"]),
            (If, &["if_expression"]),
            (Index, &["index_expression"]),
            (Integer, &["integer_literal"]),
            (Lambda, &["closure_expression"]),
            (Loop, &["for_expression", "while_expression", "loop_expression"]),
            (Macro, &["macro_invocation"]),
            (Name, &["identifier", "field_identifier"]),
            (Range, &["range_expression"]),
            (Return, &["return_expression"]),
            (
                Skip,
                &[
                    "line_comment",
                    "block_comment",
                    "use_declaration",
                    "attribute_item",
                    "inner_attribute_item",
                    "macro_definition",
                    "extern_crate_declaration",
                ],
            ),
            (Text, &["string_literal", "char_literal", "raw_string_literal"]),
            (Tokens, &["token_tree"]),
            (Type, &["primitive_type"]),
            (Unary, &["unary_expression"]),
        ],
        nothing: "",
        not: "!",
        constants: ["true", "false"],
        types: &[("f64", &["f32"])],
        casts: &["({}) as i32 as _", "({}) as i16 as _", "({}) as u8 as _", "({}) as f32 as _"],
        rounded: Some("(({}) as f32)"),
        kept: None,
        is_by_indent: false,
    },
    Syntax {
        codes: &["python3", "python2"],
        grammar: || tree_sitter_python::LANGUAGE.into(),
        roles: &[
            (Argument, &["argument_list"]),
            (Assign, &["assignment"]),
            (Augment, &["augmented_assignment"]),
            (Binary, &["binary_operator", "comparison_operator", "boolean_operator"]),
            (Block, &["block", "module"]),
            (Break, &["break_statement"]),
            (Call, &["call"]),
            (Continue, &["continue_statement"]),
            (Element, &["tuple", "list", "expression_list"]),
            (Expression, &["expression_statement"]),
            (Function, &["function_definition"]),
            (If, &["if_statement", "elif_clause"]),
            (Index, &["subscript"]),
            (Integer, &["integer"]),
            (Lambda, &["lambda"]),
            (Loop, &["for_statement", "while_statement"]),
            (Name, &["identifier"]),
            (Return, &["return_statement"]),
            (
                Skip,
                &[
                    "comment",
                    "import_statement",
                    "import_from_statement",
                    "future_import_statement",
                    "assert_statement",
                    "decorator",
                    "type",
                ],
            ),
            (Ternary, &["conditional_expression"]),
            (Text, &["string", "concatenated_string"]),
            (Unary, &["unary_operator", "not_operator"]),
        ],
        nothing: "pass",
        not: "not ",
        constants: ["True", "False"],
        types: &[],
        casts: &["(({}) + 2**31) % 2**32 - 2**31", "(({}) + 2**15) % 2**16 - 2**15", "({}) % 256"],
        rounded: None,
        kept: None,
        is_by_indent: true,
    },
    Syntax {
        codes: &["java"],
        grammar: || tree_sitter_java::LANGUAGE.into(),
        roles: &[
            (Argument, &["argument_list"]),
            (Assign, &["assignment_expression"]),
            (Binary, &["binary_expression"]),
            (Block, &["block", "constructor_body"]),
            (Break, &["break_statement"]),
            (Call, &["method_invocation"]),
            (Continue, &["continue_statement"]),
            (Declaration, &["local_variable_declaration"]),
            (Element, &["array_initializer"]),
            (Expression, &["expression_statement"]),
            (Function, &["method_declaration"]),
            (If, &["if_statement"]),
            (Index, &["array_access"]),
            (Integer, &["decimal_integer_literal"]),
            (Lambda, &["lambda_expression"]),
            (Loop, &["for_statement", "while_statement", "do_statement", "enhanced_for_statement"]),
            (Name, &["identifier"]),
            (Return, &["return_statement"]),
            (
                Skip,
                &[
                    "line_comment",
                    "block_comment",
                    "import_declaration",
                    "package_declaration",
                    "assert_statement",
                    "marker_annotation",
                    "annotation",
                ],
            ),
            (Ternary, &["ternary_expression"]),
            (Text, &["string_literal", "character_literal"]),
            (Type, &["integral_type", "floating_point_type"]),
            (Unary, &["unary_expression"]),
            (Update, &["update_expression"]),
        ],
        nothing: ";",
        not: "!",
        constants: ["(1 > 0)", "(0 > 1)"],
        types: &[("long", &["int"]), ("double", &["float"])],
        casts: &["(int) ({})", "(short) ({})", "(char) ({})", "(byte) ({})", "(int) (float) ({})"],
        rounded: Some("(float) ({})"),
        kept: None,
        is_by_indent: false,
    },
];

impl Syntax {
    /// The syntax of juror's language with this code.
    pub(super) fn of(code: &str) -> Option<&'static Self> {
        SYNTAXES.iter().find(|syntax| syntax.codes.contains(&code))
    }

    /// Whether a kind of node has this role.
    pub(super) fn is(&self, kind: &str, role: Role) -> bool {
        self.roles.iter().any(|(it, kinds)| *it == role && kinds.contains(&kind))
    }
}
