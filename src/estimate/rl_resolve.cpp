// SPDX-License-Identifier: Apache-2.0
#include "estimate/rl_resolve.h"

#include <algorithm>
#include <cmath>

#include "core/divide.h"
#include "core/error.h"
#include "core/json.h"
#include "core/json_path.h"
#include "core/json_reader.h"
#include "core/key_access.h"
#include "core/one_line.h"
#include "estimate/config_lookup.h"
#include "estimate/given_document.h"
#include "estimate/rl_keys.h"
#include "estimate/rl_run.h"
#include "estimate/run.h"
#include "estimate/run_keys.h"
#include "generate/drafts.h"
#include "generate/engine_json.h"
#include "hardware/cluster_keys.h"
#include "hardware/cluster_reader.h"
#include "model/architecture_json.h"
#include "model/operators.h"
#include "parallel/strategy_keys.h"

namespace orrery {
namespace {

constexpr const char* kDefaultEngine = "vllm";
constexpr std::size_t kBinsOfPacking = 16;

[[noreturn]] void ask_for(const std::string& file, const char* path, const std::string& what,
                          const std::string& flag) {
  throw InputError(ErrorCode::missing_key, file, path, "nothing", what + ": " + flag);
}

[[noreturn]] void refuse(const std::string& file, const char* path, const std::string& found,
                         const std::string& allowed) {
  throw InputError(ErrorCode::broken_rule, file, path, found, allowed);
}

void ask_for_lengths(const RlRequest& rl, const std::string& file) {
  if (!rl.prompts) ask_for(file, key_path<&RlRequest::prompts>, "prompts of a step", "--prompts N");
  if (!rl.prompt_length) {
    ask_for(file, key_path<&RlRequest::prompt_length>, "mean tokens of a prompt",
            "--prompt-length N");
  }
  const bool has_lengths = rl.response && (rl.response->mean || rl.response->lengths);
  if (has_lengths) return;
  ask_for(file, key_path<&ResponseRequest::mean>,
          "mean tokens of an answer, which moves a step more than anything else",
          "--response-mean N, or measured lengths in training.rl.response.lengths");
}

AnswerLengths lengths_of(const RlRequest& rl) {
  const ResponseRequest& r = *rl.response;
  AnswerLengths out;
  out.shape = r.distribution.value_or(LengthShape::lognormal);
  constexpr double kSpread = 0.5;
  out.spread = r.spread.value_or(kSpread);
  out.cap = r.cap.value_or(0);
  out.at_cap = r.at_cap.value_or(0);
  out.listed = r.lengths.value_or(std::vector<std::int64_t>());
  out.mean = r.lengths ? mean_of(out) : *r.mean;
  return out;
}

// A body above the cap, or a mass there that leaves the body less than nothing.
void check_lengths(const AnswerLengths& a, const std::string& file) {
  if (!a.listed.empty()) return;
  const auto cap = static_cast<double>(a.cap);
  if (a.at_cap > 0 && a.cap == 0) {
    refuse(file, key_path<&ResponseRequest::at_cap>, brief(Json(a.at_cap)),
           "0 without training.rl.response.cap: --response-cap N");
  }
  if (a.cap > 0 && a.mean > cap) {
    refuse(file, key_path<&ResponseRequest::mean>, brief(Json(a.mean)),
           "up to the cap of " + std::to_string(a.cap));
  }
  if (a.at_cap * cap >= a.mean && a.at_cap < 1 && a.cap > 0) {
    refuse(file, key_path<&ResponseRequest::at_cap>, brief(Json(a.at_cap)),
           "less than mean over cap, " + brief(Json(a.mean / cap)));
  }
}

std::int64_t group_of(const RlRequest& rl) { return rl.group.value_or(1); }

// Sequences that a step learns from: an answer each, and of dpo two for each prompt.
std::int64_t samples_of(const RlRequest& rl) {
  const bool generates = kRlFacts[rl.algorithm].generates;
  return *rl.prompts * (generates ? group_of(rl) : 2);
}

void check_group(const RlRequest& rl, const std::string& file) {
  if (!kRlFacts[rl.algorithm].compares || group_of(rl) > 1) return;
  refuse(file, key_path<&RlRequest::group>, "1",
         "2 or more with " + std::string(name_of(rl.algorithm)) +
             ", which compares answers to one prompt: --group N");
}

std::int64_t whole_at(const Json& object, std::string_view key, std::int64_t otherwise) {
  const Json& value = value_at(object, key);
  return value.is_number_integer() ? value.get<std::int64_t>() : otherwise;
}

// Ranks that share a sequence, and twice as many parts of it under a ring.
std::int64_t parts_of_sequence(const Json& run) {
  const Json& parallel = value_at(run, key_name<&RunRequest::parallel>);
  if (!parallel.is_object()) return 1;
  return 2 * whole_at(parallel, key_name<&StrategyRequest::tp>, 1) *
         whole_at(parallel, key_name<&StrategyRequest::cp>, 1);
}

// Replicas of the learner, as far as the file's degrees tell.
std::int64_t replicas_of(const Json& run, std::int64_t gpus) {
  const Json& parallel = value_at(run, key_name<&RunRequest::parallel>);
  if (!parallel.is_object()) return gpus;
  const std::int64_t split = whole_at(parallel, key_name<&StrategyRequest::tp>, 1) *
                             whole_at(parallel, key_name<&StrategyRequest::cp>, 1) *
                             whole_at(parallel, key_name<&StrategyRequest::pp>, 1);
  return std::max<std::int64_t>(1, gpus / std::max<std::int64_t>(1, split));
}

PlacementKind kind_of(const PlacementRequest& p) {
  return p.kind.value_or(p.rollout_gpus ? PlacementKind::split : PlacementKind::colocated);
}

struct Shares {
  std::int64_t learner = 0;
  std::int64_t rollout = 0;
};

Shares gpus_of(const PlacementRequest& p, std::int64_t all, const std::string& file) {
  if (kind_of(p) == PlacementKind::colocated) {
    if (p.rollout_gpus && *p.rollout_gpus != all) {
      refuse(file, key_path<&PlacementRequest::rollout_gpus>, std::to_string(*p.rollout_gpus),
             "placement.kind split or async");
    }
    return {all, all};
  }
  if (!p.rollout_gpus) {
    ask_for(file, key_path<&PlacementRequest::rollout_gpus>, "GPUs of the cluster that generate",
            "--rollout-gpus N");
  }
  if (*p.rollout_gpus >= all) {
    refuse(file, key_path<&PlacementRequest::rollout_gpus>, std::to_string(*p.rollout_gpus),
           "fewer than the " + std::to_string(all) + " of cluster.gpus, some of which learn");
  }
  return {all - *p.rollout_gpus, *p.rollout_gpus};
}

void derive(LearnerDocument& out, const char* path, std::string_view key, std::int64_t value,
            const std::string& why) {
  Json& training = at_key<&RunRequest::training>(*out.run);
  if (training.contains(std::string(key))) return;
  training[std::string(key)] = value;
  out.derived.push_back({path, std::to_string(value), why, Known::derived, ""});
}

Json packed_lengths(const RlRequest& rl, std::int64_t samples, std::int64_t sequence) {
  const std::vector<std::int64_t> all = lengths_of(lengths_of(rl), samples);
  const auto bins = static_cast<std::int64_t>(std::min(kBinsOfPacking, all.size()));
  Json list = Json::array();
  for (std::int64_t i = 0; i < bins; ++i) {
    const auto at = static_cast<std::size_t>((2 * i + 1) * std::ssize(all) / (2 * bins));
    const std::int64_t length = std::min(sequence, *rl.prompt_length + all[at]);
    list.push_back({{std::string(key_name<&LengthShare::length>), length},
                    {std::string(key_name<&LengthShare::share>), 1}});
  }
  return list;
}

// Packs of one update, the same for every replica; rl/packing.h says what they hold.
std::int64_t packed_batch(const RlRequest& rl, std::int64_t update, std::int64_t sequence,
                          std::int64_t replicas) {
  const double tokens =
      static_cast<double>(update) * (static_cast<double>(*rl.prompt_length) + lengths_of(rl).mean);
  const auto packs = static_cast<std::int64_t>(std::ceil(tokens / static_cast<double>(sequence)));
  return rounded_up(std::max<std::int64_t>(1, packs), replicas);
}

void derive_batch(const RlRequest& rl, std::int64_t replicas, std::int64_t parts,
                  LearnerDocument& out) {
  const std::int64_t samples = samples_of(rl);
  const std::int64_t update = divided_up(samples, rl.mini_batches.value_or(1));
  const AnswerLengths lengths = lengths_of(rl);
  const std::int64_t longest = *rl.prompt_length + longest_of(lengths, samples);
  const std::int64_t sequence = rounded_up(std::max(longest, rl.packed_tokens.value_or(0)), parts);
  const bool packs = rl.packed_tokens.has_value();
  derive(out, key_path<&TrainingRequest::sequence_length>,
         key_name<&TrainingRequest::sequence_length>, sequence,
         packs ? "training.rl.packed_tokens, or the longest answer with its prompt"
               : "the longest answer with its prompt, to which the others are padded");
  derive(out, key_path<&TrainingRequest::global_batch>, key_name<&TrainingRequest::global_batch>,
         packs ? packed_batch(rl, update, sequence, replicas) : rounded_up(update, replicas),
         packs ? "packs of one update, as many for every replica; time is of the tokens they hold"
               : "answers of one update, the same for every replica");
  if (!packs) return;
  Json& training = at_key<&RunRequest::training>(*out.run);
  const std::string key(key_name<&TrainingRequest::sequence_lengths>);
  if (training.contains(key)) return;
  training[key] = packed_lengths(rl, samples, sequence);
  out.derived.push_back({key_path<&TrainingRequest::sequence_lengths>, bare_text(training[key]),
                         "quantiles of prompts with their answers", Known::derived, ""});
}

EngineProfile engine_of(const Json& named, const std::string& file, const ConfigLookup& lookup) {
  if (!lookup.engine || !lookup.engine_names) {
    throw InputError(file, key_path<&RolloutRequest::engine>, "a source of configs without engines",
                     "one that has configs/engines");
  }
  const GivenDocument d = find_document(Reader(named, file, key_path<&RolloutRequest::engine>),
                                        "engine", lookup.engine, lookup.engine_names);
  EngineProfile engine = read_engine(d.json, d.file);
  engine.name = one_line(engine.name.empty() ? d.name : engine.name);
  return engine;
}

Cluster cluster_of(const Json& run, const std::string& file, const ConfigLookup& lookup,
                   const Json& node, std::int64_t gpus) {
  Json cluster = value_at(run, key_name<&RunRequest::cluster>);
  if (!node.is_null()) cluster = {{std::string(key_name<&ClusterRequest::node>), node}};
  at_key<&ClusterRequest::gpus>(cluster) = gpus;
  return read_cluster(Reader(cluster, file, key_path<&RunRequest::cluster>), lookup.hardware)
      .cluster;
}

// Fills every default of the three objects.
class Defaults {
 public:
  Defaults(const Run& learner, const EngineProfile& engine, RlRequests& q)
      : learner_(learner), engine_(engine), q_(q) {}

  void fill() {
    fill_rl();
    fill_rollout();
    fill_placement();
  }

 private:
  template <class V>
  static void take(std::optional<V>& member, std::type_identity_t<V> value) {
    if (!member) member = value;
  }

  void fill_rl() {
    RlRequest& rl = q_.rl;
    take(rl.group, 1);
    take(rl.reference, kRlFacts[rl.algorithm].reference);
    take(rl.old_log_probs, kRlFacts[rl.algorithm].ratio);
    take(rl.chunked_log_probs, false);
    take(rl.entropy, RlEntropy::none);
    take(rl.mini_batches, 1);
    take(rl.epochs, 1);
    take(rl.dropped, 0);
    if (rl.agent) {
      take(rl.agent->tool_spread, 0);
      take(rl.agent->hung, 0);
    }
    if (!rl.reward) rl.reward = RewardRequest{};
    take(rl.reward->kind, RewardKind::rule);
    take(rl.reward->time, Seconds());
    ResponseRequest& r = *rl.response;
    if (r.lengths) return;
    const AnswerLengths lengths = lengths_of(rl);
    take(r.distribution, lengths.shape);
    take(r.spread, lengths.spread);
    take(r.at_cap, lengths.at_cap);
  }

  void fill_rollout() {
    RolloutRequest& r = q_.rollout;
    const Precision wide = storage_precision(learner_.training.precision);
    const Precision half = element_bytes(wide) > 2 ? Precision::bf16 : wide;
    for (auto* degree : {&r.tp, &r.pp, &r.ep, &r.dp}) take(*degree, 1);
    take(r.precision, half);
    take(r.cache_precision, half);
    take(r.memory_share, engine_.memory.share);
    take(r.graphs, true);
    take(r.graph_batch, engine_.limits.graph_batch);
    take(r.shared_prefixes, true);
    take(r.max_running, engine_.limits.running);
    take(r.drafted, 0);
    take(r.tokens_per_pass, r.acceptance ? tokens_of_pass(*r.acceptance, *r.drafted) : 1);
  }

  void fill_placement() {
    PlacementRequest& p = q_.placement;
    const PlacementKind kind = kind_of(p);
    p.kind = kind;
    take(p.staleness, kind == PlacementKind::async ? 1 : 0);
    take(p.partial, false);
    take(p.sleep_level, 2);
    take(p.offload_weights, false);
    take(p.offload_optimizer, false);
    take(p.offload_reference, false);
    take(p.transfer, WeightTransfer::broadcast);
    take(p.staged_wake, true);
  }

  const Run& learner_;
  const EngineProfile& engine_;
  RlRequests& q_;
};

void check_engine(const Generator& g, std::int64_t gpus, const std::string& file) {
  const EngineLayout& l = g.layout;
  if (g.model.trunk.kinds > 0) {
    refuse(file, key_path<&TrainingRequest::rl>, "a model that is no text decoder",
           "a decoder: answers are tokens that it generates");
  }
  if (gpus % gpus_of(l) != 0) {
    refuse(file, key_path<&RolloutRequest::tp>,
           std::to_string(gpus_of(l)) + " GPUs an engine (tp·pp·dp)",
           "a divisor of the " + std::to_string(gpus) + " GPUs that generate");
  }
  if (g.model.heads % l.tp != 0) {
    refuse(file, key_path<&RolloutRequest::tp>, std::to_string(l.tp),
           "a divisor of the model's " + std::to_string(g.model.heads) + " heads");
  }
  const bool whole_experts =
      l.ep == l.tp * l.dp && g.model.moe.experts % l.ep == 0 && is_moe(g.model);
  if (l.ep != 1 && !whole_experts) {
    refuse(file, key_path<&RolloutRequest::ep>, std::to_string(l.ep),
           "1, or tp·dp where it divides the model's experts");
  }
  if (l.dp != 1 && l.ep == 1) {
    refuse(
        file, key_path<&RolloutRequest::dp>, std::to_string(l.dp),
        "1 unless the engine's experts are apart (rollout.ep = tp·dp); engines beside each other "
        "follow from rollout GPUs");
  }
  if (l.pp > g.model.layers) {
    refuse(file, key_path<&RolloutRequest::pp>, std::to_string(l.pp),
           "up to the model's " + std::to_string(g.model.layers) + " layers");
  }
}

// An acceptance with nothing drafted, or beside other tokens of a pass.
void check_drafts(const RolloutRequest& r, const std::string& file) {
  if (!r.acceptance) return;
  constexpr const char* kPath = key_path<&RolloutRequest::acceptance>;
  const std::string given = brief(Json(*r.acceptance));
  if (*r.drafted == 0) {
    refuse(file, kPath, given, "rollout.drafted of 1 or more beside it");
  }
  const double tokens = tokens_of_pass(*r.acceptance, *r.drafted);
  constexpr double kRounding = 1e-6;
  if (std::abs(*r.tokens_per_pass - tokens) > kRounding) {
    refuse(file, kPath, given + " beside rollout.tokens_per_pass", "one of them");
  }
}

void check_placement(const PlacementRequest& p, const std::string& file) {
  const bool apart = *p.kind != PlacementKind::colocated;
  if (*p.kind == PlacementKind::async && *p.staleness == 0) {
    refuse(file, key_path<&PlacementRequest::staleness>, "0",
           "1 or more with async; split is a placement in step");
  }
  if (*p.kind != PlacementKind::async && (*p.staleness > 0 || *p.partial)) {
    refuse(
        file,
        *p.partial ? key_path<&PlacementRequest::partial> : key_path<&PlacementRequest::staleness>,
        *p.partial ? "true" : std::to_string(*p.staleness), "placement.kind async");
  }
  if (apart && (*p.offload_weights || *p.offload_optimizer)) {
    refuse(file,
           *p.offload_weights ? key_path<&PlacementRequest::offload_weights>
                              : key_path<&PlacementRequest::offload_optimizer>,
           "true", "placement.kind colocated: only there does the learner yield its memory");
  }
}

Generator generator_of(const RlRequests& q, const Run& learner, EngineProfile engine,
                       Cluster cluster) {
  const RolloutRequest& r = q.rollout;
  Generator g;
  g.model = learner.model;
  g.cluster = std::move(cluster);
  g.engine = std::move(engine);
  g.layout = {*r.tp, *r.pp, *r.ep, *r.dp};
  g.weights = *r.precision;
  g.cache = *r.cache_precision;
  g.graphs = *r.graphs;
  g.engine.limits.graph_batch = *r.graph_batch;
  g.tokens_a_pass = *r.tokens_per_pass;
  g.drafted = *r.drafted;
  return g;
}

RolloutWork work_of(const RlRequests& q, std::int64_t engines) {
  RolloutWork w;
  const double kept = 1 - *q.rl.dropped;
  w.prompts =
      static_cast<std::int64_t>(std::ceil(static_cast<double>(*q.rl.prompts) / kept - 1e-9));
  w.group = *q.rl.group;
  w.prompt_length = *q.rl.prompt_length;
  w.lengths = lengths_of(q.rl);
  if (q.rl.agent) {
    const AgentRequest& a = *q.rl.agent;
    w.turns = a.turns;
    w.tools = {a.tool.value_or(Seconds()), a.tool_spread.value_or(0), a.hung.value_or(0),
               a.timeout.value_or(Seconds())};
  }
  w.engines = engines;
  w.running = *q.rollout.max_running;
  w.share = *q.rollout.memory_share;
  w.shared_prefixes = *q.rollout.shared_prefixes;
  return w;
}

RlPlacement placement_of(const PlacementRequest& p, std::int64_t rollout_gpus) {
  return {*p.kind,        rollout_gpus,       *p.staleness,         *p.partial,
          *p.sleep_level, *p.offload_weights, *p.offload_optimizer, *p.offload_reference,
          *p.transfer,    *p.staged_wake};
}

void ask_for_tool(const RlRequest& rl, const std::string& file) {
  if (!rl.agent || rl.agent->turns == 1) return;
  const auto say = [](const char* path, const char* value) {
    return "--set " + std::string(path) + "=\"" + value + "\"";
  };
  if (!rl.agent->tool) {
    ask_for(file, key_path<&AgentRequest::tool>, "time of a tool between two turns",
            say(key_path<&AgentRequest::tool>, "2 s"));
  }
  if (rl.agent->hung.value_or(0) > 0 && !rl.agent->timeout) {
    ask_for(file, key_path<&AgentRequest::timeout>, "when a call that hangs is given up",
            say(key_path<&AgentRequest::timeout>, "600 s"));
  }
}

void take_sequences(const RlRequest& rl, RlRun& out) {
  const AnswerLengths lengths = lengths_of(rl);
  const auto longest = [&](std::int64_t samples) {
    return *rl.prompt_length + longest_of(lengths, samples);
  };
  out.sequence_tokens = static_cast<double>(*rl.prompt_length) + mean_of(lengths);
  out.longest_of_step = longest(out.samples);
  out.longest_of_update = longest(divided_up(out.samples, out.mini_batches));
}

// The teacher is split as the learner is.
void take_teacher(const RlRequest& rl, const std::string& file, const ConfigLookup& lookup,
                  const Run& learner, RlRun& out) {
  const bool needed = kRlFacts[rl.algorithm].teacher;
  if (needed && !rl.teacher) {
    ask_for(file, key_path<&RlRequest::teacher>, "the model that scores", "--teacher NAME");
  }
  if (!rl.teacher) return;
  if (!needed) {
    refuse(file, key_path<&RlRequest::teacher>, bare_text(*rl.teacher),
           "training.rl.algorithm distill beside it");
  }
  const GivenDocument d = find_document(Reader(*rl.teacher, file, key_path<&RlRequest::teacher>),
                                        "model", lookup.model, lookup.model_names);
  const ModelDescription model = read_model(d.json, d.file, d.path, d.name);
  out.teacher = std::make_shared<const Architecture>(model.architecture);
  const auto size = [&](const Architecture& a) {
    return static_cast<double>(parameter_count(a, learner.training.sequence).total);
  };
  out.teacher_size = size(*out.teacher) / size(learner.model);
}

void write_rl(const RlRequests& q, std::int64_t gpus, Json& inputs) {
  const auto write = [](const auto& table, const auto& object, Json& out) {
    out = Json::object();
    write_keys(table, object, out);
  };
  write(kRlKeys, q.rl, at_key<&TrainingRequest::rl>(at_key<&RunRequest::training>(inputs)));
  write(kRolloutKeys, q.rollout, at_key<&RunRequest::rollout>(inputs));
  write(kPlacementKeys, q.placement, at_key<&RunRequest::placement>(inputs));
  at_key<&ClusterRequest::gpus>(at_key<&RunRequest::cluster>(inputs)) = gpus;
}

}  // namespace

std::optional<LearnerDocument> learner_document(const Json& run, const std::string& file) {
  const Json& rl =
      value_at(value_at(run, key_name<&RunRequest::training>), key_name<&TrainingRequest::rl>);
  if (rl.is_null()) return {};
  LearnerDocument out;
  out.asked = std::make_shared<RlRequests>();
  out.asked->rl = read_keys(kRlKeys, Reader(rl, file, kRlKeys.path));
  const auto read_object = [&](std::string_view key, const auto& table, auto& to) {
    const Json& given = value_at(run, key);
    if (!given.is_null()) to = read_keys(table, Reader(given, file, table.path));
  };
  read_object(key_name<&RunRequest::rollout>, kRolloutKeys, out.asked->rollout);
  read_object(key_name<&RunRequest::placement>, kPlacementKeys, out.asked->placement);
  ask_for_lengths(out.asked->rl, file);
  check_lengths(lengths_of(out.asked->rl), file);
  check_group(out.asked->rl, file);
  ask_for_tool(out.asked->rl, file);
  out.run = std::make_shared<Json>(run);
  Json& cluster = at_key<&RunRequest::cluster>(*out.run);
  const std::int64_t all = whole_at(cluster, key_name<&ClusterRequest::gpus>, 0);
  if (all == 0) return out;  // the reader of the cluster says what is missing
  const Shares shares = gpus_of(out.asked->placement, all, file);
  at_key<&ClusterRequest::gpus>(cluster) = shares.learner;
  derive_batch(out.asked->rl, replicas_of(run, shares.learner), parts_of_sequence(run), out);
  return out;
}

std::shared_ptr<const RlRun> resolve_rl(const Json& run, const std::string& file,
                                        const ConfigLookup& lookup, const LearnerDocument& document,
                                        const Run& learner, Json& inputs) {
  RlRequests& q = *document.asked;
  static const Json kVllm = kDefaultEngine;
  if (!q.rollout.engine) q.rollout.engine = std::make_shared<const Json>(kVllm);
  EngineProfile engine = engine_of(*q.rollout.engine, file, lookup);
  Defaults(learner, engine, q).fill();
  check_placement(q.placement, file);
  check_drafts(q.rollout, file);
  const Json& cluster = value_at(run, key_name<&RunRequest::cluster>);
  const std::int64_t all = whole_at(cluster, key_name<&ClusterRequest::gpus>, learner.cluster.gpus);
  const Shares shares = gpus_of(q.placement, all, file);
  static const Json kSame;
  const Json& node = q.rollout.node ? *q.rollout.node : kSame;
  RlRun out;
  out.engine_name = engine.name;
  out.generator = generator_of(q, learner, std::move(engine),
                               cluster_of(run, file, lookup, node, shares.rollout));
  check_engine(out.generator, shares.rollout, file);
  out.algorithm = q.rl.algorithm;
  out.critic = kRlFacts[q.rl.algorithm].critic;
  out.generates = kRlFacts[q.rl.algorithm].generates;
  out.reference = *q.rl.reference;
  out.old_log_probs = *q.rl.old_log_probs;
  out.chunked_log_probs = *q.rl.chunked_log_probs;
  out.entropy = *q.rl.entropy;
  out.samples = samples_of(q.rl);
  out.mini_batches = *q.rl.mini_batches;
  out.epochs = *q.rl.epochs;
  out.packs = q.rl.packed_tokens.has_value();
  take_sequences(q.rl, out);
  out.reward = *q.rl.reward->kind;
  out.reward_time = *q.rl.reward->time;
  out.work = work_of(q, shares.rollout / gpus_of(out.generator.layout));
  out.placement = placement_of(q.placement, shares.rollout);
  out.all_gpus = all;
  out.steps = q.rl.steps.value_or(0);
  take_teacher(q.rl, file, lookup, learner, out);
  write_rl(q, all, inputs);
  return std::make_shared<const RlRun>(std::move(out));
}

}  // namespace orrery
