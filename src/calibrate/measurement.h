// SPDX-License-Identifier: Apache-2.0
//
// One measured time of one kind of work, and a file of them.
//
// Kinds: a matrix product, attention's forward, backward or both, a memory-bound kernel by the
// bytes it reads and writes, the launch of an empty kernel, a copy to the host's memory, a
// collective (S as in network/collective.h). Leaves out the circumstances: effects of clocks and
// neighbours are in `spread`. Units: SI. Errors: none; readers are in exchange/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/enum_names.h"
#include "core/precision.h"
#include "cost/shapes.h"
#include "hardware/device.h"
#include "hardware/noise.h"
#include "network/collective.h"

namespace orrery {

enum class AttentionPass : std::uint8_t { forward, backward, both };
constexpr EnumNames<AttentionPass> names_of(AttentionPass) {
  return {"forward", "backward", "both"};
}

struct MeasuredProduct {
  ProductShape shape;
  Precision precision = Precision::bf16;
};

struct MeasuredAttention {
  AttentionShape shape;
  AttentionKernel kernel = AttentionKernel::flash_2;
  Precision precision = Precision::bf16;
  AttentionPass pass = AttentionPass::both;
};

struct MeasuredMemory {
  Bytes bytes{};  // read and written
};

struct MeasuredLaunch {};

struct MeasuredHostCopy {
  Bytes bytes{};
};

struct MeasuredCollective {
  Collective kind = Collective::all_reduce;
  std::int64_t ranks = 0;  // neighbours, without other traffic
  Bytes size{};
  std::int64_t nodes = 0;                 // that hold as many of them each; 0: filled in order
  Algorithm algorithm = Algorithm::none;  // the one it was given; none: its own choice

  bool operator==(const MeasuredCollective&) const = default;
};

using MeasuredWork = std::variant<MeasuredProduct, MeasuredAttention, MeasuredMemory,
                                  MeasuredLaunch, MeasuredHostCopy, MeasuredCollective>;

struct Measurement {
  MeasuredWork work;
  TimedWork timed;
  std::string kernel;  // memory-bound work: "copy", "norm", …; a product: its layout; a
                       // copy over the host's link kToHost, or "" from the host
};

inline constexpr const char* kToHost = "to host";

struct MeasurementSet {
  std::string file;
  std::string source;  // source of the numbers; "": not given
  std::string role;    // "sets constants" of configs/, or "only tests" them; "": not given
  std::string device;  // "": not given
  std::string node;    // "": not given
  std::string gpu;     // its driver's name, "NVIDIA H100 80GB HBM3"; "": not given
  std::string driver;
  std::string library;
  std::string clocks;
  std::string date;
  std::vector<std::int64_t> ranks_of_hosts;  // a collective's; empty: not given
  bool measured_here = true;                 // on this machine; false: published
  std::vector<Measurement> points;
  std::vector<std::string> left_out;  // parts of the file that no formula describes, one line each
};

// "matrix products", "attention", …: the kinds by which fits are judged.
std::string_view kind_of(const Measurement& m);

// Measurements that differ only in size: "bf16 products", "flash-2 attention, head 128", …
std::string curve_of(const Measurement& m);

// A unique line for each work item of the design: "bf16 products of 512 × 4096 × 1024, TN".
std::string name_of_work(const Measurement& m);

// FLOPs of products and attention, 0 for a launch, bytes of the rest.
double amount_of(const Measurement& m);
bool counts_bytes(const Measurement& m);

FlopsOf<double> flops_of(const MeasuredAttention& a);

// Disturbances only add time: if a time of a curve falls with more bytes beyond the noise, the
// point with fewer bytes is removed, with a line in `left_out`.
void leave_out_disturbed(MeasurementSet& set);

// Errors: InputError if a time of a curve falls with more bytes, beyond the noise.
void check_rising(const MeasurementSet& set);

}  // namespace orrery
