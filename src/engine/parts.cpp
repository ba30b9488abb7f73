// SPDX-License-Identifier: Apache-2.0
#include "engine/parts.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/error.h"
#include "core/units.h"

namespace orrery {
namespace {

struct Flag {
  const char* name;
  const char* form;
};
constexpr Flag kSlow{"--slow", "PART:NUMBER=FACTOR, as gpu:17=1.3, node:3=1.2 or link:0=2"};
constexpr Flag kFail{"--fail", "PART:NUMBER, as gpu:17, node:3 or link:0"};

[[noreturn]] void refuse(const Flag& flag, const std::string& text, const std::string& allowed) {
  throw InputError("command line", flag.name, "\"" + text + "\"", allowed);
}

double read_number(const Flag& flag, const std::string& part, const std::string& text) {
  const std::optional<double> n = parse_number(part);
  if (!n) refuse(flag, text, flag.form);
  return *n;
}

// gpu:17
Failure read_part(const Flag& flag, const std::string& part, const std::string& text,
                  const Run& run) {
  const std::size_t colon = part.find(':');
  const std::string kind = part.substr(0, std::min(colon, part.size()));
  if (colon == std::string::npos || (kind != "gpu" && kind != "node" && kind != "link")) {
    refuse(flag, text, flag.form);
  }
  Failure f;
  f.part = kind == "gpu" ? SlowPart::gpu : kind == "node" ? SlowPart::node : SlowPart::link;
  const double which = read_number(flag, part.substr(colon + 1), text);
  const std::int64_t parts = f.part == SlowPart::gpu ? run.cluster.gpus : node_count(run.cluster);
  if (!(which >= 0 && which < static_cast<double>(parts)) || which != std::floor(which)) {
    refuse(flag, text, kind + " 0 to " + std::to_string(parts - 1));
  }
  f.which = static_cast<std::int64_t>(which);
  return f;
}

}  // namespace

// gpu:17=1.3
Slow read_slow(const std::string& text, const Run& run) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) refuse(kSlow, text, kSlow.form);
  const Failure part = read_part(kSlow, text.substr(0, equals), text, run);
  const double factor = read_number(kSlow, text.substr(equals + 1), text);
  if (!(factor >= 1 && factor <= 1e6)) refuse(kSlow, text, "a factor from 1 to 1e6");
  return {part.part, part.which, factor};
}

std::vector<Failure> read_failures(const std::vector<std::string>& texts,
                                   const std::vector<std::string>& slow, const Run& run) {
  std::vector<Failure> failures;
  bool leaves_replicas_out = false;
  for (const std::string& text : texts) {
    failures.push_back(read_part(kFail, text, text, run));
    leaves_replicas_out = leaves_replicas_out || failures.back().part != SlowPart::link;
  }
  const bool names_links = std::any_of(failures.begin(), failures.end(),
                                       [](const Failure& f) { return f.part == SlowPart::link; });
  if (leaves_replicas_out && (names_links || !slow.empty())) {
    refuse(kFail, texts.front(),
           "GPUs and nodes alone: without their replicas, ranks have other numbers");
  }
  const Survivors left = survivors(run, failures);
  if (!left.why_none.empty()) refuse(kFail, texts.front(), "less: " + left.why_none);
  return failures;
}

}  // namespace orrery
