# SPDX-License-Identifier: Apache-2.0
"""Many mutants of C++ sources in one build: each changed function body stands before the original,
behind a number from the environment.

    T f(A a) {
      if (number is 17) { the body with mutant 17 }
      the body
    }

Leaves out mutants that stand in no function body (tables, defaults of members, initializers), and
changes nothing that the compiler evaluates. The style of this project is assumed: no macro holds a
brace, and no initializer of a constructor's member does.
"""
import re

SWITCH = "ORRERY_MUTANT"
LINES = 10_000  # a mutant's copy has fewer; `#line` names mutant and line in the compiler's messages
HEAD = f"""#ifndef ORRERY_MUTANT_NUMBER
#define ORRERY_MUTANT_NUMBER
#include <cstdlib>
inline int orrery_mutant = [] {{
  const char* const number = std::getenv("{SWITCH}");
  return number == nullptr ? 0 : std::atoi(number);
}}();
#endif
"""
# Warnings about names that a change leaves unused or odd; the originals are held to all of them.
QUIET = ("pragmas", "tautological-compare", "unused-variable", "unused-but-set-variable", "unused-local-typedefs", "conversion",
         "float-conversion", "type-limits", "return-type", "maybe-uninitialized", "array-bounds",
         "bool-compare", "parentheses", "implicit-fallthrough", "unused-lambda-capture", "extra")
LAMBDA = re.compile(r"\[[&=\w, ]*\]\s*\([^()]*\)\s*$")  # in a table: with a result
NAMES_THEM = re.compile(r"mutant:(\d+)")


class Body:
    """The text of a function between its braces: [start, end)."""

    def __init__(self, start, end, is_void):
        self.start, self.end, self.is_void = start, end, is_void


def bodies_of(blank):
    """Function bodies of a text without comments and strings, outermost ones."""
    bodies, stack, last = [], [], 0
    for m in re.finditer(r"[{};]", blank):
        at = m.start()
        if m[0] == "{":
            stack.append((at, kind_of(blank[last:at], [kind for _, kind in stack])))
        elif m[0] == "}" and stack:
            start, kind = stack.pop()
            if kind in {"void", "function"}:
                bodies.append(Body(start + 1, at, kind == "void"))
        if not any(kind in {"void", "function"} for _, kind in stack):
            last = at + 1
    return bodies


def kind_of(before, around):
    """The kind of block that a brace opens, by the text since the last one."""
    if any(kind in {"void", "function"} for kind in around):
        return "inner"
    if "data" in around:
        return "function" if LAMBDA.search(before) else "inner"
    if re.search(r"\bnamespace\b", before):
        return "namespace"
    if re.search(r"\b(struct|class|union)\b[^()=]*$", before):
        return "class"
    head = re.sub(r"\)\s*:\s*\w+[({].*", ")", before, flags=re.S)  # without a constructor's initializers
    if not re.search(r"(\)|\bconst|\bnoexcept|\boverride|->\s*[\w:<>]+)\s*$", before):
        return "data"  # a member's initializer
    if "=" in re.sub(r"operator[^\s(]*|[<>=!]=|\([^()]*\)", "", head) or ")" not in head or "enum" in head:
        return "data"
    if head != before or re.search(r"\bvoid\s+[\w:~]+(<[^<>]*>)?\(", head) or is_constructor(head):
        return "void"
    return "function"


def is_constructor(head):
    words = re.match(r"\s*(?:(?:public|private|protected):)?\s*(?:template <[^{}]*>\s*)?(?:explicit |constexpr )*"
                     r"(\w+)\(", head)
    return words is not None and words[1][0].isupper()


def body_around(bodies, mutant):
    """The body that holds the mutant, or None."""
    for body in bodies:
        if body.start <= mutant.start and mutant.end <= body.end:
            return body
    return None


def quietly(code):
    ignored = "".join(f'#pragma GCC diagnostic ignored "-W{name}"\n' for name in QUIET)
    return f"\n#pragma GCC diagnostic push\n{ignored}{code}\n#pragma GCC diagnostic pop\n"


def copy_of(text, body, mutant, number):
    changed = (text[body.start:mutant.start] + mutant.replacement + text[mutant.end:body.end])
    leave = "return;" if body.is_void else ""
    return quietly(f"if (!__builtin_is_constant_evaluated() && ::orrery_mutant == {number}) {{\n"
                   f'#line {number * LINES} "mutant"\n{changed}\n{leave}}}')


def joined(text, path, blank, numbered):
    """The text with all of these (number, mutant) in it, each within a body."""
    bodies = bodies_of(blank)
    places = {}
    for number, mutant in numbered:
        body = body_around(bodies, mutant)
        places.setdefault(body.start, []).append(copy_of(text, body, mutant, number))
    out, at = [HEAD, f'#line 1 "{path}"\n'], 0
    for start in sorted(places):
        line = text.count("\n", 0, start) + 1
        out += [text[at:start], *places[start], f'#line {line} "{path}"\n']
        at = start
    return "".join(out) + text[at:]


def refused(messages):
    """Numbers of the mutants that a compiler's errors name, in the error itself where any is."""
    errors = [line for line in messages.split("\n") if "error:" in line]
    direct = {int(n) // LINES for line in errors for n in NAMES_THEM.findall(line)}
    return direct or {int(n) // LINES for n in NAMES_THEM.findall(messages)}
