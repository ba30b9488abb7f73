// SPDX-License-Identifier: Apache-2.0
//
// Orrery in C++: a run in, an answer out.
//
//   const orrery::RunAnswer a = orrery::estimate_run(text, orrery::installed_library());
//   if (a.feasible) std::cout << a.step_time.si() << " s\n";
//
// `run` is the text of a run file: JSON with the keys of docs/run-file.md. Every value is an SI
// quantity of orrery/quantity.h; RunAnswer::json holds all that `orrery estimate --json` prints,
// with the same keys. Functions may be called from any thread; they keep nothing between calls.
//
// Errors: a run that is wrong or illegal throws std::runtime_error, whose what() is one line:
// where, what was found, what is allowed. A run that does not fit is an answer.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/quantity.h"

namespace orrery {

// accuracy: the table of how far estimates lie off, by the one name "accuracy"; without it the
// interval of an answer is wide.
enum class DocumentKind : std::uint8_t {
  model,
  node,
  device,
  framework,
  compression,
  graph,
  fabric,
  accuracy
};

struct Document {
  std::string text;  // JSON
  std::string file;  // for messages
};

// How a run's names become documents. A run that holds all of its documents inline needs none.
struct Library {
  std::function<std::optional<Document>(DocumentKind, const std::string& name)> find;
  std::function<std::vector<std::string>(DocumentKind)> names;  // to suggest the nearest
};

// The documents the `orrery` program finds by name, `directory` (laid out like configs/) first.
// Reads files while it is asked.
Library installed_library(const std::string& directory = "");

struct RunAnswer {
  bool feasible = false;
  std::vector<std::string> reasons;  // one line each; empty where the run is feasible
  std::vector<std::string> warnings;

  Seconds step_time{};      // of one optimizer step
  Seconds step_time_low{};  // 80 % interval
  Seconds step_time_high{};
  double tokens_per_second = 0;  // of all GPUs
  double mfu = 0;                // of the dense peak, by the run's FLOPs convention
  double hfu = 0;

  Bytes memory_peak{};  // on the fullest stage, as the device shows it
  Bytes memory_capacity{};

  std::string json;
};

RunAnswer estimate_run(std::string_view run, const Library& library,
                       const std::string& file = "run.json");

}  // namespace orrery
