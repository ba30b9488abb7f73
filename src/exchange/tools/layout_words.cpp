// SPDX-License-Identifier: Apache-2.0
#include "exchange/tools/layout_words.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/json_path.h"
#include "core/units.h"
#include "exchange/several_runs.h"
#include "exchange/text_lines.h"
#include "exchange/trainer/facts.h"

namespace orrery::tools {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Parts between signs that stand outside of parentheses.
std::vector<std::string_view> parts_of(std::string_view text, char sign) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (text[i] != sign || depth != 0) continue;
    parts.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::int64_t* degree_of(PartLayout& part, char letter, bool experts) {
  switch (letter) {
    case 'd':
      return &part.dp;
    case 'p':
      return &part.pp;
    case 't':
      return experts ? &part.etp : &part.tp;
    case 'c':
      return &part.cp;
    case 'e':
      return &part.ep;
    default:
      return nullptr;
  }
}

// "d4p1t2"; of experts the ranks of data and of the pipeline follow from the rest.
bool read_degrees(std::string_view text, PartLayout& part, bool experts) {
  if (text.empty()) return false;
  PartLayout unused;
  for (std::size_t at = 0; at < text.size();) {
    const char letter = text[at++];
    std::size_t end = at;
    while (end < text.size() && is_digit(text[end])) ++end;
    const auto n = parse_number(text.substr(at, end - at));
    const bool follows = experts && (letter == 'd' || letter == 'p');
    std::int64_t* const degree = degree_of(follows ? unused : part, letter, experts);
    if (!n || *n < 1 || *n > static_cast<double>(kMostDegree) || degree == nullptr) return false;
    *degree = static_cast<std::int64_t>(*n);
    at = end;
  }
  return true;
}

// "(attn:d1p2t4|ffn:d1p2t1e4)", or degrees alone.
bool read_body(std::string_view text, PartLayout& part) {
  if (text.size() > 1 && text.front() == '(' && text.back() == ')')
    text = text.substr(1, text.size() - 2);
  if (!begins_with(text, "attn:")) return read_degrees(text, part, false);
  const std::vector<std::string_view> halves = parts_of(text, '|');
  return halves.size() == 2 && begins_with(halves[1], "ffn:") &&
         read_degrees(halves[0].substr(5), part, false) &&
         read_degrees(halves[1].substr(4), part, true);
}

constexpr std::array<std::string_view, 5> kBackends = {"sglang", "vllm", "fsdp", "megatron",
                                                       "archon"};

// "megatron[actor]" in front of the degrees.
bool read_head(std::string_view head, PartLayout& part) {
  const std::size_t open = head.find('[');
  if (open != std::string_view::npos) {
    if (head.back() != ']') return false;
    part.name = head.substr(open + 1, head.size() - open - 2);
  }
  part.backend = head.substr(0, open);
  return part.backend.empty()
             ? !part.name.empty()
             : std::find(kBackends.begin(), kBackends.end(), part.backend) != kBackends.end();
}

bool is_of_few_gpus(const PartLayout& part) {
  std::int64_t gpus = 1;
  for (const std::int64_t n : {part.dp, part.pp, part.tp, part.cp}) {
    gpus *= n;
    if (gpus > kMostDegree) return false;
  }
  return true;
}

std::optional<PartLayout> layout_of(std::string_view text) {
  PartLayout part;
  const bool split = begins_with(text, "(") || begins_with(text, "attn:");
  const std::size_t sign = split ? std::string_view::npos : text.find_first_of(":.");
  if (sign != std::string_view::npos && !read_head(text.substr(0, sign), part)) return {};
  const std::string_view body = sign == std::string_view::npos ? text : text.substr(sign + 1);
  if (!read_body(body, part) || !is_of_few_gpus(part)) return {};
  return part;
}

// Where neither is named, FSDP unless stages or experts are split (AReaL
// docs/tutorial/megatron.md).
std::string backend_of(const PartLayout& part) {
  if (!part.backend.empty()) return part.backend;
  return part.pp > 1 || part.ep > 1 ? "megatron" : "fsdp";
}

class LayoutSettings {
 public:
  explicit LayoutSettings(HookCall& call) : call_(call) {}

  void add_all() {
    whole();
    const Json parts = value_at(call_.parameters, "parts");
    if (!parts.is_object()) return;
    for (const auto& [name, setting] : parts.items()) own(name, setting.get<std::string>());
    too_many();
  }

 private:
  std::string parameter(const char* name) const {
    const Json& value = value_at(call_.parameters, name);
    return value.is_string() ? value.get<std::string>() : "";
  }

  bool generates(const PartLayout& part) const {
    const Json& engines = value_at(call_.parameters, "engines");
    return std::find(engines.begin(), engines.end(), Json(part.backend)) != engines.end();
  }

  std::optional<std::vector<PartLayout>> read(const std::string& setting) {
    call_.settings.take(setting);
    const ForeignSetting* s = find_setting(call_.settings, setting);
    const std::string text = s == nullptr ? "" : bare_text(s->value);
    if (text.empty()) return {};
    auto parts = layouts_in(text);
    if (!parts) call_.facts.leave_key_open(parameter("open"), text_of(*s), parameter("why"));
    return parts;
  }

  void whole() {
    const std::string setting = parameter("whole");
    const auto parts = read(setting);
    if (!parts) return;
    for (const PartLayout& part : *parts) {
      const std::string name = generates(part)     ? "rollout"
                               : part.name.empty() ? "actor"
                                                   : part.name;
      add(name, part, setting);
    }
  }

  // A part's backend by its name alone, as files with one setting for all parts have it.
  bool names_backend(const std::string& setting) {
    const ForeignSetting* s = find_setting(call_.settings, setting);
    const bool backend = s != nullptr && std::find(kBackends.begin(), kBackends.end(),
                                                   bare_text(s->value)) != kBackends.end();
    if (backend) call_.settings.take(setting);
    return backend;
  }

  void own(const std::string& name, const std::string& setting) {
    if (names_backend(setting)) return;
    const auto parts = read(setting);
    if (parts && parts->size() == 1) add(name, parts->front(), setting);
  }

  // The parts that generate and learn have more GPUs than `cluster`, a product of settings, has.
  void too_many() {
    std::int64_t held = 1;
    for (const Json& name : value_at(call_.parameters, "cluster")) {
      const auto n = call_.settings.count(name.get<std::string>(), 1, kMostDegree);
      if (!n) return;
      held *= *n;
    }
    const auto of_actor = call_.settings.count("layout.actor.gpus");
    const auto of_rollout = call_.settings.count("layout.rollout.gpus");
    if (!of_actor || !of_rollout || *of_actor + *of_rollout <= held) return;
    const std::string both = std::to_string(*of_actor) + " and " + std::to_string(*of_rollout);
    call_.settings.add({"layout.more", both + " GPUs of " + std::to_string(held), {}, "", true});
  }

  void add(const std::string& name, const PartLayout& part, const std::string& setting) {
    const ForeignSetting of = *find_setting(call_.settings, setting);
    const auto say = [&](const char* what, Json value) {
      call_.settings.add({"layout." + name + "." + what,
                          of.written + " " + bare_text(of.value) + ",", std::move(value), of.file,
                          true});
    };
    say("backend", backend_of(part));
    say("dp", part.dp);
    say("pp", part.pp);
    say("tp", part.tp);
    say("cp", part.cp);
    say("ep", part.ep);
    say("etp", part.etp);
    say("gpus", part.gpus());
    if (part.shares) say("shares", true);
  }

  HookCall& call_;
};

}  // namespace

std::optional<std::vector<PartLayout>> layouts_in(std::string_view text) {
  std::string dense;
  std::copy_if(text.begin(), text.end(), std::back_inserter(dense),
               [](char c) { return c != ' '; });
  std::vector<PartLayout> all;
  for (const std::string_view apart : parts_of(dense, '+')) {
    const bool experts = begins_with(apart, "attn:");
    const std::vector<std::string_view> together =
        experts ? std::vector<std::string_view>{apart} : parts_of(apart, '|');
    for (const std::string_view& one : together) {
      auto part = layout_of(one);
      if (!part) return {};
      part->shares = &one != &together.front();
      all.push_back(std::move(*part));
    }
  }
  return all;
}

void layout_words(HookCall& call) { LayoutSettings(call).add_all(); }

}  // namespace orrery::tools
