// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "core/units.h"
#include "document/table.h"
#include "document/text.h"
#include "report/capacity_option_parts.h"

namespace orrery {
namespace {

std::string sample_rates(const DataNeeds& n) {
  std::vector<std::string> rates;
  for (const SampleRate& r : n.samples) {
    rates.push_back(r.name + " " + pretty(r.all, 3) + " (" + pretty(r.node, 3) + " a node" +
                    (r.clients_carry_it ? "" : ", more than its client carries") + ")");
  }
  return joined(rates, ", ");
}

}  // namespace

Details data_lines(const OptionAnswer& o) {
  const DataNeeds& n = o.data;
  const Corpus& corpus = o.plan->data.corpora[o.plan->data.corpus];
  std::string text = pretty(n.dataset) + " of tokens (" + corpus.name + ", " +
                     fixed(corpus.bytes_per_token, 2) + " bytes each), read at " + pretty(n.read) +
                     "; checkpoints kept " + pretty(n.checkpoints) + "; together " +
                     pretty(n.total);
  if (!n.storage_holds_it) text += ", more than the storage holds";
  if (n.cores > 0) text += "; CPU cores that prepare them: " + grouped(std::ceil(n.cores));
  return capacity_line("data", text) +
         capacity_line("  on samples", "at this FLOP rate it would read " + sample_rates(n));
}

Details host_line(const OptionAnswer& o) {
  std::vector<std::string> parts;
  if (o.inputs.policy.mode != CheckpointMode::synchronous) {
    parts.push_back(gib_text(o.outcome.checkpoint.per_node, 1) + " a node for a checkpoint");
  }
  if (o.answer.host_needed.si() > 0) {
    parts.push_back(gib_text(o.answer.host_needed, 1) + " a node for what is offloaded");
  }
  if (parts.empty()) return {};
  if (o.answer.host_capacity.si() > 0) parts.push_back("of " + gib_text(o.answer.host_capacity, 0));
  return capacity_line("host memory", joined(parts, ", "));
}

Details periodic_line(const OptionAnswer& o) {
  const PeriodicSyncs& syncs = o.periodic;
  if (syncs.ranks > 1 && syncs.replicas == 1) {
    return capacity_line("what if",
                         "replicas synchronised less often: there are none, the model is "
                         "sharded over all " +
                             grouped(syncs.ranks) + " data parallel ranks");
  }
  if (syncs.at.empty()) return {};
  const Seconds least = syncs.at.back().wall;
  const std::string which = grouped(syncs.replicas) + " replicas synchronised every ";
  if (least > o.outcome.wall * 0.999) {
    return capacity_line("what if", which + std::to_string(syncs.at.back().every) +
                                        " steps: no measurable gain (< 0.1 %)");
  }
  std::vector<std::string> days;
  for (const PeriodicSync& p : syncs.at) {
    days.push_back(std::to_string(p.every) + " steps " + fixed(in_days(p.wall), 1) + " days");
  }
  const std::string states =
      syncs.states_go_beyond ? "; each would hold whole what is sharded over several now" : "";
  return capacity_line("what if", which + joined(days, ", ") +
                                      " (time alone; whether it converges as well is not asked" +
                                      states + ")");
}

std::string serving_table(const std::vector<InferenceNeeds>& all) {
  if (all.empty()) return "";
  const InferenceNeeds& first = all.front();
  Table table({{"sequences", true},
               {"keys and values", true},
               {"of it empty", true},
               {"with 16-bit weights", true},
               {"8-bit", true},
               {"4-bit", true}});
  for (const InferenceNeeds& n : all) {
    table.add({grouped(n.batch), gib_text(n.cache, 1), gib_text(n.waste, 2),
               gib_text(n.weights + n.cache, 1), gib_text(n.weights / 2 + n.cache, 1),
               gib_text(n.weights / 4 + n.cache, 1)});
  }
  return "\nMemory to serve the trained model: sequences of " + grouped(first.context) +
         " tokens, " + pretty(first.cache_a_token) + " a token, blocks of " +
         std::to_string(kCacheBlock) + "\n" + text_of(table.indented(2), {});
}

}  // namespace orrery
