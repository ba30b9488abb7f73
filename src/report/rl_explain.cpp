// SPDX-License-Identifier: Apache-2.0
#include "report/rl_explain.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/error.h"
#include "estimate/resolve.h"
#include "estimate/rl_keys.h"
#include "generate/decode.h"
#include "hardware/dimensions.h"
#include "rl/handover.h"
#include "rl/step.h"

namespace orrery {
namespace {

using Ids = std::vector<std::size_t>;

std::string key_of_phase(RlPhase p) { return "rl.phases." + std::string(name_of(p)) + "_s"; }

const char* rate_of(PassPart p) {
  switch (p) {
    case PassPart::weights:
      return "rates.weights";
    case PassPart::products:
      return "rates.products";
    case PassPart::cache:
      return "rates.cache";
    case PassPart::passes:
      return "the device's memory bandwidth";
    case PassPart::exchanges:
      return "rates.exchange, and the library's collectives";
    case PassPart::kernels:
      return "rates.kernel or rates.eager_kernel";
    case PassPart::host:
      return "rates.token and rates.sequence";
  }
  return "";
}

class Explainer {
 public:
  Explainer(const ResolvedRun& learner, const RlStep& step)
      : learner_(learner), rl_(*learner.rl), step_(step) {}

  Explanation of_step() {
    Ids phases;
    std::string formula;
    for (const RlPhase p : kAllOf<RlPhase>) {
      if (step_.phases[p].value == Seconds()) continue;
      phases.push_back(phase(p));
      formula += (formula.empty() ? "" : " + ") + std::string(name_of(p));
    }
    const bool queued = rl_.generates && rl_.placement.kind == PlacementKind::async;
    if (queued) {
      formula =
          "period of a queue of generator (generate + reward) and learner (the others), "
          "staleness " +
          std::to_string(rl_.placement.staleness);
    }
    add("step_time_s", step_.step.value, formula, phases);
    return named("step_time_s", "time of one step of reinforcement learning");
  }

  Explanation of_phase(RlPhase p) {
    phase(p);
    return named(key_of_phase(p), "time of this phase of a step");
  }

 private:
  Explanation named(const std::string& metric, const std::string& meaning) {
    e_.metric = metric;
    e_.unit = "s";
    e_.meaning = meaning;
    e_.value = e_.nodes.back().value;
    return std::move(e_);
  }

  std::size_t add(ExplainedNode node) {
    e_.nodes.push_back(std::move(node));
    return e_.nodes.size() - 1;
  }
  std::size_t add(const std::string& name, Seconds t, const std::string& formula, Ids children) {
    return add({name, double(t.si()), kSeconds, formula, "", std::move(children)});
  }
  std::size_t input(const std::string& name, double value, Dimension d, const std::string& source) {
    return add({name, value, d, "", source, {}});
  }
  std::string of_engine(const std::string& key) const {
    return "configs/engines/" + rl_.engine_name + ".json: " + key;
  }

  std::size_t phase(RlPhase p) {
    const Seconds t = step_.phases[p].value;
    const std::string name(name_of(p));
    if (t == Seconds()) return input(name, 0, kSeconds, "this step does not have it");
    switch (p) {
      case RlPhase::generate:
        return rl_.placement.partial ? steady(t) : generate(t);
      case RlPhase::reward:
        return reward(t);
      case RlPhase::old_log_probs:
      case RlPhase::reference:
      case RlPhase::values:
        return forward(name, t);
      case RlPhase::update:
        return update(t);
      case RlPhase::handover:
        return handover(t);
      case RlPhase::sleep:
      case RlPhase::wake:
        return moved(name, t);
    }
    return 0;
  }

  std::size_t steady(Seconds t) {
    const Ids of = {
        input("tokens of all answers", step_.rollout.tokens, kNone, std::string(kRlKeys.path)),
        input("engines", static_cast<double>(rl_.work.engines), kNone,
              std::string(kRolloutKeys.path))};
    return add("generate", t, "tokens at the rate of full batches, as partial answers go on", of);
  }

  std::size_t generate(Seconds t) {
    const PlayedBatch& b = step_.rollout.slowest;
    Ids of = {input("prefill", b.prefill.si(), kSeconds,
                    "prompts by the roofline of training; " + of_engine("rates.prefill"))};
    std::string formula = "prefill";
    if (b.idle > Seconds()) {
      of.push_back(input("idle", b.idle.si(), kSeconds, key_path<&AgentRequest::tool>));
      formula += " + idle";
    }
    of.push_back(input("passes", b.passes, kNone,
                       "lengths of the answers of the slowest engine, its places and its cache"));
    of.push_back(mean_pass((b.all - b.prefill - b.idle) / std::max(1.0, b.passes)));
    return add("generate", t, formula + " + passes·mean pass", of);
  }

  // At the mean batch and its mean context, and what is left.
  std::size_t mean_pass(Seconds mean) {
    const PlayedBatch& b = step_.rollout.slowest;
    const auto batch = std::max<std::int64_t>(1, std::llround(b.mean_batch));
    const double context =
        static_cast<double>(rl_.work.prompt_length) + mean_of(rl_.work.lengths) / 2;
    const EnginePass parts = engine_pass(rl_.generator, batch, context);
    Ids of;
    std::string formula;
    for (const PassPart p : kAllOf<PassPart>) {
      if (parts[p] == Seconds()) continue;
      const std::string name(name_of(p));
      of.push_back(input(name, parts[p].si(), kSeconds,
                         "batch " + std::to_string(batch) + ", context " +
                             std::to_string(std::llround(context)) + "; " + of_engine(rate_of(p))));
      formula += (formula.empty() ? "" : " + ") + name;
    }
    of.push_back(input("other batches", (mean - sum_of(parts)).si(), kSeconds,
                       "passes of batches and contexts that are not the mean"));
    return add("mean pass", mean, formula + " + other batches", of);
  }

  std::size_t reward(Seconds t) {
    Ids of = {input("reward.time", rl_.reward_time.si(), kSeconds, key_path<&RewardRequest::time>)};
    if (t > rl_.reward_time) of.push_back(forward("reward model", t - rl_.reward_time));
    return add("reward", t, of.size() > 1 ? "reward.time + reward model" : "reward.time", of);
  }

  std::size_t forward(const std::string& name, Seconds t) {
    const bool of_teacher = rl_.teacher && name == name_of(RlPhase::reference);
    const std::string whose = of_teacher ? "the teacher's" : "the learner's";
    const Run& run = learner_.run;
    const auto micro_batches = static_cast<double>(scored_micro_batches(run, rl_));
    const auto tokens = static_cast<double>(learner_of_scoring(run, rl_).training.sequence *
                                            run.strategy.micro_batch);
    const Ids of = {
        input("sequences", static_cast<double>(rl_.samples), kNone, std::string(kRlKeys.path)),
        input("micro batches", micro_batches, kNone, "of one replica, over all sequences"),
        input(
            "tokens of a micro batch", tokens, kNone,
            rl_.packs ? key_path<&RlRequest::packed_tokens> : "the longest answer with its prompt"),
        input("forward pass", t.si(), kSeconds,
              whose + " forward pass over the step: (micro batches − 1)·slowest stage + all "
                      "stages and sends once")};
    return add(name, t, "forward pass", of);
  }

  std::size_t update(Seconds t) {
    Ids of = {
        input("mini_batches", static_cast<double>(rl_.mini_batches), kNone,
              key_path<&RlRequest::mini_batches>),
        input("epochs", static_cast<double>(rl_.epochs), kNone, key_path<&RlRequest::epochs>)};
    if (rl_.critic) of.push_back(input("models", 2, kNone, "ppo's critic learns too"));
    of.push_back(one_update());
    return add("update", t,
               std::string("mini_batches·epochs") + (rl_.critic ? "·models" : "") + "·one update",
               of);
  }

  // The chain's recording, with its nodes after those that are there.
  std::size_t one_update() {
    ResolvedRun as_packed = learner_;
    as_packed.run = learner_of_update(learner_.run, rl_);
    const Explanation of_learner = explain(as_packed, *find_metric("step_time_s"));
    const std::size_t before = e_.nodes.size();
    for (ExplainedNode n : of_learner.nodes) {
      for (std::size_t& child : n.children) child += before;
      e_.nodes.push_back(std::move(n));
    }
    e_.nodes.back().name = "one update";
    return e_.nodes.size() - 1;
  }

  std::size_t handover(Seconds t) {
    const EngineHandover& h = rl_.generator.engine.handover;
    const WeightPath path = weight_path(learner_.run, rl_);
    const Ids of = {
        input("start", h.start.si(), kSeconds, of_engine("handover.start")),
        input("bytes", path.bytes.si(), kBytes,
              path.is_whole ? "weights of the model" : "weights on one GPU of an engine"),
        input("rate", path.rate.si(), kRate, source_of(path))};
    return add("handover", t, "start + bytes/rate", of);
  }

  std::size_t moved(const std::string& name, Seconds t) {
    const YieldedBytes y = yielded_to_host(rl_, step_.update.memory);
    Ids of;
    std::string formula;
    const auto move = [&](const char* whose, Bytes bytes, BytesPerSecond rate,
                          const std::string& source) {
      if (bytes == Bytes()) return;
      of.push_back(input(std::string(whose) + " bytes", bytes.si(), kBytes,
                         "what leaves the device for its host and comes back"));
      of.push_back(input(std::string(whose) + " rate", rate.si(), kRate, source));
      formula += (formula.empty() ? "" : " + ") + std::string(whose) + " bytes/rate";
    };
    move("learner's", y.of_learner, y.learner_rate,
         of_engine("handover.host") + " of the device's host_link.bandwidth");
    move("engine's", y.of_engine, y.engine_rate, "the device's host_link.bandwidth");
    return add(name, t, formula, of);
  }

  std::string source_of(const WeightPath& path) const {
    switch (path.limit) {
      case WeightLimit::engine:
        return of_engine("handover." + std::string(path.name));
      case WeightLimit::node:
        return "bandwidth·efficiency of the links within the node";
      case WeightLimit::network:
        return "bandwidth·efficiency of the slower side's links into the network";
    }
    return "";
  }

  const ResolvedRun& learner_;
  const RlRun& rl_;
  const RlStep& step_;
  Explanation e_;
};

std::optional<RlPhase> phase_named(const std::string& name) {
  for (const RlPhase p : kAllOf<RlPhase>) {
    if (name == name_of(p) || name == key_of_phase(p)) return p;
  }
  return {};
}

}  // namespace

Explanation explain_rl(const ResolvedRun& learner, const RlStep& step, const std::string& name) {
  Explainer explainer(learner, step);
  if (name == "step_time_s") return explainer.of_step();
  if (const auto p = phase_named(name)) return explainer.of_phase(*p);
  std::vector<std::string> names = {"step_time_s"};
  for (const RlPhase p : kAllOf<RlPhase>) names.push_back(key_of_phase(p));
  throw InputError("orrery explain", "", "the metric \"" + name + "\"",
                   "of a step of reinforcement learning " + alternatives(names),
                   nearest_name(name, names));
}

}  // namespace orrery
