// SPDX-License-Identifier: Apache-2.0
#include "exchange/recognise.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

#include "core/error.h"
#include "core/json.h"
#include "exchange/import_files.h"
#include "exchange/line_marks.h"
#include "exchange/other_tools.h"
#include "exchange/programs.h"
#include "exchange/python_calls.h"
#include "exchange/text_lines.h"
#include "exchange/toml.h"
#include "exchange/tools/tool.h"
#include "exchange/yaml.h"

namespace orrery {
namespace {

bool has_any(const Json& j, std::initializer_list<const char*> keys) {
  return std::any_of(keys.begin(), keys.end(), [&](const char* k) { return j.contains(k); });
}

const Json& member(const Json& j, const char* key) {
  static const Json kNothing = Json::object();
  return j.is_object() && j.contains(key) ? j[key] : kNothing;
}

bool is_primus(const Json& j) {
  return j.contains("modules") || has_any(j, {"extends", "includes", "bases"}) ||
         member(j, "model").contains("flavor") ||
         has_any(j, {"tensor_model_parallel_size", "num_attention_heads", "micro_batch_size"});
}

struct Mark {
  ForeignFormat format;
  bool (*holds)(const Json&);
};

// In this order: the more telling one first.
constexpr std::array kYaml = {
    Mark{ForeignFormat::primus, [](const Json& j) { return j.contains("modules"); }},
    // A functional test of Megatron-LM.
    Mark{ForeignFormat::megatron, [](const Json& j) { return j.contains("MODEL_ARGS"); }},
};

// Megatron-LM's own names at the top, as files that Primus's name have them.
constexpr Mark kPart = {ForeignFormat::primus, is_primus};

// The YAML of another tool; nothing where none is known.
std::optional<Recognised> other_document(const Json& j, std::span<const OtherDocument> known) {
  for (const OtherDocument& o : known) {
    if (j.contains(o.key)) return Recognised{FileKind::other, {}, o.looks, o.advice};
  }
  return {};
}

std::string keys_of(const Json& j) {
  if (j.empty()) return "no key";
  std::string text = "the keys ";
  int n = 0;
  for (const auto& [key, value] : j.items()) {
    if (n == 4) return text + ", …";
    text += (n++ == 0 ? "" : ", ") + key;
  }
  return text;
}

bool is_fabric(const Json& j) { return has_any(j, {"switches", "capacity_blocks"}); }

// A sign that no file of another tool has, and one that few have.
constexpr int kSureScore = 50;
constexpr int kTellingScore = 48;

Recognised of_tool(const tools::Tool& tool) {
  const bool apart = tool.engine || !tool.speaks.empty();
  const auto own = apart ? find_name<ForeignFormat>(tool.format) : std::nullopt;
  return {FileKind::training, own.value_or(ForeignFormat::tool), "", "", &tool};
}

Recognised yaml(const Json& j, const tools::ToolBook& tools) {
  if (!j.is_object()) return {FileKind::other, {}, "YAML that is no mapping", ""};
  if (is_fabric(j)) return {FileKind::machine, {}, kTopograph, ""};
  const tools::ToolBook::Found found = tools.of_document(j);
  if (found.score >= kSureScore) return of_tool(*found.tool);
  if (const auto other = other_document(j, kOtherDocuments)) return *other;
  for (const Mark& m : kYaml) {
    if (m.holds(j)) return {FileKind::training, m.format, "", ""};
  }
  if (found.score >= kTellingScore) return of_tool(*found.tool);
  if (kPart.holds(j)) return {FileKind::training, kPart.format, "", ""};
  if (found.tool != nullptr) return of_tool(*found.tool);
  if (const auto other = other_document(j, kVagueDocuments)) return *other;
  return {FileKind::other, {}, "YAML with " + keys_of(j), ""};
}

Recognised json(const Json& j, const tools::ToolBook& tools) {
  if (j.is_array()) return {FileKind::other, {}, "a JSON array", ""};
  if (j.contains("traceEvents")) {
    return {FileKind::other, {}, "a Kineto trace", kDiagnose};
  }
  if (has_any(j, {"model_type", "architectures"})) {
    return {FileKind::model, {}, "a Hugging Face config.json", ""};
  }
  const tools::ToolBook::Found found = tools.of_document(j, true);
  if (found.score >= kSureScore) return of_tool(*found.tool);
  // GPT-NeoX's files, often written in braces, hold DeepSpeed's keys beside their own.
  if (const auto other = other_document(j, kOtherDocuments)) return *other;
  if (const auto other = other_document(j, kOtherJson)) return *other;
  if (found.tool != nullptr) return of_tool(*found.tool);
  return {FileKind::other, {}, "JSON with " + keys_of(j), ""};
}

// A list of nvidia-smi --query-gpu: its header, or rows with a product.
bool is_gpu_table(std::string_view text) {
  const std::vector<std::string_view> all = lines_of(text);
  std::size_t rows = 0;
  bool header = false;
  for (const std::string_view line : all) {
    if (trimmed(line).empty()) continue;
    bool product = false;
    for (const std::string_view f : fields_of(line, ',')) {
      const std::string_view field = trimmed(f);
      product = product || begins_with(field, "NVIDIA ") || begins_with(field, "Tesla ") ||
                begins_with(field, "GeForce ") || begins_with(field, "RTX ") ||
                begins_with(field, "Quadro ");
      header = header || (rows == 0 && (field == "name" || field == "gpu_name"));
    }
    if (!product && !(rows == 0 && header)) return false;
    ++rows;
  }
  return rows > (header ? 1U : 0U);
}

bool is_shell_line(std::string_view line) {
  return begins_with(line, "#!") && contains(line, "sh");
}

bool is_topology_matrix(std::string_view line) {
  return contains(line, "GPU0") &&
         (contains(line, " X ") || contains(line, "\tX\t") || contains(line, "GPU1"));
}

bool is_python(std::string_view line) {
  return begins_with(line, "import ") || begins_with(line, "from ") || begins_with(line, "def ") ||
         begins_with(line, "class ");
}

// The variable of "export NAME=" and "NAME="; "" of another line.
std::string_view variable_in(std::string_view line) {
  if (begins_with(line, "export ")) line = trimmed(line.substr(7));
  const std::size_t equals = line.find('=');
  return equals == std::string_view::npos ? "" : line.substr(0, equals);
}

// "export NAME=" or "NAME="
bool is_variable(std::string_view line) {
  if (begins_with(line, "export ")) line = trimmed(line.substr(7));
  const std::size_t end = line.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  return end != std::string_view::npos && end > 0 && line[end] == '=';
}

// Signs of a script, line by line.
struct Signs {
  bool shell = false;
  bool test = false;  // of a shell: [ … ] or [[ … ]]
  bool python = false;
  const tools::Tool* tool = nullptr;  // whose variables it sets
  bool argument = false;
  bool variable = false;  // NAME=value
};

Signs signs_of(std::string_view text, const tools::ToolBook& tools) {
  Signs s;
  for (const std::string_view whole : lines_of(text)) {
    const std::string_view line = trimmed(whole);
    s.shell = s.shell || is_shell_line(line);
    if (line.empty() || line.front() == '#') continue;
    s.test =
        s.test || ((begins_with(line, "[ ") || begins_with(line, "[[ ")) && contains(line, " ]"));
    s.python = s.python || is_python(whole);
    if (s.tool == nullptr) s.tool = tools.of_variable(variable_in(line));
    s.variable = s.variable || is_variable(line);
    s.argument = s.argument || contains(line, "--");
  }
  return s;
}

// A script without its comments, which may name any tool.
std::string without_comments(std::string_view text) {
  std::string out;
  for (const std::string_view line : lines_of(text)) {
    std::size_t end = line.find('#');
    while (end != std::string_view::npos && end > 0 && line[end - 1] != ' ' &&
           line[end - 1] != '\t')
      end = line.find('#', end + 1);
    out += std::string(line.substr(0, end)) + "\n";
  }
  return out;
}

bool has_part(std::string_view text, std::span<const std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return contains(text, part); });
}

// Megatron-LM's own arguments, or its programs and its name beside one: the name alone may be of
// another program, and other programs are named pretrain_….py too.
bool has_arguments_of_megatron(std::string_view whole) {
  const std::string text = without_comments(whole);
  static constexpr std::string_view kOwn[] = {"num-layers",
                                              "num_layers",
                                              "model-parallel-size",
                                              "tensor_model_parallel",
                                              "pipeline_model_par",
                                              "hidden-size",
                                              "seq-length",
                                              "use-mcore-models",
                                              "recompute-",
                                              "context-parallel-size",
                                              "expert-parallel-size",
                                              "yaml-cfg",
                                              "pretrain_gpt",
                                              "pretrain_bert",
                                              "pretrain_t5",
                                              "pretrain_mamba",
                                              "pretrain_vlm",
                                              "pretrain_hybrid",
                                              "pretrain_ict",
                                              "pretrain_retro",
                                              "pretrain_vision",
                                              "model_parallel_size",
                                              "context_parallel_size",
                                              "target-tensor-parallel"};
  static constexpr std::string_view kName[] = {"megatron", "Megatron", " pretrain_", "/pretrain_"};
  static constexpr std::string_view kBeside[] = {"--micro-batch-size",
                                                 "--global-batch-size",
                                                 "--train-iters",
                                                 "--train-samples",
                                                 "--bf16",
                                                 "--fp16",
                                                 "--tokenizer-type",
                                                 "--micro_batch_size",
                                                 "--data-path",
                                                 "--distributed-backend",
                                                 " model."};
  return has_part(text, kOwn) || (has_part(text, kName) && has_part(text, kBeside));
}

// Hugging Face's argument, and no flag of Megatron-LM's: a variable may be named micro_batch_size.
bool is_of_hugging_face_alone(std::string_view text) {
  static constexpr std::string_view kFlags[] = {"--micro", "--num-layers", "--num_layers",
                                                "--tensor"};
  return contains(text, "--per_device_train_batch_size") &&
         std::none_of(std::begin(kFlags), std::end(kFlags),
                      [&](std::string_view flag) { return contains(text, flag); });
}

// A program of DeepSpeed's pipeline with arguments of its own has none of Megatron-LM's sizes.
bool is_of_deepspeed_alone(std::string_view text) {
  static constexpr std::string_view kPipeline[] = {"--pipe_parallel_size", "--pipe-parallel-size"};
  static constexpr std::string_view kMegatron[] = {"--num-layers", "--num_layers",   "--hidden",
                                                   "tensor-model", "tensor_model",   "pretrain_",
                                                   "egatron",      "--num-attention"};
  return has_part(text, kPipeline) && !has_part(text, kMegatron);
}

Recognised python(std::string_view text) {
  const auto source = std::find_if(kOtherSources.begin(), kOtherSources.end(),
                                   [&](const auto& o) { return contains(text, o.part); });
  return {FileKind::other, {}, source->looks, source->advice};
}

Recognised toml(const Json& j, const tools::ToolBook& tools) {
  const tools::ToolBook::Found found = tools.of_document(j);
  return found.tool != nullptr ? of_tool(*found.tool)
                               : Recognised{FileKind::other, {}, "TOML with " + keys_of(j), ""};
}

Recognised script(const ForeignFile& source, const tools::ToolBook& tools) {
  const std::string_view text = source.text;
  const Signs s = signs_of(text, tools);
  const auto training = [](ForeignFormat f) { return Recognised{FileKind::training, f, "", ""}; };
  if (begins_as_toml(text)) return toml(read_toml(text, source.name), tools);
  if (s.python && !s.shell) return python(text);
  if (const tools::Tool* tool = tools.of_script(text)) return of_tool(*tool);
  if (const tools::Tool* tool = tools.of_flags(text, true)) return of_tool(*tool);
  for (const OtherLaunch& o : kOtherLaunches) {
    if (contains(text, o.part)) return {FileKind::other, {}, o.looks, o.advice};
  }
  static constexpr std::string_view kStarts[] = {"torchrun", "python", "--num-layers",
                                                 "accelerate launch", "deepspeed "};
  const bool script = std::any_of(std::begin(kStarts), std::end(kStarts),
                                  [&](std::string_view part) { return contains(text, part); });
  if (s.tool != nullptr && !script) return of_tool(*s.tool);
  const bool megatron = has_arguments_of_megatron(text) && !is_of_hugging_face_alone(text) &&
                        !is_of_deepspeed_alone(text);
  const tools::Tool* by_flags = megatron ? nullptr : tools.of_flags(text, false);
  if (by_flags != nullptr) return of_tool(*by_flags);
  if (contains(text, "#SBATCH") && !megatron) return training(ForeignFormat::sbatch);
  // Arguments alone, taken out of a script, may be any of Megatron-LM's.
  const bool list = begins_with(trimmed(text), "--");
  if (s.argument && !list && !megatron) return {FileKind::other, {}, kOtherProgram, ""};
  // Hydra's overrides alone.
  const bool overrides = megatron && contains(text, ".py") && contains(text, " model.");
  if (s.argument || overrides) return training(ForeignFormat::megatron);
  return {FileKind::other,
          {},
          kNoSetting,
          s.variable ? "its variables with the script that reads them" : ""};
}

std::optional<Recognised> binary(std::string_view text) {
  if (begins_with(text, "\x1f\x8b"))
    return Recognised{FileKind::other,
                      {},
                      "a gzip file",
                      "orrery calibrate fit reads a trace as it is; give other files unpacked"};
  if (begins_with(text, "\xff\xfe") || begins_with(text, "\xfe\xff"))
    return Recognised{FileKind::other, {}, "text in UTF-16", "the same text in UTF-8"};
  if (begins_with(text, "SQLite format 3"))
    return Recognised{FileKind::other, {}, "an SQLite database", kCalibrate};
  if (text.substr(0, 256).find("brain.Event:") != std::string_view::npos) {
    return Recognised{FileKind::other, {}, "TensorBoard's events", kObserved};
  }
  if (text.substr(0, 4096).find('\0') != std::string_view::npos) {
    return Recognised{FileKind::other, {}, "a binary file", ""};
  }
  return {};
}

std::optional<Recognised> xml(std::string_view text) {
  if (first_character(text) != '<') return {};
  if (contains(text, "<system")) return Recognised{FileKind::machine, {}, kNcclTopology, ""};
  if (contains(text, "<nvidia_smi_log>")) return Recognised{FileKind::machine, {}, kSmi, ""};
  if (contains(text, "<topology")) return Recognised{FileKind::machine, {}, kLstopo, ""};
  return Recognised{FileKind::other, {}, "XML", ""};
}

// A log that a script's comment quotes is no log, nor is a list of switches.
bool holds(std::string_view text, const LineMark& mark) {
  for (std::size_t at = text.find(mark.part); at != std::string_view::npos;
       at = text.find(mark.part, at + 1)) {
    const std::size_t begin = text.rfind('\n', at) + 1;
    const bool quoted = mark.advice == kObserved || mark.kind == FileKind::machine;
    if (!quoted || text[text.find_first_not_of(" \t", begin)] != '#') return true;
  }
  return false;
}

std::optional<Recognised> lines(std::string_view text) {
  for (const LineMark& m : kLines) {
    if (!holds(text, m)) continue;
    Recognised r{m.kind, {}, m.looks, m.advice};
    if (m.kind == FileKind::training) r.format = ForeignFormat::megatron;
    return r;
  }
  if (is_gpu_table(text)) return Recognised{FileKind::machine, {}, kSmi, ""};
  for (const std::string_view line : lines_of(text)) {
    if (is_topology_matrix(line)) return Recognised{FileKind::machine, {}, kTopologyMatrix, ""};
  }
  return {};
}

// JSON with comments, as GPT-NeoX's files are, is YAML.
bool is_yaml_in_braces(const ForeignFile& file) {
  if (!file.name.ends_with(".yml") && !file.name.ends_with(".yaml")) return false;
  for (const std::string_view line : lines_of(file.text)) {
    const std::string_view t = trimmed(line);
    if (!t.empty() && t.front() != '#') return t.front() == '{';
  }
  return false;
}

// A file of values is a configuration where a tool knows it, else source.
Recognised python_file(const ForeignFile& file, const tools::ToolBook& tools) {
  Recognised found;
  try {
    found = yaml(read_yaml(file.text, file.name), tools);
  } catch (const InputError&) {
  }
  return found.kind == FileKind::training ? found : python(file.text);
}

}  // namespace

bool is_binary(std::string_view text) { return binary(text).has_value(); }

Recognised recognise(const ForeignFile& file, const tools::ToolBook& tools) {
  const std::string_view text = file.text;
  if (const auto found = binary(text)) return *found;
  if (const auto found = xml(text)) return *found;
  if (begins_with(text, kOfPythonValues)) return python_file(file, tools);
  const bool calls = begins_with(text, kOfPythonCalls);
  if (file.name.ends_with(".py") && !calls) return python(text);
  if (first_character(text) == '{' && !is_yaml_in_braces(file)) {
    try {
      return json(parse_json(text, file.name), tools);
    } catch (const InputError&) {
      // Lines of a log, each in braces.
      if (const auto found = lines(text)) return *found;
      throw;
    }
  }
  if (is_yaml_in_braces(file)) return yaml(read_yaml(text, file.name), tools);
  if (is_shell_line(text.substr(0, text.find('\n')))) return script(file, tools);
  if (begins_as_yaml(text)) {
    try {
      return yaml(read_yaml(text, file.name), tools);
    } catch (const InputError&) {
      // Arguments under a heading look so too, and lists of "NAME: value".
      if (const auto found = lines(text)) return *found;
      if (!contains(text, "--") || !has_arguments_of_megatron(text)) throw;
    }
  }
  if (const auto found = lines(text)) return *found;
  const Signs signs = signs_of(text, tools);
  if (first_character(text) == '[' && !begins_as_toml(text) && !signs.test) {
    return {FileKind::other, {}, "a JSON array", ""};
  }
  return script(file, tools);
}

bool is_script(const ForeignFile& file) {
  static constexpr std::string_view kOthers[] = {".py",   ".ipynb", ".json", ".yaml", ".yml",
                                                 ".toml", ".xml",   ".log",  ".csv",  ".out"};
  const bool other = std::any_of(std::begin(kOthers), std::end(kOthers),
                                 [&](std::string_view end) { return file.name.ends_with(end); });
  return !other && !is_binary(file.text) && first_character(file.text) != '<' &&
         first_character(file.text) != '{';
}

// The program of a command line that no tool of ours has; "" where none is seen.
static std::string started_program(const ForeignFile& file, const Recognised& found) {
  if (found.looks != kOtherProgram) return "";
  try {
    for (const StartedProgram& p : started_programs(file, {})) {
      if (p.marked && !p.name.empty() && p.name.front() != '-') return ": " + p.name;
    }
  } catch (const InputError&) {
    // The first Python file is named then.
  }
  const std::size_t end = file.text.find(".py");
  if (end == std::string::npos) return "";
  const std::size_t begin = file.text.find_last_of(" \t\n\"'=/", end);
  return ": " + file.text.substr(begin + 1, end + 2 - begin);
}

// A script whose program is one of its own arguments says nothing until they stand in it.
static std::string advice_of(const std::string& program) {
  if (!contains(program, "$")) return kOtherProgramAdvice;
  return "the script with its arguments in place of $1, $2 and so on, beside the files that the "
         "program reads";
}

void refuse_program(const ForeignFile& script, const std::string& program) {
  refuse_kind(script, {FileKind::other, {}, kOtherProgram + (": " + program), advice_of(program)});
}

void refuse_kind(const ForeignFile& file, const Recognised& found) {
  const std::string program = started_program(file, found);
  std::string read = found.advice;
  if (read.empty() && found.looks == kOtherProgram) read = advice_of(program);
  if (read.empty()) read = "a training file of a tool of `orrery list tools`";
  throw InputError(file.name, "", found.looks + program, read);
}

}  // namespace orrery
