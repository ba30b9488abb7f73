// SPDX-License-Identifier: Apache-2.0
#include "parallel/framework_json.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/json.h"
#include "core/json_path.h"
#include "core/json_reader.h"
#include "core/key_access.h"
#include "core/masks.h"
#include "core/provenance.h"
#include "parallel/document_tables.h"
#include "parallel/framework_keys.h"
#include "parallel/strategy_keys.h"

namespace orrery {

constinit const KeyTable kFrameworkDocument = {"", kFrameworkDocumentRows, {.has_sources = true}};

namespace {

using framework_forms::kMostAtAll;
using framework_forms::kMostOfAnOption;

// Choices of Orrery itself keep to it; the other limits are those of searches and advice.
void read_recompute(Reader& r, Framework& f) {
  auto runs = r.find("runs");
  if (!runs) return;
  const auto choices = runs->find(std::string(key_name<&StrategyRequest::recompute>));
  if (!choices) return;
  read_mask<RecomputeChoice>(*choices, f.recompute.choices);
  if (f.recompute.choices == 0) choices->fail("at least one");
}

FrameworkProfile read_fields(const Json& document, const std::string& file) {
  Reader r(document, file);
  FrameworkProfile p;
  check_sources(r);
  for (const char* known : {"options", "notes"}) r.allow(known);
  read_recompute(r, p.framework);
  read_known(kFrameworkKeys, r, p.framework);
  Reader kernels = at_key<&Framework::kernels>(r);
  at_key<&FrameworkKernels::attention>(kernels);
  read_known(kProfileKeys, r, p);
  r.reject_unknown();
  if (p.fp16_states.empty()) p.fp16_states = p.states;
  return p;
}

bool is_group(const Key& k) { return k.forms.front().kind == FormKind::object; }

// Nothing is required of an overlay, whether the run chooses it or not.
template <class T>
void read_given(const Keys<T>& table, Reader& r, T& out) {
  for (const Key& k : table.keys) {
    const auto value = r.find(std::string(k.name));
    if (value && !is_group(k)) k.read(&out, *value, k);
  }
}

template <auto Group>
void read_given_group(Reader& r, Framework& out) {
  auto group = find_key<Group>(r);
  if (!group) return;
  read_given(KeysOf<ValueOf<Group>>::table, *group, out.*Group);
  group->reject_unknown();
}

template <auto... Group>
void read_given_groups(Reader& r, Framework& out) {
  (read_given_group<Group>(r, out), ...);
}

void check_overlay(Reader r) {
  using F = Framework;
  FrameworkProfile scratch;
  read_given(kFrameworkKeys, r, scratch.framework);
  read_given(kProfileKeys, r, scratch);
  read_given_groups<&F::kernels, &F::saved, &F::recompute, &F::loss, &F::gradients, &F::update,
                    &F::sharding, &F::gathers, &F::overlap, &F::experts, &F::pipeline, &F::network,
                    &F::vocabulary, &F::allocator, &F::buffers, &F::host, &F::level>(
      r, scratch.framework);
  r.reject_unknown();
}

std::string field_path(const Reader& r) {
  const std::vector<std::string> paths = framework_paths();
  return paths[r.choice(std::vector<std::string_view>(paths.begin(), paths.end()))];
}

// A switch that takes a count: the field it sets, and what may be given.
FrameworkOption apply_count(Json& document, Reader& option, const std::string& name,
                            const Json* chosen, const Reader& given) {
  const std::int64_t lowest = option.at("lowest").integer(-1, kMostOfAnOption);
  std::int64_t highest = kMostOfAnOption;
  if (const auto most = option.find("highest")) highest = most->integer(lowest, kMostAtAll);
  const std::int64_t standard = option.at("default").integer(lowest, highest);
  const std::string field = field_path(option.at("field"));
  option.reject_unknown();
  if (chosen == nullptr) return {name, std::to_string(standard), true, true};
  const Reader asked(*chosen, given.file(), given.path() + "." + name);
  const std::int64_t value = asked.integer(lowest, highest);
  if (value != standard) set_at(document, field, value);
  return {name, std::to_string(value), false, true};
}

// Lays the overlay of one switch over the document and says which value it took.
FrameworkOption apply(Json& document, Reader option, const std::string& name, const Json* chosen,
                      const Reader& given) {
  if (option.has("field")) return apply_count(document, option, name, chosen, given);
  Reader values = option.at("values");
  FrameworkOption result{name, option.at("default").text(), chosen == nullptr};
  if (chosen != nullptr) result.value = bare_text(*chosen);
  bool is_searched = true;
  if (const auto searched = option.find("searched")) is_searched = searched->boolean();
  option.reject_unknown();
  const std::vector<std::string> allowed = values.keys();
  if (is_searched) result.searched = allowed;
  for (const std::string& value : allowed) check_overlay(values.at(value));
  if (!values.has(result.value)) {
    throw InputError(given.file(), given.path() + "." + name, result.value, alternatives(allowed),
                     nearest_name(result.value, allowed));
  }
  // The fields of the profile are those of its defaults.
  if (chosen != nullptr) merge_over(document, values.at(result.value).json());
  return result;
}

}  // namespace

void read_name(const Reader& r, Name& out) { out = make_name(r.text()); }

void read_attention(const Reader& r, FrameworkKernels& out) {
  out.attention_count = 0;
  for (const Reader& item : r.items()) {
    if (out.attention_count == out.attention.size()) item.fail("each kernel once");
    out.attention[out.attention_count++] = item.choice<AttentionKernel>();
  }
}

// The values of split vocabularies and interleaved chunks are these unless the profile has its own.
void read_loss_method(const Reader& r, FrameworkLoss& out) {
  out.method = out.split_method = r.choice<CrossEntropy>();
}
void read_ep_exposed(const Reader& r, FrameworkOverlap& out) {
  out.ep_exposed = out.ep_exposed_interleaved = r.number(0, 1);
}

std::vector<std::string> framework_paths() {
  std::vector<std::string> paths;
  for (const Key& k : kFrameworkKeys.keys) {
    if (!is_group(k)) {
      paths.emplace_back(k.name);
      continue;
    }
    for (const Key& inner : k.forms.front().object->keys) {
      paths.push_back(std::string(k.name) + "." + std::string(inner.name));
    }
  }
  return paths;
}

std::vector<std::string> beyond_runs(const FrameworkProfile& profile, const Json& parallel) {
  std::vector<std::string> beyond;
  const std::string pp(key_name<&StrategyRequest::pp>);
  const Json runs = profile.document->value("runs", Json::object());
  for (const auto& [key, known] : runs.items()) {
    if (key == key_name<&StrategyRequest::recompute>) continue;
    const bool beside_pipeline = key == "zero_with_pipeline";
    if (beside_pipeline && parallel.value(pp, 1) == 1) continue;
    const std::string asked = beside_pipeline ? std::string(key_name<&StrategyRequest::zero>) : key;
    const auto value = parallel.find(asked);
    if (value == parallel.end() || std::find(known.begin(), known.end(), *value) != known.end()) {
      continue;
    }
    std::vector<std::string> names;
    for (const Json& k : known) names.push_back(bare_text(k));
    beyond.push_back(asked + " " + alternatives(names) +
                     (beside_pipeline ? " beside a pipeline" : "") + "; " + asked + " " +
                     bare_text(*value));
  }
  return beyond;
}

void read_qwz(const Reader& r, FrameworkSharding& out) { out.zeropp.qwz = r.integer(0, 64); }
void read_hpz(const Reader& r, FrameworkSharding& out) { out.zeropp.hpz = r.integer(0, 1 << 20); }
void read_qgz(const Reader& r, FrameworkSharding& out) { out.zeropp.qgz = r.integer(0, 64); }

void read_selective_modules(const Reader& r, ModuleMask& out) { read_mask<Module>(r, out); }

void read_offloaded(const Reader& r, TensorMask& out) { read_mask<OffloadTensor>(r, out); }

void read_unfused(const Reader& r, ChainMask& out) { read_mask<Chain>(r, out); }

void read_kept(const Reader& r, KeptGatheredMask& out) { read_mask<KeptGathered>(r, out); }

void read_interval(const Reader& r, FrameworkLevel& out) {
  const std::vector<Reader> interval = r.items();
  if (interval.size() != 2) r.fail("two factors, low and high");
  out.interval_low = interval[0].number(0.01, 1);
  out.interval_high = interval[1].number(1, 100);
}

FrameworkProfile read_framework(const Json& profile, const std::string& file, const Json& options,
                                const std::string& run_file, const std::string& options_path) {
  Json document = with_sources_apart(profile);
  std::vector<FrameworkOption> taken;
  static const Json kNoOptions = Json::object();
  const Json& chosen = options.is_null() ? kNoOptions : options;
  Reader given(chosen, run_file, options_path);
  given.must_be_object();
  Reader root(profile, file);
  if (auto known = root.find("options")) {
    for (const std::string& name : known->keys()) {
      const Json* value = given.has(name) ? &chosen[name] : nullptr;
      taken.push_back(apply(document, known->at(name), name, value, given));
    }
  }
  given.reject_unknown();
  FrameworkProfile result = read_fields(document, file);
  result.options = std::move(taken);
  result.document = std::move(document);
  return result;
}

}  // namespace orrery
