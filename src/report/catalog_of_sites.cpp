// SPDX-License-Identifier: Apache-2.0
#include "capacity/data_needs.h"
#include "capacity/site_json.h"
#include "core/units.h"
#include "document/words.h"
#include "report/catalog.h"
#include "report/quantity_cell.h"

namespace orrery {
namespace {

Cell minutes_cell(const Ranged<Seconds>& t) {
  return {fixed(t.value.si() / 60, 1) + " min", t.value.si()};
}

Cell share_cell(const Ranged<double>& share) { return {percent(share.value, 0), share.value}; }

Cell names_cell(const std::vector<std::string>& names) { return {joined(names, ", "), names}; }

std::vector<std::string> keys_of(const Json& document, const char* key) {
  std::vector<std::string> names;
  const auto at = document.find(key);
  if (at == document.end()) return names;
  for (const auto& entry : at->items()) names.push_back(entry.key());
  return names;
}

}  // namespace

Table failure_list(const std::vector<NamedDocument>& documents) {
  Table list({{"failures", "name"},
              {"GPU-hours a failure", "gpu_hours_per_failure", true},
              {"classes", "classes", true},
              {"detection", "detection_s", true},
              {"restart", "restart_s", true}});
  for (const NamedDocument& d : documents) {
    const Interruptions i = read_failures(Reader(d.json, d.file));
    const double rate = rate_per_gpu(i).si();
    const double hours = rate > 0 ? 1 / rate / 3600 : 0;
    list.add({d.name, rate > 0 ? Cell{grouped(hours), hours} : Cell{"–", nullptr},
              Cell{grouped(static_cast<std::int64_t>(i.classes.size())), i.classes.size()},
              minutes_cell(i.detection), minutes_cell(i.restart)});
  }
  return list;
}

Table storage_list(const std::vector<NamedDocument>& documents) {
  Table list({{"storage", "name"},
              {"write", "write_bytes_per_s", true},
              {"read", "read_bytes_per_s", true},
              {"a client", "client_bytes_per_s", true},
              {"capacity", "capacity_bytes", true}});
  for (const NamedDocument& d : documents) {
    const Storage s = read_storage(Reader(d.json, d.file));
    list.add({d.name, quantity_cell(s.write), quantity_cell(s.read), quantity_cell(s.client),
              quantity_cell(s.capacity)});
  }
  return list;
}

Table price_list(const std::vector<NamedDocument>& documents) {
  Table list({{"prices", "name"}, {"of GPUs", "gpus"}, {"of nodes", "nodes"}});
  for (const NamedDocument& d : documents) {
    list.add({d.name, names_cell(keys_of(d.json, "gpus")), names_cell(keys_of(d.json, "nodes"))});
  }
  return list;
}

Table energy_list(const std::vector<NamedDocument>& documents) {
  Table list({{"energy", "name"},
              {"compute", "compute", true},
              {"memory", "memory", true},
              {"waiting", "waiting", true},
              {"idle", "idle", true}});
  for (const NamedDocument& d : documents) {
    const DeviceLoad load = read_energy(Reader(d.json, d.file)).load;
    list.add({d.name, share_cell(load.compute), share_cell(load.memory), share_cell(load.waiting),
              share_cell(load.idle)});
  }
  return list;
}

Table corpus_list(const Json& table, const std::string& file) {
  Table list({{"corpus", "name"}, {"bytes a token", "bytes_per_token", true}});
  for (const Corpus& c : read_corpora(Reader(table, file))) {
    list.add({c.name, Cell{fixed(c.bytes_per_token, 2), c.bytes_per_token}});
  }
  return list;
}

Table sample_list(const Json& table, const std::string& file) {
  Table list({{"samples", "name"},
              {"bytes", "bytes", true},
              {"FLOPs", "flops", true},
              {"of a PFLOP/s", "bytes_per_s_per_pflops", true}});
  const FlopsPerSecond peta(1e15);
  for (const SampleKind& k : read_samples(Reader(table, file))) {
    list.add({k.name, quantity_cell(k.bytes), quantity_cell(k.flops),
              quantity_cell(sample_bandwidth(k, peta))});
  }
  return list;
}

Table plan_list(const std::vector<NamedDocument>& documents) {
  Table list({{"plan", "name"}, {"options", "scenarios", true}, {"title", "title"}});
  for (const NamedDocument& d : documents) {
    const std::size_t n = d.json.value("scenarios", Json::array()).size();
    list.add({d.name, Cell{grouped(static_cast<std::int64_t>(n)), n},
              d.json.value("name", std::string())});
  }
  return list;
}

}  // namespace orrery
