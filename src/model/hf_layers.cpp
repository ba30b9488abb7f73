// SPDX-License-Identifier: Apache-2.0
//
// Files say which layer is of which kind as a list of words, a string of letters, a period, a list
// of numbers. All become one kind a layer, and then our keys: a period where there is one, else a
// pattern.
#include <algorithm>
#include <vector>

#include "core/json_in.h"
#include "model/architecture_keys.h"
#include "model/hf_facts.h"
#include "model/hf_layer_words.h"

namespace orrery {
namespace {

constexpr std::int64_t kMostLayers = 100'000;

class Plan {
 public:
  explicit Plan(HfFacts& facts) : f_(facts) {}

  void run() {
    if (f_.text("mixers") == "encoder_decoder") return encoder_then_decoder();
    read_words();
    kinds_.resize(static_cast<std::size_t>(stated_layers()));
    if (!f_.flag("half_layers")) {
      set_mixers();
      set_feedforwards();
    }
    choose_keys(f_, kinds_);
    if (f_.flag("bidirectional") || f_.text("mixers") == "encoder") see_both_ways();
    set_weights_that_serve_again();
    write();
  }

 private:
  std::int64_t layers() const { return static_cast<std::int64_t>(kinds_.size()); }

  std::int64_t stated_layers() const {
    f_.needed("num_hidden_layers");
    return f_.find("num_hidden_layers")->integer(1, kMostLayers);
  }

  // Sets the mixer of every layer by a function of its index from 0.
  template <class F>
  void mix(const F& mixer_at) {
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      kinds_[i].mixer = mixer_at(static_cast<std::int64_t>(i));
    }
  }
  template <class F>
  void expert(const F& has_experts) {
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      const bool experts = has_experts(static_cast<std::int64_t>(i));
      kinds_[i].feedforward = experts ? Feedforward::experts : Feedforward::dense;
    }
  }

  // T5: as many layers of each, by default.
  void encoder_then_decoder() {
    const std::int64_t encoder = stated_layers();
    const std::int64_t decoder = std::min(kMostLayers, f_.whole("num_decoder_layers", encoder));
    for (const auto& [theirs, ours] : {std::pair{"decoder_heads", "num_attention_heads"},
                                       std::pair{"decoder_width", "intermediate_size"}}) {
      if (f_.has(theirs) && f_.whole(theirs) != f_.whole(ours)) {
        f_.refuse(theirs, std::to_string(f_.whole(theirs)),
                  "the encoder's, " + std::to_string(f_.whole(ours)));
      }
    }
    f_.set("num_hidden_layers", encoder + decoder);
    kinds_.assign(static_cast<std::size_t>(encoder), {Mixer::encoder, Feedforward::dense});
    kinds_.resize(static_cast<std::size_t>(encoder + decoder), {Mixer::cross, Feedforward::dense});
    write_pattern();
  }

  // --- lists

  static LayerKind kind_of(const Reader& item) {
    return kLayerWords[item.choice(kLayerWordNames)].kind;
  }

  void read_words() {
    if (const auto list = f_.find("layer_types")) {
      for (const Reader& item : list->items()) kinds_.push_back(kind_of(item));
      count_layers("layer_types");
    } else if (const auto letters = f_.find("hybrid_override_pattern")) {
      for (const char letter : letters->text()) {
        if (letter == '|') continue;
        const Json text = std::string(1, letter);
        kinds_.push_back(kind_of(Reader(text, letters->file(), letters->path())));
      }
      count_layers("hybrid_override_pattern");
    } else if (f_.has("hybrid_layer_ids")) {
      share_blocks();
    }
    if (f_.has("block_types")) repeat_words();
    has_words_ = !kinds_.empty();
    check_recurrence();
  }

  // Zamba 2: the layers before whose recurrence a shared block runs.
  void share_blocks() {
    kinds_.assign(static_cast<std::size_t>(stated_layers()), {Mixer::recurrent, Feedforward::none});
    const std::vector<bool> marks = marked("hybrid_layer_ids", 0);
    mix([&](std::int64_t i) {
      return marks[static_cast<std::size_t>(i)] ? Mixer::shared : Mixer::recurrent;
    });
  }

  // Words do not say which recurrence it is.
  void check_recurrence() const {
    if (f_.has("recurrent") || count([](const LayerKind& k) { return recurs(k.mixer); }) == 0)
      return;
    f_.refuse(f_.has("layer_types") ? "layer_types" : "hybrid_override_pattern", "a recurrence",
              "layers that attend, or a family whose recurrence is known");
  }

  // Griffin: the words of a few layers, repeated; all its attention is local.
  void repeat_words() {
    const std::vector<Reader> words = f_.find("block_types")->items();
    if (words.empty()) f_.refuse("block_types", "no word", "the kinds of layers");
    for (std::int64_t i = 0; i < stated_layers(); ++i) {
      LayerKind kind = kind_of(words[static_cast<std::size_t>(i) % words.size()]);
      if (kind.mixer == Mixer::attention) kind.mixer = Mixer::local_attention;
      kinds_.push_back(kind);
    }
  }

  // The first uses of shared blocks hold their weights, a block each; ALBERT's first layer holds
  // those of all.
  void set_weights_that_serve_again() {
    std::int64_t blocks = f_.whole("num_mem_blocks", 1);
    for (LayerKind& kind : kinds_) {
      if (kind.mixer == Mixer::shared && blocks-- <= 0) kind.mixer = Mixer::shared_again;
    }
    if (!f_.flag("repeats_layer")) return;
    for (std::string_view key : {"num_hidden_groups", "inner_group_num"}) {
      if (f_.whole(key, 1) != 1) f_.refuse(key, std::to_string(f_.whole(key)), "1");
    }
    for (std::size_t i = 1; i < kinds_.size(); ++i) kinds_[i].mixer = Mixer::encoder_again;
  }

  // num_hidden_layers, or the length of the list without it. Entries beyond are layers of token
  // prediction.
  void count_layers(std::string_view key) {
    const std::int64_t stated = f_.whole("num_hidden_layers", layers());
    if (layers() < stated) {
      f_.refuse(key, std::to_string(layers()) + " layers",
                "num_hidden_layers, which is " + std::to_string(stated));
    }
    kinds_.resize(static_cast<std::size_t>(stated));
    f_.set("num_hidden_layers", stated);
  }

  std::vector<bool> marked(std::string_view key, std::int64_t first) const {
    std::vector<bool> marks(kinds_.size(), false);
    const auto list = f_.find(key);
    if (!list) return marks;
    for (const Reader& item : list->items()) {
      const std::int64_t i = item.integer(first, first + layers() - 1) - first;
      marks[static_cast<std::size_t>(i)] = true;
    }
    return marks;
  }

  // A list of one number a layer; more of them belong to token prediction.
  std::vector<std::int64_t> numbers(std::string_view key) const {
    std::vector<std::int64_t> all;
    for (const Reader& item : f_.find(key)->items()) all.push_back(item.integer(0, HfFacts::kMany));
    if (static_cast<std::int64_t>(all.size()) < layers()) {
      f_.refuse(key, std::to_string(all.size()) + " layers",
                "num_hidden_layers, which is " + std::to_string(layers()));
    }
    return all;
  }

  bool is_list(std::string_view key) const {
    const auto value = f_.find(key);
    return value && value->json().is_array();
  }

  // --- mixers

  void set_mixers() {
    if (has_words_) return;
    const std::string all = f_.text("mixers");
    const auto named = find_name<Mixer>(all);
    mix([&](auto) { return all.empty() || !named ? Mixer::attention : *named; });
    if (f_.has("recurrent")) return set_hybrid();
    if (all.empty() || f_.flag("first_sees_all")) set_local();
    if (f_.flag("use_cla")) set_shared_keys();
  }

  void set_hybrid() {
    const auto attention_at = [&](const auto& is_attention) {
      mix([&](std::int64_t i) { return is_attention(i) ? Mixer::attention : Mixer::recurrent; });
    };
    if (f_.has("attn_layer_period")) {
      const std::int64_t period = f_.needed("attn_layer_period");
      const std::int64_t offset = f_.whole("attn_layer_offset");
      attention_at([=](std::int64_t i) { return i % period == offset; });
    } else if (f_.has("attn_layer_indices") || f_.has("full_attn_layers")) {
      const bool from_one = f_.has("full_attn_layers");
      const auto marks = from_one ? marked("full_attn_layers", 1) : marked("attn_layer_indices", 0);
      attention_at([&](std::int64_t i) { return marks[static_cast<std::size_t>(i)]; });
    } else if (f_.has("attn_type_list")) {
      const auto types = numbers("attn_type_list");
      attention_at([&](std::int64_t i) { return types[static_cast<std::size_t>(i)] == 1; });
    } else if (f_.has("full_attention_interval")) {
      const std::int64_t every = f_.needed("full_attention_interval");
      attention_at([=](std::int64_t i) { return (i + 1) % every == 0; });
    } else if (f_.text("mixers").empty()) {
      f_.refuse("layer_types", "nothing", "a list that says which layers attend");
    }
  }

  bool window_counts() const {
    if (!f_.has("sliding_window")) return false;
    const bool switched = f_.flag("window_switch") || f_.has("use_sliding_window");
    return !switched || f_.flag("use_sliding_window");
  }

  void set_local() {
    if (f_.has("hybrid_layer_pattern")) {
      const auto types = numbers("hybrid_layer_pattern");
      return mix([&](std::int64_t i) {
        return types[static_cast<std::size_t>(i)] == 1 ? Mixer::local_attention : Mixer::attention;
      });
    }
    if (f_.has("attention_chunk_size")) return set_chunks();
    if (!window_counts()) return;
    const std::int64_t every = window_period();
    const bool by_index = f_.flag("use_sliding_window") && every == 0;  // Qwen
    const std::int64_t first = by_index ? f_.whole("max_window_layers", 28) : 0;
    const std::int64_t shift = f_.flag("first_sees_all") ? 0 : 1;
    mix([=](std::int64_t i) {
      const bool full = (every > 0 && (i + shift) % every == 0) || i < first;
      return full ? Mixer::attention : Mixer::local_attention;
    });
  }

  void see_both_ways() {
    for (LayerKind& kind : kinds_) {
      if (kind.mixer == Mixer::attention) kind.mixer = Mixer::encoder;
      if (kind.mixer == Mixer::local_attention) kind.mixer = Mixer::local_encoder;
    }
  }

  // Every so many layers one sees all keys: a number, or "LLLG".
  std::int64_t window_period() const {
    const std::string letters = f_.text("sliding_window_pattern");
    return letters.empty() ? f_.whole("sliding_window_pattern")
                           : static_cast<std::int64_t>(letters.size());
  }

  // Llama 4: layers without rotary embedding see all keys.
  void set_chunks() {
    if (is_list("no_rope_layers") && !f_.find("no_rope_layers")->items().empty()) {
      const auto rotary = numbers("no_rope_layers");
      return mix([&](std::int64_t i) {
        return rotary[static_cast<std::size_t>(i)] == 0 ? Mixer::attention : Mixer::local_attention;
      });
    }
    const std::int64_t every = f_.whole("no_rope_layer_interval", 4);
    mix([=](std::int64_t i) {
      return every > 0 && (i + 1) % every == 0 ? Mixer::attention : Mixer::local_attention;
    });
  }

  void set_shared_keys() {
    const std::int64_t share = std::max<std::int64_t>(1, f_.whole("cla_share_factor", 2));
    mix([=](std::int64_t i) { return i % share == 0 ? Mixer::attention : Mixer::reused_keys; });
  }

  // --- what follows the mixer

  void set_feedforwards() {
    if (f_.flag("no_mlp")) {
      for (LayerKind& kind : kinds_) kind.feedforward = Feedforward::none;
      return;
    }
    expert([](auto) { return false; });
    if (f_.has("num_local_experts")) set_experts();
  }

  void set_experts() {
    if (f_.has("moe_layers") && !is_empty("moe_layers")) {
      const auto marks = moe_layers();
      return expert([&](std::int64_t i) { return marks[static_cast<std::size_t>(i)]; });
    }
    if (is_list("mlp_layer_types")) {
      const auto marks = sparse_layers();
      return expert([&](std::int64_t i) { return marks[static_cast<std::size_t>(i)]; });
    }
    if (is_list("moe_layer_freq")) {
      const auto marks = numbers("moe_layer_freq");
      return expert([&](std::int64_t i) { return marks[static_cast<std::size_t>(i)] != 0; });
    }
    if (f_.has("expert_layer_period")) {
      const std::int64_t period = f_.needed("expert_layer_period");
      const std::int64_t offset = f_.whole("expert_layer_offset");
      return expert([=](std::int64_t i) { return i % period == offset; });
    }
    set_regular_experts();
  }

  std::vector<bool> sparse_layers() const {
    std::vector<bool> marks;
    for (const Reader& item : f_.find("mlp_layer_types")->items()) {
      marks.push_back(item.choice(std::array<std::string_view, 2>{"dense", "sparse"}) == 1);
    }
    if (static_cast<std::int64_t>(marks.size()) < layers()) {
      f_.refuse("mlp_layer_types", std::to_string(marks.size()) + " layers",
                "num_hidden_layers, which is " + std::to_string(layers()));
    }
    return marks;
  }

  // From a first layer on, every so many, but for those listed as dense.
  void set_regular_experts() {
    const std::int64_t first = f_.has("moe_layer_start_index") ? f_.whole("moe_layer_start_index")
                                                               : f_.whole("first_k_dense_replace");
    const std::int64_t end = f_.whole("moe_layer_end_index", layers());
    const std::int64_t every = f_.has("moe_layer_freq") ? f_.needed("moe_layer_freq") : 1;
    std::int64_t step = 1;
    for (std::string_view key :
         {"decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_interval"}) {
      if (f_.has(key)) step = f_.needed(key);
    }
    const auto dense = marked("mlp_only_layers", 0);
    expert([&](std::int64_t i) {
      return i >= first && i <= end && i % every == 0 && (i + 1) % step == 0 &&
             !dense[static_cast<std::size_t>(i)];
    });
  }

  bool is_empty(std::string_view key) const {
    const Json& value = f_.find(key)->json();
    return value.empty() || (value.is_string() && value.get<std::string>().empty());
  }

  // A list of indices, or one text of them.
  std::vector<bool> moe_layers() {
    const std::string text = f_.text("moe_layers");
    if (!text.empty()) {
      const std::optional<Json> list = json_in("[" + text + "]");
      if (!list) f_.refuse("moe_layers", "\"" + text + "\"", "a list of layers");
      f_.set("moe_layers", *list);
    }
    return marked("moe_layers", 0);
  }

  // --- to our keys

  void write() {
    choose_local_key();
    const bool plain = std::all_of(kinds_.begin(), kinds_.end(), [](const LayerKind& k) {
      const bool attends = k.mixer == Mixer::attention || k.mixer == Mixer::local_attention;
      return attends && k.feedforward != Feedforward::none;
    });
    const bool regular = plain && write_local() && write_experts();
    if (regular) return;
    for (std::string_view key : {"sliding_window_pattern", "moe_layer_freq", "moe_layer_offset",
                                 "first_k_dense_replace"}) {
      f_.drop(key);
    }
    write_pattern();
  }

  template <class Is>
  std::int64_t count(const Is& is) const {
    return std::count_if(kinds_.begin(), kinds_.end(), is);
  }

  // The one of window and chunk that local layers use; neither without local layers.
  void choose_local_key() {
    const auto locals = count([](const LayerKind& k) { return is_local(k.mixer); });
    const bool chunks = f_.has("attention_chunk_size");
    f_.drop("sliding_window_pattern");
    if (locals == 0 || chunks) f_.drop("sliding_window");
    if (locals == 0) f_.drop("attention_chunk_size");
    if (locals > 0 && !chunks && !f_.has("sliding_window")) {
      f_.refuse("sliding_window", "nothing", "the window of the layers that have one");
    }
  }

  // Whether every k-th layer sees all keys, or none does.
  bool write_local() {
    const auto is_local = [](const LayerKind& k) { return k.mixer == Mixer::local_attention; };
    if (count(is_local) == 0) return true;
    const auto full = std::find_if_not(kinds_.begin(), kinds_.end(), is_local);
    if (full == kinds_.end()) return true;
    const auto every = static_cast<std::size_t>(full - kinds_.begin()) + 1;
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      if (is_local(kinds_[i]) == ((i + 1) % every == 0)) return false;
    }
    f_.set("sliding_window_pattern", every);
    return true;
  }

  // Whether from some layer on, every so many have experts.
  bool write_experts() {
    std::vector<std::size_t> at;
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      if (kinds_[i].feedforward == Feedforward::experts) at.push_back(i);
    }
    if (at.empty()) return !f_.has("num_local_experts");
    const std::size_t every = at.size() > 1 ? at[1] - at[0] : kinds_.size();
    std::size_t expected = at[0];
    for (std::size_t i = 0; i < at.size(); ++i, expected += every) {
      if (at[i] != expected) return false;
    }
    if (expected < kinds_.size()) return false;
    f_.set("moe_layer_freq", every);
    f_.set("moe_layer_offset", at[0] % every);
    f_.set("first_k_dense_replace", at[0] < every ? 0 : at[0]);
    return true;
  }

  void write_pattern() {
    std::size_t period = kinds_.size();
    for (std::size_t p = kinds_.size(); p > 0; --p) {
      if (repeats(p)) period = p;
    }
    Json pattern = Json::array();
    for (std::size_t i = 0; i < period; ++i) pattern.push_back(layer_kind_name(kinds_[i]));
    f_.set("layer_pattern", std::move(pattern));
  }

  bool repeats(std::size_t period) const {
    for (std::size_t i = period; i < kinds_.size(); ++i) {
      if (kinds_[i] != kinds_[i % period]) return false;
    }
    return true;
  }

  HfFacts& f_;
  std::vector<LayerKind> kinds_;
  bool has_words_ = false;
};

}  // namespace

void translate_layers(HfFacts& facts) { Plan(facts).run(); }

}  // namespace orrery
