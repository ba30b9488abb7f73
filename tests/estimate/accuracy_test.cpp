// SPDX-License-Identifier: Apache-2.0
// Cells of published errors and levels of one's own steps, worked out by hand.
#include "estimate/accuracy.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/error.h"
#include "support/about.h"

namespace orrery {
namespace {

using testing::about;

std::string table_text(const std::string& cell, const std::string& spread = "0.2",
                       const std::string& noise = "0.1") {
  return R"({"source": "by hand", "stack_spread": )" + spread + R"(, "noise": )" + noise +
         R"(, "cells": [)" + cell + R"(], "memory": []})";
}

bool reads(const std::string& text) {
  try {
    read_accuracy(text, "a.json");
    return true;
  } catch (const InputError&) {
    return false;
  }
}

std::string cell(const std::string& low, const std::string& high, const std::string& rows = "3",
                 const std::string& sources = "2") {
  return R"({"low": )" + low + R"(, "high": )" + high + R"(, "rows": )" + rows +
         R"(, "sources": )" + sources + "}";
}

// A stack's factor is known within 20 %, steps scatter by 10 %.
Accuracy by_hand() {
  Accuracy a;
  a.stack_spread = 0.2;
  a.noise = 0.1;
  return a;
}

}  // namespace

TEST_CASE("an interval of a table lies around 1 and rests on a row and a source at least") {
  CHECK(reads(table_text(cell("0.001", "1"))));
  CHECK(reads(table_text(cell("1", "1000"))));
  CHECK_FALSE(reads(table_text(cell("0.0009", "1"))));
  CHECK_FALSE(reads(table_text(cell("1.01", "1.1"))));
  CHECK_FALSE(reads(table_text(cell("0.9", "0.99"))));
  CHECK_FALSE(reads(table_text(cell("0.9", "1001"))));
  CHECK(reads(table_text(cell("0.9", "1.1", "1", "1"))));
  CHECK_FALSE(reads(table_text(cell("0.9", "1.1", "0", "1"))));
  CHECK_FALSE(reads(table_text(cell("0.9", "1.1", "1", "0"))));
  for (const char* spread : {"0.001", "1"}) {
    CHECK(reads(table_text("", spread)));
    CHECK(reads(table_text("", "0.2", spread)));
  }
  for (const char* spread : {"0.0009", "1.01"}) {
    CHECK_FALSE(reads(table_text("", spread)));
    CHECK_FALSE(reads(table_text("", "0.2", spread)));
  }
}

TEST_CASE("a field that a cell leaves open may be anything, a mixture may not") {
  const StackKind run{"fsdp", "eager", "ampere", false};
  CHECK(covers({}, run));
  CHECK(covers({"fsdp", "", "", false}, run));
  CHECK(covers({"fsdp", "eager", "ampere", false}, run));
  CHECK_FALSE(covers({"ddp", "eager", "ampere", false}, run));
  CHECK_FALSE(covers({"fsdp", "fused", "ampere", false}, run));
  CHECK_FALSE(covers({"fsdp", "eager", "hopper", false}, run));
  CHECK_FALSE(covers({"fsdp", "eager", "ampere", true}, run));
}

TEST_CASE("a framework counts only where its class was measured on the generation") {
  std::vector<AccuracyCell> cells(3);
  cells[0].of = {"fsdp", "", "", false};
  cells[1].of = {"", "eager", "ampere", false};
  cells[2].of = {"", "", "", false};
  const auto place = [&](const StackKind& kind) {
    const AccuracyCell* c = cell_of(cells, kind);
    return c == nullptr ? -1 : static_cast<int>(c - cells.data());
  };
  CHECK(place({"fsdp", "eager", "ampere", false}) == 0);
  CHECK(place({"ddp", "eager", "ampere", false}) == 1);
  CHECK(place({"fsdp", "eager", "hopper", false}) == 2);
  CHECK(place({"fsdp", "fused", "ampere", false}) == 2);
  CHECK(place({"fsdp", "eager", "ampere", true}) == -1);
}

// The mean of n steps and of a prior, each by the inverse of its variance: 1/0.2² = 25 for the
// prior, 1/0.1² = 100 a step.
TEST_CASE("an interval is wider on more GPUs than its largest run, and only there") {
  Accuracy table = by_hand();
  table.scale_spread = 0.1;
  AccuracyCell c;
  c.low = 0.8;
  c.high = 1.25;
  c.gpus = 2048;
  for (const std::int64_t gpus : {8, 2048}) {
    CHECK(on_gpus(table, c, gpus).low == 0.8);
    CHECK(on_gpus(table, c, gpus).high == 1.25);
  }
  // Four doublings: √(ln²1.25 + (1.2816 · 0.1 · 2)²) = 0.3399.
  const AccuracyCell far = on_gpus(table, c, 32768);
  CHECK(far.high == about(std::exp(std::hypot(std::log(1.25), 0.25632))));
  CHECK(far.low == about(1 / far.high));
  CHECK(on_gpus(table, c, 131072).high > far.high);
  c.gpus = 0;  // nobody said how large its runs were
  CHECK(on_gpus(table, c, 131072).high == 1.25);
}

TEST_CASE("a level is the mean of the steps and of what stacks are like") {
  const StackLevel none = stack_level(by_hand(), {});
  CHECK(none.factor == 1);
  CHECK(none.spread == 0.2);
  CHECK(none.steps == 0);
  // ln 1.2 = 0.18232: 100·0.18232 / 125; 1/√125.
  const double x = std::log(1.2);
  const StackLevel one = stack_level(by_hand(), {x});
  CHECK(std::log(one.factor) == about(0.8 * x));
  CHECK(one.spread == about(1 / std::sqrt(125.0)));
  CHECK(one.steps == 1);
  // Four alike: 400 of 425.
  const StackLevel four = stack_level(by_hand(), {x, x, x, x});
  CHECK(std::log(four.factor) == about(x * 400 / 425));
  CHECK(four.spread == about(1 / std::sqrt(425.0)));
  CHECK(four.steps == 4);
  // Two within one noise of their middle weigh alike: the middle of 0.1 and 0.2 by 200 of 225.
  CHECK(std::log(stack_level(by_hand(), {0.2, 0.1}).factor) == about(0.15 * 200 / 225));
}

// Huber: a step that lies d noises from the middle weighs 1/d. Three steps at 0 and one at x far
// off have the middle m with 3·m = 0.1·1 (the far one pulls by one noise): m = 1/30, and the
// weights are 3 + 0.1/(x − m).
TEST_CASE("a disturbed step pulls by no more than one noise") {
  const double x = 1.0;
  const double m = 0.1 / 3;
  const double own = (3 + 0.1 / (x - m)) * 100;
  const StackLevel level = stack_level(by_hand(), {0, x, 0, 0});
  CHECK(std::log(level.factor) == about(own * m / (own + 25)).epsilon(1e-4));
  CHECK(level.spread == about(1 / std::sqrt(own + 25)).epsilon(1e-4));
}

// A level of two spreads (0.4) still has the whole prior; one of 0.8 half of it: 100·0.8 / 112.5.
TEST_CASE("a stack that is like no published one is believed by its own steps") {
  CHECK(std::log(stack_level(by_hand(), {0.4}).factor) == about(0.4 * 100 / 125));
  CHECK(std::log(stack_level(by_hand(), {0.8}).factor) == about(0.8 * 100 / 112.5));
  CHECK(std::log(stack_level(by_hand(), {-0.8}).factor) == about(-0.8 * 100 / 112.5));
}

// 80 of 100 lie within 1.2816 deviations: of a level known within 0.24 and a noise of 0.1, 0.26.
TEST_CASE("an interval of one's own level is its spread and the noise, never wider than before") {
  const StepInterval own = interval_of(by_hand(), StackLevel{1.25, 0.24, 7});
  CHECK(own.low == about(std::exp(-1.2816 * 0.26)));
  CHECK(own.high == about(std::exp(1.2816 * 0.26)));
  CHECK(own.rows == 7);
  CHECK(own.sources == 1);
  // exp(∓0.33322) = 0.71662, 1.39545.
  CHECK(own.words ==
        "8 of 10 runs measure 28 % less to 40 % more than predicted: this stack takes 1.250 of the "
        "time predicted, by 7 observed step times");
  const StepInterval narrow = interval_of(by_hand(), StackLevel{1, 0.24, 1}, {0.9, 1.1});
  CHECK(narrow.low == 0.9);
  CHECK(narrow.high == 1.1);
}

}  // namespace orrery
