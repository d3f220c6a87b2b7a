"""The languages that are cut by a parser: the suffixes of their files, and which nodes of their grammars define what.

The names of nodes are those of each grammar's `node-types.json`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Language:
    """One language.

    Attributes:
        module: The package that holds its grammar.
        definitions: Types of nodes that define something, each with the field that holds the name.
        containers: Those among them that hold other definitions: their members are passages of their own.
        wrappers: Types of nodes around a definition, such as one with decorators.
        grammar: The function of `module` that gives the grammar.
    """

    module: str
    definitions: Mapping[str, str]
    containers: frozenset[str]
    wrappers: frozenset[str] = field(default_factory=frozenset)
    grammar: str = "language"


def _named(*types: str, **others: str) -> dict[str, str]:
    return {**dict.fromkeys(types, "name"), **others}


_C_SPECIFIERS = ("struct_specifier", "union_specifier", "enum_specifier")
_C_DEFINITIONS = _named(
    *_C_SPECIFIERS, "preproc_function_def", function_definition="declarator", type_definition="declarator"
)
_SCRIPT_DEFINITIONS = _named(
    *("function_declaration", "generator_function_declaration", "class_declaration", "class", "method_definition"),
    *("variable_declarator", "abstract_class_declaration", "interface_declaration", "type_alias_declaration"),
    *("enum_declaration", "internal_module", "module", "public_field_definition", "function_signature"),
    field_definition="property",
    pair="key",
    assignment_expression="left",
)
_SCRIPT_CONTAINERS = frozenset(
    ("class_declaration", "class", "abstract_class_declaration", "interface_declaration", "internal_module", "module")
)
_SCRIPT_WRAPPERS = frozenset(
    ("export_statement", "lexical_declaration", "variable_declaration", "expression_statement", "ambient_declaration")
)
_JAVA_CONTAINERS = ("class_declaration", "interface_declaration", "enum_declaration", "record_declaration")
_SHARP_CONTAINERS = (*_JAVA_CONTAINERS, "struct_declaration", "namespace_declaration")
_PHP_CONTAINERS = ("class_declaration", "interface_declaration", "trait_declaration", "enum_declaration")
_CPP_CONTAINERS = ("class_specifier", "struct_specifier", "union_specifier", "namespace_definition")

LANGUAGES: Mapping[str, Language] = {
    "bash": Language("tree_sitter_bash", _named("function_definition"), frozenset()),
    "c": Language("tree_sitter_c", _C_DEFINITIONS, frozenset(), frozenset({"declaration"})),
    "c-sharp": Language(
        "tree_sitter_c_sharp",
        _named(
            *_SHARP_CONTAINERS,
            *("method_declaration", "constructor_declaration", "destructor_declaration", "property_declaration"),
            *("delegate_declaration", "local_function_statement"),
        ),
        frozenset(_SHARP_CONTAINERS),
    ),
    "cpp": Language(
        "tree_sitter_cpp",
        {**_C_DEFINITIONS, **_named(*_CPP_CONTAINERS, "concept_definition")},
        frozenset(_CPP_CONTAINERS),
        frozenset({"declaration", "template_declaration"}),
    ),
    "go": Language(
        "tree_sitter_go",
        _named("function_declaration", "method_declaration", "type_spec", "type_alias"),
        frozenset(),
        frozenset({"type_declaration"}),
    ),
    "java": Language(
        "tree_sitter_java",
        _named(
            *_JAVA_CONTAINERS,
            *("annotation_type_declaration", "method_declaration", "constructor_declaration"),
            "compact_constructor_declaration",
        ),
        frozenset(_JAVA_CONTAINERS),
    ),
    "javascript": Language("tree_sitter_javascript", _SCRIPT_DEFINITIONS, _SCRIPT_CONTAINERS, _SCRIPT_WRAPPERS),
    "php": Language(
        "tree_sitter_php",
        _named(*_PHP_CONTAINERS, "function_definition", "method_declaration"),
        frozenset(_PHP_CONTAINERS),
        grammar="language_php",
    ),
    "python": Language(
        "tree_sitter_python",
        _named("function_definition", "class_definition"),
        frozenset({"class_definition"}),
        frozenset({"decorated_definition"}),
    ),
    "ruby": Language(
        "tree_sitter_ruby",
        _named("method", "singleton_method", "class", "module"),
        frozenset({"class", "module"}),
    ),
    "rust": Language(
        "tree_sitter_rust",
        _named(
            *("function_item", "function_signature_item", "struct_item", "enum_item", "union_item", "trait_item"),
            *("mod_item", "macro_definition"),
            impl_item="type",
        ),
        frozenset({"impl_item", "trait_item", "mod_item"}),
    ),
    "sql": Language(
        "tree_sitter_sql",
        _named(
            *("create_table", "create_view", "create_materialized_view", "create_function", "create_procedure"),
            *("create_index", "create_trigger", "create_type", "create_sequence", "create_schema"),
        ),
        frozenset(),
        frozenset({"statement"}),
    ),
    "tsx": Language(
        "tree_sitter_typescript", _SCRIPT_DEFINITIONS, _SCRIPT_CONTAINERS, _SCRIPT_WRAPPERS, "language_tsx"
    ),
    "typescript": Language(
        "tree_sitter_typescript", _SCRIPT_DEFINITIONS, _SCRIPT_CONTAINERS, _SCRIPT_WRAPPERS, "language_typescript"
    ),
}
#: Types of nodes that define something only where their value does, as a variable that holds a function.
BY_VALUE = frozenset({"variable_declarator", "public_field_definition", "field_definition", "pair"}) | {
    "assignment_expression"
}
DEFINING_VALUES = frozenset({"arrow_function", "function_expression", "generator_function", "class"})
#: Types of nodes that only name what is defined elsewhere unless they have a body.
BODIED = frozenset({*_C_SPECIFIERS, "class_specifier"})

_SUFFIXES: Mapping[str, tuple[str, ...]] = {
    "bash": (".bash", ".sh", ".zsh"),
    "c": (".c", ".h"),
    "c-sharp": (".cs",),
    "cpp": (".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"),
    "go": (".go",),
    "java": (".java",),
    "javascript": (".cjs", ".js", ".jsx", ".mjs"),
    "php": (".php",),
    "python": (".py", ".pyi"),
    "ruby": (".rb",),
    "rust": (".rs",),
    "sql": (".sql",),
    "tsx": (".tsx",),
    "typescript": (".cts", ".mts", ".ts"),
}
_BY_SUFFIX = {suffix: language for language, suffixes in _SUFFIXES.items() for suffix in suffixes}
_CPP_HEADER = re.compile(
    r"^[ \t]*(?:class\s+\w|namespace\b|template\s*<|using\s|(?:public|private|protected):)", re.MULTILINE
)


def language_of(suffix: str, text: str) -> str:
    """The language of a file, a key of `LANGUAGES`; empty where there is none for it.

    Args:
        suffix: In small letters, with the dot.
        text: Tells C++ from C in headers, which share a suffix.
    """
    if suffix == ".h" and _CPP_HEADER.search(text):
        return "cpp"
    return _BY_SUFFIX.get(suffix, "")
