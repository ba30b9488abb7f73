// SPDX-License-Identifier: Apache-2.0
#include "report/strategy_words.h"

#include <cstdio>

#include "document/words.h"
#include "explore/axis_keys.h"
#include "explore/narrow.h"
#include "explore/space.h"
#include "parallel/strategy.h"

namespace orrery {
namespace {

std::string number(const char* name, std::int64_t n) {
  return std::string(name) + " " + std::to_string(n);
}

std::string sharding_words(const Space& space, const Strategy& s) {
  const Partition& p = s.partition;
  if (space.has_partitions()) {
    return " sharded " + std::to_string(p.weights) + "/" + std::to_string(p.gradients) + "/" +
           std::to_string(p.optimizer);
  }
  if (s.zero == 0) return "";
  const bool all = p.optimizer == s.dp * s.cp;
  return number(" ZeRO", s.zero) + (all ? "" : " over " + std::to_string(p.optimizer));
}

std::string recompute_words(const Space& space, const Strategy& s) {
  const auto kind = std::string(name_of(s.recompute));
  if (s.recompute_layers > 0) return kind + " " + std::to_string(s.recompute_layers);
  const AxisValues& sets = space.axes[SearchAxis::recompute_modules];
  if (s.recompute != Recompute::selective || (sets.is_free() && !sets.open)) return kind;
  return text_of(SearchAxis::recompute_modules, s.recompute_modules);
}

std::string split_words(const Strategy& s) {
  const auto at = [&s](std::int64_t i) {
    return std::to_string(s.stage_layers[static_cast<std::size_t>(i)]);
  };
  return "stages of " + at(0) + ", " + at(1) + " … " + at(s.pp * s.vpp - 1) + " layers";
}

std::string pipeline_words(const Strategy& s) {
  if (s.pp == 1) return "";
  std::string text = ", " + number("pp", s.pp) + " " + std::string(name_of(s.schedule));
  if (s.vpp > 1) text += " " + std::to_string(s.vpp);
  return !s.listed_stages ? text : text + " in " + split_words(s);
}

std::string outer_words(const Space& space, std::size_t base) {
  std::string text;
  for (std::size_t o = 0; o < space.outer.size(); ++o) {
    const std::string path = axis_name(space, kSearchAxes + o);
    text +=
        path.substr(path.rfind('.') + 1) + " " +
        axis_text(space, kSearchAxes + o, static_cast<std::int64_t>(space.bases[base].choice[o])) +
        ", ";
  }
  return text;
}

}  // namespace

std::string besides_words(const Space& space, std::size_t base, const Strategy& s) {
  std::string text = outer_words(space, base);
  const auto add = [&text](const std::string& words) { text += words + ", "; };
  if (space.has_partitions() || s.partition.optimizer != s.dp * s.cp) {
    const std::string words = sharding_words(space, s);
    if (!words.empty()) add(words.substr(1));
  }
  const AxisValues& sets = space.axes[SearchAxis::recompute_modules];
  const bool modules = s.recompute == Recompute::selective && (sets.open || !sets.is_free());
  if (modules) add(recompute_words(space, s));
  if (s.listed_stages) add(split_words(s));
  if (space.offloads.size() > 1) {
    add("offload " + text_of(SearchAxis::offload, code_of(s.offload)));
  }
  return text.empty() ? text : text.substr(0, text.size() - 2);
}

std::string strategy_words(const Space& space, std::size_t base, const Strategy& s) {
  std::string text = outer_words(space, base);
  text += number("tp", s.tp) + (s.sequence_parallel ? " sp" : "");
  if (s.cp > 1) text += ", " + number("cp", s.cp);
  text += pipeline_words(s) + ", " + number("dp", s.dp) + sharding_words(space, s);
  if (s.ep > 1 || s.etp > 1) text += ", " + number("ep", s.ep) + number(" etp", s.etp);
  text += ", " + number("batch", s.micro_batch) + ", recompute " + recompute_words(space, s);
  if (space.offloads.size() > 1) {
    text += ", offload " + text_of(SearchAxis::offload, code_of(s.offload));
  }
  return text;
}

std::string not_tried_words(const std::vector<NotTried>& all) {
  std::vector<std::string> words;
  for (const NotTried& n : all) {
    words.push_back(std::string(key_of(n.axis)) + " " + std::string(n.values));
  }
  return joined(words, ", ");
}

}  // namespace orrery
