// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <array>
#include <memory>

#include "capacity/site_json.h"
#include "cli/command.h"
#include "cli/run_flags.h"
#include "core/error.h"
#include "document/rows.h"
#include "document/text.h"
#include "engine/usage_error.h"
#include "hardware/device_reader.h"
#include "hardware/fabric.h"
#include "hardware/topology/graph_reader.h"
#include "model/operators.h"
#include "report/document_text.h"
#include "report/estimate_json.h"
#include "report/operators_table.h"
#include "report/run_header.h"
#include "report/topology_text.h"

namespace orrery {
namespace {

struct ShowArguments {
  std::string kind;
  std::string name;
  bool operators = false;
  RunArguments run;
};

std::vector<std::string> config_kind_names() {
  return {kNamesOf<ConfigKind>.begin(), kNamesOf<ConfigKind>.end()};
}

ConfigKind kind_of(const std::string& text) {
  if (const auto kind = find_name<ConfigKind>(text)) return *kind;
  throw InputError("orrery show", "", text.empty() ? "nothing to show" : "\"" + text + "\"",
                   alternatives(config_kind_names()), nearest_name(text, config_kind_names()));
}

// Of each kind what lists it; "": its names are few.
constexpr EnumTable<ConfigKind, std::string_view> kListNames = {
    "models", "nodes",   "devices",  "frameworks", "compressions", "runs",
    "graphs", "fabrics", "failures", "storage",    "prices",       "energy",
    "",       "plans",   "",         "sweeps"};

std::string allowed_names(ConfigKind kind, const ConfigDirs& dirs) {
  const std::string list(kListNames[kind]);
  if (!list.empty()) return "a name of `orrery list " + list + "`";
  const std::vector<std::string> names = config_names(dirs, kind);
  return names.empty() ? "a name" : alternatives(names) + ",";
}

// Refuses what is not sound, as a run that uses it would.
void check_document(ConfigKind kind, const Json& document, const std::string& file,
                    const ConfigLookup& lookup) {
  if (kind == ConfigKind::node) read_node(document, file, 0, lookup.hardware);
  if (kind == ConfigKind::fabric) read_fabric(Reader(document, file));
  if (kind == ConfigKind::device) read_device(Reader(document, file));
  if (kind == ConfigKind::framework) {
    read_framework(document, file, Json::object(), file, "parallel.framework_options");
  }
  if (kind == ConfigKind::compression) read_compression(Reader(document, file), {});
  if (kind == ConfigKind::failures) read_failures(Reader(document, file));
  if (kind == ConfigKind::storage) read_storage(Reader(document, file));
  if (kind == ConfigKind::energy) read_energy(Reader(document, file));
}

Json model_document(const ModelDescription& m) {
  const ParameterCount n = parameter_count(m.architecture, m.architecture.max_positions);
  Json j = {{"parameters", n.total}, {"active_parameters", n.active}, {"mtp_parameters", n.mtp}};
  j["assumed"] = Json::array();
  for (const AssumedValue& a : m.assumed) {
    j["assumed"].push_back({{"path", a.key}, {"value", a.value}, {"why", a.why}});
  }
  j["resolved"] = model_json(m);
  return j;
}

std::string model_lines(const Json& j) {
  std::string text = grouped(j["parameters"].get<double>()) + " parameters, " +
                     grouped(j["active_parameters"].get<double>()) + " active\n";
  for (const Json& a : j["assumed"]) {
    text += "assumed " + a["path"].get<std::string>() + " " + brief(a["value"]) + ": " +
            a["why"].get<std::string>() + "\n";
  }
  return text;
}

ExitCode show_document(ConfigKind kind, const std::string& name, const Session& s) {
  const ConfigDirs dirs = dirs_of(s);
  const auto found = find_config(dirs, kind, name);
  const std::string word(name_of(kind));
  if (!found) {
    throw InputError("orrery show", word, "\"" + name + "\"",
                     allowed_names(kind, dirs) + " or a path",
                     nearest_name(name, config_names(dirs, kind)));
  }
  const Json document = parse_json(found->text, found->file);
  check_document(kind, document, found->file, config_lookup(dirs));
  Json j = {{"kind", word}, {"name", name}, {"file", found->file}, {"document", document}};
  std::string text = word + " " + name + ", " + found->file + "\n";
  const std::string source = source_line(document);
  if (!source.empty()) text += wrapped(source, 2) + "\n";
  if (kind == ConfigKind::model) {
    const Json model = model_document(read_model(document, found->file, "", name));
    text += model_lines(model);
    j.update(model);
  }
  if (kind == ConfigKind::node) {
    const Table tiers =
        tier_list(read_node(document, found->file, 0, config_lookup(dirs).hardware).cluster);
    text += "\n" + text_of(tiers, {});
    j["tiers"] = json_rows(tiers);
  }
  if (kind == ConfigKind::graph) {
    const GraphReport graph = graph_report(read_graph(Reader(document, found->file)));
    text += graph.text;
    j.update(graph.json);
  }
  const Table values = value_list(document);
  give(s, s.json ? dump(j) : s.csv ? csv_of(values) : text + "\n" + text_of(values, {}));
  return ExitCode::answer;
}

ExitCode show_run(ShowArguments arguments, const Session& s) {
  arguments.run.run = arguments.name;
  const ResolvedRun r = resolved_run(arguments.run, s);
  const Table operators = operator_list(r.run);
  if (s.csv) {
    give(s, arguments.operators ? csv_of(operators) : csv_of(value_list(r.inputs)));
    return ExitCode::answer;
  }
  Json j = {{"kind", "run"}, {"inputs", reported_inputs(r)}, {"warnings", r.warnings}};
  const Table tiers = tier_list(r.run.cluster);
  j["tiers"] = json_rows(tiers);
  if (arguments.operators) j["operators"] = json_rows(operators);
  const std::string body =
      arguments.operators ? text_of(operators, {}) : text_of(tiers, {}) + "\n" + dump(r.inputs);
  give(s, s.json ? dump(j) : text_of(run_header(r), style_of(s)) + "\n" + body);
  return ExitCode::answer;
}

ExitCode run_show(const ShowArguments& arguments, const Session& s) {
  const ConfigKind kind = kind_of(arguments.kind);
  if (kind == ConfigKind::run) return show_run(arguments, s);
  if (arguments.name.empty()) {
    throw InputError("orrery show " + arguments.kind, "", "no name", "a name or a path");
  }
  if (arguments.operators || has_changes(arguments.run)) {
    throw InputError("orrery show " + arguments.kind, "", "options of a run",
                     "them with `orrery show run` only");
  }
  return show_document(kind, arguments.name, s);
}

}  // namespace

Action declare_show(CLI::App& app) {
  auto arguments = std::make_shared<ShowArguments>();
  app.add_option("KIND", arguments->kind, alternatives(config_kind_names()));
  app.add_option("NAME", arguments->name, "name or path");
  app.add_flag("--operators", arguments->operators, "of a run: the operators as one rank has them");
  add_run_flags(app, arguments->run);
  return [arguments](const Session& s) { return run_show(*arguments, s); };
}

}  // namespace orrery
