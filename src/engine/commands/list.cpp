// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/json_path.h"
#include "core/unknown_name.h"
#include "document/rows.h"
#include "engine/commands/commands.h"
#include "estimate/framework_document.h"
#include "report/catalog.h"
#include "report/key_catalog.h"

namespace orrery {
namespace {

std::vector<NamedDocument> documents_of(const ConfigSource& configs, ConfigKind kind) {
  std::vector<NamedDocument> documents;
  for (const std::string& name : config_names(configs, kind)) {
    const auto found = find_config(configs, kind, name);
    documents.push_back({name, found->file, parse_json(found->text, found->file)});
    if (kind == ConfigKind::framework) {
      documents.back().json =
          with_inherited(documents.back().json, found->file, config_lookup(configs));
    }
  }
  return documents;
}

NamedDocument data_table(const ConfigSource& configs, const std::string& name) {
  const auto found = find_config(configs, ConfigKind::data, name);
  if (!found) throw InputError("orrery list", "", "no configs/data/" + name + ".json", "that file");
  return {name, found->file, parse_json(found->text, found->file)};
}

Table list_nodes(const ConfigSource& configs) {
  return node_list(documents_of(configs, ConfigKind::node), config_lookup(configs).hardware);
}

// The device of "device" in a node or cluster: a name, or changes of a base.
std::string device_named(const Json& given) {
  if (given.is_string()) return given.get<std::string>();
  const Json& base = value_at(given, "base");
  const Json& name = base.is_string() ? base : value_at(given, "name");
  return name.is_string() ? name.get<std::string>() : std::string();
}

// The device that the cluster of a published run has, "" where none of ours is named.
std::string device_of_run(const Json& cluster, const std::map<std::string, std::string>& of_node) {
  if (cluster.contains("device")) {
    const std::string own = device_named(cluster["device"]);
    if (!own.empty()) return own;
  }
  const Json& node = value_at(cluster, "node");
  if (node.is_object()) return device_named(value_at(node, "device"));
  const auto at = of_node.find(node.is_string() ? node.get<std::string>() : "");
  return at == of_node.end() ? std::string() : at->second;
}

std::map<std::string, std::int64_t> published_by_device(const ConfigSource& configs) {
  std::map<std::string, std::string> of_node;
  for (const NamedDocument& d : documents_of(configs, ConfigKind::node)) {
    of_node[d.name] = device_named(value_at(d.json, "device"));
  }
  std::map<std::string, std::int64_t> runs;
  for (const ConfigText& file : published_files(configs)) {
    for (const Json& row : parse_json(file.text, file.file)) {
      ++runs[device_of_run(value_at(value_at(row, "run"), "cluster"), of_node)];
    }
  }
  return runs;
}

Table list_devices(const ConfigSource& configs) {
  return device_list(documents_of(configs, ConfigKind::device), published_by_device(configs));
}

// A kind is documents of configs/, a table of configs/data, a table in code, or what needs more
// than its own documents.
struct Kind {
  std::string_view name;
  ConfigKind kind = ConfigKind::data;
  Table (*of_documents)(const std::vector<NamedDocument>&) = nullptr;
  Table (*of_table)(const Json& table, const std::string& file) = nullptr;
  Table (*of_code)() = nullptr;
  Table (*of_whole)(const ConfigSource&) = nullptr;
};

constexpr Kind documents(std::string_view name, ConfigKind kind,
                         Table (*list)(const std::vector<NamedDocument>&)) {
  return {name, kind, list};
}
constexpr Kind table(std::string_view name, Table (*list)(const Json&, const std::string&)) {
  return {name, ConfigKind::data, nullptr, list};
}
constexpr Kind code(std::string_view name, Table (*list)()) {
  return {name, ConfigKind::data, nullptr, nullptr, list};
}
constexpr Kind of_source(std::string_view name, Table (*list)(const ConfigSource&)) {
  return {name, ConfigKind::data, nullptr, nullptr, nullptr, list};
}

constexpr std::array kKinds = {
    documents("models", ConfigKind::model, model_list),
    of_source("nodes", list_nodes),
    of_source("devices", list_devices),
    documents("frameworks", ConfigKind::framework, framework_list),
    documents("tools", ConfigKind::tool, tool_list),
    documents("engines", ConfigKind::engine, engine_list),
    documents("compressions", ConfigKind::compression, compression_list),
    documents("runs", ConfigKind::run, run_list),
    documents("sweeps", ConfigKind::sweep, sweep_list),
    code("metrics", metric_list),
    code("schedules", schedule_list),
    code("collectives", collective_list),
    code("recipes", recipe_list),
    documents("graphs", ConfigKind::graph, graph_list),
    documents("fabrics", ConfigKind::fabric, fabric_list),
    documents("failures", ConfigKind::failures, failure_list),
    documents("recovery", ConfigKind::recovery, recovery_list),
    documents("storage", ConfigKind::storage, storage_list),
    documents("switches", ConfigKind::network_switch, switch_list),
    documents("prices", ConfigKind::prices, price_list),
    documents("energy", ConfigKind::energy, energy_list),
    table("corpora", corpus_list),
    table("samples", sample_list),
    documents("plans", ConfigKind::capacity, plan_list),
    documents("fleets", ConfigKind::fleet, fleet_list),
    code("keys", key_list),
};

Table listing_of(const Kind& k, const ConfigSource& source) {
  if (k.of_code != nullptr) return k.of_code();
  if (k.of_whole != nullptr) return k.of_whole(source);
  if (k.of_documents != nullptr) return k.of_documents(documents_of(source, k.kind));
  const NamedDocument found = data_table(source, std::string(k.name));
  return k.of_table(found.json, found.file);
}

Table list_of_lists(const ConfigSource& configs) {
  Table list({{"list", "name"}, {"names", "names", true}});
  for (const Kind& k : kKinds) {
    const auto names = static_cast<std::int64_t>(listing_of(k, configs).rows().size());
    list.add({k.name, Cell(std::to_string(names), names)});
  }
  return list;
}

std::vector<std::string> listed_kinds() {
  std::vector<std::string> names;
  for (const Kind& k : kKinds) names.emplace_back(k.name);
  return names;
}

// Other words for the same lists.
struct ListAlias {
  std::string_view word;
  std::string_view kind;
};
constexpr std::array kAliases = {ListAlias{"states", "recipes"}, ListAlias{"optimizers", "recipes"},
                                 ListAlias{"gpus", "devices"}};

const Kind& listed_kind(const std::string& word) {
  std::string what = word;
  for (const ListAlias& a : kAliases) {
    if (a.word == word) what = a.kind;
  }
  for (const Kind& k : kKinds) {
    if (k.name == what) return k;
  }
  throw unknown_name("orrery list", "", what, listed_kinds());
}

std::vector<std::string> schema_names() {
  std::vector<std::string> names;
  for (const DocumentKeys& d : document_keys()) names.emplace_back(d.name);
  return names;
}

struct WordChoice {
  std::string word;
};

constexpr std::array kListOptions = {
    Option{into<&WordChoice::word>(listed_kinds), "WHAT", "", ""},
};

constexpr std::array kSchemaOptions = {
    Option{into<&WordChoice::word>(schema_names), "NAME", "", ""},
};

CommandAnswer answer_list(Request& request, const CommandContext& context) {
  const std::string what = read_options<WordChoice>(kListOptions, request).word;
  const OutputForm output = request.output();
  request.done();
  const Table list = what.empty() ? list_of_lists(context.configs)
                                  : listing_of(listed_kind(what), context.configs);
  return {ExitCode::answer,
          output.json() ? AnswerText(json_rows(list)) : drawn(document_of(what, list), output)};
}

CommandAnswer answer_schema(Request& request, const CommandContext& /*context*/) {
  const std::string name = read_options<WordChoice>(kSchemaOptions, request).word;
  static_cast<void>(request.output());  // a schema is JSON, whatever is asked for
  request.done();
  for (const DocumentKeys& d : document_keys()) {
    if (d.name == name) return {ExitCode::answer, AnswerText(schema_of(d))};
  }
  throw unknown_name("orrery schema", "", name, schema_names(), "no document");
}

}  // namespace

const CommandRow kListCommand = {"list", answer_list, kListOptions};
const CommandRow kSchemaCommand = {"schema", answer_schema, kSchemaOptions};

}  // namespace orrery
