// SPDX-License-Identifier: Apache-2.0
#include "exchange/foreign.h"

#include <cctype>

#include "core/error.h"
#include "core/json_path.h"
#include "estimate/resolve.h"
#include "exchange/deepspeed/deepspeed.h"
#include "exchange/import_fit.h"
#include "exchange/megatron/export.h"
#include "exchange/megatron/import.h"
#include "exchange/names.h"
#include "exchange/not_said.h"
#include "exchange/refuse_other_run.h"
#include "exchange/text_lines.h"
#include "exchange/torchtitan/torchtitan.h"

namespace orrery {
namespace {

using Import = ImportedRun (*)(std::string_view text, const std::string& file, const Json& given);
using Export = std::string (*)(const ResolvedRun& resolved);

struct Format {
  Import import;
  Export write;
};

ImportedRun import_megatron(std::string_view text, const std::string& file, const Json& /*given*/) {
  return megatron::import_run(text, file);
}

// In the order of ForeignFormat.
constexpr std::array kFormats = {
    Format{import_megatron, megatron::export_run},
    Format{deepspeed::import_run, deepspeed::export_run},
    Format{torchtitan::import_arguments, torchtitan::export_arguments},
    Format{torchtitan::import_toml, torchtitan::export_toml},
};

const Format& format_of(ForeignFormat format) { return kFormats[static_cast<std::size_t>(format)]; }

// "[training]", alone in its line.
bool is_section(std::string_view line) {
  return line.size() > 2 && line.front() == '[' && line.back() == ']' &&
         std::isalpha(static_cast<unsigned char>(line[1])) != 0 &&
         line.find_first_of("\"', ") == std::string_view::npos;
}

// "--training.seq_len"
bool has_dotted_name(std::string_view line) {
  for (std::size_t at = line.find("--"); at != std::string_view::npos;
       at = line.find("--", at + 2)) {
    const std::size_t end = line.find_first_of(" =\t\"'", at);
    if (line.substr(at, end - at).find('.') != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

ForeignFormat guess_format(std::string_view text) {
  if (detail::first_character(text) == '{') return ForeignFormat::deepspeed;
  for (const std::string_view line : detail::lines_of(text)) {
    if (is_section(line)) return ForeignFormat::torchtitan_toml;
    const bool comment = line.find('#') == line.find_first_not_of(" \t");
    if (!comment && has_dotted_name(line)) return ForeignFormat::torchtitan;
  }
  return ForeignFormat::megatron;
}

ImportedRun import_run(ForeignFormat format, std::string_view text, const std::string& file,
                       const Json& given) {
  ImportedRun run = format_of(format).import(text, file, given);
  run.format = format;
  return run;
}

ExportedRun export_run(ForeignFormat format, const ResolvedRun& resolved, const Json& run,
                       const ConfigLookup& lookup) {
  ExportedRun out;
  refuse_other_schedule(format, resolved);
  out.text = format_of(format).write(resolved);
  ImportedRun back = import_run(format, out.text, "what was written",
                                {{"cluster", {{"gpus", resolved.run.cluster.gpus}}}});
  fit_import(back, {{"model", value_at(*resolved.inputs, "model")}}, lookup);
  out.not_said = not_said(resolved, run, back.run, lookup);
  refuse_lost_keys(format, resolved, run, out.not_said, lookup);
  return out;
}

Json run_file(const ResolvedRun& resolved, const Json& run) {
  Json file = *resolved.inputs;
  if (value_at(run, "framework").is_object()) file["framework"] = run["framework"];
  return file;
}

std::vector<std::string> missing_keys(const Json& run) {
  std::vector<std::string> missing;
  for (const char* path : {"model", "cluster.node", "cluster.gpus", "training.sequence_length",
                           "training.global_batch"}) {
    const bool own_node =
        std::string(path) == "cluster.node" && !value_at(run, "cluster.device").is_null();
    if (value_at(run, path).is_null() && !own_node) missing.emplace_back(path);
  }
  return missing;
}

}  // namespace orrery
