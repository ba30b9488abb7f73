// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "core/units.h"
#include "document/words.h"
#include "report/capacity_lines.h"
#include "report/capacity_words.h"
#include "report/frame.h"

namespace orrery {

// Rates to ask a seller for.
Lines needs_lines(const OptionAnswer& o) {
  const PurchaseNeeds& n = o.needs;
  Lines all;
  if (n.write.si() > 0) {
    const bool beside = o.inputs.policy.mode != CheckpointMode::synchronous;
    all += line(
        "storage to buy",
        "writes " + pretty(n.write, 3) +
            (beside ? ", so that a checkpoint is safe before the next begins"
                    : ", so that checkpoints stop training for at most 1 % of the time") +
            ", one every " + seconds_text(n.write_every) +
            (beside || o.inputs.policy.interval.si() > 0 ? ""
                                                         : ", the best interval at that rate") +
            (n.copy_stalls ? "; a node's own links are too slow for that" : ""));
  } else if (n.no_rate_will_do) {
    all += line("storage to buy",
                "no write rate is enough: the " + seconds_text(o.inputs.policy.overhead) +
                    " of `checkpoint.overhead` alone stop training for more than 1 % of the time");
  } else {
    all += line("storage to buy",
                "not known: no failure rates (`failures`) and no `checkpoint.interval` of "
                "the plan's `scenarios[]` say how "
                "often a checkpoint is written");
  }
  if (n.sent.si() > 0) {
    all += line("network to buy", "a node sends " + pretty(n.sent, 3) +
                                      " to other nodes, on average over a step; with " +
                                      pretty(n.least, 3) + " a node in place of " +
                                      pretty(n.has, 3) + " a step takes 5 % longer");
  }
  return all;
}

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

Lines data_lines(const OptionAnswer& o) {
  const DataNeeds& n = o.data;
  const Corpus& corpus = o.plan->data.corpora[o.plan->data.corpus];
  std::string text = pretty(n.dataset) + " of tokens (" + corpus.name + ", " +
                     fixed(corpus.bytes_per_token, 2) + " bytes each), read at " + pretty(n.read) +
                     "; checkpoints kept " + pretty(n.checkpoints) + "; together " +
                     pretty(n.total);
  if (!n.storage_holds_it) text += ", more than the storage holds";
  if (n.cores > 0) text += "; CPU cores that prepare them: " + grouped(std::ceil(n.cores));
  text += "; prepared as token ids " + pretty(n.ids) + ", " + pretty(n.ids_of_rank) + " a replica";
  return line("data", text) +
         line("  on samples",
              "at this FLOP rate a training on these data reads " + sample_rates(n));
}

Lines host_line(const OptionAnswer& o) {
  std::vector<std::string> parts;
  if (o.inputs.policy.mode != CheckpointMode::synchronous) {
    parts.push_back(gib_text(o.outcome.largest.checkpoint.per_node, 1) +
                    " a node for a checkpoint");
  }
  if (o.answer.host_needed.si() > 0) {
    parts.push_back(gib_text(o.answer.host_needed, 1) + " a node for what is offloaded");
  }
  if (parts.empty()) return {};
  if (o.answer.host_capacity.si() > 0) parts.push_back("of " + gib_text(o.answer.host_capacity, 0));
  return line("host memory",
              joined(parts, ", ") + (host_holds_checkpoint(o) ? "" : ": more than a node holds"));
}

Section serving_section(const std::vector<InferenceNeeds>& all) {
  if (all.empty()) return {};
  const InferenceNeeds& first = all.front();
  Table table({{"sequences", true},
               {"keys and values", true},
               {"of it empty", true},
               {"with 16-bit weights", true},
               {"8-bit", true},
               {"4-bit", true}},
              2);
  for (const InferenceNeeds& n : all) {
    table.add({grouped(n.batch), gib_text(n.cache, 1), gib_text(n.waste, 2),
               gib_text(n.weights + n.cache, 1), gib_text(n.weights / 2 + n.cache, 1),
               gib_text(n.weights / 4 + n.cache, 1)});
  }
  return Section{"Memory to serve the trained model: sequences of " + grouped(first.context) +
                 " tokens, " + pretty(first.cache_a_token) + " a token" +
                 (first.window > 0
                      ? " (layers of a window keep the last " + grouped(first.window) + " alone)"
                      : "") +
                 ", blocks of " + std::to_string(kCacheBlock)}
      .add(table);
}

}  // namespace orrery
