// SPDX-License-Identifier: Apache-2.0
#include "exchange/import_fit.h"

#include <algorithm>

#include "core/json_path.h"
#include "estimate/given_document.h"
#include "exchange/names.h"
#include "model/architecture_json.h"

namespace orrery {
namespace {

constexpr const char* kOptions = "parallel.framework_options";
constexpr const char* kCommandLine = "the command line";

// Switches that say what one of our keys says.
struct SameKey {
  std::string_view option;
  const char* ours;
};
constexpr std::array kSameKeys = {
    SameKey{"overlap_grad_reduce", "parallel.overlap.grad_reduce"},
    SameKey{"overlap_param_gather", "parallel.overlap.param_gather"},
    SameKey{"zero_hpz_partition_size", "parallel.zeropp.hpz"},
};

// The note that says `path` was assumed, taken out; whether there was one.
bool forget_assumption(ImportedRun& imported, const std::string& path) {
  const auto first = std::remove_if(imported.assumed.begin(), imported.assumed.end(),
                                    [&](const Assumed& a) { return a.path == path; });
  const bool found = first != imported.assumed.end();
  imported.assumed.erase(first, imported.assumed.end());
  return found;
}

// Values of the command line are not assumed.
void forget_said(ImportedRun& imported, const Json& given) {
  const auto said = [&](const Assumed& a) { return !value_at(given, a.path).is_null(); };
  imported.assumed.erase(std::remove_if(imported.assumed.begin(), imported.assumed.end(), said),
                         imported.assumed.end());
}

void move_option(ImportedRun& imported, const std::string& name, const Json& value,
                 const std::string& profile) {
  const std::string path = std::string(kOptions) + "." + name;
  erase_at(imported.run, path);
  if (forget_assumption(imported, path)) return;
  const auto same = std::find_if(kSameKeys.begin(), kSameKeys.end(),
                                 [&](const SameKey& k) { return k.option == name; });
  if (same != kSameKeys.end()) {
    set_at(imported.run, same->ours, value);
    return;
  }
  if (value == false) return imported.without_effect.push_back(name + " (off)");
  imported.not_understood.push_back({name + " " + brief(value), profile + " has no such switch"});
}

void fit_options(ImportedRun& imported, const Json& given, const ConfigLookup& lookup) {
  const Json& framework = value_at(given, "framework");
  const Json options = value_at(imported.run, kOptions);
  if (framework.is_null() || !options.is_object()) return;
  const GivenDocument d = find_document(Reader(framework, kCommandLine, "framework"), "framework",
                                        lookup.framework, lookup.framework_names);
  const Json& known = value_at(d.json, "options");
  for (const auto& [name, value] : options.items()) {
    if (!known.contains(name)) move_option(imported, name, value, d.name);
  }
  if (value_at(imported.run, kOptions).empty()) erase_at(imported.run, kOptions);
}

// Layers of the model; 0 without one.
std::int64_t layers_of_model(const Json& run, const ConfigLookup& lookup) {
  const Json& model = value_at(run, "model");
  if (model.is_null()) return 0;
  const GivenDocument d = find_document(Reader(model, kCommandLine, "model"), "model", lookup.model,
                                        lookup.model_names);
  return read_model(d.json, d.file, d.path, d.name).architecture.layers;
}

std::int64_t degree(const Json& run, const char* path) {
  const Json& value = value_at(run, path);
  const bool usable = value.is_number_integer() && value.get<std::int64_t>() > 0;
  return usable ? std::min(value.get<std::int64_t>(), kMostDegree) : 1;
}

void fit_checkpoints(ImportedRun& imported, const Json& given, const ConfigLookup& lookup) {
  const std::int64_t every = imported.checkpointed_every;
  const Json& recompute = value_at(given, "parallel.recompute");
  if (every == 0 || !recompute.is_null()) return;
  Json run = imported.run;
  merge_over(run, given);
  const std::int64_t layers = layers_of_model(run, lookup);
  if (layers == 0) {
    imported.not_understood.push_back({"every layer of " + std::to_string(every) + " checkpointed",
                                       "of how many; give --model, or --recompute"});
    return;
  }
  const std::int64_t n =
      layers / (degree(run, "parallel.pp") * degree(run, "parallel.vpp")) / every;
  set_at(imported.run, "parallel.recompute", n > 0 ? "full" : "none");
  if (n == 0) return;
  set_at(imported.run, "parallel.recompute_method", "block");
  set_at(imported.run, "parallel.recompute_layers", n);
}

}  // namespace

void fit_import(ImportedRun& imported, const Json& given, const ConfigLookup& lookup) {
  forget_said(imported, given);
  fit_options(imported, given, lookup);
  fit_checkpoints(imported, given, lookup);
}

}  // namespace orrery
