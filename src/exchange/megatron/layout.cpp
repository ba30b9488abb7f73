// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/error.h"
#include "core/units.h"
#include "exchange/megatron/megatron.h"
#include "parallel/strategy.h"

namespace orrery::megatron {
namespace {

// Layers that the embedding and the loss count for.
std::int64_t ends_among_layers(ImportDraft& d) {
  return (d.is_on("account_for_embedding_in_pipeline_split") ? 1 : 0) +
         (d.is_on("account_for_loss_in_pipeline_split") ? 1 : 0);
}

void chunks(ImportDraft& d) {
  const std::int64_t pp = d.count_at("parallel.pp", 1);
  const auto chunks = d.settings.count("num_virtual_stages_per_pipeline_rank", 1, kMostDegree);
  const auto size = d.settings.count("virtual_pipeline_model_parallel_size", 1, kMostDegree);
  const auto layers = d.settings.count("num_layers_per_virtual_pipeline_stage", 1, kMostDegree);
  const bool stated = chunks || size || layers;
  if (d.is_open("parallel.vpp") || (!stated && d.is_open("parallel.pp"))) return;
  std::int64_t vpp = chunks.value_or(size.value_or(1));
  if (layers && !chunks && !size) {
    const std::int64_t all = d.layers() + ends_among_layers(d);
    if (d.layers() == 0 || d.is_open("parallel.pp")) {
      return d.open("parallel.vpp", d.settings.written("num_layers_per_virtual_pipeline_stage"),
                    "of how many layers and stages");
    }
    if (all % (pp * *layers) != 0) {
      d.settings.refuse("num_layers_per_virtual_pipeline_stage",
                        std::to_string(*layers) + ", layers " + std::to_string(all) +
                            ", pipeline " + std::to_string(pp),
                        "a number that divides layers / pipeline");
    }
    vpp = all / pp / *layers;
  }
  d.set("parallel.vpp", vpp);
  d.set("parallel.schedule", vpp > 1 ? "interleaved" : "1f1b");
}

// Primus's pipelines of its own, and the switches of zero-bubble ones.
void other_schedule(ImportDraft& d) {
  const bool staged = d.count_at("parallel.pp", 1) > 1 || d.is_open("parallel.pp");
  const bool own = d.is_on("patch_primus_pipeline");
  const std::string kind = d.settings.word("pp_algorithm").value_or("1f1b");
  const bool default_value = !own || kind == "1f1b" || kind == "1f1b-interleaved";
  const char* name = default_value ? nullptr : "pp_algorithm";
  for (const char* other : {"patch_zero_bubble", "enable_zero_bubble", "zero_bubble_v_schedule"}) {
    if (d.is_on(other)) name = other;
  }
  if (staged && name != nullptr)
    d.open("parallel.schedule", d.settings.written(name), "a schedule that Megatron-LM lacks");
}

// True where a layout of so many stages says how many each rank has.
bool stages_of_layout(ImportDraft& d, std::int64_t count) {
  const std::int64_t pp = d.count_at("parallel.pp", 1);
  if (d.count_at("parallel.vpp", 1) != 1 || count <= pp || count % pp != 0) return false;
  d.set("parallel.vpp", count / pp);
  d.set("parallel.schedule", "interleaved");
  return true;
}

void given_layout(ImportDraft& d, const std::vector<std::int64_t>& layers, std::int64_t stages) {
  const auto count = static_cast<std::int64_t>(layers.size());
  if (!stages_of_layout(d, count) && count != stages) {
    d.settings.refuse("pipeline_model_parallel_layout", std::to_string(count) + " stages",
                      std::to_string(stages) + ", pipeline x virtual");
  }
  d.set("parallel.stage_layers", layers);
}

// The layers not at the ends are shared evenly; --decoder-first-… counts a whole pipeline rank.
void ends(ImportDraft& d, std::optional<std::int64_t> first, std::optional<std::int64_t> last,
          bool embedding, bool loss, std::int64_t stages) {
  const std::int64_t pp = d.count_at("parallel.pp", 1);
  const std::int64_t all = d.layers();
  const std::int64_t vpp = stages / pp;
  const std::int64_t open = pp - (first ? 1 : 0) - (last ? 1 : 0);
  const std::int64_t rest =
      all - first.value_or(0) - last.value_or(0) + (embedding ? 1 : 0) + (loss ? 1 : 0);
  const bool whole = open == 0 ? rest == 0 : open > 0 && rest >= 0 && rest % (open * vpp) == 0;
  if (!whole || first.value_or(0) % vpp != 0 || last.value_or(0) % vpp != 0 ||
      stages > kMaxStages) {
    const char* name = first  ? "decoder_first_pipeline_num_layers"
                       : last ? "decoder_last_pipeline_num_layers"
                              : "account_for_embedding_in_pipeline_split";
    const auto& given = d.settings.all();
    const auto stated = std::find_if(given.begin(), given.end(),
                                     [&](const ForeignSetting& s) { return s.name == name; });
    throw InputError(d.settings.file(), stated == given.end() ? name : stated->written,
                     std::to_string(rest) + " layers for " + std::to_string(open * vpp) + " stages",
                     "layers that divide evenly over the other stages");
  }
  const std::int64_t even = open == 0 ? 0 : rest / (open * vpp);
  std::vector<std::int64_t> layers(static_cast<std::size_t>(stages), even);
  for (std::int64_t chunk = 0; chunk < vpp; ++chunk) {
    if (first) layers[static_cast<std::size_t>(chunk * pp)] = *first / vpp;
    if (last) layers[static_cast<std::size_t>(chunk * pp + pp - 1)] = *last / vpp;
  }
  if (embedding) layers.front() -= 1;
  if (loss) layers.back() -= 1;
  d.set("parallel.stage_layers", layers);
}

// The embedding and the loss count as a layer each (parallel/layer_split.h).
void both_ends(ImportDraft& d, std::int64_t stages) {
  const bool known = d.layers() > 0 && !d.is_open("parallel.pp") && !d.is_open("parallel.vpp");
  const std::int64_t units = d.layers() + 2;
  if (known && units % stages != 0) {
    throw InputError(
        d.settings.file(), "--account-for-embedding-in-pipeline-split",
        std::to_string(units) + " layers with the ends for " + std::to_string(stages) + " stages",
        "layers that divide evenly over the stages");
  }
  d.set("parallel.layer_split", "ends_as_layers");
}

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

void read_given_layout(ImportDraft& d, const std::string& text, std::int64_t stages) {
  const std::vector<std::string> marks = stages_of(Layout(d.settings, text).marks());
  const auto count = static_cast<std::int64_t>(marks.size());
  if (const char* why = other_ends(marks)) {
    stages_of_layout(d, count);
    return d.open("parallel.stage_layers", "--pipeline-model-parallel-layout " + text, why);
  }
  std::vector<std::int64_t> layers;
  for (const std::string& stage : marks) {
    layers.push_back(std::count(stage.begin(), stage.end(), 't'));
  }
  given_layout(d, layers, stages);
}

}  // namespace

void read_layout_of(ImportDraft& d) {
  chunks(d);
  other_schedule(d);
  const std::int64_t stages = d.count_at("parallel.pp", 1) * d.count_at("parallel.vpp", 1);
  const auto text = d.settings.text("pipeline_model_parallel_layout");
  if (d.is_open("parallel.stage_layers")) return;
  // A log has Python's name of the object alone.
  if (text && text->front() == '<') {
    return d.open("parallel.stage_layers", "pipeline_model_parallel_layout",
                  "a log does not say it; the script's --pipeline-model-parallel-layout does");
  }
  if (text && *text != "None") return read_given_layout(d, *text, stages);
  const auto first = d.settings.count("decoder_first_pipeline_num_layers");
  const auto last = d.settings.count("decoder_last_pipeline_num_layers");
  // Megatron-DeepSpeed counts the embedding before the layers, and its copy behind them.
  const std::string method = d.settings.text("pp_partition_method").value_or("");
  const bool staged = d.count_at("parallel.pp", 1) > 1;
  const bool ends_count = method == "type:transformer|embedding" && staged;
  if (!method.empty() && !ends_count && method != "type:transformer" && staged) {
    return d.open("parallel.stage_layers", d.settings.written("pp_partition_method"),
                  "type:transformer and type:transformer|embedding are known");
  }
  const bool embedding_counts = d.is_on("account_for_embedding_in_pipeline_split");
  const bool loss_counts = d.is_on("account_for_loss_in_pipeline_split");
  const bool embedding = ends_count || embedding_counts;
  const bool loss = ends_count || loss_counts;
  if (!first && !last && !embedding && !loss) return;
  if (!first && !last && embedding && loss) return both_ends(d, stages);
  const bool known = d.layers() > 0 && !d.is_open("parallel.pp") && !d.is_open("parallel.vpp");
  if (!known) {
    return d.open("parallel.stage_layers", "layers of the first and last stage",
                  "of how many layers and stages");
  }
  ends(d, first, last, embedding, loss, stages);
}

}  // namespace orrery::megatron
