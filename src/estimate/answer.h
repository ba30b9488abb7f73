// SPDX-License-Identifier: Apache-2.0
//
// The answer of an estimate, as a plain fixed-size value: numbers, and small codes for reasons,
// algorithms and tiers. The report turns it into text and JSON; nothing here is a string.
//
// `breakdown` belongs to the stage with the most busy time and sums to step_time; `memory` belongs
// to the stage with the highest peak and sums to peak. Both sums are tested. Errors: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/enum_names.h"
#include "core/number.h"
#include "memory/memory_lines.h"
#include "network/collective.h"
#include "orrery/quantity.h"
#include "parallel/comm_dimension.h"

namespace orrery {

enum class Term : std::uint8_t {
  compute,
  recompute,
  tp_exposed,
  cp_exposed,
  ep_exposed,
  pp_exposed,
  pp_bubble,
  dp_exposed,
  optimizer,
  offload_exposed,
  host_exposed,
  other,
};
constexpr EnumNames<Term> names_of(Term) {
  return {"compute",   "recompute",  "tp_exposed", "cp_exposed",      "ep_exposed",   "pp_exposed",
          "pp_bubble", "dp_exposed", "optimizer",  "offload_exposed", "host_exposed", "other"};
}

template <Number R>
using Terms = EnumArray<Term, SecondsOf<R>>;

// One collective of one dimension over a step, on the stage of the breakdown; collectives once a
// step are those of the stage with the most parameters.
template <Number R>
struct CommLine {
  CommDimension dimension = CommDimension::tp;
  Collective collective = Collective::all_reduce;
  Algorithm algorithm = Algorithm::none;
  std::uint8_t tier = 0;
  std::int64_t ranks = 1;
  std::int64_t count = 0;
  BytesOf<R> bytes{};  // of one GPU in one step, the volume that busbw counts (network/volume.h)
  SecondsOf<R> time{};
  SecondsOf<R> exposed{};
  BytesOf<R> uncompressed{};  // `bytes` without compression
  SecondsOf<R> codec{};       // the part of `time` for compression and decompression
  BytesOf<R> sent{};          // put on the wire by one GPU in one step
};
inline constexpr std::size_t kMaxCommLines = 24;

enum class Reason : std::uint8_t {
  fits,
  device_memory,  // the peak is above the device's capacity
  host_memory,    // the offloaded bytes do not fit the node's memory
};

template <Number R>
struct AnswerOf {
  Reason reason = Reason::fits;
  std::int64_t busy_stage = 0;    // the breakdown is of this one
  std::int64_t end_stage = 0;     // finishes last: what is done once a step is of this one
  std::int64_t memory_stage = 0;  // the memory is of this one
  SecondsOf<R> step_time{};
  Terms<R> breakdown{};
  StageMemory<R> memory;
  BytesOf<R> needed{};  // without cached blocks, of the stage that needs most: what risk judges
  Bytes capacity{};
  Bytes host_needed{};     // of one node
  Bytes host_capacity{};   // of one node; 0: not known
  Flops model_flops{};     // of one GPU and step, by the run's convention
  Flops hardware_flops{};  // with recomputation, mean over stages
  FlopsPerSecond peak_rate{};
  std::uint8_t comm_count = 0;
  std::array<CommLine<R>, kMaxCommLines> comm{};
  Seconds interval_low{};
  Seconds interval_high{};
};

using Answer = AnswerOf<double>;

}  // namespace orrery
