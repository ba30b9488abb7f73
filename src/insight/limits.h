// SPDX-License-Identifier: Apache-2.0
//
// Inverse questions of a run: how far one of its numbers can go before the run no longer fits, or
// its step grows too much.
//
// With cluster.groups (docs/mixed.md) the GPUs and the device's memory are asked of each group
// beside the others, `any` is the fastest placement of explore/mixed_search.h, and a layout is held
// with layers and micro batches balanced anew. Its replicas shrink in proportion.
//
// Each limit varies one key of the run file (kLimitKinds) and keeps all others. `yours` keeps the
// run's strategy; `any` is the better of it and of the common layouts (insight/remedy.h), searched
// at every value. Bisection over the estimate gives exact integers: the value fits with a
// probability of 1 − risk (estimate/risk.h), the next one does not. Values beyond it are probed,
// the search goes on from one that fits again, so that a gap does not pass for a limit; lengths
// begin at 8,192 tokens whatever the run has, and their layouts split a sequence at any length. A
// value that no rule allows counts as one that does not fit; the rule is then what limits.
//
// Steps between values: sequences by 2·cp·tp tokens, 1,024 where layouts are searched; layers by
// pp·vpp; widths by heads of head_dim, with the MLP in proportion; memory by 1 GiB. Micro batches
// keep their number, so that the global batch grows with them where it is not a multiple; GPUs
// change dp alone. Leaves out: limits of two keys together; the width of mixtures, of latent
// attention and of recurrent layers; layouts beyond the common ones. Errors: InputError where the
// run itself cannot be resolved.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/enum_names.h"
#include "core/json_fwd.h"
#include "estimate/answer.h"
#include "estimate/config_lookup.h"
#include "estimate/resolve.h"
#include "insight/mixed_report.h"
#include "insight/settings.h"

namespace orrery {

enum class LimitKind : std::uint8_t {
  sequence_length,
  micro_batch,
  gpus,
  layers,
  width,
  network,
  memory,
  price,
};
constexpr EnumNames<LimitKind> names_of(LimitKind) {
  return {"sequence_length", "micro_batch", "gpus",   "layers",
          "width",           "network",     "memory", "price"};
}

// The strategy of a limit: the run's own, or the best of the common ones at each value.
enum class LimitLayout : std::uint8_t { yours, any };
constexpr EnumNames<LimitLayout> names_of(LimitLayout) { return {"yours", "any"}; }

struct LimitKindRow {
  LimitKind kind;
  const char* question;  // "longest sequence"
  const char* path;      // of the key that varies
  const char* unit;      // of the value, in JSON and tables
  bool is_searched;      // also asked with any layout
  bool is_of_memory;     // the value is one that fits, and no step alone decides it
};

const LimitKindRow& limit_row(LimitKind kind);

struct LimitQuestion {
  KeptJson run;  // the run file
  std::string file;
  ConfigLookup lookup;
  std::vector<LimitKind> kinds;  // empty: all that the run can be asked
  double within = 0.1;           // a step may be longer by this share: network, memory
  std::string versus;            // a node: price
  bool keeps_layout = false;     // no search
  std::function<void(std::int64_t done, std::int64_t total)> progress;
};

// A run at one value.
struct LimitPoint {
  Run run;
  Answer answer;
  std::string layout = {};  // of groups, in words
};

struct Limit {
  LimitKind kind = LimitKind::sequence_length;
  LimitLayout layout = LimitLayout::yours;
  std::string path;             // of the key that varies
  std::string group;            // whose key it is; "": the whole run's
  std::optional<double> value;  // nothing: there is none, and `why` says why
  std::optional<double> even;   // of the run's own layout: that fits as likely as not
  std::vector<Setting> settings;
  std::optional<LimitPoint> there;
  std::string why;   // what limits: what happens at the next value
  std::string note;  // what a reader must know of the value
};

struct LimitsReport {
  ResolvedRun resolved;
  std::optional<MixedReport> groups;  // of a run that has them
  Answer answer;
  std::optional<LimitPoint> base;  // whose step is held against: its own or, if that does not fit,
                                   // the best layout
  double within = 0;
  std::string versus;
  std::vector<Limit> limits;
};

LimitsReport limits_of(const LimitQuestion& question);

}  // namespace orrery
