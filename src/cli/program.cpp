// SPDX-License-Identifier: Apache-2.0
#include "cli/program.h"

#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include "cli/build_info.h"
#include "cli/command.h"
#include "cli/spelled.h"
#include "core/error.h"
#include "core/json.h"
#include "core/quote.h"
#include "document/words.h"
#include "engine/answer.h"
#include "engine/run_files.h"
#include "io/files.h"
#include "io/ranks.h"
#include "io/terminal.h"
#include "orrery/version.h"

namespace orrery {
namespace {

std::string version_text() {
  return std::string("orrery ") + kVersion + " (" + kGitHash + ", " + kCompiler + ", " +
         kBuildOptions + ")\n";
}

std::string short_help() {
  std::string text =
      "orrery predicts memory, step time and cost of training runs of large models.\n\n"
      "Type first:\n"
      "  orrery estimate train.yaml --node 8xH100     your trainer's file, or a script\n"
      "  orrery estimate --model meta-llama/Llama-3.1-8B --node 8xH100 \\\n"
      "    --sequence-length 8192 --global-batch 64 --framework fsdp\n"
      "  orrery search train.yaml --node 8xH100       the best split\n"
      "  orrery limits train.yaml --node 8xH100       how far it goes\n"
      "  orrery diagnose train.log                    why it is slow or out of memory\n\n"
      "Commands:\n";
  for (const Command& c : commands()) {
    text += "  " + left(c.name, 12) + c.summary + "\n";
  }
  return text + "\n`orrery help COMMAND` lists its flags, `orrery --version` the version.\n";
}

const Command* find_command(const std::string& name) {
  for (const Command& c : commands()) {
    if (name == c.name) return &c;
  }
  return nullptr;
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Command& c : commands()) names.emplace_back(c.name);
  return names;
}

[[noreturn]] void refuse_command(const std::string& name) {
  throw InputError("orrery", "", "the command \"" + name + "\"", alternatives(command_names()),
                   nearest_name(name, command_names()));
}

const Command& command_named(const std::string& name) {
  const Command* c = find_command(name);
  if (c == nullptr) refuse_command(name);
  return *c;
}

// Names and types as declared, without CLI11's counts and notes: "[FILE ...]", not "[FILE(1x)]".
// Descriptions wrap.
class HelpFormat : public CLI::Formatter {
 public:
  std::string make_option_usage(const CLI::Option* o) const override {
    const std::string name = o->get_name(true) + (o->get_expected_max() > 1 ? " ..." : "");
    return o->get_required() ? name : "[" + name + "]";
  }

  std::string make_option_opts(const CLI::Option* o) const override {
    if (o->get_positional() || o->get_type_size() == 0) return "";
    const bool repeats = o->get_expected_max() == CLI::detail::expected_max_vector_size;
    return " " + o->get_type_name() + (repeats ? " ..." : "");
  }

  std::string make_option_desc(const CLI::Option* o) const override {
    // Beside the names, in a terminal of 80 columns at least half of it.
    constexpr std::size_t kColumns = 70;
    constexpr std::size_t kNames = 30;
    const std::size_t terminal = terminal_width(StandardStream::out);
    const std::size_t free = terminal > 2 * kNames ? terminal - kNames : kNames;
    return wrapped(o->get_description(), 0, 0, terminal == 0 ? kColumns : std::min(kColumns, free));
  }
};

// The options of a command's `without`.
std::vector<CLI::Option*> options_without(const Command& c, CLI::App& app) {
  std::vector<CLI::Option*> options;
  for (const std::string_view flag : c.without) {
    if (!flag.empty()) options.push_back(app.get_option(std::string(flag)));
  }
  return options;
}

void add_common_options(const Command& c, CLI::App& app, Session& s) {
  app.formatter(std::make_shared<HelpFormat>());
  const auto group = [](CLI::Option* o) { o->group("Every command"); };
  group(app.add_flag("--json", s.json, "answer in JSON"));
  group(app.add_flag("--csv", s.csv, "answer in CSV"));
  group(app.add_option("-o,--output", s.output, "write the answer to FILE")->type_name("FILE"));
  group(app.add_option("--config-dir", s.config_dir,
                       "look up names here first; -: only in the built-in configs")
            ->type_name("DIRECTORY"));
  group(app.add_flag("--no-color", s.no_color, "print without colour"));
  group(app.add_flag("-q,--quiet", s.quiet, "print only errors on stderr"));
  group(app.add_flag("-v,--verbose", s.verbose, "print more on stderr; twice: everything"));
  app.set_help_flag("-h,--help", "print this help")->group("Every command");
  for (CLI::Option* o : options_without(c, app)) o->group("");  // not in the help
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* o : app.get_options()) {
    for (const std::string& name : o->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// Flags of trainers, and ours for the same.
struct TrainersFlag {
  const char* theirs;
  const char* ours;
};
constexpr TrainersFlag kTrainersFlags[] = {
    {"--batch-size", "--micro-batch (sequences of a GPU at once) or --global-batch (of a step)"},
    {"--train-batch-size", "--global-batch"},
    {"--per-device-train-batch-size", "--micro-batch"},
    {"--gradient-accumulation-steps", "--global-batch, of all GPUs and accumulated steps"},
    {"--max-length", "--sequence-length"},
    {"--cutoff-len", "--sequence-length"},
    {"--context-length", "--sequence-length"},
    {"--tensor-parallel", "--tp"},
    {"--tensor-parallel-size", "--tp"},
    {"--tensor-model-parallel-size", "--tp"},
    {"--pipeline-parallel", "--pp"},
    {"--pipeline-parallel-size", "--pp"},
    {"--pipeline-model-parallel-size", "--pp"},
    {"--context-parallel-size", "--cp"},
    {"--expert-parallel-size", "--ep"},
    {"--expert-model-parallel-size", "--ep"},
    {"--zero-stage", "--zero"},
    {"--bf16", "--precision bf16"},
    {"--fp16", "--precision fp16"},
    {"--dtype", "--precision"},
    {"--mixed-precision", "--precision"},
    {"--num-gpus", "--gpus"},
    {"--world-size", "--gpus"},
    {"--num-nodes", "--nodes"},
    {"--nnodes", "--nodes"},
    {"--gpu", "--node (8xA100, 4x4090, h100)"},
    {"--hardware", "--node"},
    {"--lora-r", "--lora"},
    {"--lora-rank", "--lora"},
};

std::string flag_of_trainers(std::string word) {
  std::replace(word.begin(), word.end(), '_', '-');
  for (const TrainersFlag& f : kTrainersFlags) {
    if (word == f.theirs) return f.ours;
  }
  return "";
}

// Files beside the run, which complete one of another tool.
bool take_files(const CLI::App& app, Json& request) {
  const std::vector<std::string> extras = app.remaining();
  std::error_code error;
  const bool are_files = std::all_of(extras.begin(), extras.end(), [&](const std::string& word) {
    return std::filesystem::is_regular_file(word, error);
  });
  if (extras.empty() || !are_files || !(request.contains("run") || request.contains("vary")))
    return false;
  request[kRunFilesKey] = extras;
  return true;
}

void refuse_extras(const CLI::App& app) {
  const std::vector<std::string> extras = app.remaining();
  if (extras.empty()) return;
  const std::string word = extras.front().substr(0, extras.front().find('='));
  const bool flag = word.starts_with("--");
  const std::string ours = flag_of_trainers(word);
  if (ours.find(' ') != std::string::npos)
    throw InputError("orrery " + app.get_name(), "", "the flag " + word, ours);
  throw InputError("orrery " + app.get_name(), "",
                   (word.starts_with('-') ? "the flag " : "one argument too many: ") + word,
                   "what `orrery " + app.get_name() + " --help` lists",
                   !ours.empty() ? ours
                   : flag        ? nearest_name(word, option_names(app))
                                 : "");
}

// CLI11's "--tp: 1 required X missing" and "--tp: At Most 1 required but received 2" in our words;
// other texts stay.
std::string mismatch_text(const CLI::ArgumentMismatch& e) {
  const std::string text = e.what();
  const std::string flag = text.substr(0, text.find(':'));
  if (text.find(" missing") != std::string::npos) return flag + " without a value";
  return text.find("At Most 1 required") != std::string::npos ? flag + " more than once" : text;
}

// The refusal of --verbose=1e99, the only flag that counts.
constexpr const char* kTimesGiven = "a number of times that a flag is given";

// CLI11's "Could not convert: --top = x".
std::string conversion_text(const CLI::ConversionError& e) {
  const std::string text = e.what();
  const std::size_t name = text.find("--");
  const std::size_t equals = text.find(" = ");
  if (name == std::string::npos || equals == std::string::npos || equals < name) return text;
  const std::string flag = text.substr(name, equals - name);
  return flag == "--verbose" ? kTimesGiven : flag + " " + text.substr(equals + 3);
}

[[noreturn]] void refuse(const CLI::App& app, const std::string& found) {
  throw InputError("orrery " + app.get_name(), "", found,
                   "what `orrery " + app.get_name() + " --help` lists");
}

// An unset variable of a shell is not a value, and the next flag is none.
void refuse_no_value(const CLI::App& app) {
  const std::vector<std::string> flags = option_names(app);
  for (const CLI::Option* o : app.get_options()) {
    for (const std::string& value : o->results()) {
      if (value.empty()) refuse(app, o->get_name() + ": an empty value");
      if (std::find(flags.begin(), flags.end(), value) == flags.end()) continue;
      refuse(app, o->get_name() + " without a value");
    }
  }
}

ExitCode say(const std::string& text) {
  write_text("-", text);
  return ExitCode::answer;
}

std::string help_text(const Command& c) {
  std::string text = std::string(c.summary) + "\n";
  std::string examples = c.examples;
  for (std::size_t at = 0; (at = examples.find('\n', at)) != std::string::npos; at += 3) {
    examples.replace(at, 1, "\n  ");
  }
  return examples.empty() ? text : text + "\n  " + examples + "\n";
}

// Under mpirun all but a sweep and a search is the leader's alone.
bool is_idle(const Command& c) {
  const std::string_view name = c.name;
  return !is_leader() && name != "sweep" && name != "search";
}

ExitCode run_command(const Command& c, std::span<char* const> arguments) {
  CLI::App app(help_text(c), c.name);
  app.allow_extras();
  Session session;
  Json request = Json::object();
  declare_options(c, app, request);
  add_common_options(c, app, session);
  std::vector<std::string> words(arguments.rbegin(), arguments.rend());
  try {
    app.parse(spelled(words));
  } catch (const CLI::CallForHelp&) {
    return say(app.help("orrery"));
  } catch (const CLI::RequiredError&) {
    refuse(app, "no FILE");
  } catch (const CLI::ArgumentMismatch& e) {
    refuse(app, mismatch_text(e));
  } catch (const CLI::ConversionError& e) {
    refuse(app, conversion_text(e));
  } catch (const CLI::ParseError& e) {
    refuse(app, e.what());
  } catch (const std::logic_error&) {  // of std::stoll in older CLI11
    refuse(app, kTimesGiven);
  }
  for (const CLI::Option* o : options_without(c, app)) {
    if (o->count() > 0) refuse(app, "the flag --" + o->get_lnames().front());
  }
  refuse_no_value(app);
  if (!take_files(app, request)) refuse_extras(app);
  if (session.json && session.csv) {
    throw InputError("orrery " + std::string(c.name), "", "--json and --csv", "one of them");
  }
  start_log(session.quiet || !is_leader() ? -1 : session.verbose, session.no_color);
  return c.run != nullptr ? c.run(std::move(request), session)
                          : ask(c.name, std::move(request), session);
}

std::string help_of(const Command& c) {
  CLI::App app(help_text(c), c.name);
  Session session;
  Json request;
  declare_options(c, app, request);
  add_common_options(c, app, session);
  return app.help("orrery");
}

ExitCode dispatch(std::span<char* const> arguments) {
  if (arguments.size() < 2) {
    return say(short_help());
  }
  const std::string first = arguments[1];
  if (first == "help" && arguments.size() > 2) return say(help_of(command_named(arguments[2])));
  if (first == "-h" || first == "--help" || first == "help") {
    return say(short_help());
  }
  if (first == "--version") return say(version_text());
  if (first.starts_with('-')) {
    throw InputError("orrery", "", "the flag " + first + " before a command",
                     "orrery COMMAND …, --help or --version");
  }
  const Command& command = command_named(first);
  return is_idle(command) ? ExitCode::answer : run_command(command, arguments.subspan(2));
}

}  // namespace

ExitCode run_program(std::span<char* const> arguments) {
  const Ranks ranks;
  start_log(0, false);
  try {
    return dispatch(arguments);
  } catch (const InputError& e) {
    if (is_leader()) spdlog::error("{}", e.what());
    return ExitCode::wrong_input;
  } catch (const UsageError& e) {
    constexpr std::size_t kLongest = 2000;  // it may quote words of the command line
    if (is_leader()) spdlog::error("{}", quote(e.what(), kLongest));
    return ExitCode::wrong_input;
  } catch (const RankFailed& e) {
    spdlog::error("{}", e.what());
    return e.by_input() ? ExitCode::wrong_input : ExitCode::fault;
  } catch (const std::bad_alloc&) {
    spdlog::error("found a question too large for the memory there is; allowed: a smaller one");
    return ExitCode::wrong_input;
  } catch (const std::exception& e) {
    if (is_leader()) spdlog::error("a fault of Orrery's own: {}", e.what());
    return ExitCode::fault;
  }
}

}  // namespace orrery
