// SPDX-License-Identifier: Apache-2.0
//
// The meaning of another training tool's file, as data: configs/tools/NAME.json.
//
//   name, title, release   the tool, and the release that the rules were read at
//   source                 where its rules come from
//   inherits               a tool whose settings, rules and defaults hold too, but for those that
//                          this file says itself (a rule: with the same `about`)
//   recognise              conditions on a document's settings, each with a score; the highest wins
//   commands               programs that start it: {"program": "trl", "word": "sft"}; `config`:
//                          the flag that names its file; `positional`: what stands without a flag
//   settings               setting → fact of the same meaning
//   defaults               setting → {value, release, source}: what holds where a file says nothing
//   defaults_when          a condition without which the defaults do not hold: settings of theirs
//                          that say a fact are then asked for
//   rules                  in order, see ToolRule
//   below, base            parts of a document that stand as if at its top; the setting that names
//                          files over which this one goes
//   without_effect_when    conditions, and settings that then move nothing
//   without_effect         settings that move no number here; "lr_*": all that begin so
//   not_modelled           setting → why: moves one a little, and no key says it
//   speaks                 a tool whose settings the rows and `pass` of this one give, under the
//                          names there; those that no rule names go by `others`
//   format                 the word of --from, where it is another than the name
//   written                setting → its value where a run does not use it, for the tool's writer
//   variables              the settings are variables that shell scripts set; in `recognise`, names
//                          of which one is enough
//   joins_files            several files are one document, the later ones over the earlier ones
//   lists                  lists of mappings: of one as the mapping itself, of several by number
//   types                  setting → type (trainer::find_fact_kind) where no fact says it; another
//                          value is an error
//   elsewhere              value → why: settings of this value are another file's to say
//   ships                  files of the tool's own that a run may name without giving them
//   renames                name of another version or fork → the name that the rules have
//   abbreviates            its programs take an argument by any beginning that is of it alone, as
//                          argparse does
//   lacks                  settings of the tool that it inherits which it does not have
//   says                   setting → the key that follows from it, where no row says so: it is
//                          asked for where the value is not known
//   engine                 the file is of an engine within a program, and a part by itself
//   examples               texts and the keys they give, which a test checks
//
// Facts have short names (exchange/trainer/facts.h: micro_batch, zero, …); a name with a dot is a
// key of the run. Errors: InputError with the file and the path for a malformed file.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "exchange/foreign_file.h"
#include "exchange/settings.h"
#include "exchange/tools/condition.h"

namespace orrery::tools {

// A value for a fact: a literal, or the value of a setting ("$name"), perhaps translated or cut
// ({"from": "name", "words": {theirs: ours}, "last": ".", "without": ["lora_"], "without_end":
// ["-mcore"]}) or held within `least` and `most`; or a formula of settings, facts and numbers
// (exchange/tools/formula.h); or a share of the square of the model's width ({"of_width": 0.9}).
struct Assignment {
  std::string fact;
  Json literal = {};
  std::string setting = {};                       // "" for a literal
  std::vector<std::string> formula = {};          // names, numbers and signs
  std::vector<std::pair<Json, Json>> words = {};  // theirs, ours
  std::string last = {};                  // a sign: what stands behind the last of them counts
  std::vector<std::string> without = {};  // beginnings that are cut off
  std::vector<std::string> without_end = {};
  std::optional<std::int64_t> least = {}, most = {};
  double of_width = 0;  // 0: none
};

struct AdapterRule {
  std::string rank, targets, every_linear, dropout, dora, trained;
  struct Also {
    Condition when;
    std::vector<std::string> targets;
  };
  std::vector<Also> also = {};
  bool none_by_default = false;  // without a list, only what `also` adds
  Condition dora_when = {};      // empty: `dora` alone says it
};

struct ToolRule {
  Condition when = {};
  std::string about = {};
  std::vector<Assignment> set = {};
  std::vector<Assignment> assume = {};  // what the tool does where nothing says otherwise
  std::vector<std::string> each = {};   // each of these that is on, refused or noted apart
  std::string open = {};                // a fact that the settings leave open
  bool refuse = false;                  // the settings are of a training that no key says
  bool note = false;                    // the settings move a number a little
  bool without_effect = false;          // the settings move none here
  std::vector<Assignment> pass = {};    // settings of the tool that this one speaks
  std::vector<std::string> unset = {};  // keys that are neither said nor asked for any more
  std::string other_defaults = {};  // why the defaults of the tool, or that it speaks, do not hold
  std::string of = {};              // those alone of keys that begin so
  bool pick_precision = false;      // bf16 where the GPU has it
  std::optional<AdapterRule> adapter = {};
  std::string hook = {};
  Json parameters = {};
  std::vector<ToolRule> first = {};  // the first that holds counts
  std::vector<ToolRule> rules = {};  // all of them count
  std::string why = {};
};

struct ToolDefault {
  Json value;
  std::string release;
  std::string source;
};

struct StartCommand {
  std::string program;
  std::string word = {};        // behind the program
  std::string config = {};      // a flag
  std::string positional = {};  // "config", or a setting
  bool overrides = false;       // words a.b=c behind the program are settings, as Hydra has them
  // One of them stands in the script, where others have the program too ("*.py"). With the program
  // "*" they are the tool's alone.
  std::vector<std::string> flags = {};
  std::vector<std::string> beside = {};  // and one of these, where there are any
  std::vector<std::pair<std::string, std::string>> variables = {};  // of the script → setting
};

// Settings that have no effect under a condition: those of a feature that is off.
struct Silent {
  Condition when;
  std::vector<std::string> settings;
};

struct Example {
  std::vector<ForeignFile> files;
  Json given;                             // the run as the command line says it
  Json gives;                             // keys of the run
  std::vector<std::string> asks = {};     // keys that stay open
  std::vector<std::string> refuses = {};  // settings
};

// Settings that no rule names, as those of the tool that is spoken: by the last part of their
// names, or without a beginning. Where `refused` has parts of names, none of them passes: those
// whose names have such a part are refused.
struct Others {
  bool last = false;
  std::string without = {};
  std::vector<std::string> refused = {};
  std::string why = {};
};

// A file that the tool ships, for runs that name it without giving it: the one that it goes over,
// and those of its settings that move a number here.
struct ShippedFile {
  std::string name, over;
  std::vector<std::pair<std::string, Json>> settings;
};

// A condition on a document, in one form of file or in any.
struct DocumentMark {
  int score = 0;
  Condition when = {};
  bool json_alone = false;
  std::vector<std::string> variables = {};  // of a script, of which one is enough
};

struct Tool {
  std::string name, title, release, source, file, inherits, speaks, format;
  std::vector<DocumentMark> recognise = {};
  std::vector<StartCommand> commands = {};
  std::map<std::string, ToolDefault, std::less<>> defaults = {};
  Condition defaults_when = {};
  std::vector<ToolRule> rules = {};
  std::string without_effect = {};  // names with blanks between
  std::vector<Silent> silent = {};
  std::vector<std::string> below = {};  // parts of a document that stand as if at its top
  std::string base = {};                // the setting that names files below which this one stands
  std::vector<std::pair<std::string, std::string>> not_modelled = {};
  std::vector<std::string> asked = {};  // every name that the rules mention
  std::vector<Example> examples = {};
  std::vector<std::pair<Json, std::string>> elsewhere = {};
  std::vector<std::pair<std::string, std::string>> types = {};
  std::vector<std::string> lists = {};
  std::vector<ShippedFile> ships = {};
  std::vector<std::pair<std::string, std::string>> renames = {};
  std::vector<std::pair<std::string, std::string>> says = {};
  Others others = {};
  std::vector<std::pair<std::string, Json>> written = {};  // what a writer says of what is off
  bool variables = false;                                  // the settings are variables of scripts
  bool joins_files = false;  // several files are one document, the later ones over the others
  bool trains = true;        // a trainer's own file, not only what launches one
  bool engine = false;
  bool abbreviates = false;
  std::vector<std::string> lacks = {};

  // Flags of the tool's alone start it, whatever the program.
  bool starts_by_flags() const;
  // The setting that gives one of the tool that is spoken, of several rows the last; "" for none.
  std::string setting_for(std::string_view spoken) const;
  // The settings of the rule about something that say a key as they are, in order.
  std::vector<const Assignment*> rows_of(std::string_view about) const;
  // The settings of a file that the tool ships, over those of the one that it goes over.
  std::vector<std::pair<std::string, Json>> shipped_settings(std::string_view file) const;
  // Why a value is another file's to say; nullptr where it is not.
  const std::string* elsewhere_of(const Json& value) const;
};

// The key of the run that a setting says, by a row or by `says`; nothing where it says none.
std::optional<std::string> key_of(const Tool& tool, const std::string& setting);

// Names of other versions and forks to those of the rules; settings that are None are not given.
void rename_settings(const Tool& tool, Settings& settings);

// True of a setting that moves no number, whatever stands beside it.
bool is_without_effect(const Tool& tool, std::string_view setting);

// True of a setting of a tool that this one inherits, which it lacks.
bool is_lacking(const Tool& tool, std::string_view setting);

// The arguments that a flag may stand for as their beginning; none where it is an argument itself.
std::vector<std::string> abbreviated(const Tool& tool, std::string_view flag);

// True of a setting that takes no value.
bool is_flag(const Tool& tool, std::string_view setting);

// "lr_*" and "*.tp_size" are patterns.
bool fits_pattern(std::string_view name, std::string_view pattern);

// "training.seq_len" is seq_len where the tool's part `training` stands as if at the top.
std::string name_in(const Tool& tool, const std::string& written);

// Flags of a launcher over those of its document, in the part that has them.
void flags_over(const Tool& launcher, const Settings& flags, Json& document);

// A program and its word, as rules see it: "train.py", "trl grpo".
std::string name_of(const std::string& program, const StartCommand& command);

// Where a program of the tool's begins in a command; the end where there is none.
std::vector<std::string>::const_iterator program_in(const Tool& tool,
                                                    const std::vector<std::string>& words,
                                                    const StartCommand** found = nullptr);

}  // namespace orrery::tools
