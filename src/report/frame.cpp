// SPDX-License-Identifier: Apache-2.0
#include "report/frame.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/units.h"
#include "cost/operator_time.h"
#include "document/words.h"
#include "estimate/origins.h"
#include "estimate/price.h"
#include "estimate/resolve.h"
#include "hardware/cluster_keys.h"
#include "hardware/cluster_links.h"
#include "insight/rests_on.h"
#include "model/operators.h"
#include "orrery/version.h"
#include "parallel/stages.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

std::string trained_part(const Run& run) {
  const auto& adapter = run.training.adapter;
  if (!adapter) return "";
  const auto n =
      static_cast<double>(trained_parameters(run.model, run.training.sequence, *adapter));
  const std::string rank =
      adapter->kind == AdapterKind::frozen ? "" : " of rank " + grouped(adapter->rank);
  return ", " + short_count(n) + " train (" + std::string(name_of(adapter->kind)) + rank + ")";
}

std::string optimizer_part(const Training& t) {
  return is_by_shape(t.optimizer) ? " with " + std::string(name_of(t.optimizer)) : "";
}

std::string sample_part(const Run& run) {
  const Trunk& t = run.model.trunk;
  const std::int64_t s = run.training.sequence;
  if (t.kinds == 0) return ", sequences of " + counted(s, "token");
  const std::int64_t own = s - (joins_text(t) ? t.text : 0);
  const std::string text = t.text > 0 ? " and " + grouped(t.text) + " of text" : "";
  const std::string mean = run.training.buckets.count > 0 ? "a mean of " : "";
  return ", samples of " + mean + counted(own, "token") + text;
}

Phrase model_line(const ResolvedRun& r) {
  const Run& run = r.run;
  const ParameterCount n = parameter_count(run.model, run.training.sequence);
  std::string size = short_count(static_cast<double>(n.total)) + " parameters";
  if (n.active < n.total) size += ", " + short_count(static_cast<double>(n.active)) + " active";
  if (run.training.images > 0) {
    size += ", " + short_count(static_cast<double>(n.tower)) + " more in its encoder of images";
  }
  size += trained_part(run);
  return bold(r.model_name) + ": " + size + ", " + std::to_string(run.model.layers) +
         " layers of width " + grouped(run.model.hidden) + sample_part(run);
}

std::string cluster_line(const ResolvedRun& r) {
  return cluster_words(r.run.cluster) + ", " + std::string(name_of(r.run.training.precision)) +
         ", framework " + std::string(r.run.framework.name.view()) + ", states " +
         (r.states_name.empty() ? "of the run" : r.states_name) + optimizer_part(r.run.training);
}

std::string schedule_part(const Strategy& s) {
  std::string text(name_of(s.schedule));
  if (s.vpp > 1) text += " with " + std::to_string(s.vpp) + " chunks a stage";
  return text;
}

std::string zeropp_part(const ZeroPlusPlus& z) {
  std::string text;
  if (z.qwz > 0) text += ", qwZ " + grouped(z.qwz) + " bits";
  if (z.hpz > 0) text += ", hpZ " + grouped(z.hpz);
  if (z.qgz > 0) text += ", qgZ " + grouped(z.qgz) + " bits";
  return text;
}

// A partition that is no level of ZeRO is said by its three groups.
std::string partition_part(const Strategy& s) {
  if (s.partition == partition_of(s.zero, dense_replicas(s))) return "ZeRO " + grouped(s.zero);
  return "weights over " + grouped(s.partition.weights) + ", gradients over " +
         grouped(s.partition.gradients) + ", optimizer over " + grouped(s.partition.optimizer);
}

// Layers that full recompute runs again, of all chunks.
std::int64_t replayed_layers(const Run& run) {
  const Strategy& s = run.strategy;
  std::int64_t layers = 0;
  for (std::int64_t part = 0; part < s.pp * s.vpp; ++part) {
    const BlockCounts n = recomputed_of(s, run.model, part, blocks_of(s, run.model, part)).full;
    for (std::size_t type = 0; type < kMaxLayerTypes; ++type) layers += n[block_of_layer(type)];
  }
  return layers;
}

// "recompute full of 57 of 80 layers, chosen to fit"
std::string recompute_part(const ResolvedRun& r) {
  std::string text = "recompute " + std::string(name_of(r.run.strategy.recompute));
  const std::int64_t layers = replayed_layers(r.run);
  const LayerRules& ranges = r.run.strategy.layers;
  if (ranges.count > 0) {
    text += " but layers " + range_words(ranges);
  } else if (r.run.strategy.recompute == Recompute::full && layers < r.run.model.layers) {
    text += " of " + grouped(layers) + " of " + grouped(r.run.model.layers) + " layers";
  }
  for (const Fact& a : r.assumed) {
    if (r.recompute_open && a.path == key_path<&Strategy::recompute>) text += ", " + a.why;
  }
  return text;
}

// Volta and Turing have no kernel of FlashAttention: PyTorch's own keeps no scores there either.
std::string attention_part(const Run& run) {
  if (!run.training.fused_attention) return "unfused attention";
  const AttentionKernel kernel = kernel_choice(run).attention;
  if (kernel != AttentionKernel::sdpa && kernel != AttentionKernel::native) {
    return "flash attention";
  }
  return "fused attention (" + std::string(name_of(kernel)) + ")";
}

std::string strategy_line(const ResolvedRun& r) {
  const Run& run = r.run;
  const Strategy& s = run.strategy;
  std::vector<std::string> parts = {"tp " + grouped(s.tp) +
                                    (s.sequence_parallel ? " with sequence parallel" : "")};
  if (s.cp > 1) parts.push_back("cp " + grouped(s.cp));
  if (run.model.moe.experts > 0) {
    parts.push_back("ep " + grouped(s.ep) + ", etp " + grouped(s.etp));
  }
  parts.push_back("pp " + grouped(s.pp) + (s.pp > 1 ? " by " + schedule_part(s) : ""));
  parts.push_back("dp " + grouped(s.dp) + ", " + partition_part(s) + zeropp_part(s.zeropp));
  if (compresses(run.compression)) parts.emplace_back("compression");
  parts.push_back(recompute_part(r));
  parts.push_back(attention_part(run));
  return joined(parts, " · ");
}

std::string batch_line(const Run& run) {
  const Strategy& s = run.strategy;
  const double tokens =
      static_cast<double>(run.training.global_batch) * static_cast<double>(run.training.sequence);
  const std::string micro_batches =
      grouped(s.micro_batches) + (s.micro_batches == 1 ? " micro batch" : " micro batches");
  return "a step is " + counted(run.training.global_batch, "sequence") + ", " +
         short_count(tokens) + " tokens: " + micro_batches + " of " +
         counted(s.micro_batch, "sequence") + " on each of " + counted(s.dp, "replica") +
         (s.schedule_runs > 1 ? ", in " + counted(s.schedule_runs, "run") + " of the schedule"
                              : "");
}

constexpr EnumArray<Known, const char*> kOriginTitles = {"Stated", "Assumed", "Derived", "Chosen",
                                                         "Open"};

// "Default of megatron-core", "Derived"
std::string origin_title(const Fact& f) {
  const bool ours = f.where.empty() || f.where == kOurDefault;
  return f.known == Known::tool_default && !ours ? "Default of " + f.where : kOriginTitles[f.known];
}

// Lists of lengths and the like fill a screen: --json has them.
std::string shown_value(const std::string& value) {
  constexpr std::size_t kLongest = 80;
  const bool is_long_list = value.size() > kLongest && value.starts_with("[");
  return is_long_list ? "a list (--json)" : value;
}

// A paragraph for each origin, in the order in which they come. Open keys have one each.
void add_origins(const std::vector<Fact>& facts, Section& section) {
  std::vector<std::string> titles;
  std::vector<std::vector<std::string>> parts;
  for (const Fact& f : facts) {
    if (f.known == Known::open || f.where.starts_with(kNameOf)) continue;
    const std::string title = origin_title(f);
    const auto at = std::find(titles.begin(), titles.end(), title) - titles.begin();
    if (static_cast<std::size_t>(at) == titles.size()) {
      titles.push_back(title);
      parts.emplace_back();
    }
    parts[static_cast<std::size_t>(at)].push_back(f.path + " " + shown_value(f.value));
  }
  for (std::size_t i = 0; i < titles.size(); ++i) {
    section.add(Paragraph{bold(titles[i]) + "  " + joined(parts[i], " · "), 2});
  }
}

// "+21 %"
std::string change_text(double ratio) {
  return (ratio < 1 ? "−" : "+") + percent(std::abs(ratio - 1), 0);
}

bool matters(const Alternative& a) {
  constexpr double kLeast = 0.01;
  const double most = std::max(std::abs(a.time_ratio - 1), std::abs(a.memory_ratio - 1));
  return a.weight >= kLeast && most >= kLeast;
}

// "parallel.recompute: none taken, megatron-core's default; full is +21 % time, −38 % memory"; ""
// where nothing else moves the answer.
std::string open_words(const OpenKey& key, std::size_t most) {
  std::vector<Alternative> others = key.alternatives;
  std::erase_if(others, [](const Alternative& a) { return !matters(a); });
  if (others.size() > most) {
    std::stable_sort(others.begin(), others.end(), [](const Alternative& a, const Alternative& b) {
      return a.weight > b.weight;
    });
    others.resize(most);
  }
  std::string text;
  for (const Alternative& a : others) {
    text += "; " + a.value + " (" + percent(a.weight, 0) + " of such runs) is " +
            change_text(a.time_ratio) + " time, " + change_text(a.memory_ratio) + " memory";
  }
  return text.empty() ? text : key.path + ": " + key.taken + " taken, " + key.why + text;
}

void add_open(const ResolvedRun& r, Section& section,
              std::size_t most = std::numeric_limits<std::size_t>::max()) {
  for (const OpenKey& key : r.open) {
    const std::string words = open_words(key, most);
    if (!words.empty()) section.add(Paragraph{bold("Open") + "  " + words, 2});
  }
}

// "; nodes joined by infiniband at 200 GB/s a node (cluster.tiers.infiniband.bandwidth)": what a
// name of GPUs says nothing of.
std::string network_words(const Cluster& c) {
  const auto network = only_tier(c, Links::of_network);
  if (node_count(c) < 2 || !network) return "";
  const Tier& outer = c.tiers[*network];
  const std::string name(outer.name.view());
  return "; nodes joined by " + name + " at " + pretty(outer.bandwidth, 3) +
         " (--set cluster.tiers." + name + ".bandwidth=… where it is another)";
}

// "Names  8xA100: cluster.node dgx-a100-80gb (…)"
void add_names(const ResolvedRun& r, Section& section) {
  std::vector<std::string> parts;
  for (const Fact& f : assumed_facts(r)) {
    if (!f.where.starts_with(kNameOf)) continue;
    parts.push_back(
        f.where.substr(std::string_view(kNameOf).size()) + ": " + f.path + " " + f.value + " (" +
        f.why + (f.path == key_path<&ClusterRequest::node> ? network_words(r.run.cluster) : "") +
        ")");
  }
  if (!parts.empty()) section.add(Paragraph{bold("Names") + "  " + joined(parts, " · "), 2});
}

void add_warnings(const ResolvedRun& r, Section& section) {
  for (const std::string& warning : r.warnings) {
    section.add(Paragraph{Phrase(TextStyle::yellow, "Warning") + "  " + warning, 2});
  }
}

}  // namespace

std::string cluster_words(const Cluster& c) {
  return counted(c.gpus, "GPU") + " " + std::string(c.device.name.view()) + " in " +
         counted(node_count(c), "node") + " " + std::string(c.node.view());
}

namespace {

Section header_of(const ResolvedRun& r, const std::vector<Phrase>& lines) {
  Section header;
  for (const Phrase& line : lines) header.add(Paragraph{line, 2});
  const std::string calibrated = calibration_line(r);
  if (!calibrated.empty()) header.add(Paragraph{calibrated, 2});
  return header;
}

}  // namespace

Section run_subject(const ResolvedRun& r) {
  return header_of(r, {model_line(r), Phrase(cluster_line(r))});
}

Section run_layout(const ResolvedRun& r) {
  return header_of(r, {model_line(r), Phrase(cluster_line(r)), Phrase(strategy_line(r))});
}

Section run_header(const ResolvedRun& r) {
  return header_of(r, {model_line(r), Phrase(cluster_line(r)), Phrase(strategy_line(r)),
                       Phrase(batch_line(r.run))});
}

Section run_assumptions(const ResolvedRun& r) {
  Section section;
  add_names(r, section);
  add_open(r, section);
  add_origins(assumed_facts(r), section);
  add_warnings(r, section);
  return section;
}

Section brief_open_keys(const ResolvedRun& r) {
  Section section;
  add_names(r, section);
  add_open(r, section, 1);
  add_warnings(r, section);
  return section;
}

Section run_open_keys(const ResolvedRun& r) {
  Section section;
  add_names(r, section);
  add_open(r, section);
  add_warnings(r, section);
  return section;
}

std::string calibration_line(const ResolvedCluster& c, const std::vector<RestsOnPart>& parts) {
  if (c.calibrations.empty()) return "";
  std::vector<std::string> texts;
  for (const RestsOnPart& p : parts) {
    texts.push_back(p.part + " " + p.basis +
                    (p.calibration.empty() ? "" : " (" + p.calibration + ")"));
  }
  return "rests on: " + joined(texts, " · ");
}

std::string calibration_line(const ResolvedRun& r) {
  return calibration_line(r.cluster, parts_rest_on(r));
}

}  // namespace orrery
