// SPDX-License-Identifier: Apache-2.0
#include "capacity/plan_sites.h"

#include "capacity/site_json.h"
#include "core/error.h"
#include "core/json.h"
#include "core/provenance.h"
#include "estimate/config_lookup.h"

namespace orrery {
namespace {

struct Document {
  Json json;
  std::string file;
  std::string path;  // in the plan, if it is there

  Reader reader() const { return {json, file, path}; }
};

class SiteReader {
 public:
  SiteReader(const SiteSource& source, std::vector<Assumption>& assumptions)
      : source_(source), assumptions_(assumptions) {}

  // In a list later documents override earlier ones.
  Document read(SiteKind kind, const Reader& r) {
    if (!r.json().is_array()) return read_one(kind, r);
    Json merged = Json::object();
    for (const Reader& one : r.items()) merge_over(merged, read_one(kind, one).json);
    return {std::move(merged), source_.plan_file, r.path()};
  }

  Document read_one(SiteKind kind, const Reader& r) {
    Document d{r.json(), source_.plan_file, r.path()};
    std::string name = "given";
    if (r.json().is_string()) {
      name = r.text();
      d = named(kind, r);
    }
    if (!d.json.is_object()) r.fail("a name, a path or an object");
    const auto source = d.json.find("source");
    assumptions_.push_back(
        {std::string(name_of(kind)), name,
         source == d.json.end() ? source_.plan_file : source_text(read_source(*source)), ""});
    return d;
  }

 private:
  Document named(SiteKind kind, const Reader& r) const {
    const std::optional<ConfigText> found = source_.context.site(kind, r.text());
    if (!found) {
      const std::vector<std::string> names = source_.context.site_names(kind);
      r.fail("\"" + r.text() + "\"", "an object, a path, or " + alternatives(names),
             nearest_name(r.text(), names));
    }
    return {parse_json(found->text, found->file), found->file, ""};
  }

  const SiteSource& source_;
  std::vector<Assumption>& assumptions_;
};

Document data_table(const SiteSource& source, const std::string& name) {
  const std::optional<ConfigText> found = source.context.site(SiteKind::data, name);
  if (!found) {
    throw InputError(source.plan_file, "data", "no configs/data/" + name + ".json", "that file");
  }
  return {parse_json(found->text, found->file), found->file, ""};
}

void read_data(const std::optional<Reader>& given, const SiteSource& source, DataPlan& data) {
  const Document samples = data_table(source, "samples");
  data.samples = read_samples(samples.reader());
  const Document corpora = data_table(source, "corpora");
  data.corpora = read_corpora(corpora.reader());
  if (!given) return;
  const DataKeys asked = read_keys(kDataKeys, *given);
  if (asked.corpus) {
    std::vector<std::string_view> names;
    for (const Corpus& c : data.corpora) names.emplace_back(c.name);
    data.corpus = asked.corpus->choice(names);
  }
  if (asked.bytes_per_token) {
    data.corpora.push_back({"given", *asked.bytes_per_token});
    data.corpus = data.corpora.size() - 1;
  }
  data.tokens_per_core = PerSecond(asked.tokens_per_core_s);
}

RecoveryPolicy read_policy(SiteReader& site, const Reader& given) {
  const Document d = site.read_one(SiteKind::recovery, given);
  RecoveryPolicy p = read_recovery(d.reader());
  if (p.name.empty()) p.name = given.json().is_string() ? given.text() : "given";
  return p;
}

// One, several, or all that are shipped.
std::vector<RecoveryPolicy> read_policies(SiteReader& site, const SiteSource& source,
                                          const Reader& given) {
  std::vector<RecoveryPolicy> out;
  if (given.json() == "all") {
    out.emplace_back();
    out.back().name = "restart, by `failures`";
    for (const std::string& name : source.context.site_names(SiteKind::recovery)) {
      const Json named = name;
      out.push_back(read_policy(site, Reader(named, given.file(), given.path())));
    }
  } else if (given.json().is_array()) {
    for (const Reader& one : given.items()) out.push_back(read_policy(site, one));
  } else {
    out.push_back(read_policy(site, given));
  }
  return out;
}

MaterialsPlan read_materials(SiteReader& site, const SiteSource& source, const Reader& given) {
  const Json named = {{"topology", given.json()}};
  const bool is_word = given.json().is_string();
  if (is_word) static_cast<void>(given.choice<FabricTopology>());
  const MaterialsKeys keys =
      read_keys(kMaterialsKeys, is_word ? Reader(named, given.file(), given.path()) : given);
  MaterialsPlan plan;
  plan.shape = {keys.topology, keys.planes, keys.oversubscription};
  plan.nodes_per_rack = keys.nodes_per_rack;
  plan.rack_power = keys.rack_power.value_or(Watts());
  if (keys.network_switch) {
    plan.given = read_switch(site.read(SiteKind::switches, *keys.network_switch).reader());
    if (plan.given->name.empty()) {
      const Json& name = keys.network_switch->json();
      plan.given->name = name.is_string() ? name.get<std::string>() : "switch";
    }
  }
  for (const std::string& name : source.context.site_names(SiteKind::switches)) {
    const std::optional<ConfigText> found = source.context.site(SiteKind::switches, name);
    if (!found) continue;
    plan.known.push_back(read_switch(Reader(parse_json(found->text, found->file), found->file)));
    plan.known.back().name = name;
  }
  return plan;
}

// The rate of one client says nothing about the time of all.
void refuse_without_server(const Storage& s, const Reader& given) {
  if (s.write.si() > 0 || (s.read.si() <= 0 && s.client.si() <= 0)) return;
  const std::string beside =
      given.json().is_string() ? ": [\"" + given.text() + "\", {\"write\": \"20 GB/s\"}]" : "";
  given.fail(
      s.client.si() > 0 ? "`client` (rate of one node) without `write`" : "`read` without `write`",
      "`write`, the rate of the whole storage" + beside);
}

}  // namespace

PriceBook read_price_documents(const Reader& given, const SiteSource& source) {
  std::vector<Assumption> named;  // the prices say where they are from
  SiteReader site(source, named);
  return read_prices(site.read(SiteKind::prices, given).reader(), source.exchange);
}

namespace {

EnergyModel read_energy_of(SiteReader& site, const std::optional<Reader>& given,
                           const SiteSource& source) {
  static const Json kDefaultEnergy = "by-load";
  const Reader energy = given.value_or(Reader(kDefaultEnergy, source.plan_file, "energy"));
  return read_energy(site.read(SiteKind::energy, energy).reader());
}

}  // namespace

EnergyModel read_energy_documents(const std::optional<Reader>& given, const SiteSource& source) {
  std::vector<Assumption> named;  // a step says its own
  SiteReader site(source, named);
  return read_energy_of(site, given, source);
}

void read_sites(const ScenarioKeys& given, const SiteSource& source, OptionPlan& option) {
  SiteReader site(source, option.assumptions);
  if (given.failures) {
    option.interruptions = read_failures(site.read(SiteKind::failures, *given.failures).reader());
  }
  if (given.recovery) {
    if (rate_per_gpu(option.interruptions).si() <= 0) {
      given.recovery->fail("a policy without rates of failures",
                           "`failures` beside it (--failures llama-3)");
    }
    option.recovery = read_policies(site, source, *given.recovery);
  }
  if (given.storage) {
    option.storage = read_storage(site.read(SiteKind::storage, *given.storage).reader());
    refuse_without_server(option.storage, *given.storage);
    if (option.storage.name.empty() && given.storage->json().is_string()) {
      option.storage.name = given.storage->text();
    }
  }
  if (given.checkpoint) option.checkpoint = *given.checkpoint;
  if (given.prices) {
    option.prices =
        read_prices(site.read(SiteKind::prices, *given.prices).reader(), source.exchange);
  }
  option.energy = read_energy_of(site, given.energy, source);
  read_data(given.data, source, option.data);
  if (given.materials) option.materials = read_materials(site, source, *given.materials);
}

}  // namespace orrery
