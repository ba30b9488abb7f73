// SPDX-License-Identifier: Apache-2.0
//
// One measured time of one kind of work, and a file of them.
//
// Kinds: a matrix product, attention's forward, backward or both, a memory-bound kernel by the
// bytes it reads and writes, the launch of an empty kernel, a copy to the host's memory, a
// collective (S as network/collective.h has it). Leaves out what surrounded them: clocks and
// neighbours are in `spread`. Units: SI. Errors: none; readers are in exchange/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "cost/attention.h"
#include "cost/product.h"
#include "hardware/noise.h"
#include "network/collective.h"

namespace orrery {

enum class AttentionPass : std::uint8_t { forward, backward, both };
inline constexpr std::array<std::string_view, 3> kAttentionPassNames = {"forward", "backward",
                                                                        "both"};

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
  std::int64_t ranks = 0;  // side by side, alone
  Bytes size{};
};

using MeasuredWork = std::variant<MeasuredProduct, MeasuredAttention, MeasuredMemory,
                                  MeasuredLaunch, MeasuredHostCopy, MeasuredCollective>;

struct Measurement {
  MeasuredWork work;
  TimedWork timed;
  std::string kernel;  // of memory-bound work: "copy", "norm", …; of a product its layout; of a
                       // copy over the host's link kToHost, or "" from the host
};

inline constexpr const char* kToHost = "to host";

struct MeasurementSet {
  std::string file;
  std::string source;  // where the numbers come from; "" unsaid
  std::string role;    // "sets constants" of configs/, or "only tests" them; "" unsaid
  std::string device;  // "" unsaid
  std::string node;    // "" unsaid
  std::string gpu;     // by its driver's name, "NVIDIA H100 80GB HBM3"; "" unsaid
  std::string driver;
  std::string library;
  std::string clocks;
  std::string date;
  bool measured_here = true;  // on the machine at hand; false: published
  std::vector<Measurement> points;
  std::vector<std::string> left_out;  // what the file has and no form is fitted to, one line each
};

// "matrix products", "attention", …: what fits are judged by.
std::string_view kind_of(const Measurement& m);

// Measurements alike but for their size: "bf16 products", "flash-2 attention, head 128", …
std::string curve_of(const Measurement& m);

// One line that no other work of the design has: "bf16 products of 512 × 4096 × 1024, TN".
std::string name_of_work(const Measurement& m);

// FLOPs of products and attention, bytes of the rest; 0 of a launch.
double amount_of(const Measurement& m);
bool counts_bytes(const Measurement& m);

FlopsOf<double> flops_of(const MeasuredAttention& a);

// What disturbs a measurement adds time: of two of one curve whose time falls with more bytes
// beyond the noise, the smaller goes, with a line in `left_out`.
void leave_out_disturbed(MeasurementSet& set);

// Errors: InputError where a time falls with more bytes of one curve, beyond the noise.
void check_rising(const MeasurementSet& set);

}  // namespace orrery
