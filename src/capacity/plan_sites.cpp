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
  SiteReader(const SiteSource& source, OptionPlan& option) : source_(source), option_(option) {}

  // In a list later documents override earlier ones.
  Document read(SiteKind kind, const Reader& r) {
    if (!r.json().is_array()) return read_one(kind, r);
    Json merged = Json::object();
    for (const Reader& one : r.items()) merge_over(merged, read_one(kind, one).json);
    return {std::move(merged), source_.plan_file, r.path()};
  }

 private:
  Document read_one(SiteKind kind, const Reader& r) {
    Document d{r.json(), source_.plan_file, r.path()};
    std::string name = "given";
    if (r.json().is_string()) {
      name = r.text();
      d = named(kind, r);
    }
    if (!d.json.is_object()) r.fail("a name, a path or an object");
    const auto source = d.json.find("source");
    option_.assumptions.push_back(
        {std::string(name_of(kind)), name,
         source == d.json.end() ? source_.plan_file : source_text(read_source(*source)), ""});
    return d;
  }

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
  OptionPlan& option_;
};

Document data_table(const SiteSource& source, const std::string& name) {
  const std::optional<ConfigText> found = source.context.site(SiteKind::data, name);
  if (!found) {
    throw InputError(source.plan_file, "data", "no configs/data/" + name + ".json", "that file");
  }
  return {parse_json(found->text, found->file), found->file, ""};
}

void read_data(Both& both, const SiteSource& source, DataPlan& data) {
  const Document samples = data_table(source, "samples");
  data.samples = read_samples(samples.reader());
  const Document corpora = data_table(source, "corpora");
  data.corpora = read_corpora(corpora.reader());
  auto given = both.find("data");
  if (!given) return;
  if (auto v = given->find("corpus")) {
    std::vector<std::string_view> names;
    for (const Corpus& c : data.corpora) names.emplace_back(c.name);
    data.corpus = v->choice(names);
  }
  if (auto v = given->find("bytes_per_token")) {
    data.corpora.push_back({"given", v->number(0.1, 1e6)});
    data.corpus = data.corpora.size() - 1;
  }
  if (auto v = given->find("tokens_per_core_s")) data.tokens_per_core = v->number(1, 1e12);
  given->reject_unknown();
}

// The rate of one client says nothing about the time of all.
void refuse_without_server(const Storage& s, const Reader& given) {
  if (s.write.si() > 0 || (s.read.si() <= 0 && s.client.si() <= 0)) return;
  const std::string beside =
      given.json().is_string() ? ": [\"" + given.text() + "\", {\"write\": \"20 GB/s\"}]" : "";
  given.fail(s.client.si() > 0 ? "what one client carries, and not what the storage writes"
                               : "what the storage reads, and not what it writes",
             "`write`, the rate of the whole storage, beside it" + beside);
}

}  // namespace

void read_sites(Both& both, const SiteSource& source, OptionPlan& option) {
  SiteReader site(source, option);
  if (auto v = both.find("failures")) {
    option.interruptions = read_failures(site.read(SiteKind::failures, *v).reader());
  }
  if (auto v = both.find("storage")) {
    option.storage = read_storage(site.read(SiteKind::storage, *v).reader());
    refuse_without_server(option.storage, *v);
    if (option.storage.name.empty() && v->json().is_string()) option.storage.name = v->text();
  }
  if (auto v = both.find("checkpoint")) option.checkpoint = read_checkpoint(*v);
  if (auto v = both.find("prices")) {
    option.prices = read_prices(site.read(SiteKind::prices, *v).reader(), source.exchange);
  }
  static const Json kUsualEnergy = "by-load";
  const Reader energy =
      both.find("energy").value_or(Reader(kUsualEnergy, source.plan_file, "energy"));
  option.energy = read_energy(site.read(SiteKind::energy, energy).reader());
  read_data(both, source, option.data);
}

}  // namespace orrery
