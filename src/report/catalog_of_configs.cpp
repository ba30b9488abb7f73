// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "capacity/data_needs.h"
#include "capacity/energy.h"
#include "capacity/goodput.h"
#include "capacity/network_switch.h"
#include "capacity/recovery_policy.h"
#include "capacity/site_json.h"
#include "core/json_text.h"
#include "core/provenance.h"
#include "core/units.h"
#include "document/words.h"
#include "estimate/run.h"
#include "explore/sweep.h"
#include "generate/engine_json.h"
#include "hardware/cluster_reader.h"
#include "hardware/device_reader.h"
#include "model/architecture_json.h"
#include "model/operators.h"
#include "parallel/compression_json.h"
#include "parallel/framework_json.h"
#include "report/catalog.h"

namespace orrery {
namespace {

// A dash where a file does not say it.
template <Dimension D>
Cell quantity_cell(Quantity<D> q) {
  if (q.si() == 0) return {"–", nullptr};
  return {pretty(q), q.si()};
}

// Positions of a learned table where the model does not say how many.
constexpr std::int64_t kTypicalSequence = 2048;

Cell gib_cell(Bytes b) { return {gib_text(b, 1), (b / kGiB).si()}; }

Cell parameters_cell(std::int64_t n) { return {short_count(static_cast<double>(n)), n}; }

FlopsPerSecond sixteen_bit_peak(const Device& d) {
  const FlopsPerSecond bf16 = peak_of(d, Precision::bf16);
  return bf16.si() > 0 ? bf16 : peak_of(d, Precision::fp16);
}

std::string member_text(const Json& j, const char* outer, const char* inner) {
  const auto at = j.find(outer);
  if (at == j.end()) return "";
  const Json* value = &*at;
  if (inner != nullptr) {
    if (!value->is_object() || !value->contains(inner)) return "";
    value = &(*value)[inner];
  }
  return value->is_string() ? value->get<std::string>() : brief(*value);
}

Cell minutes_cell(const Ranged<Seconds>& t) {
  return {fixed(t.value.si() / 60, 1) + " min", t.value.si()};
}

Cell share_cell(const Ranged<double>& share) { return {percent(share.value, 0), share.value}; }

Cell names_cell(const std::vector<std::string>& names) { return {joined(names, ", "), names}; }

Cell runs_cell(const std::map<std::string, std::int64_t>& published, const std::string& device) {
  if (published.empty()) return {"–", nullptr};  // the rows are not here, as in the page
  const auto at = published.find(device);
  return at == published.end() ? Cell("–", 0) : count_cell(at->second);
}

// A device that nobody can measure yet.
bool is_announced(const Json& document) {
  return document_source(document, "").kind == SourceKind::announced;
}

std::vector<std::string> keys_of(const Json& document, const char* key) {
  std::vector<std::string> names;
  const auto at = document.find(key);
  if (at == document.end()) return names;
  for (const auto& entry : at->items()) names.push_back(entry.key());
  return names;
}

}  // namespace

Table model_list(const std::vector<NamedDocument>& documents) {
  Table list({{"model", "name"},
              {"parameters", "parameters", true},
              {"active", "active_parameters", true},
              {"layers", "layers", true},
              {"width", "hidden_size", true},
              {"heads", "attention_heads", true},
              {"experts", "experts", true}});
  for (const NamedDocument& d : documents) {
    const Architecture a = read_model(d.json, d.file, "", d.name).architecture;
    const ParameterCount n = parameter_count(a, kTypicalSequence);
    list.add({d.name, parameters_cell(n.total), parameters_cell(n.active), count_cell(a.layers),
              count_cell(a.hidden), count_cell(a.heads),
              is_moe(a) ? count_cell(a.moe.experts) : Cell("–", 0)});
  }
  return list;
}

Table device_list(const std::vector<NamedDocument>& documents,
                  const std::map<std::string, std::int64_t>& published) {
  Table list({{"device", "name"},
              {"memory", "memory_gib", true},
              {"bandwidth", "memory_bandwidth_bytes_per_s", true},
              {"16-bit peak", "peak_16bit_flops_per_s", true},
              {"fp8 peak", "peak_fp8_flops_per_s", true},
              {"power", "power_w", true},
              {"published runs", "published_runs", true},
              {"state", "state"}});
  for (const NamedDocument& d : documents) {
    const Device device = read_device(Reader(d.json, d.file));
    list.add({d.name, gib_cell(device.memory_capacity), quantity_cell(device.memory_bandwidth),
              quantity_cell(sixteen_bit_peak(device)),
              quantity_cell(peak_of(device, Precision::fp8)), quantity_cell(device.power),
              runs_cell(published, d.name), is_announced(d.json) ? "announced" : ""});
  }
  return list;
}

Table node_list(const std::vector<NamedDocument>& documents, const HardwareLookup& lookup) {
  Table list({{"node", "name"},
              {"GPUs", "devices_per_node", true},
              {"device", "device"},
              {"inside", "inside"},
              {"a GPU", "inside_bytes_per_s", true},
              {"between", "between"},
              {"a node", "between_bytes_per_s", true}});
  for (const NamedDocument& d : documents) {
    const Cluster c = read_node(d.json, d.file, 0, lookup).cluster;
    const Tier& inner = c.tiers[0];
    const Tier& outer = c.tiers[c.tier_count - 1U];
    list.add({d.name, count_cell(c.devices_per_node), std::string(c.device.name.view()),
              std::string(inner.name.view()), quantity_cell(inner.bandwidth),
              std::string(outer.name.view()), quantity_cell(outer.bandwidth)});
  }
  return list;
}

Table framework_list(const std::vector<NamedDocument>& documents) {
  Table list({{"framework", "name"},
              {"ZeRO", "zero", true},
              {"states", "states"},
              {"options", "options"}});
  for (const NamedDocument& d : documents) {
    const FrameworkProfile p =
        read_framework(d.json, d.file, Json::object(), d.file, "parallel.framework_options");
    std::vector<std::string> names;
    for (const FrameworkOption& o : p.options) names.push_back(o.name);
    list.add(
        {d.name, count_cell(p.framework.sharding.zero), p.states, {joined(names, ", "), names}});
  }
  return list;
}

// Tools whose files `import` reads by rules (docs/tools.md).
Table tool_list(const std::vector<NamedDocument>& documents) {
  const auto text = [](const Json& tool, const char* key) {
    const Json& value = value_at(tool, key);
    return value.is_string() ? value.get<std::string>() : std::string("–");
  };
  const auto count = [](const Json& tool, const char* key) {
    return count_cell(static_cast<std::int64_t>(value_at(tool, key).size()));
  };
  Table list({{"tool", "name"},
              {"title", "title"},
              {"release", "release"},
              {"rules of", "inherits"},
              {"settings", "settings", true},
              {"defaults", "defaults", true}});
  for (const NamedDocument& d : documents) {
    list.add({d.name, text(d.json, "title"), text(d.json, "release"), text(d.json, "inherits"),
              count(d.json, "settings"), count(d.json, "defaults")});
  }
  return list;
}

// "2.0×" where all collectives of a dimension share a codec, else what the best reaches.
Cell ratio_cell(const Compression& c, CommDimension d) {
  double most = 1;
  for (const Collective k : kAllOf<Collective>) most = std::max(most, c.of(d, k).ratio);
  const bool lossy = std::any_of(c.codecs[d].begin(), c.codecs[d].end(), is_lossy);
  if (most == 1) return {"–", 1};
  return {fixed(most, 1) + (lossy ? " lossy" : " lossless"), most};
}

Table compression_list(const std::vector<NamedDocument>& documents) {
  Table list({{"compression", "name"},
              {"tp", "tp_ratio", true},
              {"pp", "pp_ratio", true},
              {"cp", "cp_ratio", true},
              {"ep", "ep_ratio", true},
              {"dp", "dp_ratio", true}});
  for (const NamedDocument& d : documents) {
    const Compression c = read_compression(Reader(d.json, d.file), {}).compression;
    using enum CommDimension;
    list.add({d.name, ratio_cell(c, tp), ratio_cell(c, pp), ratio_cell(c, cp), ratio_cell(c, ep),
              ratio_cell(c, dp)});
  }
  return list;
}

Table run_list(const std::vector<NamedDocument>& documents) {
  Table list({{"run", "name"},
              {"model", "model"},
              {"node", "node"},
              {"GPUs", "gpus", true},
              {"framework", "framework"}});
  for (const NamedDocument& d : documents) {
    list.add({d.name, member_text(d.json, "model", nullptr), member_text(d.json, "cluster", "node"),
              member_text(d.json, "cluster", "gpus"), member_text(d.json, "framework", nullptr)});
  }
  return list;
}

Table sweep_list(const std::vector<NamedDocument>& documents) {
  Table list({{"sweep", "name"},
              {"run", "run"},
              {"answer", "answer"},
              {"points", "points", true},
              {"axes", "axes"}});
  for (const NamedDocument& d : documents) {
    const SweepPlan plan = read_sweep(d.json, d.file);
    std::string axes;
    for (const std::string& path : paths_of(plan)) axes += (axes.empty() ? "" : ", ") + path;
    const Json& run = plan.run;
    list.add({d.name,
              run.is_string() ? Cell(run.get<std::string>()) : member_text(run, "model", nullptr),
              name_of(plan.answer), count_cell(plan.points), axes});
  }
  return list;
}

Table failure_list(const std::vector<NamedDocument>& documents) {
  Table list({{"failures", "name"},
              {"GPU-hours a failure", "gpu_hours_per_failure", true},
              {"classes", "classes", true},
              {"detection", "detection_s", true},
              {"restart", "restart_s", true}});
  for (const NamedDocument& d : documents) {
    const Interruptions i = read_failures(Reader(d.json, d.file));
    const double rate = rate_per_gpu(i).si();
    const double hours = rate > 0 ? 1 / rate / kHour.si() : 0;
    list.add({d.name, rate > 0 ? Cell{grouped(hours), hours} : Cell{"–", nullptr},
              Cell{grouped(static_cast<std::int64_t>(i.classes.size())), i.classes.size()},
              minutes_cell(i.detection), minutes_cell(i.restart)});
  }
  return list;
}

Table recovery_list(const std::vector<NamedDocument>& documents) {
  constexpr std::int64_t kSize = 16384;
  Table list({{"recovery", "name"},
              {"restart at 16,384 GPUs", "restart_s", true},
              {"in place", "restart_in_place_s", true},
              {"copies in memory cover", "memory_covers", true},
              {"replicas cover", "replica_covers", true}});
  const auto time = [](const std::optional<TimeBySize>& t) {
    return t ? Cell{seconds_text(time_at(*t, kSize)), time_at(*t, kSize).si()} : Cell{"–", nullptr};
  };
  const auto share = [](const auto& of) {
    return of ? Cell{percent(of->covers), of->covers} : Cell{"–", nullptr};
  };
  for (const NamedDocument& d : documents) {
    const RecoveryPolicy p = read_recovery(Reader(d.json, d.file));
    list.add(
        {d.name, time(p.restart), time(p.restart_in_place), share(p.memory), share(p.replica)});
  }
  return list;
}

Table fleet_list(const std::vector<NamedDocument>& documents) {
  Table list({{"fleet", "name"},
              {"pools", "pools", true},
              {"trainings", "trainings", true},
              {"title", "title"}});
  const auto count = [](const Json& document, const char* key) {
    const std::size_t n = value_at(document, key).size();
    return Cell{grouped(static_cast<std::int64_t>(n)), n};
  };
  for (const NamedDocument& d : documents) {
    list.add(
        {d.name, count(d.json, "pools"), count(d.json, "trainings"), text_within(d.json, "name")});
  }
  return list;
}

Table switch_list(const std::vector<NamedDocument>& documents) {
  Table list(
      {{"switch", "name"}, {"network", "kind"}, {"ports", "modes"}, {"power", "power_w", true}});
  for (const NamedDocument& d : documents) {
    const NetworkSwitch s = read_switch(Reader(d.json, d.file));
    std::vector<std::string> modes;
    for (const SwitchMode& m : s.modes) {
      modes.push_back(std::to_string(m.ports) + " of " + plain_number(m.rate.si() * 8 / 1e9) +
                      " Gb/s");
    }
    list.add({d.name, name_of(s.kind), names_cell(modes),
              s.power > Watts() ? quantity_cell(s.power) : Cell{"–", nullptr}});
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

Table engine_list(const std::vector<NamedDocument>& documents) {
  Table list({{"engine", "name"},
              {"memory share", "memory_share", true},
              {"running", "running", true},
              {"kernel", "kernel", true},
              {"weights", "weights", true},
              {"cache", "cache", true}});
  for (const NamedDocument& d : documents) {
    const EngineProfile e = read_engine(d.json, d.file);
    list.add({d.name, Cell{percent(e.memory.share, 0), e.memory.share},
              Cell{grouped(e.limits.running), e.limits.running}, quantity_cell(e.rates.kernel),
              Cell{percent(e.rates.weights, 0), e.rates.weights},
              Cell{percent(e.rates.cache, 0), e.rates.cache}});
  }
  return list;
}

Table energy_list(const std::vector<NamedDocument>& documents) {
  Table list({{"energy", "name"},
              {"compute", "compute", true},
              {"memory", "memory", true},
              {"waiting", "waiting", true},
              {"idle", "idle", true},
              {"rest of a node", "rest", true}});
  for (const NamedDocument& d : documents) {
    const DeviceLoad load = read_energy(Reader(d.json, d.file)).load;
    list.add({d.name, share_cell(load.compute), share_cell(load.memory), share_cell(load.waiting),
              share_cell(load.idle), share_cell(load.rest)});
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
    const std::size_t n = value_at(d.json, "scenarios").size();
    list.add({d.name, Cell{grouped(static_cast<std::int64_t>(n)), n}, text_within(d.json, "name")});
  }
  return list;
}

}  // namespace orrery
