// SPDX-License-Identifier: Apache-2.0
#include "cli/calibrate.h"

#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <cctype>
#include <filesystem>
#include <memory>

#include "calibrate/overlay.h"
#include "cli/command.h"
#include "core/error.h"
#include "engine/usage_error.h"
#include "exchange/logs/comm_log.h"
#include "exchange/measurements/measurements.h"
#include "hardware/cluster_reader.h"
#include "hardware/device_reader.h"
#include "io/files.h"
#include "io/gzip.h"
#include "io/terminal.h"
#include "report/calibration_report.h"
#include "report/estimate_json.h"

namespace orrery {
namespace {

ConfigText document_of(ConfigKind kind, const std::string& flag, const std::string& name,
                       const ConfigDirs& dirs) {
  const auto found = find_config(dirs, kind, name);
  if (found) return *found;
  const std::string word(name_of(kind));
  throw InputError("orrery calibrate", flag, "\"" + name + "\"",
                   "a name of `orrery list " + word + "s` or a path",
                   nearest_name(name, config_names(dirs, kind)));
}

std::int64_t most_ranks(const std::vector<MeasurementSet>& sets) {
  std::int64_t most = 0;
  for (const Measurement& m : points_of(sets)) {
    if (const auto* c = std::get_if<MeasuredCollective>(&m.work)) most = std::max(most, c->ranks);
  }
  return most;
}

MeasurementHints hints_of(const CalibrateArguments& a) {
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
                     alternatives({kNamesOf<Precision>.begin(), kNamesOf<Precision>.end()}));
  }
  return hints;
}

std::string overlay_name(const CalibrateArguments& a, const Machine& m, const Session& s) {
  if (!a.name.empty()) return a.name;
  const bool to_file = !s.output.empty() && s.output != "-";
  return to_file ? std::filesystem::path(s.output).stem().string() : m.device + "-calibrated";
}

std::string text_of(const CalibrationReport& r, const Session& s) {
  return s.json  ? dump(calibration_json(r))
         : s.csv ? calibration_csv(r)
                 : calibration_text(r, {wants_color(StandardStream::out, s.no_color)});
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

// A document may go by any name, so that this is no error.
void warn_of_another_gpu(const MeasurementSet& set, const Machine& m) {
  const std::string model = model_of(set.gpu);
  if (model.empty() || m.device.find(model) != std::string::npos) return;
  spdlog::warn("{}: times of one {}, fitted to {}", set.file, set.gpu, m.device);
}

struct Verb {
  const char* name;
  ExitCode (*run)(const CalibrateArguments&, const Session&);
};

constexpr std::array kVerbs = {
    Verb{"fit", run_calibrate_fit},
    Verb{"check", run_calibrate_check},
    Verb{"measure", run_calibrate_measure},
};

std::vector<std::string> verb_names() {
  std::vector<std::string> names;
  for (const Verb& v : kVerbs) names.emplace_back(v.name);
  return names;
}

ExitCode run_calibrate(const CalibrateArguments& a, const Session& s) {
  for (const Verb& v : kVerbs) {
    if (a.action == v.name) return v.run(a, s);
  }
  throw InputError("orrery calibrate", "",
                   a.action.empty() ? "nothing to do" : "\"" + a.action + "\"",
                   alternatives(verb_names()), nearest_name(a.action, verb_names()));
}

}  // namespace

Machine machine_of(const CalibrateArguments& a, const std::vector<MeasurementSet>& sets,
                   const ConfigDirs& dirs) {
  Machine m;
  const std::int64_t ranks = most_ranks(sets);
  if (!a.node.empty()) {
    const ConfigText found = document_of(ConfigKind::node, "--node", a.node, dirs);
    const Json document = parse_json(found.text, found.file);
    const auto lookup = config_lookup(dirs).hardware;
    const Cluster one = read_node(document, found.file, 0, lookup).cluster;
    m.cluster =
        read_node(document, found.file, std::max(ranks, one.devices_per_node), lookup).cluster;
    m.node = m.cluster.node.view();
  } else {
    if (ranks > 0) {
      throw UsageError("orrery calibrate: collectives are fitted to a node's tiers: give --node");
    }
    const ConfigText found = document_of(ConfigKind::device, "--device", a.device, dirs);
    m.cluster.device = read_device(Reader(parse_json(found.text, found.file), found.file));
  }
  m.device = m.cluster.device.name.view();
  return m;
}

std::vector<MeasurementSet> sets_of(const CalibrateArguments& a) {
  const MeasurementHints hints = hints_of(a);
  std::vector<MeasurementSet> sets;
  for (const std::string& file : a.files) {
    sets.push_back(read_measurements(gunzip(read_text(file), file), file, hints));
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

void check_sets(const std::vector<MeasurementSet>& sets, const Machine& m) {
  for (const MeasurementSet& set : sets) {
    check_same(set.file, "device", set.device, m.device);
    check_same(set.file, "node", set.node, m.node);
    warn_of_another_gpu(set, m);
    for (const Measurement& p : set.points) {
      const std::string what = not_computed(p, m.cluster.device);
      if (what.empty()) continue;
      throw InputError(set.file, std::string(kind_of(p)), what,
                       "precisions and kernels that " + m.device + " has");
    }
  }
}

ExitCode run_calibrate_fit(const CalibrateArguments& a, const Session& s) {
  if (a.files.empty()) throw UsageError("orrery calibrate fit: no file of measurements");
  if (a.device.empty() == a.node.empty()) {
    throw UsageError("orrery calibrate fit: give one of --device NAME and --node NAME");
  }
  CalibrationReport r;
  r.sets = sets_of(a);
  r.points = points_of(r.sets);
  const Machine m = machine_of(a, r.sets, dirs_of(s));
  check_sets(r.sets, m);
  r.fit = fit_measurements(r.points, m.cluster);
  r.overlay = overlay_json(r.fit, r.sets, {overlay_name(a, m, s), m.device, m.node});
  if (r.overlay["changes"].empty()) {
    throw InputError(a.files.front(), "", "too little to pin any constant",
                     "more measurements, of more sizes");
  }
  if (!a.html.empty()) write_text(a.html, calibration_html(r));
  if (!s.output.empty() && s.output != "-") write_text(s.output, dump(r.overlay));
  write_text("-", text_of(r, s));
  return ExitCode::answer;
}

Action declare_calibrate(CLI::App& app) {
  auto a = std::make_shared<CalibrateArguments>();
  app.add_option("ACTION", a->action, alternatives(verb_names()));
  app.add_option("FILE", a->files, "measurements (docs/calibrate.md says of which tools)")
      ->expected(0, 1000);
  app.add_option("--device", a->device, "device they were measured on: name or path");
  app.add_option("--node", a->node, "node they were measured on, where collectives are among them");
  app.add_option("--name", a->name, "of the overlay; without: that of its file")->type_name("NAME");
  app.add_option("--html", a->html, "write a page with pictures to FILE")->type_name("FILE");
  app.add_option("--collective", a->collective, "of an nccl-tests output that does not say it");
  app.add_option("--dtype", a->dtype, "elements of the products of a PyTorch profiler's table");
  app.add_option("--calibration", a->calibration, "of check: the overlay that may hold or not")
      ->type_name("FILE");
  app.add_option("--time", a->time, "of measure: seconds it may take (120)")
      ->type_name("SECONDS")
      ->check(CLI::Range(1.0, 86400.0));
  return [a](const Session& s) { return run_calibrate(*a, s); };
}

}  // namespace orrery
