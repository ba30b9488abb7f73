// SPDX-License-Identifier: Apache-2.0
#include "exchange/python_calls.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/json_in.h"
#include "core/json_path.h"
#include "core/limits.h"
#include "exchange/import_draft.h"
#include "exchange/python_names.h"
#include "exchange/python_text.h"
#include "exchange/text_lines.h"

namespace orrery {
namespace {

// Calls whose arguments are those of the Trainer.
constexpr std::array<std::string_view, 16> kArguments = {"TrainingArguments",
                                                         "SFTConfig",
                                                         "Seq2SeqTrainingArguments",
                                                         "UnslothTrainingArguments",
                                                         "DPOConfig",
                                                         "GRPOConfig",
                                                         "RLOOConfig",
                                                         "RewardConfig",
                                                         "KTOConfig",
                                                         "ORPOConfig",
                                                         "CPOConfig",
                                                         "PPOConfig",
                                                         "GKDConfig",
                                                         "BCOConfig",
                                                         "PRMConfig",
                                                         "OnlineDPOConfig"};
constexpr std::array<std::string_view, 14> kOthers = {
    "from_pretrained", "get_peft_model", "LoraConfig",  "BitsAndBytesConfig", "SFTTrainer",
    "Trainer",         "DPOTrainer",     "GRPOTrainer", "RLOOTrainer",        "RewardTrainer",
    "KTOTrainer",      "ORPOTrainer",    "CPOTrainer",  "Seq2SeqTrainer"};
// Where arguments stand that only the running program knows: of the Trainer, and of another call.
constexpr const char* kUnread = "unread_arguments";
constexpr const char* kUnreadOf = "unread";
constexpr std::size_t kMostCalls = 64;
constexpr std::array<std::string_view, 2> kAsksForBf16 = {"is_bfloat16_supported",
                                                          "is_bf16_supported"};

// Code of a notebook's cells, without commands of the shell and of the notebook.
std::string code_of_notebook(const std::string& text) {
  const auto document = json_in(text);
  if (!document || !document->is_object()) return "";
  std::string code;
  for (const Json& cell : value_at(*document, "cells")) {
    if (value_at(cell, "cell_type") != "code") continue;
    const Json& source = value_at(cell, "source");
    std::string whole;
    if (source.is_string()) whole = source.get<std::string>();
    if (source.is_array()) {
      for (const Json& line : source) whole += line.is_string() ? line.get<std::string>() : "";
    }
    for (const std::string_view line : lines_of(whole)) {
      const std::string_view t = trimmed(line);
      const bool other = !t.empty() && (t.front() == '!' || t.front() == '%');
      if (!other) code += std::string(line) + "\n";
    }
  }
  return code;
}

class PythonReader {
 public:
  PythonReader(std::string text, const Settings* arguments)
      : code_(std::move(text)), given_(arguments) {}

  std::optional<Json> read() {
    names_.read(code_, given_);
    assignments_ = code_.assignments();
    for (std::size_t i = 0; i < assignments_.size(); ++i)
      set_at_[assignments_[i].target].push_back(i);
    bool any = false;
    for (const std::string_view call : kArguments) any = calls(call, true) || any;
    drop_differing();
    for (const std::string_view call : kOthers) any = calls(call, false) || any;
    if (!any) return {};
    writes();
    setattrs();
    arguments_of_others();
    arguments_of_program();
    out_["imports"] = imports();
    out_["calls"] = trainers();
    return std::move(out_);
  }

 private:
  // An object that a call has made, under a name of the program's.
  struct Object {
    std::string call;
    bool at_top = false;
    std::size_t at = 0, indent = 0;
  };

  Json imports() const {
    Json list = Json::array();
    for (const std::string_view line : lines_of(code_.text())) {
      for (const char* word : {"import ", "from "}) {
        if (!begins_with(trimmed(line), word)) continue;
        const std::string_view behind = trimmed(line).substr(std::string_view(word).size());
        const std::string module(behind.substr(0, behind.find_first_of(" .,")));
        if (std::find(list.begin(), list.end(), module) == list.end()) list.push_back(module);
      }
    }
    return list;
  }

  // Classes of trainers and of their arguments that are made, and what prepares the weights: what
  // is trained.
  Json trainers() const {
    Json list = Json::array();
    const std::string& text = code_.text();
    for (const std::string_view end : {"Trainer(", "Config(", "Arguments(", "kbit_training("}) {
      for (std::size_t at = text.find(end); at != std::string::npos && list.size() < kMostCalls;
           at = text.find(end, at + end.size())) {
        std::size_t begin = at;
        while (begin > 0 && is_name_sign(text[begin - 1])) --begin;
        const std::string name = text.substr(begin, at + end.size() - 1 - begin);
        if (!code_.is_definition(begin) && std::find(list.begin(), list.end(), name) == list.end())
          list.push_back(name);
      }
    }
    return list;
  }

  bool calls(std::string_view name, bool at_top) {
    const std::string& text = code_.text();
    bool any = false;
    std::size_t count = 0;
    for (std::size_t at = text.find(name); at != std::string::npos;
         at = text.find(name, at + name.size())) {
      const std::size_t open = at + name.size();
      const bool own = at == 0 || !is_name_sign(text[at - 1]);
      if (!own || open >= text.size() || text[open] != '(' || code_.is_definition(at)) continue;
      if (++count > kMostCalls) break;
      keys_.clear();
      place_ = at;
      const bool holds_settings = at_top || name.ends_with("Config");
      if (const std::string object = name_before(at); holds_settings && !object.empty())
        objects_[object] = {std::string(name), at_top, at, code_.indent(at)};
      std::size_t place = 0;
      for (const std::string& part : code_.expressions(open + 1))
        argument(std::string(name), part, place++, at_top);
      if (at_top) argument_keys_.push_back(keys_);
      if (name.ends_with("Trainer")) (keys_.count("args") > 0 ? has_args_ : lacks_args_) = true;
      any = true;
    }
    return any;
  }

  // "args" of "args: X = module.Call(".
  std::string name_before(std::size_t at) const {
    std::string_view line = trimmed(code_.before(at));
    while (!line.empty() && (is_name_sign(line.back()) || line.back() == '.'))
      line.remove_suffix(1);
    line = trimmed(line);
    if (line.empty() || line.back() != '=') return "";
    line = trimmed(line.substr(0, line.size() - 1));
    const std::string name(trimmed(line.substr(0, line.find(':'))));
    return is_name_of_object(name) ? name : "";
  }

  // "args", "self.args"
  static bool is_name_of_object(std::string_view word) {
    return !word.empty() && std::all_of(word.begin(), word.end(),
                                        [](char c) { return is_name_sign(c) || c == '.'; });
  }

  // Where several calls make such objects, an argument that some of them lack may be any of them.
  void drop_differing() {
    for (const auto& keys : argument_keys_) {
      for (const std::string& key : keys) {
        const bool in_all =
            std::all_of(argument_keys_.begin(), argument_keys_.end(),
                        [&](const std::set<std::string>& k) { return k.count(key) > 0; });
        if (!in_all) out_[key] = "$" + key;
      }
    }
  }

  void argument(const std::string& call, const std::string& part, std::size_t place, bool at_top) {
    if (begins_with(part, "**")) return spread(call, std::string(trimmed(part.substr(2))), at_top);
    const std::size_t equals = part.find('=');
    const std::string name(trimmed(std::string_view(part).substr(0, equals)));
    const bool named =
        equals != std::string::npos && is_python_name(name) && part.substr(equals, 2) != "==";
    if (!named && place == 1 && call.ends_with("Trainer")) return args_of_trainer(part);
    if (!named && (place > 0 || part.empty() || call != "from_pretrained")) return;
    value(call, named ? name : "model_name",
          named ? std::string(trimmed(part.substr(equals + 1))) : part, at_top);
  }

  void value(const std::string& call, const std::string& key, const std::string& value,
             bool at_top) {
    read_ += value + " ";
    const Json read = names_.of(value, place_);
    if (asks_for_bf16(value, read)) {
      if (!begins_with(value, "not ")) put(call, key, "auto", at_top);
      return;
    }
    const bool of_trainer = call.ends_with("Trainer");
    if (of_trainer && key == "args") return args_of_trainer(value);
    // A trainer loads the model of a name itself.
    const bool loads = of_trainer && key == "model" && read.is_string() && !is_unknown(read);
    if (loads) return put("from_pretrained", "model_name", read, false);
    // A call within an argument is read by itself.
    if (is_object_of_program(key)) return;
    put(call, key, read, at_top);
  }

  // "bf16 where the GPU has it", in two arguments, or by a name that the text sets to it.
  bool asks_for_bf16(const std::string& value, const Json& read) const {
    const std::string set = begins_with(value, "not ")
                                ? bare_text(names_.of(value.substr(4), place_))
                                : bare_text(read);
    return std::any_of(kAsksForBf16.begin(), kAsksForBf16.end(), [&](std::string_view call) {
      return contains(value, call) || (begins_with(set, "$") && contains(set, call));
    });
  }

  // The arguments of a trainer; those that another call than ours makes are not known.
  void args_of_trainer(const std::string& value) {
    if (value == "None") return;
    keys_.insert("args");
    const bool other = set_at_.count(value) > 0 && objects_.count(value) == 0;
    if (other && !is_known_call(value)) leave_unread("", "args=" + value, true);
  }

  // The names at the top beside the arguments, of which none is called so.
  static bool is_taken(std::string_view key) {
    return std::find(kOthers.begin(), kOthers.end(), key) != kOthers.end() || key == kUnread ||
           key == kUnreadOf || key == "imports" || key == "calls";
  }

  void put(const std::string& call, const std::string& key, const Json& read, bool at_top) {
    if (at_top && is_taken(key)) return;
    keys_.insert(key);
    Json& into = at_top ? out_ : out_[call];
    // One key more than a reader takes is enough for it to refuse.
    if (into.is_object() && into.size() > kMostKeys) return;
    if (into.is_object() && into.contains(key) && into[key] != read) {
      into[key] = "$" + key;
    } else {
      into[key] = read;
    }
  }

  // Arguments that only the running program knows: no default of theirs holds.
  void leave_unread(const std::string& call, const std::string& written, bool at_top) {
    const std::string shown = beginning_of(written);
    at_top ? out_[kUnread] = shown : out_[kUnreadOf][call] = shown;
  }

  // "**name" and "**{...}": the entries of a dictionary as arguments.
  void spread(const std::string& call, const std::string& of, bool at_top) {
    const auto known = set_at_.find(of);
    const bool once = known != set_at_.end() && known->second.size() == 1;
    if (++spreads_ > kMostCalls) return leave_unread(call, "**" + of, at_top);
    if (!once) {
      if (!entries(call, of, at_top)) leave_unread(call, "**" + of, at_top);
      return;
    }
    const PythonText::Assignment& made = assignments_[known->second.front()];
    const bool read = !is_changed(of, made) &&
                      entries(call, code_.value_from(made.value_at), at_top) &&
                      items(call, of, made, at_top);
    if (!read) leave_unread(call, "**" + of, at_top);
  }

  // False of a text that is no dictionary of names.
  bool entries(const std::string& call, const std::string& text, bool at_top) {
    const bool braces = text.size() > 1 && text.front() == '{' && text.back() == '}';
    const bool of_call = begins_with(text, "dict(") && text.back() == ')';
    if (!braces && !of_call) return false;
    const PythonText inner(text.substr(braces ? 1 : 5, text.size() - (braces ? 2 : 6)));
    for (const std::string& part : inner.expressions(0)) {
      if (!part.empty() && !entry(call, part, braces ? ':' : '=', at_top)) return false;
    }
    return true;
  }

  bool entry(const std::string& call, const std::string& part, char sign, bool at_top) {
    const std::size_t end = sign == ':' && (part[0] == '"' || part[0] == '\'')
                                ? PythonText(part).end_of_string(0)
                                : part.find(sign);
    if (end == std::string::npos || end >= part.size()) return false;
    std::string key(trimmed(std::string_view(part).substr(0, end)));
    const std::string_view behind = trimmed(std::string_view(part).substr(end));
    if (sign == ':' && !is_quoted(key)) return false;
    if (sign == ':') key = key.substr(1, key.size() - 2);
    if (behind.empty() || behind.front() != sign || !is_python_name(key)) return false;
    value(call, key, std::string(trimmed(behind.substr(1))), at_top);
    return true;
  }

  // Places behind a dictionary where its name stands.
  std::vector<std::size_t> uses(const std::string& name, const PythonText::Assignment& made) const {
    const std::string& text = code_.text();
    std::vector<std::size_t> all;
    for (std::size_t at = text.find(name, made.value_at); at != std::string::npos;
         at = text.find(name, at + name.size())) {
      if (!is_name_sign(text[at - 1]) && !code_.is_definition(at)) all.push_back(at + name.size());
    }
    return all;
  }

  bool is_changed(const std::string& name, const PythonText::Assignment& made) const {
    constexpr std::array<std::string_view, 6> kChanges = {".update(",     ".pop(",   ".popitem(",
                                                          ".setdefault(", ".clear(", " |= "};
    const std::vector<std::size_t> all = uses(name, made);
    return std::any_of(all.begin(), all.end(), [&](std::size_t end) {
      const std::string_view behind = std::string_view(code_.text()).substr(end, 16);
      return std::any_of(kChanges.begin(), kChanges.end(),
                         [&](std::string_view c) { return begins_with(behind, c); });
    });
  }

  // `name["key"] = value` behind a dictionary; false of a key that is no literal.
  bool items(const std::string& call, const std::string& name, const PythonText::Assignment& made,
             bool at_top) {
    for (const std::size_t end : uses(name, made)) {
      const bool item_of = end < code_.text().size() && code_.text()[end] == '[';
      if (item_of && !item(call, end + 1, made, at_top)) return false;
    }
    return true;
  }

  bool item(const std::string& call, std::size_t at, const PythonText::Assignment& made,
            bool at_top) {
    const std::string& text = code_.text();
    const std::size_t close = code_.end_of_expression(at);
    const std::size_t sign = std::min(text.find_first_not_of(" ]", close), text.size());
    const bool sets = sign + 1 < text.size() && text[sign] == '=' && text[sign + 1] != '=';
    if (!sets) return true;
    const std::string key(trimmed(std::string_view(text).substr(at, close - at)));
    if (!is_quoted(key)) return false;
    change({call, at_top, 0, 0}, key.substr(1, key.size() - 2), code_.value_from(sign + 1), at,
           code_.indent(at) == made.indent);
    return true;
  }

  // A write to what a call has made: the value holds where the write always happens.
  void change(const Object& of, const std::string& key, const std::string& text, std::size_t at,
              bool always) {
    if (of.at_top && is_taken(key)) return;
    Json& into = of.at_top ? out_ : out_[of.call];
    const Json read = names_.of(text, at);
    const bool same = into.is_object() && into.contains(key) && into[key] == read;
    if (!is_object_of_program(key)) into[key] = always || same ? read : Json("$" + key);
  }

  // The object of "args" and of "trainer.args"; nullptr for another.
  const Object* object(const std::string& name) const {
    static const Object kOfTrainer = {"TrainingArguments", true, 0, 0};
    const auto known = objects_.find(name);
    if (known != objects_.end()) return &known->second;
    // An argument of a function, or a trainer's.
    const bool is_parameter = name.ends_with("training_args") && set_at_.count(name) == 0;
    return is_parameter || name.ends_with(".args") ? &kOfTrainer : nullptr;
  }

  // "args.bf16 = True", and "args = replace(args, …)".
  void writes() {
    for (const PythonText::Assignment& a : assignments_) {
      const std::size_t dot = a.target.rfind('.');
      const auto known = objects_.find(a.target);
      if (known != objects_.end() && !is_known_call(code_.value_from(a.value_at)))
        leave_unread(known->second.call, code_.value_from(a.value_at), known->second.at_top);
      if (known != objects_.end() || dot == std::string::npos) continue;
      const Object* of = object(a.target.substr(0, dot));
      if (of == nullptr || (of->at > a.at && of->indent == a.indent)) continue;
      change(*of, a.target.substr(dot + 1), code_.value_from(a.value_at), a.at,
             a.indent == of->indent);
    }
    for (const auto& [name, of] : objects_) {
      for (const std::string& use : {name + ".set_", name + ".__dict__", "vars(" + name}) {
        if (of.at_top && contains(code_.text(), use)) leave_unread(of.call, use, true);
      }
    }
  }

  // setattr(args, "bf16", True)
  void setattrs() {
    constexpr std::string_view kCall = "setattr(";
    const std::string& text = code_.text();
    std::size_t count = 0;
    for (std::size_t at = text.find(kCall); at != std::string::npos && count < kMostCalls;
         at = text.find(kCall, at + kCall.size()), ++count) {
      const std::vector<std::string> parts = code_.expressions(at + kCall.size());
      const Object* of = parts.size() == 3 ? object(parts[0]) : nullptr;
      if (of == nullptr || code_.is_definition(at)) continue;
      if (!is_quoted(parts[1])) {
        leave_unread(of->call, "setattr(" + parts[0] + ", " + parts[1] + ")", of->at_top);
        continue;
      }
      change(*of, parts[1].substr(1, parts[1].size() - 2), parts[2], at,
             code_.indent(at) == of->indent);
    }
  }

  // A trainer whose arguments none of the calls here makes: a parser or another file does.
  void arguments_of_others() {
    const bool none = argument_keys_.empty();
    if (none && (has_args_ || !lacks_args_) && !out_.contains(kUnread))
      out_[kUnread] = "args of the trainer";
  }

  // Arguments of the command that no call here takes, and that may move a number.
  void arguments_of_program() {
    if (given_ == nullptr) return;
    for (const ForeignSetting& s : given_->all()) {
      const bool is_taken = out_.contains(s.name) || contains(read_, "." + s.name);
      if (!is_taken && moves_a_number(s.name))
        out_[s.name] = s.value.is_null() ? Json(true) : s.value;
    }
  }

  // Objects that a program passes on.
  static bool is_object_of_program(const std::string& key) {
    constexpr std::array<std::string_view, 10> kObjects = {
        "model",         "tokenizer",     "processing_class",
        "args",          "train_dataset", "eval_dataset",
        "data_collator", "peft_config",   "quantization_config",
        "callbacks"};
    return std::find(kObjects.begin(), kObjects.end(), key) != kObjects.end();
  }

  static bool is_known_call(const std::string& value) {
    const auto is_call = [&](std::string_view name) {
      return contains(value, std::string(name) + "(");
    };
    return std::any_of(kArguments.begin(), kArguments.end(), is_call) ||
           std::any_of(kOthers.begin(), kOthers.end(), is_call);
  }

  PythonText code_;
  const Settings* given_;
  ProgramNames names_;
  std::vector<PythonText::Assignment> assignments_;
  std::map<std::string, std::vector<std::size_t>, std::less<>> set_at_;
  std::map<std::string, Object, std::less<>> objects_;
  std::set<std::string> keys_;                        // of the call that is being read
  std::size_t place_ = 0;                             // of the same
  std::string read_;                                  // the texts of all arguments
  std::vector<std::set<std::string>> argument_keys_;  // of each call at the top
  bool has_args_ = false, lacks_args_ = false;        // of a trainer's call
  std::size_t spreads_ = 0;
  Json out_ = Json::object();
};

}  // namespace

std::optional<Json> python_settings(const ForeignFile& file, const Settings* arguments) {
  const bool notebook = file.name.ends_with(".ipynb");
  if (file.text.size() > (std::size_t{4} << 20)) return {};
  return PythonReader(notebook ? code_of_notebook(file.text) : file.text, arguments).read();
}

}  // namespace orrery
