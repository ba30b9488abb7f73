// SPDX-License-Identifier: Apache-2.0
#include "estimate/accuracy.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/json.h"
#include "core/json_reader.h"
#include "core/provenance.h"
#include "core/significant_bits.h"
#include "document/words.h"
#include "estimate/run.h"

namespace orrery {
namespace {

constexpr std::int64_t kMost = 1LL << 40;
constexpr double kUnlike = 2;  // spreads beyond which a stack is like no published one
constexpr int kLooks = 20;     // enough for the fourth digit

AccuracyCell read_cell(Reader r) {
  AccuracyCell c;
  if (auto v = r.find("framework")) c.of.framework = v->text();
  if (auto v = r.find("class")) c.of.stack_class = v->text();
  if (auto v = r.find("generation")) c.of.generation = v->text();
  if (auto v = r.find("mixture")) c.of.mixture = v->boolean();
  c.rows = r.at("rows").integer(1, kMost);
  c.sources = r.at("sources").integer(1, kMost);
  c.low = r.at("low").number(1e-3, 1);
  c.high = r.at("high").number(1, 1e3);
  if (auto v = r.find("gpus")) c.gpus = v->integer(1, kMost);
  r.reject_unknown();
  return c;
}

// "8 of 10 runs measure 12 % less to 13 % more than predicted", of factors around 1.
std::string error_text(double low, double high) {
  const auto whole = [](double x) { return std::to_string(std::llrint(x)); };
  return "8 of 10 runs measure " + whole(100 * (1 - low)) + " % less to " +
         whole(100 * (high - 1)) + " % more than predicted";
}

// "(megatron-lm, ampere, mixtures of experts; 3 sources)"
std::string cell_text(const AccuracyCell& c) {
  std::string text;
  for (const std::string& word : {c.of.framework, c.of.stack_class, c.of.generation,
                                  std::string(c.of.mixture ? "mixtures of experts" : "")}) {
    if (!word.empty()) text += (text.empty() ? "" : ", ") + word;
  }
  return "(" + text + (text.empty() ? "" : "; ") + counted(c.sources, "source") + ")";
}

bool is_beyond(const AccuracyCell& c, std::int64_t gpus) { return c.gpus > 0 && gpus > c.gpus; }

std::string words_of(const AccuracyCell& c, const StackKind& run, std::int64_t gpus) {
  const bool known = !c.of.framework.empty();
  return error_text(c.low, c.high) + ": " + counted(c.rows, "published run") + " " + cell_text(c) +
         ", each predicted " + (known ? "without its team" : "as an unknown stack") +
         (run.generation.empty()    ? "; none has recurrent layers"
          : c.of.generation.empty() ? "; none on " + run.generation
                                    : "") +
         (is_beyond(c, gpus) ? "; none on more than " + counted(c.gpus, "GPU") : "");
}

bool is_measured(const std::vector<AccuracyCell>& cells, const StackKind& kind) {
  return std::any_of(cells.begin(), cells.end(), [&](const AccuracyCell& c) {
    return c.of.stack_class == kind.stack_class && c.of.generation == kind.generation &&
           c.of.mixture == kind.mixture;
  });
}

// The part of a run that the table knows: nothing where layers are of a kind that no published run
// has, no framework on devices of another vendor than those of its constants, and no class on
// devices of a vendor other than NVIDIA, whose runs most cells hold, where none was measured.
StackKind published_kind(const std::vector<AccuracyCell>& cells, const Run& run) {
  StackKind kind = stack_kind(run);
  if (run.model.recurrent.kind != RecurrentKind::none) return {"", "", "", kind.mixture};
  const Vendor vendor = run.cluster.device.vendor;
  if (run.framework.vendor.value_or(vendor) != vendor) kind.framework.clear();
  if (vendor != Vendor::nvidia && !is_measured(cells, kind)) kind.stack_class.clear();
  return kind;
}

}  // namespace

Accuracy read_accuracy(std::string_view text, const std::string& file) {
  const Json document = parse_json(text, file);
  Reader root(document, file);
  Accuracy out;
  out.stack_spread = root.at("stack_spread").number(1e-3, 1);
  out.noise = root.at("noise").number(1e-3, 1);
  if (auto v = root.find("scale_spread")) out.scale_spread = v->number(0, 1);
  for (const Reader& r : root.at("cells").items()) out.cells.push_back(read_cell(r));
  for (const Reader& r : root.at("memory").items()) out.memory.push_back(read_cell(r));
  check_sources(root);
  root.reject_unknown();
  return out;
}

StackKind stack_kind(const Run& run) {
  return {std::string(run.framework.name.view()), std::string(name_of(run.framework.stack_class)),
          std::string(name_of(run.cluster.device.generation)), is_moe(run.model)};
}

bool covers(const StackKind& outer, const StackKind& inner) {
  return (outer.framework.empty() || outer.framework == inner.framework) &&
         (outer.stack_class.empty() || outer.stack_class == inner.stack_class) &&
         (outer.generation.empty() || outer.generation == inner.generation) &&
         outer.mixture == inner.mixture;
}

const AccuracyCell* cell_of(const std::vector<AccuracyCell>& cells, const StackKind& kind) {
  const bool measured = is_measured(cells, kind);
  const auto found = std::find_if(cells.begin(), cells.end(), [&](const AccuracyCell& c) {
    return covers(c.of, kind) && (measured || c.of.framework.empty());
  });
  return found == cells.end() ? nullptr : &*found;
}

AccuracyCell on_gpus(const Accuracy& table, const AccuracyCell& cell, std::int64_t gpus) {
  if (!is_beyond(cell, gpus)) return cell;
  const double doublings = std::log2(static_cast<double>(gpus) / static_cast<double>(cell.gpus));
  const double more = kNormal80 * table.scale_spread * std::sqrt(doublings);
  AccuracyCell wider = cell;
  wider.low = to_40_bits(std::exp(-std::hypot(std::log(cell.low), more)));
  wider.high = to_40_bits(std::exp(std::hypot(std::log(cell.high), more)));
  return wider;
}

// Measured steps scatter with longer tails than a normal variable's: their middle by Huber's
// weights, so that a disturbed run does not set the level, and then the mean of it and of the
// prior, which loses weight alike where what is measured is nothing like published stacks.
StackLevel stack_level(const Accuracy& table, const std::vector<double>& given) {
  std::vector<double> logs = given;
  const double prior = 1 / (table.stack_spread * table.stack_spread);
  const auto n = static_cast<std::int64_t>(logs.size());
  if (logs.empty()) return {1, table.stack_spread, 0};
  std::sort(logs.begin(), logs.end());
  double middle = 0.5 * (logs[(logs.size() - 1) / 2] + logs[logs.size() / 2]);
  double weights = 0;
  for (int look = 0; look < kLooks; ++look) {
    double sum = 0;
    weights = 0;
    for (const double x : logs) {
      const double weight = 1 / std::max(1.0, std::abs(x - middle) / table.noise);
      sum += weight * x;
      weights += weight;
    }
    middle = sum / weights;
  }
  const double own = weights / (table.noise * table.noise);
  const double believed = prior / std::max(1.0, std::abs(middle) / (kUnlike * table.stack_spread));
  return {to_40_bits(std::exp(own * middle / (own + believed))), 1 / std::sqrt(own + believed), n};
}

namespace {

StepInterval interval_among(const Accuracy& table, const std::vector<AccuracyCell>& cells,
                            const StackKind& kind, std::int64_t gpus) {
  const AccuracyCell* found = cell_of(cells, kind);
  if (found == nullptr) return {};
  const AccuracyCell c = on_gpus(table, *found, gpus);
  const bool is_of_device = !c.of.generation.empty() && !kind.generation.empty();
  return {c.low, c.high, c.rows, c.sources, words_of(c, kind, gpus), is_of_device};
}

}  // namespace

StepInterval interval_of(const Accuracy& table, const Run& run) {
  return interval_among(table, table.cells, published_kind(table.cells, run), run.cluster.gpus);
}

StepInterval memory_interval_of(const Accuracy& table, const Run& run) {
  return interval_among(table, table.memory, stack_kind(run), run.cluster.gpus);
}

StepInterval interval_of(const Accuracy& table, const StackLevel& level) {
  return interval_of(table, level, {0, std::numeric_limits<double>::infinity()});
}

StepInterval interval_of(const Accuracy& table, const StackLevel& level,
                         const StepInterval& before) {
  const double wide = kNormal80 * std::hypot(level.spread, table.noise);
  const StepInterval i{std::max(to_40_bits(std::exp(-wide)), before.low),
                       std::min(to_40_bits(std::exp(wide)), before.high),
                       level.steps,
                       1,
                       "",
                       true};
  char factor[32];
  std::snprintf(factor, sizeof factor, "%.3f", level.factor);
  return {i.low,
          i.high,
          i.rows,
          i.sources,
          error_text(i.low, i.high) + ": this stack takes " + factor +
              " of the time predicted, by " + counted(level.steps, "observed step time"),
          true};
}

}  // namespace orrery
