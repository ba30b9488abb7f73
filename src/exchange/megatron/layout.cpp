// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/error.h"
#include "core/units.h"
#include "exchange/megatron/hooks.h"
#include "exchange/trainer/facts.h"
#include "parallel/strategy.h"
#include "parallel/strategy_keys.h"

namespace orrery::megatron {
namespace {

using tools::HookCall;
using trainer::FactId;

const std::string kChunks = key_path<&StrategyRequest::vpp>;
const std::string kStageLayers = key_path<&StrategyRequest::stage_layers>;

// "Et*3|(tt|)*2mL" written out, at most kMostMarks long.
class Layout {
 public:
  Layout(const Settings& settings, const std::string& text) : settings_(settings), text_(text) {}

  std::string marks() {
    std::string all = group(0);
    if (at_ < text_.size()) refuse();
    return all;
  }

 private:
  static constexpr std::size_t kMostMarks = 200'000;

  [[noreturn]] void refuse() const {
    settings_.refuse("pipeline_model_parallel_layout",
                     "E, t, m, L and |, repeated by *n or (…)*n, as in Et*3|(tt|)*2mL");
  }

  std::string group(int depth) {
    if (depth > 8) refuse();
    std::string all;
    while (at_ < text_.size() && text_[at_] != ')') {
      std::string part;
      const char c = text_[at_++];
      if (c == ',' || c == ' ') continue;
      if (c == '(') {
        part = group(depth + 1);
        if (at_ >= text_.size() || text_[at_++] != ')') refuse();
      } else if (std::string_view("EtmL|").find(c) != std::string_view::npos) {
        part = std::string(1, c);
      } else {
        refuse();
      }
      const std::size_t times = repeats();
      if (all.size() + part.size() * times > kMostMarks) refuse();
      for (std::size_t i = 0; i < times; ++i) all += part;
    }
    return all;
  }

  std::size_t repeats() {
    if (at_ >= text_.size() || text_[at_] != '*') return 1;
    const std::size_t end = std::min(text_.find_first_not_of("0123456789", at_ + 1), text_.size());
    const auto times = parse_number(text_.substr(at_ + 1, end - at_ - 1));
    if (!times || *times < 1 || *times > kMaxStages) refuse();
    at_ = end;
    return static_cast<std::size_t>(*times);
  }

  const Settings& settings_;
  const std::string& text_;
  std::size_t at_ = 0;
};

// The marks of each stage.
std::vector<std::string> stages_of(const std::string& marks) {
  std::vector<std::string> stages(1);
  for (const char c : marks) {
    if (c == '|') {
      stages.emplace_back();
    } else {
      stages.back() += c;
    }
  }
  return stages;
}

bool has(const std::string& stage, char mark) { return stage.find(mark) != std::string::npos; }

// Our first chunk has the embedding, our last one the multi-token layers and the head: what
// differs.
const char* other_ends(const std::vector<std::string>& stages) {
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const bool last = i + 1 == stages.size();
    if (has(stages[i], 'E') != (i == 0)) return "the embedding is not in the first stage";
    if (has(stages[i], 'L') != last) return "the loss is not in the last stage";
    if (has(stages[i], 'm') && !last)
      return "the multi-token layers are with the loss here, not in a stage before it";
  }
  return nullptr;
}

// How the layers of a run are shared over the stages of its pipeline.
class Stages {
 public:
  explicit Stages(HookCall& call) : call_(call), pp_(call.facts.degree(FactId::pp)) {}

  void set() {
    vpp_ = chunks();
    layers();
    if (!vpp_) return;
    call_.facts.set_key(kChunks, *vpp_, "virtual stages", false);
    call_.facts.set(FactId::schedule, *vpp_ > 1 ? "interleaved" : "1f1b", "virtual stages");
  }

 private:
  Settings& settings() { return call_.settings; }
  bool is_on(const char* name) { return settings().flag(name).value_or(false); }
  bool is_open(FactId fact) const { return call_.facts.is_unknown(fact); }
  std::int64_t all() const { return call_.facts.layers(); }
  std::int64_t vpp() const { return vpp_.value_or(1); }
  bool is_known() const { return all() > 0 && !is_open(FactId::pp) && vpp_; }

  void open(const std::string& key, const std::string& setting, const std::string& why) {
    call_.facts.leave_key_open(key, setting, why);
  }

  void say(Json layers, const std::string& setting) {
    call_.facts.set_key(kStageLayers, std::move(layers), setting, false);
  }

  // Virtual stages of a rank; nothing where they are open.
  std::optional<std::int64_t> chunks() {
    const auto stated = settings().count("num_virtual_stages_per_pipeline_rank", 1, kMostDegree);
    const auto size = settings().count("virtual_pipeline_model_parallel_size", 1, kMostDegree);
    const auto each = settings().count("num_layers_per_virtual_pipeline_stage", 1, kMostDegree);
    if (call_.facts.is_open(kChunks)) return {};
    if (stated || size) return stated ? stated : size;
    if (!each) return is_open(FactId::pp) ? std::nullopt : std::optional<std::int64_t>(1);
    return chunks_of(*each);
  }

  std::optional<std::int64_t> chunks_of(std::int64_t each) {
    constexpr const char* kName = "num_layers_per_virtual_pipeline_stage";
    // The embedding and the loss may count as a layer.
    const std::int64_t layers = all() + (is_on("account_for_embedding_in_pipeline_split") ? 1 : 0) +
                                (is_on("account_for_loss_in_pipeline_split") ? 1 : 0);
    if (all() == 0 || is_open(FactId::pp)) {
      open(kChunks, settings().written(kName), "of how many layers and stages");
      return {};
    }
    if (layers % (pp_ * each) != 0)
      settings().refuse(kName,
                        std::to_string(each) + ", layers " + std::to_string(layers) +
                            ", pipeline " + std::to_string(pp_),
                        "a number that divides layers / pipeline");
    return layers / pp_ / each;
  }

  void layers() {
    if (call_.facts.is_open(kStageLayers)) return;
    const auto text = settings().text("pipeline_model_parallel_layout");
    // A log has Python's name of the object alone.
    if (text && text->front() == '<')
      return open(kStageLayers, "pipeline_model_parallel_layout",
                  "a log does not say it; the script's --pipeline-model-parallel-layout does");
    if (text && *text != "None") return given(*text);
    const std::string method = settings().text("pp_partition_method").value_or("");
    // Megatron-DeepSpeed counts the embedding before the layers, and its copy behind them.
    const bool both = method == "type:transformer|embedding" && pp_ > 1;
    if (!method.empty() && !both && method != "type:transformer" && pp_ > 1)
      return open(kStageLayers, settings().written("pp_partition_method"),
                  "type:transformer and type:transformer|embedding are known");
    const bool embedding = is_on("account_for_embedding_in_pipeline_split") || both;
    const bool loss = is_on("account_for_loss_in_pipeline_split") || both;
    ends(embedding, loss);
  }

  void given(const std::string& text) {
    const std::vector<std::string> marks = stages_of(Layout(settings(), text).marks());
    const auto count = static_cast<std::int64_t>(marks.size());
    // So many stages say how many each rank has.
    const bool more = vpp() == 1 && count > pp_ && count % pp_ == 0;
    if (more && vpp_) vpp_ = count / pp_;
    const std::string setting = "--pipeline-model-parallel-layout " + text;
    if (const char* why = other_ends(marks)) return open(kStageLayers, setting, why);
    if (!more && count != pp_ * vpp())
      settings().refuse("pipeline_model_parallel_layout", std::to_string(count) + " stages",
                        std::to_string(pp_ * vpp()) + ", pipeline x virtual");
    std::vector<std::int64_t> layers;
    for (const std::string& stage : marks)
      layers.push_back(std::count(stage.begin(), stage.end(), 't'));
    say(layers, setting);
  }

  void ends(bool embedding, bool loss) {
    const auto first = settings().count("decoder_first_pipeline_num_layers");
    const auto last = settings().count("decoder_last_pipeline_num_layers");
    if (!first && !last && !embedding && !loss) return;
    if (!first && !last && embedding && loss) return both_ends();
    if (!is_known())
      return open(kStageLayers, "layers of the first and last stage",
                  "of how many layers and stages");
    uneven(first, last, embedding, loss);
  }

  // The embedding and the loss count as a layer each (parallel/layer_split.h).
  void both_ends() {
    const std::int64_t units = all() + 2;
    const std::int64_t stages = pp_ * vpp();
    if (is_known() && units % stages != 0)
      throw InputError(
          settings().file(), "--account-for-embedding-in-pipeline-split",
          std::to_string(units) + " layers with the ends for " + std::to_string(stages) + " stages",
          "layers that divide evenly over the stages");
    call_.facts.set_key(key_path<&StrategyRequest::layer_split>, "ends_as_layers", "both ends",
                        false);
  }

  // The layers not at the ends are shared evenly; --decoder-first-… counts a whole pipeline rank.
  void uneven(std::optional<std::int64_t> first, std::optional<std::int64_t> last, bool embedding,
              bool loss) {
    const std::int64_t stages = pp_ * vpp();
    const std::int64_t open_ranks = pp_ - (first ? 1 : 0) - (last ? 1 : 0);
    const std::int64_t rest =
        all() - first.value_or(0) - last.value_or(0) + (embedding ? 1 : 0) + (loss ? 1 : 0);
    const bool whole = open_ranks == 0
                           ? rest == 0
                           : open_ranks > 0 && rest >= 0 && rest % (open_ranks * vpp()) == 0;
    if (!whole || first.value_or(0) % vpp() != 0 || last.value_or(0) % vpp() != 0 ||
        stages > kMaxStages)
      refuse_ends(first.has_value(), last.has_value(), rest, open_ranks * vpp());
    const std::int64_t even = open_ranks == 0 ? 0 : rest / (open_ranks * vpp());
    std::vector<std::int64_t> layers(static_cast<std::size_t>(stages), even);
    for (std::int64_t chunk = 0; chunk < vpp(); ++chunk) {
      if (first) layers[static_cast<std::size_t>(chunk * pp_)] = *first / vpp();
      if (last) layers[static_cast<std::size_t>(chunk * pp_ + pp_ - 1)] = *last / vpp();
    }
    if (embedding) layers.front() -= 1;
    if (loss) layers.back() -= 1;
    say(layers, "layers of the first and last stage");
  }

  [[noreturn]] void refuse_ends(bool first, bool last, std::int64_t rest, std::int64_t stages) {
    const char* name = first  ? "decoder_first_pipeline_num_layers"
                       : last ? "decoder_last_pipeline_num_layers"
                              : "account_for_embedding_in_pipeline_split";
    settings().refuse(name,
                      std::to_string(rest) + " layers for " + std::to_string(stages) + " stages",
                      "layers that divide evenly over the other stages");
  }

  HookCall& call_;
  std::int64_t pp_;
  std::optional<std::int64_t> vpp_;
};

}  // namespace

void layout(HookCall& call) { Stages(call).set(); }

}  // namespace orrery::megatron
