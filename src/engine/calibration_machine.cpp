// SPDX-License-Identifier: Apache-2.0
#include "engine/calibration_machine.h"

#include <cctype>

#include "calibrate/overlay.h"
#include "core/units.h"
#include "core/unknown_name.h"
#include "engine/answer.h"
#include "engine/measured_place.h"
#include "exchange/collective_names.h"
#include "exchange/measurements/measurements.h"
#include "hardware/cluster_reader.h"
#include "hardware/device_reader.h"

namespace orrery {
namespace {

std::int64_t most_ranks(const std::vector<MeasurementSet>& sets) {
  std::int64_t most = 0;
  for (const Measurement& m : points_of(sets)) {
    if (const auto* c = std::get_if<MeasuredCollective>(&m.work)) most = std::max(most, c->ranks);
  }
  return most;
}

MeasurementHints hints_of(const CalibrateChoice& a) {
  MeasurementHints hints;
  if (!a.collective.empty()) {
    hints.collective = collective_named(a.collective);
    if (!hints.collective) {
      throw InputError("orrery calibrate", "--collective", "\"" + a.collective + "\"",
                       "a collective of `orrery list collectives`");
    }
  }
  if (a.dtype.empty()) return hints;
  hints.precision = find_name<Precision>(a.dtype);
  if (!hints.precision) {
    throw InputError("orrery calibrate", "--dtype", "\"" + a.dtype + "\"",
                     alternatives(names_in<Precision>()));
  }
  return hints;
}

void check_same(const std::string& file, const std::string& what, const std::string& stated,
                const std::string& given) {
  if (stated.empty() || given.empty() || stated == given) return;
  throw InputError(file, what, "measurements of " + stated, "those of " + given);
}

// "h100" of "NVIDIA H100 80GB HBM3": the first word of letters and then digits; "" of none.
std::string model_of(const std::string& gpu) {
  std::string word;
  for (const char c : gpu + " ") {
    const auto u = static_cast<unsigned char>(c);
    if (std::isalnum(u) != 0) {
      word += static_cast<char>(std::tolower(u));
      continue;
    }
    const bool begins = !word.empty() && std::isalpha(static_cast<unsigned char>(word[0])) != 0;
    if (begins && word.find_first_of("0123456789") != std::string::npos) return word;
    word.clear();
  }
  return "";
}

}  // namespace

Machine machine_of(const CalibrateChoice& a, const std::vector<MeasurementSet>& sets,
                   const ConfigSource& configs) {
  Machine m;
  const std::int64_t ranks = most_ranks(sets);
  if (!a.node.empty()) {
    const ConfigText found =
        required_config(configs, ConfigKind::node, a.node, "orrery calibrate", "--node");
    const Json document = parse_json(found.text, found.file);
    const auto lookup = config_lookup(configs).hardware;
    const Cluster one = read_node(document, found.file, 0, lookup).cluster;
    m.cluster =
        read_node(document, found.file, std::max(ranks, one.devices_per_node), lookup).cluster;
    m.node = m.cluster.node.view();
  } else {
    if (ranks > 0) {
      throw UsageError("orrery calibrate: collectives are fitted to a node's tiers: give --node");
    }
    const ConfigText found =
        required_config(configs, ConfigKind::device, a.device, "orrery calibrate", "--device");
    m.cluster.device = read_device(Reader(parse_json(found.text, found.file), found.file));
  }
  m.device = m.cluster.device.name.view();
  return m;
}

std::vector<MeasurementSet> sets_of(const CalibrateChoice& a) {
  const MeasurementHints hints = hints_of(a);
  std::vector<MeasurementSet> sets;
  for (const NamedText& file : a.files) {
    sets.push_back(read_measurements(file.text, file.name, hints));
  }
  return sets;
}

std::string not_computed(const Measurement& m, const Device& d) {
  if (const auto* p = std::get_if<MeasuredProduct>(&m.work)) {
    return has_precision(d, p->precision) ? "" : std::string(name_of(p->precision));
  }
  const auto* a = std::get_if<MeasuredAttention>(&m.work);
  if (a == nullptr) return "";
  if (is_available(curve_of(d, a->kernel)) && has_precision(d, a->precision)) return "";
  return std::string(name_of(a->kernel)) + " in " + std::string(name_of(a->precision));
}

// A fit prices ranks that fill their nodes in order, by the library's own choice.
static bool is_placed_otherwise(const Measurement& m, std::int64_t nodes_of_file) {
  const auto* c = std::get_if<MeasuredCollective>(&m.work);
  return c != nullptr && (c->nodes + nodes_of_file != 0 || c->algorithm != Algorithm::none);
}

// A bound that tells wrong units, no rate: clocks beyond the data sheet's give up to a tenth more
// [from memory].
static constexpr double kMostOfPeak = 1.2;

// Times in another unit, or of another device, are faster than any constant explains.
static void refuse_above_peak(const MeasurementSet& set, const Measurement& p, const Device& d) {
  const auto* product = std::get_if<MeasuredProduct>(&p.work);
  if (product == nullptr) return;
  const FlopsPerSecond rate = Flops(amount_of(p)) / p.timed.time;
  const FlopsPerSecond peak = peak_of(d, product->precision);
  if (rate <= peak * kMostOfPeak) return;
  throw InputError(set.file, name_of_work(p), pretty(rate, 3),
                   "at most the peak of " + std::string(d.name.view()) + ", " + pretty(peak, 3));
}

std::vector<std::string> check_sets(const std::vector<MeasurementSet>& sets, const Machine& m) {
  std::vector<std::string> warnings;
  for (const MeasurementSet& set : sets) {
    check_same(set.file, "device", set.device, m.device);
    check_same(set.file, "node", set.node, m.node);
    check_gpu(set, m.cluster.device);
    const std::int64_t nodes = nodes_of_hosts(set, m.cluster);
    // A document may go by any name, so that a GPU that is not known is no error.
    const std::string model = model_of(set.gpu);
    if (!model.empty() && m.device.find(model) == std::string::npos) {
      warnings.push_back(set.file + ": times of the GPU " + set.gpu + ", fitted to " + m.device);
    }
    for (const Measurement& p : set.points) {
      if (is_placed_otherwise(p, nodes)) {
        throw InputError(set.file, std::string(kind_of(p)), curve_of(p),
                         "ranks that fill their nodes in order, by the library's own choice; "
                         "`orrery collective --against` prices others");
      }
      const std::string what = not_computed(p, m.cluster.device);
      if (what.empty()) {
        refuse_above_peak(set, p, m.cluster.device);
        continue;
      }
      throw InputError(set.file, std::string(kind_of(p)), what,
                       "precisions and kernels that " + m.device + " has");
    }
  }
  return warnings;
}

}  // namespace orrery
