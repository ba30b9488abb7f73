// SPDX-License-Identifier: Apache-2.0
//
// The bounds of every reader of a user's bytes: JSON, TOML, YAML, XML, scripts, expressions, logs,
// traces and requests. Beyond one of them a reader refuses in one line; it never recurses as deep
// as its input, nor works longer than linearly in its size but below these bounds.
#pragma once

#include <cstddef>

namespace orrery {

// Objects in objects, lists in lists, brackets in brackets, commands in commands. Trees are walked
// and freed by recursion; people nest ten deep.
inline constexpr int kDeepestNesting = 64;

// A document of the deepest nesting within an answer or a message.
inline constexpr int kDeepestWrapped = 2 * kDeepestNesting;

// Keys of one object, table or mapping: key order is kept in a list, whose search is linear.
inline constexpr std::size_t kMostKeys = 4096;

// Settings of one file, and rows that are merged by search of a list.
inline constexpr std::size_t kMostSettings = 4 * 1024;

// Values of one document with its references written out: aliases of aliases are exponential.
inline constexpr std::size_t kMostValues = 200'000;

// Bytes of one document. Logs and traces, read line by line or event by event, may be longer.
inline constexpr std::size_t kLongestDocument = std::size_t{32} << 20;

// Bytes of one expression, and of one reference in a text.
inline constexpr std::size_t kLongestExpression = 4096;

// Bytes of a value that is quoted in a message.
inline constexpr std::size_t kLongestQuote = 400;

}  // namespace orrery
