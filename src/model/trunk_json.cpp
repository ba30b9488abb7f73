// SPDX-License-Identifier: Apache-2.0
#include "model/trunk_json.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/json.h"
#include "core/json_reader.h"
#include "model/trunk_keys.h"

namespace orrery {
namespace {

constexpr std::string_view kNoBias = " no bias";
constexpr std::string_view kTied = " tied";
constexpr std::string_view kArrow = " > ";
constexpr std::int64_t kMostElements = std::int64_t{1} << 40;

bool cut_end(std::string_view& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.remove_suffix(end.size());
  return true;
}

std::string_view cut_word(std::string_view& text) {
  const std::size_t blank = text.find(' ');
  const std::string_view word = text.substr(0, blank);
  text.remove_prefix(blank == std::string_view::npos ? text.size() : blank + 1);
  return word;
}

std::int64_t count_of(std::string_view text, const Reader& item) {
  std::int64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size() || n < 0 || n > kMostElements) {
    item.fail(
        "sample, main, text or all, then \"x2\" where each token is two rows, then input > "
        "output, then \"no bias\" or \"tied\"; or once and a number");
  }
  return n;
}

// "main x2 240 > 512 no bias"
TrunkProduct product_of(const Reader& item) {
  const std::string whole = item.text();
  std::string_view text = whole;
  TrunkProduct p;
  p.tied = cut_end(text, kTied);
  p.bias = !cut_end(text, kNoBias) && !p.tied;
  const auto seen = find_name<Seen>(std::string(cut_word(text)));
  p.seen = seen ? *seen : (count_of("", item), Seen::once);
  if (text.starts_with('x')) {
    text.remove_prefix(1);
    p.times = count_of(cut_word(text), item);
  }
  const std::size_t arrow = text.find(kArrow);
  const bool numbers = p.seen == Seen::once;
  if (numbers != (arrow == std::string_view::npos)) count_of("", item);
  p.in = count_of(text.substr(0, arrow), item);
  p.out = numbers ? 1 : count_of(text.substr(arrow + kArrow.size()), item);
  return p;
}

std::string text_of(const TrunkProduct& p) {
  std::string text(name_of(p.seen));
  if (p.times > 1) text += " x" + std::to_string(p.times);
  text += " " + std::to_string(p.in);
  if (p.seen == Seen::once) return text;
  text += std::string(kArrow) + std::to_string(p.out);
  return text + std::string(p.tied ? kTied : p.bias ? "" : kNoBias);
}

// Products that a family has only with some settings are empty without them.
template <std::size_t N>
std::uint8_t read_products(Reader given, const char* key, std::array<TrunkProduct, N>& out) {
  std::uint8_t n = 0;
  const auto list = given.find(key);
  if (!list) return n;
  for (const Reader& item : list->items()) {
    const TrunkProduct p = product_of(item);
    if (p.in > 0 && p.out > 0) out[n++] = p;
  }
  return n;
}

void check(const TrunkLayer& layer, const Reader& given) {
  const bool sees = layer.seen == Seen::main || layer.seen == Seen::text || layer.seen == Seen::all;
  if (!sees || (layer.beside.width > 0 && layer.seen != Seen::main)) {
    given.fail("layers that see main, text or all; with a stream beside, main");
  }
  if (layer.cross == Seen::sample || layer.cross == Seen::all) {
    given.fail("layers that attend besides (cross) to text or main");
  }
  if (layer.main.width == 0) given.fail("a width of main");
  if (layer.parallel && layer.beside.width > 0)
    given.fail("parallel layers without a stream beside");
  const bool level = layer.residuals.count > 0;
  if (layer.joined > layer.residuals.count) given.fail("joined up to the number of residuals");
  if (!level && layer.projections + layer.downs + layer.ups > 0) {
    given.fail("projections, downs and ups beside residuals");
  }
  if (level && (layer.count != 1 || layer.main.mlp > 0)) {
    given.fail("residuals in a kind of one layer without mlp");
  }
}

// Sizes that rules, sends and summaries ask of every architecture: those of the widest layers.
void describe(Architecture& a) {
  const Trunk& t = a.trunk;
  a.layers = 0;
  a.pattern = {};
  std::size_t widest = 0;
  for (std::uint8_t i = 0; i < t.kinds; ++i) {
    const TrunkLayer& layer = t.layers[i];
    const bool attends = layer.residuals.count == 0;
    const bool wider = layer.main.width >= t.layers[widest].main.width;
    if (attends && (wider || t.layers[widest].residuals.count > 0)) widest = i;
    a.pattern.kinds[i] = {Mixer::encoder, Feedforward::dense};
    for (std::int64_t n = 0; n < layer.count; ++n) {
      a.pattern.types[static_cast<std::size_t>(a.layers++)] = i;
    }
  }
  a.pattern.length = static_cast<std::uint8_t>(a.layers);
  const TrunkLayer& wide = t.layers[widest];
  a.hidden = wide.main.width;
  a.heads = a.kv_heads = wide.heads;
  a.head_dim = wide.head_dim;
  a.intermediate = wide.main.mlp;
  a.gated = wide.gated;
  a.norm = Norm::kLayerNormBare;
  a.positions = t.rotary ? PositionEmbedding::kRope : PositionEmbedding::kNone;
  a.output = ModelOutput::none;
  a.no_final_norm = true;
  a.dropout = false;
}

// Values that differ from those of a default are left.
void strip(Json& value, const Json& plain) {
  for (auto it = plain.begin(); it != plain.end(); ++it) {
    const auto at = value.find(it.key());
    if (at != value.end() && *at == it.value()) value.erase(at);
  }
}

template <class T>
Json stripped(const Keys<T>& table, const T& object) {
  Json value = Json::object();
  Json plain = Json::object();
  write_keys(table, object, value);
  write_keys(table, T{}, plain);
  strip(value, plain);
  return value;
}

Json layer_json(const TrunkLayer& layer) {
  Json j = stripped(kTrunkLayerKeys, layer);
  j["main"] = stripped(kTrunkStreamKeys, layer.main);
  if (layer.beside.width > 0) j["beside"] = stripped(kTrunkStreamKeys, layer.beside);
  return j;
}

}  // namespace

void read_residual_widths(const Reader& r, ResidualWidths& out) {
  out = {};
  for (const Reader& item : r.items()) {
    if (out.count == kMaxResiduals) r.fail("at most " + std::to_string(kMaxResiduals) + " widths");
    out.in[out.count++] = static_cast<std::int32_t>(item.integer(1, 10'000'000));
  }
}

bool write_residual_widths(const ResidualWidths& residuals, Json& out) {
  out = Json::array();
  for (std::uint8_t i = 0; i < residuals.count; ++i) out.push_back(residuals.in[i]);
  return residuals.count > 0;
}

void read_trunk(const Reader& given, Architecture& a) {
  const TrunkDocument d = read_keys(kTrunkKeys, given);
  Trunk& t = a.trunk;
  t = {};
  t.before_count = read_products(given, "before", t.before);
  t.after_count = read_products(given, "after", t.after);
  t.loss = d.loss;
  t.final_norm = d.final_norm;
  t.final_vectors = d.final_vectors;
  t.final_width = d.final_width;
  t.final_modulation = d.final_modulation;
  t.rotary = d.rotary;
  t.sample = d.sample;
  if (t.sample.width == 0) t.sample.width = t.sample.height;
  if (t.sample.stride == 0) t.sample.stride = t.sample.patch;
  if (t.sample.space == 0 && t.sample.patch == 0) {
    given.fail("a sample with the pixels (space) or points (patch) of a token");
  }
  t.text = t.sample.text;
  std::int64_t layers = 0;
  for (const TrunkLayer& layer : d.layers) {
    check(layer, given);
    if (layer.count > 0) t.layers[t.kinds++] = layer;
    layers += layer.count;
  }
  if (layers == 0 || layers > static_cast<std::int64_t>(kMaxPattern)) {
    given.fail("1 to " + std::to_string(kMaxPattern) + " layers");
  }
  describe(a);
}

Json trunk_json(const Trunk& t) {
  TrunkDocument d;
  for (std::uint8_t i = 0; i < t.before_count; ++i) d.before.push_back(text_of(t.before[i]));
  for (std::uint8_t i = 0; i < t.after_count; ++i) d.after.push_back(text_of(t.after[i]));
  d.loss = t.loss;
  d.final_norm = t.final_norm;
  d.final_vectors = t.final_vectors;
  d.final_width = t.final_width;
  d.final_modulation = t.final_modulation;
  d.rotary = t.rotary;
  Json j = stripped(kTrunkKeys, d);
  j["layers"] = Json::array();
  for (std::uint8_t i = 0; i < t.kinds; ++i) j["layers"].push_back(layer_json(t.layers[i]));
  j["sample"] = stripped(kSampleKeys, t.sample);
  return j;
}

std::string trunk_layer_name(const TrunkLayer& layer) {
  if (layer.residuals.count > 0) return "convolutions of " + std::to_string(layer.main.width);
  std::string name = layer.beside.width > 0 ? "joint" : std::string(name_of(layer.seen));
  if (layer.beside.keys_only) name += " last";
  if (layer.attentions > 1) name += " dual";
  if (layer.parallel) name += " parallel";
  if (layer.cross != Seen::once) name += " with cross attention";
  if (layer.kernel > 0) name += " conformer";
  if (layer.shrink > 1) name += " of " + std::to_string(layer.main.width);
  return name;
}

}  // namespace orrery
