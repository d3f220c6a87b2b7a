"""One source in each language, with what each of its functions is to be found under.

`FILL` stands for statements that make a function too long to share its passage.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Sample:
    """A source.

    Attributes:
        paths: Heading by a line of the function or type.
        together: Pairs of lines that are to stand in one passage: a comment or decorator and what it belongs to.
    """

    suffix: str
    statement: str
    source: str
    paths: dict[str, str]
    together: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        def filled(match: re.Match[str]) -> str:
            return "\n".join(f"{match[1]}{self.statement.format(n=n)}" for n in range(12))

        return re.sub(r"^([ \t]*)FILL$", filled, self.source, flags=re.MULTILINE)


PYTHON = Sample(
    ".py",
    "total_{n} = compute_the_total({n})",
    '''"""Where a message goes."""

import functools


class Router:
    """Decides.

    Args:
        layers: Asked in their order.
    """

    def __init__(self, layers):
        self.layers = layers

    # Kept for a minute.
    @functools.cache
    def decide(self, message):
        """The type of a message."""
        FILL
        return total_1

    async def explain(self):
        FILL
        return None


def fitted(path):
    FILL

    def inner():
        FILL
        FILL
        return path

    return inner
''',
    {
        "    def decide(self, message):": "Router > decide",
        "    async def explain(self):": "Router > explain",
        "def fitted(path):": "fitted",
        "    def inner():": "fitted > inner",
    },
    (
        ("    # Kept for a minute.", "    def decide(self, message):"),
        ("    @functools.cache", '        """The type of a message."""'),
        ("    def decide(self, message):", "        return total_1"),
    ),
)

_SCRIPT = """import { layers } from "./layers";

/** Decides where a message goes. */
export class Router {
  constructor(layers) {
    this.layers = layers;
  }

  /** The type of a message. */
  decide(message) {
    FILL
    return 1;
  }

  explain = (message) => {
    FILL
  };
}

// Read anew each time.
export async function fitted(path) {
  FILL
}

export const shown = (route) => {
  FILL
};

exports.closed = function () {
  FILL
};
"""
_SCRIPT_PATHS = {
    "  decide(message) {": "Router > decide",
    "  explain = (message) => {": "Router > explain",
    "export async function fitted(path) {": "fitted",
    "export const shown = (route) => {": "shown",
    "exports.closed = function () {": "exports.closed",
}
_SCRIPT_TOGETHER = (
    ("  /** The type of a message. */", "  decide(message) {"),
    ("// Read anew each time.", "export async function fitted(path) {"),
)
JAVASCRIPT = Sample(".js", "const total{n} = compute({n});", _SCRIPT, _SCRIPT_PATHS, _SCRIPT_TOGETHER)
JSX = Sample(".jsx", "const total{n} = <b>{{ {n} }}</b>;", _SCRIPT, _SCRIPT_PATHS, _SCRIPT_TOGETHER)

_TYPED = """
@Component({ selector: "x" })
export abstract class Page {
  @Input() name: string = "";

  @HostListener("click")
  protected opened(event: Event): void {
    FILL
  }
}

namespace Shapes {
  export function area(side: number): number {
    FILL
    return side;
  }
}

export interface Route {
  type: string;
}

export enum Relation {
  New = "new",
}
"""
_TYPED_PATHS = {
    **_SCRIPT_PATHS,
    "  protected opened(event: Event): void {": "Page > opened",
    "  export function area(side: number): number {": "Shapes > area",
    "export interface Route {": "Route / Relation",
}
_TYPED_TOGETHER = (*_SCRIPT_TOGETHER, ('  @HostListener("click")', "  protected opened(event: Event): void {"))
TYPESCRIPT = Sample(".ts", "const total{n}: number = compute({n});", _SCRIPT + _TYPED, _TYPED_PATHS, _TYPED_TOGETHER)
TSX = Sample(".tsx", "const total{n} = <b>{{ {n} }}</b>;", _SCRIPT + _TYPED, _TYPED_PATHS, _TYPED_TOGETHER)

GO = Sample(
    ".go",
    "total += computeTheTotal({n})",
    """package routing

import "context"

// Router decides where a message goes.
type Router struct {
	layers []Layer
}

// Decide gives the type of a message.
func (r *Router) Decide(ctx context.Context) (Type, error) {
	FILL
	return 0, nil
}

func Fitted[T any](path string) *T {
	FILL
	return nil
}
""",
    {
        "type Router struct {": "Router",
        "func (r *Router) Decide(ctx context.Context) (Type, error) {": "Router > Decide",
        "func Fitted[T any](path string) *T {": "Fitted",
    },
    (
        ("// Router decides where a message goes.", "type Router struct {"),
        (
            "// Decide gives the type of a message.",
            "func (r *Router) Decide(ctx context.Context) (Type, error) {",
        ),
    ),
)

JAVA = Sample(
    ".java",
    "total += computeTheTotal({n});",
    """package routing;

import java.util.List;

/** Decides where a message goes. */
@Service
public class Router<T> extends Base {
    private final List<Layer> layers;

    public Router(List<Layer> layers) {
        FILL
    }

    /**
     * The type of a message.
     */
    @Override
    public Type decide(String message) throws Refused {
        FILL
        return null;
    }

    enum Kind {
        ONE, TWO;

        int weight() {
            FILL
            return 1;
        }
    }
}

record Point(int x, int y) {}
""",
    {
        "    public Router(List<Layer> layers) {": "Router > Router",
        "    public Type decide(String message) throws Refused {": "Router > decide",
        "        int weight() {": "Router > Kind > weight",
        "record Point(int x, int y) {}": "Point",
    },
    (
        ("     * The type of a message.", "    public Type decide(String message) throws Refused {"),
        ("    @Override", "    public Type decide(String message) throws Refused {"),
    ),
)

RUST = Sample(
    ".rs",
    "total += compute_the_total({n});",
    """use std::fmt;

/// Decides where a message goes.
#[derive(Debug)]
pub struct Router<T> {
    layers: Vec<T>,
}

impl<T> Router<T> {
    /// The type of a message.
    #[inline]
    pub fn decide(&self, message: &str) -> u8 {
        FILL
        1
    }
}

impl<T> fmt::Display for Router<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        FILL
        Ok(())
    }
}

pub trait Layer {
    fn opinion(&self) -> u8 {
        FILL
        1
    }
}

mod tests {
    #[test]
    fn it_decides() {
        FILL
    }
}
""",
    {
        "pub struct Router<T> {": "Router",
        "    pub fn decide(&self, message: &str) -> u8 {": "Router > decide",
        "    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {": "Router > fmt",
        "    fn opinion(&self) -> u8 {": "Layer > opinion",
        "    fn it_decides() {": "tests > it_decides",
    },
    (
        ("/// Decides where a message goes.", "pub struct Router<T> {"),
        ("    /// The type of a message.", "    pub fn decide(&self, message: &str) -> u8 {"),
        ("    #[test]", "    fn it_decides() {"),
    ),
)

C = Sample(
    ".c",
    "total += compute_the_total({n});",
    """#include <stdio.h>
#define LARGER(a, b) ((a) > (b) ? (a) : (b))

struct router {
    int layers;
};

typedef struct {
    int kind;
} route_t;

#ifdef WITH_ROUTER
/* The type of a message. */
static struct route *decide(const struct router *r, int message)
{
    FILL
    return 0;
}

int
main(void)
{
    FILL
    return 0;
}
#endif
""",
    {
        "struct router {": "LARGER / router / route_t",
        "static struct route *decide(const struct router *r, int message)": "decide",
        "main(void)": "main",
    },
    (
        ("/* The type of a message. */", "static struct route *decide(const struct router *r, int message)"),
        ("int", "main(void)"),
    ),
)
C_HEADER = Sample(".h", C.statement, C.source, C.paths, C.together)

_CPP = """#ifndef ROUTER_H
#define ROUTER_H
#include <string>

namespace routing {

/// Decides where a message goes.
template <typename T>
class Router : public Base {
public:
    Router();
    ~Router() {
        FILL
    }

    // The type of a message.
    [[nodiscard]] const T& decide(const std::string& message) const override {
        FILL
        return last;
    }

private:
    T last;
};

template <typename T>
void Router<T>::explain(int level) {
    FILL
}

}  // namespace routing

extern "C" {
int fitted(const char *path) {
    FILL
    return 0;
}
}
#endif
"""
_CPP_PATHS = {
    "    ~Router() {": "routing > Router > ~Router",
    "    [[nodiscard]] const T& decide(const std::string& message) const override {": "routing > Router > decide",
    "void Router<T>::explain(int level) {": "routing > Router > explain",
    "int fitted(const char *path) {": "fitted",
}
_CPP_TOGETHER = (
    ("    // The type of a message.", "    [[nodiscard]] const T& decide(const std::string& message) const override {"),
    ("template <typename T>", "void Router<T>::explain(int level) {"),
)
CPP = Sample(".cpp", "total += compute_the_total({n});", _CPP, _CPP_PATHS, _CPP_TOGETHER)
CPP_HEADER = Sample(".h", CPP.statement, _CPP, _CPP_PATHS, _CPP_TOGETHER)

C_SHARP = Sample(
    ".cs",
    "total += ComputeTheTotal({n});",
    """using System;

namespace Acme.Routing
{
    /// <summary>Decides where a message goes.</summary>
    [Serializable]
    public sealed class Router<T> : IRouter
    {
        public Router(int layers)
        {
            FILL
        }

        public int Layers { get; set; }

        /// <summary>The type of a message.</summary>
        [Obsolete]
        public async Task<T> Decide(string message)
        {
            FILL
            return default;
        }
    }

    public record Point(int X, int Y);
}
""",
    {
        "        public Router(int layers)": "Acme.Routing > Router > Router",
        "        public int Layers { get; set; }": "Acme.Routing > Router > Layers",
        "        public async Task<T> Decide(string message)": "Acme.Routing > Router > Decide",
        "    public record Point(int X, int Y);": "Acme.Routing > Point",
    },
    (
        (
            "        /// <summary>The type of a message.</summary>",
            "        public async Task<T> Decide(string message)",
        ),
        ("        [Obsolete]", "        public async Task<T> Decide(string message)"),
    ),
)

PHP = Sample(
    ".php",
    "$total += compute_the_total({n});",
    """<?php
namespace App\\Routing;

use App\\Layer;

/** Decides where a message goes. */
#[Service]
final class Router extends Base implements Decides
{
    use Logs;

    private array $layers;

    public function __construct(array $layers)
    {
        FILL
    }

    /** The type of a message. */
    #[Pure]
    public static function decide(string $message): ?int
    {
        FILL
        return null;
    }
}

trait Logs
{
    function noted() {
        FILL
    }
}

// Read anew each time.
function fitted($path) {
    FILL
}
?>
<p>Done</p>
""",
    {
        "    public function __construct(array $layers)": "Router > __construct",
        "    public static function decide(string $message): ?int": "Router > decide",
        "    function noted() {": "Logs > noted",
        "function fitted($path) {": "fitted",
    },
    (
        ("    /** The type of a message. */", "    public static function decide(string $message): ?int"),
        ("    #[Pure]", "    public static function decide(string $message): ?int"),
        ("// Read anew each time.", "function fitted($path) {"),
    ),
)

RUBY = Sample(
    ".rb",
    "total += compute_the_total({n})",
    """require "set"

module Routing
  # Decides where a message goes.
  class Router < Base
    attr_reader :layers

    # The type of a message.
    def decide(message)
      FILL
    end

    def self.fitted(path)
      FILL
    end

    class << self
      def closed?
        FILL
      end
    end
  end
end

def shown(route)
  FILL
end
""",
    {
        "    def decide(message)": "Routing > Router > decide",
        "    def self.fitted(path)": "Routing > Router > fitted",
        "      def closed?": "Routing > Router > closed?",
        "def shown(route)": "shown",
    },
    (("    # The type of a message.", "    def decide(message)"),),
)

BASH = Sample(
    ".sh",
    "total=$((total + $(compute_the_total {n})))",
    """#!/usr/bin/env bash
set -euo pipefail

# The type of a message.
decide() {
  FILL
}

function fitted {
  FILL
  cat <<EOF
total
EOF
}

if [ -n "$1" ]; then
  decide "$1"
fi
""",
    {"decide() {": "decide", "function fitted {": "fitted"},
    (("# The type of a message.", "decide() {"), ("EOF", "function fitted {")),
)

SQL = Sample(
    ".sql",
    "total_{n} numeric(10, 2) not null,",
    """-- What people were told.
CREATE TABLE shop.answers (
    FILL
    id int primary key
);

-- The answers of today.
create view latest as
select
    count(*) as a_long_name_of_a_column_1, count(*) as a_long_name_of_a_column_2,
    count(*) as a_long_name_of_a_column_3, count(*) as a_long_name_of_a_column_4,
    count(*) as a_long_name_of_a_column_5, count(*) as a_long_name_of_a_column_6
from shop.answers;

create index answers_by_id on shop.answers (id);

insert into shop.answers (id) values (1), (2);
""",
    {
        "CREATE TABLE shop.answers (": "shop.answers",
        "create view latest as": "latest",
        "create index answers_by_id on shop.answers (id);": "answers_by_id",
    },
    (
        ("-- What people were told.", "CREATE TABLE shop.answers ("),
        ("-- The answers of today.", "create view latest as"),
    ),
)

SAMPLES = {
    "bash": BASH,
    "c": C,
    "c header": C_HEADER,
    "c-sharp": C_SHARP,
    "cpp": CPP,
    "cpp header": CPP_HEADER,
    "go": GO,
    "java": JAVA,
    "javascript": JAVASCRIPT,
    "jsx": JSX,
    "php": PHP,
    "python": PYTHON,
    "ruby": RUBY,
    "rust": RUST,
    "sql": SQL,
    "tsx": TSX,
    "typescript": TYPESCRIPT,
}
