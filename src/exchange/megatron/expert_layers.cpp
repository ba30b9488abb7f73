// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/limits.h"
#include "core/units.h"
#include "exchange/megatron/megatron.h"

namespace orrery::megatron {
namespace {

constexpr std::int64_t kLongestPattern = 100'000;
constexpr std::string_view kFrequency = "moe_layer_freq";

std::optional<std::string> list_text(ImportDraft& d, std::string_view name) {
  const auto& all = d.settings.all();
  const auto given =
      std::find_if(all.begin(), all.end(), [&](const ForeignSetting& s) { return s.name == name; });
  if (given == all.end() || given->value.is_null()) return {};
  if (given->value.is_number()) return d.settings.word(name);
  const auto words = d.settings.words(name);
  // A log's list is already the layers: [0, 1, 1].
  const bool list =
      words->size() > 1 && std::all_of(words->begin(), words->end(),
                                       [](const std::string& w) { return w == "0" || w == "1"; });
  std::string text = list ? "[" : "";
  for (const std::string& w : *words) text += w + (list ? "," : "");
  if (list) text.back() = ']';
  return text;
}

// Layers as a list of Python: "([0]*3+[1]*58)", "[0,1]*24", "(1,0)".
class LayerPattern {
 public:
  LayerPattern(ImportDraft& d, std::string_view name, const std::string& text)
      : d_(d), name_(name), text_(text) {}

  std::vector<bool> all() {
    std::vector<bool> layers = sum(0);
    if (at_ < text_.size()) fail();
    return layers;
  }

 private:
  [[noreturn]] void fail() const {
    d_.settings.refuse(name_, "\"" + text_ + "\"", "a pattern such as ([0]*3+[1]*58)");
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
      if (!times || *times < 1 || *times > kLongestPattern) fail();
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
    if (layers.size() > kLongestPattern) d_.settings.refuse(name_, "fewer layers");
  }

  ImportDraft& d_;
  std::string_view name_;
  const std::string& text_;
  std::size_t at_ = 0;
};

// Experts in every so many layers, from an offset on; the number is 0 where they are elsewhere.
std::pair<std::size_t, std::size_t> regular(const std::vector<bool>& layers) {
  const auto first =
      static_cast<std::size_t>(std::find(layers.begin(), layers.end(), true) - layers.begin());
  for (std::size_t every = first + 1; every <= layers.size(); ++every) {
    bool same = true;
    for (std::size_t i = 0; i < layers.size(); ++i)
      same = same && layers[i] == (i % every == first);
    if (same) return {every, first};
  }
  return {0, 0};
}

// Megatron-DeepSpeed counts layers from one, and has experts in every second one unless told.
void deepspeed_frequency(ImportDraft& d) {
  const std::int64_t every = d.settings.count("expert_interval", 1, kMostDegree).value_or(2);
  if (!d.settings.has("expert_interval"))
    d.note("model.moe_layer_freq", "2", "Megatron-DeepSpeed's --expert-interval [from memory]");
  d.set("model.moe_layer_freq", every);
  if (every > 1) d.set("model.moe_layer_offset", every - 1);
}

}  // namespace

std::optional<std::string> layer_list(ImportDraft& d, std::string_view name) {
  return list_text(d, name);
}

std::vector<bool> listed_layers(ImportDraft& d, std::string_view name, const std::string& text) {
  return LayerPattern(d, name, text).all();
}

std::vector<bool> layers_with_experts(ImportDraft& d) {
  const auto text = list_text(d, kFrequency);
  if (!text || parse_number(*text)) return {};
  return LayerPattern(d, kFrequency, *text).all();
}

// 1, 2, or a list of all layers.
void read_expert_layers(ImportDraft& d) {
  const auto text = list_text(d, kFrequency);
  const bool deepspeed = d.is_on("deepspeed");
  const bool interval = deepspeed || d.settings.has("expert_interval");
  if (!text && interval) return deepspeed_frequency(d);
  if (!text) return;
  if (parse_number(*text)) {
    return d.set("model.moe_layer_freq", *d.settings.count("moe_layer_freq", 1));
  }
  const std::vector<bool> layers = LayerPattern(d, kFrequency, *text).all();
  const std::int64_t all = d.layers();
  if (all > 0 && static_cast<std::int64_t>(layers.size()) != all) {
    d.settings.refuse("moe_layer_freq",
                      "\"" + *text + "\", which is " + std::to_string(layers.size()) + " layers",
                      "num_layers " + std::to_string(all));
  }
  const auto dense = std::find(layers.begin(), layers.end(), true) - layers.begin();
  if (std::all_of(layers.begin() + dense, layers.end(), [](bool b) { return b; })) {
    if (dense > 0) d.set("model.first_k_dense_replace", dense);
    return d.set("model.moe_layer_freq", 1);
  }
  const auto [every, first] = regular(layers);
  if (every == 0) {
    return d.open("model.moe_layer_freq", "--moe-layer-freq " + *text,
                  "neither dense layers, then experts, nor experts in every so many layers");
  }
  d.set("model.moe_layer_freq", every);
  if (first > 0) d.set("model.moe_layer_offset", first);
}

}  // namespace orrery::megatron
