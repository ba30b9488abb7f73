// SPDX-License-Identifier: Apache-2.0
#include "report/show.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "capacity/energy.h"
#include "capacity/goodput.h"
#include "capacity/network_switch.h"
#include "capacity/recovery_policy.h"
#include "capacity/site_json.h"
#include "core/error.h"
#include "core/unknown_name.h"
#include "document/rows.h"
#include "engine/commands/commands.h"
#include "engine/given_names.h"
#include "engine/given_run.h"
#include "estimate/framework_document.h"
#include "estimate/resolve.h"
#include "generate/engine_json.h"
#include "hardware/device_reader.h"
#include "hardware/fabric.h"
#include "hardware/topology/graph_reader.h"
#include "model/operators.h"
#include "report/frame.h"
#include "report/frame_json.h"
#include "rl/resolve_learner.h"

namespace orrery {
namespace {

// The kind of document that has this name.
std::optional<ConfigKind> kind_of_name(const std::string& name, const ConfigSource& configs) {
  for (const ConfigKind kind : kAllOf<ConfigKind>) {
    const std::vector<std::string> names = config_names(configs, kind);
    if (std::find(names.begin(), names.end(), name) != names.end()) return kind;
  }
  return {};
}

// The list that has the names of a kind; "": its names are few.
constexpr EnumArray<ConfigKind, std::string_view> kListNames = {
    "models",  "nodes",    "devices",  "frameworks", "compressions", "runs",     "graphs",
    "fabrics", "failures", "recovery", "storage",    "prices",       "energy",   "",
    "plans",   "",         "sweeps",   "tools",      "engines",      "switches", "fleets"};

std::string allowed_names(ConfigKind kind, const ConfigSource& configs) {
  const std::string list(kListNames[kind]);
  if (!list.empty()) return "a name of `orrery list " + list + "`";
  const std::vector<std::string> names = config_names(configs, kind);
  return names.empty() ? "a name" : alternatives(names) + ",";
}

// Refuses what is not sound, as a run that uses it would.
void check_document(ConfigKind kind, const Json& document, const std::string& file,
                    const ConfigLookup& lookup) {
  if (kind == ConfigKind::node) read_node(document, file, 0, lookup.hardware);
  if (kind == ConfigKind::fabric) read_fabric(Reader(document, file));
  if (kind == ConfigKind::device) read_device(Reader(document, file));
  if (kind == ConfigKind::framework) {
    read_framework(with_inherited(document, file, lookup), file, Json::object(), file,
                   "parallel.framework_options");
  }
  if (kind == ConfigKind::compression) read_compression(Reader(document, file), {});
  if (kind == ConfigKind::failures) read_failures(Reader(document, file));
  if (kind == ConfigKind::recovery) read_recovery(Reader(document, file));
  if (kind == ConfigKind::storage) read_storage(Reader(document, file));
  if (kind == ConfigKind::energy) read_energy(Reader(document, file));
  if (kind == ConfigKind::engine) read_engine(document, file);
  if (kind == ConfigKind::network_switch) read_switch(Reader(document, file));
}

// How many layers there are of each kind, in order of appearance.
Json layer_counts(const Architecture& a) {
  Json counts = Json::object();
  for (std::int64_t i = 0; i < a.layers; ++i) {
    const std::string kind = layer_name(a, layer_type(a, i));
    counts[kind] = counts.value(kind, std::int64_t{0}) + 1;
  }
  return counts;
}

std::string layer_text(const Json& counts) {
  std::string text;
  for (auto it = counts.begin(); it != counts.end(); ++it) {
    text += (text.empty() ? "" : ", ") + grouped(it.value().get<double>()) + " " + it.key();
  }
  return "layers: " + text;
}

Json model_document(const ModelDescription& m) {
  const ParameterCount n = parameter_count(m.architecture, m.architecture.max_positions);
  Json j = {{"parameters", n.total}, {"active_parameters", n.active}, {"mtp_parameters", n.mtp}};
  if (n.tower > 0) j["tower_parameters"] = n.tower;
  j["layers"] = layer_counts(m.architecture);
  // A learned table without a stated length has as many rows as a run's sequence.
  const bool open =
      m.architecture.positions == PositionEmbedding::kLearned && m.architecture.max_positions == 0;
  if (open) j["parameters_per_position"] = m.architecture.hidden;
  if (!m.notes.empty()) j["notes"] = m.notes;
  if (!m.ignored_keys.empty()) j["ignored_keys"] = m.ignored_keys;
  j["assumed"] = Json::array();
  for (const AssumedValue& a : m.assumed) {
    j["assumed"].push_back({{"path", a.key}, {"value", *a.value}, {"why", a.why}});
  }
  j["resolved"] = model_json(m);
  return j;
}

void add_model_lines(const Json& j, Section& head) {
  head.add(Paragraph{grouped(j["parameters"].get<double>()) + " parameters, " +
                         grouped(j["active_parameters"].get<double>()) + " active",
                     2});
  if (j.contains("tower_parameters")) {
    head.add(Paragraph{"and " + grouped(j["tower_parameters"].get<double>()) +
                           " of the encoder of images, which a run with training.images trains",
                       2});
  }
  head.add(Paragraph{layer_text(j["layers"]), 2});
  if (j.contains("parameters_per_position")) {
    head.add(Paragraph{"and " + grouped(j["parameters_per_position"].get<double>()) +
                           " for each position of a run's sequence: the position table is as long",
                       2});
  }
  for (const char* key : {"notes", "ignored_keys"}) {
    if (!j.contains(key)) continue;
    for (const Json& line : j[key]) {
      head.add(Paragraph{(key[0] == 'i' ? "not read: " : "") + line.get<std::string>(), 2});
    }
  }
  for (const Json& a : j["assumed"]) {
    head.add(Paragraph{"assumed " + a["path"].get<std::string>() + " " + brief(a["value"]) + ": " +
                           a["why"].get<std::string>(),
                       2});
  }
}

// The lines and tables of a kind beside its values.
struct Shown {
  Json json;
  Section head;
  Section tiers{};
};

void add_kind(ConfigKind kind, const std::string& name, const Json& document,
              const std::string& file, const ConfigLookup& lookup, Shown& shown) {
  if (kind == ConfigKind::model) {
    const Json model = model_document(read_model(document, file, "", name));
    add_model_lines(model, shown.head);
    shown.json.update(model);
  }
  if (kind == ConfigKind::node) {
    const Table tiers = tier_list(read_node(document, file, 0, lookup.hardware).cluster);
    shown.tiers.add(tiers);
    shown.json["tiers"] = json_rows(tiers);
  }
  if (kind == ConfigKind::graph) {
    const GraphReport graph = graph_report(read_graph(Reader(document, file)));
    for (const std::string& line : graph.lines) shown.head.add(Paragraph{line, 2});
    shown.json.update(graph.json);
  }
}

CommandAnswer show_document(ConfigKind kind, const std::string& name, const OutputForm& output,
                            const ConfigSource& configs) {
  const auto found = find_config(configs, kind, name);
  const std::string word(name_of(kind));
  if (!found) {
    throw InputError("orrery show", word, "\"" + name + "\"",
                     allowed_names(kind, configs) + " or a path",
                     nearest_name(name, config_names(configs, kind)));
  }
  const Json document = parse_json(found->text, found->file);
  const ConfigLookup lookup = config_lookup(configs);
  check_document(kind, document, found->file, lookup);
  Shown shown{{{"kind", word}, {"name", name}, {"file", found->file}, {"document", document}},
              {{}, {Paragraph{word + " " + name + ", " + found->file, 2}}}};
  const std::string source = source_line(document);
  if (!source.empty()) shown.head.add(Paragraph{source, 2});
  add_kind(kind, name, document, found->file, lookup, shown);
  if (output.json()) return {ExitCode::answer, AnswerText(versioned(shown.json))};
  AnswerDocument d = document_of(name, value_list(document));
  d.sections.insert(d.sections.begin(), {shown.head, shown.tiers});
  return {ExitCode::answer, drawn(d, output)};
}

CommandAnswer show_run(const GivenRun& given, bool with_operators, const OutputForm& output,
                       const CommandContext& context) {
  ResolvedRun r;  // of reinforcement learning, the learner's, with all inputs
  use_run(given, context, [&r](const RunSource& source) {
    r = resolve_learner(source.json, source.file, source.lookup, source.changes);
  });
  const Table operators = operator_list(r.run);
  Json j = {{"kind", "run"}, {"inputs", reported_inputs(r)}, {"warnings", r.warnings}};
  const Table tiers = tier_list(r.run.cluster);
  j["tiers"] = json_rows(tiers);
  if (with_operators) j["operators"] = json_rows(operators);
  if (output.json()) return {ExitCode::answer, AnswerText(versioned(std::move(j)))};
  AnswerDocument d{
      r.model_name, {run_header(r)}, with_operators ? operators : value_list(*r.inputs)};
  d.add({{}, {with_operators ? operators : tiers}});
  if (!with_operators) d.add({{}, {Verbatim{dump(*r.inputs)}}});
  return {ExitCode::answer, drawn(d, output)};
}

struct ShowChoice {
  std::string kind;
  std::string name;
  bool operators = false;
  GivenRun run;
};

constexpr std::array kShowOptions = {
    Option{into<&ShowChoice::kind>(names_in<ConfigKind>), "KIND", "", ""},
    Option{into<&ShowChoice::name>(), "NAME", "", "name or path"},
    Option{into<&ShowChoice::operators>(), "--operators", "",
           "of a run: the operators of one rank"},
    Option{into<&ShowChoice::run>(OptionKind::run_flags)},
};

CommandAnswer answer_show(Request& request, const CommandContext& context) {
  auto [word, name, operators, given] = read_options<ShowChoice>(kShowOptions, request);
  const OutputForm output = request.output();
  request.done();
  if (name.empty() && !find_name<ConfigKind>(word)) {
    const auto kind = kind_of_name(word, context.configs);
    if (kind) name = std::exchange(word, std::string(name_of(*kind)));
  }
  const auto kind = enumerator_named<ConfigKind>(word, "orrery show", "", "nothing to show");
  if (kind == ConfigKind::run) {
    if (!name.empty()) given.name = name;
    return show_run(given, operators, output, context);
  }
  if (name.empty()) throw InputError("orrery show " + word, "", "no name", "a name or a path");
  if (operators || has_changes(given)) {
    throw InputError("orrery show " + word, "", "options of a run",
                     "them with `orrery show run` only");
  }
  if (kind == ConfigKind::model || kind == ConfigKind::node) {
    const ConfigLookup lookup = config_lookup(context.configs);
    name = kind == ConfigKind::model ? our_model_name(lookup, name) : our_node_name(lookup, name);
  }
  return show_document(kind, name, output, context.configs);
}

}  // namespace

const CommandRow kShowCommand = {"show", answer_show, kShowOptions};

}  // namespace orrery
