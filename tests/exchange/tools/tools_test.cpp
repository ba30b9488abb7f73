// SPDX-License-Identifier: Apache-2.0
// Tools that are data: each file's own examples, and what its author must have written.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/error.h"
#include "core/json_path.h"
#include "exchange/import_files.h"
#include "exchange/tools/formula.h"
#include "exchange/tools/tool.h"
#include "exchange/tools/tool_book.h"
#include "exchange/yaml.h"
#include "parallel/framework_json.h"
#include "support/runs.h"

namespace orrery {
namespace {

const ConfigLookup& configs() {
  static const ConfigLookup lookup = testing::shipped_configs();
  return lookup;
}

const tools::ToolBook& book() {
  static const tools::ToolBook tools(configs());
  return tools;
}

ImportedRun imported(const tools::Example& example) {
  ImportJob job;
  job.files = example.files;
  if (!example.given.is_null()) job.given = example.given;
  job.lookup = &configs();
  return import_files(std::move(job));
}

bool asks(const ImportedRun& r, const std::string& key) {
  return std::any_of(r.ignored.begin(), r.ignored.end(),
                     [&](const LeftOver& l) { return l.is_refused && l.key == key; });
}

// A file whose only tool is written here.
ConfigLookup with_tool(const std::string& text) {
  ConfigLookup lookup = configs();
  lookup.tool = [text](const std::string& name) -> std::optional<ConfigText> {
    if (name != "mine") return {};
    return ConfigText{text, "mine.json"};
  };
  lookup.tool_names = [] { return std::vector<std::string>{"mine"}; };
  return lookup;
}

constexpr const char* kMine = R"({
  "name": "mine", "title": "Mine", "release": "1.0", "source": "mine.py",
  "recognise": [{"score": 60, "when": {"mine": {"given": true}}}],
  "settings": {"batch": "micro_batch", "passes|accumulate": "accumulation", "length": "sequence_length",
               "attention": {"fact": "flash", "words": {"flash": true, "eager": false}}},
  "defaults": {"accumulate": {"value": 4, "source": "mine.py:3"}, "checkpoint": {"value": true, "source": "mine.py:9"}},
  "rules": [
    {"set": {"recompute": "$checkpoint"}},
    {"first": [
      {"when": {"type": ["bf16", "bfloat16"]}, "set": {"precision": "bf16"}},
      {"when": {"type": {"given": true}}, "open": "precision", "why": "bf16 alone is known"}]},
    {"when": {"teacher": {"on": true}}, "refuse": true, "why": "a second model"},
    {"set": {"framework": "fsdp"}},
    {"assume": {"zero": 3}, "why": "it shards everything"}
  ],
  "without_effect": ["mine", "lr_*"]
})";

ImportedRun read_mine(const std::string& text, const char* given = R"({"cluster": {"gpus": 8}})") {
  static const ConfigLookup lookup = with_tool(kMine);
  ImportJob job;
  job.files = {{"a.yaml", "mine: 1\n" + text}};
  job.given = testing::json_of(given);
  job.lookup = &lookup;
  return import_files(std::move(job));
}

const Fact* assumed(const ImportedRun& r, const std::string& path) {
  return find_fact(r.assumed, path);
}

}  // namespace

TEST_CASE("a formula works out products before sums, and bounds last") {
  const auto value = [](const std::string& name) -> std::optional<double> {
    return name == "four" ? std::optional(4.0) : std::nullopt;
  };
  CHECK(tools::worked({"1", "*", "four", "+", "1", "*", "2"}, value) == 6);
  CHECK(tools::worked({"9", "-", "1", "*", "2", "*", "four"}, value) == 1);
  CHECK(tools::worked({"48", "*", "3", "//", "128", "max", "1"}, value) == 2);
  CHECK(tools::worked({"1", "+", "2", "*", "four", "up", "10"}, value) == 10);
  CHECK(tools::worked({"10", "*", "8", "down", "3", "/", "3", "up", "four"}, value) == 28);
  CHECK_FALSE(tools::worked({"1", "+", "five"}, value));
}

TEST_CASE("a pattern has any number of stars, each for any text") {
  using tools::fits_pattern;
  CHECK(fits_pattern("lr_decay", "lr_*"));
  CHECK(fits_pattern("lr_", "lr_*"));
  CHECK_FALSE(fits_pattern("lr", "lr_*"));
  CHECK(fits_pattern("a.tp_size", "*.tp_size"));
  CHECK(fits_pattern("fastchat.train.train_mem8", "*.train_*"));
  CHECK(fits_pattern("steps_per_print", "steps*per*print"));
  CHECK_FALSE(fits_pattern("steps_print", "steps*per*print"));
  CHECK(fits_pattern("abcbc", "a*bc"));
  CHECK_FALSE(fits_pattern("abcbd", "a*bc"));
  CHECK(fits_pattern("x", "x"));
  CHECK_FALSE(fits_pattern("xy", "x"));
}

TEST_CASE("Each tool's examples give the keys that its file says they give") {
  REQUIRE(book().all().size() >= 7);
  for (const tools::Tool& tool : book().all()) {
    CAPTURE(tool.name);
    CHECK_FALSE(tool.examples.empty());
    for (const tools::Example& example : tool.examples) {
      CAPTURE(example.files.front().text);
      const ImportedRun r = imported(example);
      CHECK((r.tool.empty() ? std::string(name_of(r.format)) : r.tool) == tool.format);
      for (const auto& given : example.gives.items()) {
        const std::string& path = given.key();
        CAPTURE(path);
        CHECK(value_at(r.run, path) == given.value());
      }
      for (const std::string& key : example.asks) {
        CAPTURE(key);
        CHECK(asks(r, key));
      }
      // A key that the file neither asks for nor gives would be a refusal nobody meant.
      for (const LeftOver& l : r.ignored) {
        if (!l.is_refused) continue;
        CAPTURE(l.setting);
        const auto is_in = [](const std::vector<std::string>& names, const std::string& name) {
          return std::find(names.begin(), names.end(), name) != names.end();
        };
        const std::string setting = l.setting.substr(0, l.setting.find(' '));
        const bool meant = is_in(example.asks, l.key) || is_in(example.refuses, setting) ||
                           l.key == "training.global_batch";
        CHECK(meant);
      }
    }
  }
}

namespace {

// Settings that a rule sets a fact from, or that a condition of one tests.
void add_read(const std::vector<tools::ToolRule>& rules, std::vector<std::string>& names) {
  for (const tools::ToolRule& rule : rules) {
    tools::add_settings(rule.when, names);
    for (const auto* list : {&rule.set, &rule.assume}) {
      for (const tools::Assignment& a : *list) {
        if (a.fact == "model" || a.fact == "deepspeed") continue;  // files, which have names
        for (const std::string& name : tools::alternatives_in(a.setting)) names.push_back(name);
      }
    }
    add_read(rule.first, names);
    add_read(rule.rules, names);
  }
}

// The import of a document with a setting more; nothing where it throws.
std::optional<ImportedRun> with_setting(const tools::Example& example, const std::string& setting,
                                        const Json& value) {
  tools::Example changed = example;
  ForeignFile& file = changed.files.front();
  Json document = read_yaml(file.text, file.name);
  try {
    set_at(document, setting, value);
    file.text = document.dump();
    return imported(changed);
  } catch (const std::exception&) {
    return {};
  }
}

bool is_named(const ImportedRun& r, const std::string& value) {
  const auto given = [&](const std::string& s) {
    return s.find(value) != std::string::npos && s.ends_with("(given instead)");
  };
  return std::any_of(r.without_effect.begin(), r.without_effect.end(), given) ||
         std::any_of(r.ignored.begin(), r.ignored.end(),
                     [&](const LeftOver& l) { return l.setting.find(value) != std::string::npos; });
}

std::vector<std::string> settings_read(const tools::Tool& tool) {
  std::vector<std::string> names;
  add_read(tool.rules, names);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::erase_if(names, [](const std::string& name) {
    return name.empty() || name.find_first_of("*[@$") != std::string::npos;
  });
  return names;
}

// True of a setting that moves a number of this file.
bool moves(const tools::Example& example, const std::string& setting) {
  auto on = with_setting(example, setting, true);
  auto off = with_setting(example, setting, false);
  if (!on || !off) return false;
  // The example's command line says the GPUs.
  for (ImportedRun* r : {&*on, &*off}) r->run.erase("cluster");
  return on->run != off->run;
}

}  // namespace

TEST_CASE("A setting that a rule reads and only a running program knows is asked for or named") {
  for (const tools::Tool& tool : book().all()) {
    const auto example =
        std::find_if(tool.examples.begin(), tool.examples.end(), [](const tools::Example& e) {
          const std::string& name = e.files.front().name;
          return name.ends_with(".json") || name.ends_with(".yaml") || name.ends_with(".yml");
        });
    if (example == tool.examples.end()) continue;
    for (const std::string& name : settings_read(tool)) {
      const auto unknown = with_setting(*example, name, "$UNKNOWN");
      if (!unknown || is_named(*unknown, "$UNKNOWN")) continue;
      CHECK_MESSAGE(!moves(*example, name), tool.name << ": " << name);
    }
  }
}

TEST_CASE("Each default of a tool names its source, and each profile is one of ours") {
  for (const tools::Tool& tool : book().all()) {
    CAPTURE(tool.name);
    CHECK_FALSE(tool.source.empty());
    for (const auto& by_default : tool.defaults) {
      CAPTURE(by_default.first);
      CHECK_FALSE(by_default.second.source.empty());
    }
    for (const tools::ToolRule& rule : tool.rules) {
      for (const tools::Assignment& a : rule.set) {
        if (a.fact == "framework" && a.literal.is_string())
          CHECK(configs().framework(a.literal.get<std::string>()).has_value());
      }
    }
  }
}

TEST_CASE("A setting that the file leaves out takes the tool's default, and says whose it is") {
  const ImportedRun r = read_mine("batch: 2\nlength: 4096\ntype: bf16\n");
  // 2 sequences x 4 passes x 8 replicas.
  CHECK(value_at(r.run, "training.global_batch") == 64);
  CHECK(value_at(r.run, "parallel.recompute") == "full");
  REQUIRE(assumed(r, "parallel.recompute") != nullptr);
  CHECK(assumed(r, "parallel.recompute")->why.find("mine.py:9") != std::string::npos);
  CHECK(assumed(r, "parallel.zero")->why == "it shards everything");
  CHECK(assumed(r, "training.micro_batch") == nullptr);
}

TEST_CASE("A setting that the file gives is no default") {
  const ImportedRun r =
      read_mine("batch: 2\npasses: 1\nlength: 4096\ntype: bf16\ncheckpoint: off\n");
  CHECK(value_at(r.run, "training.global_batch") == 16);
  const ImportedRun off = read_mine("batch: 2\nlength: 4096\ntype: bf16\ncheckpoint: false\n");
  CHECK(value_at(off.run, "parallel.recompute") == "none");
  CHECK(assumed(off, "parallel.recompute") == nullptr);
}

TEST_CASE("Words that a tool's file translates are the only ones allowed") {
  CHECK(value_at(read_mine("batch: 1\nattention: eager\n").run, "training.flash_attention") ==
        false);
  CHECK_THROWS_WITH_AS(read_mine("attention: sparse\n"),
                       doctest::Contains("found \"sparse\"; allowed: flash or eager"), InputError);
}

TEST_CASE("Open facts, refused settings and unknown ones of a tool's file are named") {
  const ImportedRun r = read_mine("type: fp8\nteacher: big\nlr_max: 1\nnumber: 3\nfp8_recipe: x\n");
  CHECK(asks(r, "training.precision"));
  const auto names = [&](const char* setting, bool is_refused) {
    return std::any_of(r.ignored.begin(), r.ignored.end(), [&](const LeftOver& l) {
      return l.is_refused == is_refused && l.setting.rfind(setting, 0) == 0;
    });
  };
  CHECK(names("teacher big", true));
  CHECK(names("number 3", false));
  // The name shows that it moves memory or time.
  CHECK(names("fp8_recipe x", true));
  CHECK(r.without_effect == std::vector<std::string>{"mine", "lr_max"});
}

TEST_CASE("A malformed file of a tool is refused with its path") {
  const auto fails = [](const std::string& text, const char* with) {
    const ConfigLookup lookup = with_tool(text);
    CHECK_THROWS_WITH_AS(tools::ToolBook{lookup}, doctest::Contains(with), InputError);
  };
  const std::string head = R"({"name": "mine", "title": "M", "source": "s", )";
  fails(head + R"("settings": {"a": "micro_bach"}})", "did you mean \"micro_batch\"");
  fails(head + R"("rules": [{"hook": "fsdpp"}]})", "did you mean \"fsdp\"");
  fails(head + R"("rules": [{"when": {"a": {"givn": true}}, "refuse": true, "why": "x"}]})",
        "givn");
  fails(head + R"("rules": [{"refuse": true}]})", "why");
  fails(head + R"("rulez": []})", "rulez");
  fails(head + R"("inherits": "nobody"})", "a tool of configs/tools");
}

namespace {

// A file of a tool with these members.
ImportedRun read_by(const std::string& members, ForeignFile file,
                    const char* given = R"({"cluster": {"gpus": 8}})") {
  const ConfigLookup lookup = with_tool(
      R"({"name": "mine", "title": "Mine", "source": "mine.py", "recognise": [{"score": 60, "when": {"mine": {"given": true}}}], )" +
      members + "}");
  ImportJob job;
  job.files = {std::move(file)};
  job.given = testing::json_of(given);
  job.lookup = &lookup;
  return import_files(std::move(job));
}

}  // namespace

TEST_CASE(
    "A value that another file says leaves its key open, and is refused where no rule knows it") {
  const char* members =
      R"("elsewhere": {"auto": "the script says it"}, "settings": {"batch": "micro_batch"}, "without_effect": ["lr"])";
  const ImportedRun r =
      read_by(members, {"a.yaml", "mine: 1\nbatch: auto\nlr: auto\nother: auto\n"});
  CHECK(asks(r, "training.micro_batch"));
  CHECK(std::find(r.without_effect.begin(), r.without_effect.end(), "lr") !=
        r.without_effect.end());
  CHECK(std::any_of(r.ignored.begin(), r.ignored.end(), [](const LeftOver& l) {
    return l.is_refused && l.setting == "other auto" && l.why == "the script says it";
  }));
}

TEST_CASE("Types that a tool states are checked, and values held within bounds") {
  const std::string members =
      R"("types": {"bucket": "elements", "overlap": "boolean"}, "rules": [{"set": {"framework": "deepspeed",
         "parallel.framework_options.reduce_bucket_size": {"from": "bucket", "least": 1, "most": 100},
         "parallel.framework_options.overlap_comm": "$overlap"}}])";
  const auto option = [&](const std::string& text, const char* name) {
    const ImportedRun r = read_by(members, {"a.yaml", "mine: 1\n" + text});
    return value_at(r.run, std::string("parallel.framework_options.") + name);
  };
  CHECK(option("bucket: 0\n", "reduce_bucket_size") == 1);
  CHECK(option("bucket: 5e2\n", "reduce_bucket_size") == 100);
  CHECK(option("overlap: \"True\"\n", "overlap_comm") == true);
  CHECK_THROWS_AS(option("overlap: maybe\n", "overlap_comm"), InputError);
  CHECK_THROWS_AS(option("bucket: 1.5\n", "reduce_bucket_size"), InputError);
}

TEST_CASE("Conditions see nulls, ends and settings of the same value") {
  const auto zero = [](const std::string& when, const std::string& text) {
    const ImportedRun r = read_by(R"("rules": [{"when": )" + when + R"(, "set": {"zero": 2}}])",
                                  {"a.yaml", "mine: 1\n" + text});
    return value_at(r.run, "parallel.zero") == 2;
  };
  CHECK(zero(R"({"@null.part.a": true})", "part: {a: null, b: 1}\n"));
  CHECK_FALSE(zero(R"({"@null.part.a": true})", "part: {a: 0, b: 1}\n"));
  CHECK_FALSE(zero(R"({"@null.part.a": true})", "part: {b: 1}\n"));
  CHECK(zero(R"({"act": {"ends": ["gelu"]}})", "act: torch.gelu\n"));
  CHECK_FALSE(zero(R"({"act": {"ends": ["gelu"]}})", "act: gelus\n"));
  CHECK(zero(R"({"a": {"same_as": "b"}})", "a: 8\nb: \"8\"\n"));
  CHECK_FALSE(zero(R"({"a": {"same_as": "b"}})", "a: 8\n"));
  CHECK(zero(R"({"a": {"not": {"same_as": "b"}}})", "a: 8\nb: 4\n"));
  CHECK(zero(R"({"list[1]": 4})", "list: [8, 4]\n"));
  CHECK_FALSE(zero(R"({"list[2]": {"given": true}})", "list: [8, 4]\n"));
}

}  // namespace orrery
