// SPDX-License-Identifier: Apache-2.0
#include "exchange/megatron/layer_lists.h"

#include <algorithm>

#include "core/limits.h"
#include "core/units.h"

namespace orrery::megatron {
namespace {

// Layers as a list of Python: "([0]*3+[1]*58)", "[0,1]*24", "(1,0)".
class LayerPattern {
 public:
  LayerPattern(const Settings& settings, std::string_view name, const std::string& text)
      : settings_(settings), name_(name), text_(text) {}

  std::vector<bool> all() {
    std::vector<bool> layers = sum(0);
    if (at_ < text_.size()) fail();
    return layers;
  }

 private:
  [[noreturn]] void fail() const {
    settings_.refuse(name_, "\"" + text_ + "\"", "a pattern such as ([0]*3+[1]*58)");
  }

  bool take(char c) {
    const bool there = at_ < text_.size() && text_[at_] == c;
    if (there) ++at_;
    return there;
  }

  std::vector<bool> sum(int depth) {
    std::vector<bool> layers = product(depth);
    while (take('+')) {
      const std::vector<bool> more = product(depth);
      layers.insert(layers.end(), more.begin(), more.end());
      check(layers);
    }
    return layers;
  }

  std::vector<bool> product(int depth) {
    const std::vector<bool> one = list(depth);
    std::vector<bool> layers = one;
    while (take('*')) {
      const std::size_t end = std::min(text_.find_first_not_of("0123456789", at_), text_.size());
      const auto times = parse_number(text_.substr(at_, end - at_));
      at_ = end;
      if (!times || *times < 1 || *times > kMostLayers) fail();
      for (double i = 1; i < *times; ++i) {
        layers.insert(layers.end(), one.begin(), one.end());
        check(layers);
      }
    }
    return layers;
  }

  // In brackets: marks, or another sum.
  std::vector<bool> list(int depth) {
    if ((!take('(') && !take('[')) || depth > kDeepestNesting) fail();
    std::vector<bool> layers;
    if (at_ < text_.size() && (text_[at_] == '(' || text_[at_] == '[')) {
      layers = sum(depth + 1);
    } else {
      do {
        const bool marked = take('1');
        if (!marked && !take('0')) fail();
        layers.push_back(marked);
      } while (take(','));
    }
    if (!take(')') && !take(']')) fail();
    return layers;
  }

  void check(const std::vector<bool>& layers) const {
    if (layers.size() > kMostLayers) settings_.refuse(name_, "fewer layers");
  }

  const Settings& settings_;
  std::string_view name_;
  const std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::string> layer_list(Settings& settings, std::string_view name) {
  const auto& all = settings.all();
  const auto given =
      std::find_if(all.begin(), all.end(), [&](const ForeignSetting& s) { return s.name == name; });
  if (given == all.end() || given->value.is_null()) return {};
  if (given->value.is_number()) return settings.word(name);
  const auto words = settings.words(name);
  // A log's list is already the layers: [0, 1, 1].
  const bool list =
      words->size() > 1 && std::all_of(words->begin(), words->end(),
                                       [](const std::string& w) { return w == "0" || w == "1"; });
  std::string text = list ? "[" : "";
  for (const std::string& w : *words) text += w + (list ? "," : "");
  if (list) text.back() = ']';
  return text;
}

std::vector<bool> listed_layers(const Settings& settings, std::string_view name,
                                const std::string& text) {
  return LayerPattern(settings, name, text).all();
}

}  // namespace orrery::megatron
