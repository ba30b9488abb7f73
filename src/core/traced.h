// SPDX-License-Identifier: Apache-2.0
//
// A number that remembers how it came about.
//
// The chain's formulas are templates over the number type. With R = double they are plain
// arithmetic. With R = Traced every operation adds a node to the active Tape, so that `explain`
// prints the very expression that was computed, and a test can evaluate it again. There is no
// second set of formulas.
//
// Traced values made outside a Recording are literals (no node). A Tape is used by one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/quantity.h"

namespace orrery {

// The name of a value. `name` is a term ("forward time of one layer") or, for an input,
// its path in the resolved run ("training.micro_batch"); `source` a paper or file. String literals
// only.
struct Label {
  const char* name = "";
  const char* source = "";
  int index = -1;  // which stage, block or tier, where there are several
  int part = -1;   // the RecordedPart that it was recorded in; -1: none
};

enum class NodeKind : std::uint8_t {
  literal,
  input,
  name,
  add,
  subtract,
  multiply,
  divide,
  maximum,
  minimum,
  square_root,
  power,
};

struct Node {
  NodeKind kind = NodeKind::literal;
  double value = 0;
  std::int32_t left = -1;
  std::int32_t right = -1;
  Label label;
  Dimension dimension;
};

// A sum that an input is, where the chain takes in a number that was counted before.
struct CountedSum {
  const char* name = "";
  double value = 0;
  std::int32_t node = -1;
};

// The nodes of one evaluation, children before parents.
struct Tape {
  std::vector<Node> nodes;
  std::vector<CountedSum> sums;
};

struct Traced {
  double value = 0;
  std::int32_t node = -1;  // -1: a literal

  constexpr Traced() = default;
  constexpr Traced(double v) : value(v) {}  // NOLINT(google-explicit-constructor)
  constexpr Traced(double v, std::int32_t n) : value(v), node(n) {}
};

// Makes `tape` the active one of this thread for its lifetime; recordings do not nest.
class Recording {
 public:
  explicit Recording(Tape& tape);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
};

// Labels that are recorded in its lifetime are of this part of several alike, a kind of node for
// one. Parts nest, and the innermost counts.
class RecordedPart {
 public:
  explicit RecordedPart(int part);
  ~RecordedPart();
  RecordedPart(const RecordedPart&) = delete;
  RecordedPart& operator=(const RecordedPart&) = delete;

 private:
  int outer_;
};

namespace detail {
Traced record(NodeKind kind, double value, Traced a, Traced b);
Traced record_label(NodeKind kind, Traced x, const Label& label, Dimension dimension);
// From here on, an input of this name and of the sum's value is the sum. `name`: a string literal.
void record_sum(const char* name, Traced sum);
}  // namespace detail

Traced operator+(Traced a, Traced b);
Traced operator-(Traced a, Traced b);
Traced operator*(Traced a, Traced b);
Traced operator/(Traced a, Traced b);
inline Traced& operator+=(Traced& a, Traced b) { return a = a + b; }
constexpr bool operator<(Traced a, Traced b) { return a.value < b.value; }
constexpr bool operator>(Traced a, Traced b) { return a.value > b.value; }
constexpr bool operator==(Traced a, Traced b) { return a.value == b.value; }

// The value of `node` computed again from its leaves; equals the recorded value bit for bit.
double evaluate_again(const Tape& tape, std::int32_t node);

}  // namespace orrery
