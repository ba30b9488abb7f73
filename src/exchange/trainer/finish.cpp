// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

#include "core/error.h"
#include "core/json_path.h"
#include "exchange/text_lines.h"
#include "exchange/tools/values.h"
#include "exchange/trainer/facts.h"
#include "exchange/trainer/named_model.h"

namespace orrery::trainer {

// A run from facts; keys whose facts are open stay missing.
class Finish {
 public:
  Finish(Facts& facts, DeepSpeedFile deepspeed)
      : f_(facts),
        deepspeed_(deepspeed == DeepSpeedFile::beside),
        itself_(deepspeed == DeepSpeedFile::itself),
        d_{f_.job_.given} {
    d_.out.assumed = f_.out_.assumed;
  }

  ImportedRun run() {
    liger();
    compare_with_name();
    for (std::size_t i = 0; i < kCountOf<FactId>; ++i) {
      const auto fact = static_cast<FactId>(i);
      if (f_.given_[i] || !f_.weak_[i] || is_said_instead(fact)) continue;
      if (f_.is_unknown(fact)) {
        ask(std::string(name_of(fact)));
        continue;
      }
      f_.given_[i] = f_.weak_[i];
      if (f_.weak_[i]->is_default) default_value(fact);
    }
    for (const LeftOver& l : f_.left_) {
      if (is_named(l.key) && !is_beside_name(l)) continue;
      l.is_refused ? d_.open(l.key, l.setting, l.why) : d_.ignored(l.setting, l.why);
    }
    for (const auto& [fact, l] : f_.missing_) {
      if (!has(fact)) d_.open(l.key, l.setting, l.why);
    }
    for (const Fact& a : f_.assumed_) d_.out.assumed.push_back(a);
    d_.out.without_effect = f_.without_effect_;
    d_.out.of_width = f_.of_width_;
    keys();
    copy(FactId::model);
    if (!of_rl()) copy(FactId::sequence_length);
    sharding();
    degrees();
    batches();
    tokens();
    precision();
    states();
    rest();
    return std::move(d_.out);
  }

 private:
  static constexpr const char* kCheckpointSays = "the checkpoint says the type of the weights";

  static constexpr const char* kStates = "training.states";

  bool has(FactId fact) const { return f_.has(fact); }

  // The key of a fact in the run that is being made.
  const Json& at(FactId fact) const { return d_.at(name_of(fact)); }
  bool is_open(FactId fact) const { return d_.is_open(name_of(fact)); }
  std::int64_t count_at(FactId fact, std::int64_t otherwise) const {
    return d_.count_at(name_of(fact), otherwise);
  }
  void set(FactId fact, Json value) { d_.set(name_of(fact), std::move(value)); }
  void open(FactId fact, const std::string& setting, const std::string& why) {
    d_.open(name_of(fact), setting, why);
  }
  void note(FactId fact, const std::string& value, const std::string& why) {
    d_.note(std::string(name_of(fact)), value, why);
  }
  void assume(FactId fact, Json value, const std::string& why) {
    d_.assume(std::string(name_of(fact)), std::move(value), why);
  }

  static std::string recompute_of(const Json& stated) {
    return stated.is_string() ? stated.get<std::string>() : stated == true ? "full" : "none";
  }

  // A tool's default, where the command line says nothing else.
  void default_value(FactId fact) {
    const FactValue& s = *f_.at(fact);
    const std::string value =
        fact == FactId::recompute ? recompute_of(s.value) : bare_text(s.value);
    if (!is_step(fact) && value_at(d_.given, name_of(fact)).is_null())
      f_.assumed_.push_back(
          {std::string(name_of(fact)), value, s.setting, Known::tool_default, f_.tool_});
  }

  // The command line says what a setting leaves open.
  bool is_said_instead(FactId fact) const {
    const std::string_view key = name_of(fact);
    return !is_step(fact) && !f_.of_command_line(fact).is_null() &&
           std::any_of(f_.left_.begin(), f_.left_.end(),
                       [&](const LeftOver& l) { return l.is_refused && l.key == key; });
  }

  // Another default holds, which is not read.
  void ask(const std::string& key) {
    if (!f_.is_open(key)) f_.leave_key_open(key, key, f_.other_defaults(key));
  }

  // The files name a model, and say dimensions beside the name.
  void compare_with_name() {
    const auto& named = f_.seen(FactId::model);
    const ConfigLookup* lookup = f_.job_.lookup;
    if (!named || lookup == nullptr || !f_.of_command_line(FactId::model).is_null()) return;
    for (LeftOver& l : other_dimensions(bare_text(named->value), f_.keys_, *lookup))
      f_.left_.push_back(std::move(l));
  }

  // A model by its name stands for all of its dimensions.
  bool is_named(const std::string& path) const {
    return begins_with(path, "model.") && f_.names_model();
  }

  // A dimension that a setting beside the files' name leaves open may be another than the name's.
  bool is_beside_name(const LeftOver& l) const {
    return l.is_refused && f_.of_command_line(FactId::model).is_null() && !f_.is_open("model");
  }

  // Keys that a tool's rules set as they are.
  void keys() {
    for (const KeyValue& k : f_.keys_) {
      if (is_named(k.path)) continue;
      const std::string& why = f_.other_defaults(k.path);
      if (k.value.is_default && !why.empty() && value_at(d_.given, k.path).is_null()) {
        if (!d_.is_open(k.path)) d_.open(k.path, k.path, why);
        continue;
      }
      d_.set(k.path, k.value.value);
      if (k.value.is_default && value_at(d_.given, k.path).is_null())
        d_.note(k.path, bare_text(k.value.value), k.value.setting);
    }
  }

  // The layers' kernels of Liger, all three or none, and how it computes the loss.
  void liger() {
    for (const FactId fact : {FactId::liger_norms, FactId::liger_rotary, FactId::liger_activation,
                              FactId::liger_loss, FactId::liger_linear_loss}) {
      if (!has(fact)) continue;
      const auto on = [&](FactId id) { return f_.is_on(id); };
      return set_liger(
          {on(FactId::liger_norms), on(FactId::liger_rotary), on(FactId::liger_activation),
           on(FactId::liger_loss), on(FactId::liger_linear_loss)},
          f_.at(fact)->setting, f_);
    }
  }

  void copy(FactId fact) {
    if (has(fact)) d_.set(name_of(fact), f_.at(fact)->value);
  }

  std::int64_t gpus() const {
    const Json& stated = f_.of_command_line(FactId::gpus);
    return stated.is_number_integer() ? stated.get<std::int64_t>() : f_.count(FactId::gpus, 0);
  }

  std::int64_t degree(FactId fact) const { return f_.degree(fact); }

  // A step of reinforcement learning, whose batch and length follow from its prompts and answers.
  bool of_rl() const { return sets("training.rl.algorithm"); }

  bool sets(std::string_view path) const {
    return std::any_of(f_.keys_.begin(), f_.keys_.end(),
                       [&](const KeyValue& k) { return k.path == path; });
  }

  // A DeepSpeed file says its own sharding; what launches the training may contradict it.
  void sharding() {
    const bool named = has(FactId::deepspeed);
    if (deepspeed_) copy(FactId::zero);
    if (deepspeed_) return d_.assume("framework", "deepspeed", "a DeepSpeed file is given");
    if (named) {
      open(FactId::zero, f_.at(FactId::deepspeed)->setting, "is not given; give it too");
      return d_.assume("framework", "deepspeed", f_.at(FactId::deepspeed)->setting);
    }
    copy(FactId::zero);
    if (gpus() == 1 && f_.count(FactId::zero, 0) > 0 && !itself_ && !of_deepspeed_framework())
      shard_nothing();
    if (f_.trains) whole_model();
    const std::string framework =
        has(FactId::framework) ? f_.at(FactId::framework)->value.get<std::string>() : "hf-trainer";
    d_.assume("framework", framework, "--framework takes another profile");
  }

  bool of_megatron() const {
    return has(FactId::framework) &&
           begins_with(bare_text(f_.at(FactId::framework)->value), "megatron");
  }

  // A setting that no rule reads may shard it, and DeepSpeed's own file says its stage.
  void whole_model() {
    if (!at(FactId::zero).is_null() || is_open(FactId::zero) || f_.has_engine()) return;
    constexpr std::array<std::string_view, 4> kShards = {"deepspeed", "zero_", "fsdp", "shard"};
    const auto shards = [&](const LeftOver& l) {
      return std::any_of(kShards.begin(), kShards.end(), [&](std::string_view part) {
        return contains(l.setting.substr(0, l.setting.find(' ')), part);
      });
    };
    const auto unread = std::find_if(f_.left_.begin(), f_.left_.end(), [&](const LeftOver& l) {
      return (l.is_refused || l.why == kNoKeyOfRun) && shards(l);
    });
    if (unread != f_.left_.end())
      return open(FactId::zero, unread->setting, "may shard the model, and is not read");
    assume(FactId::zero, 0, "neither FSDP nor DeepSpeed: every GPU has the whole model");
  }

  // DeepSpeed's optimizer is that of its stage on one GPU too.
  bool of_deepspeed_framework() const {
    return has(FactId::framework) && f_.at(FactId::framework)->value == "deepspeed";
  }

  void shard_nothing() {
    if (of_megatron()) return;
    set(FactId::zero, 0);
    std::erase_if(d_.out.assumed, [](const Fact& a) { return a.path == name_of(FactId::zero); });
  }

  void degrees() {
    for (const FactId fact :
         {FactId::tp, FactId::pp, FactId::cp, FactId::ep, FactId::sequence_parallel})
      copy(fact);
    std::int64_t world = f_.count(FactId::gpus, 0);
    const std::int64_t replicate = f_.count(FactId::replicate, 1);
    if (has(FactId::shard) && world == 0 && gpus() == 0) {
      world = replicate * f_.count(FactId::shard, 1) * degree(FactId::tp) * degree(FactId::pp) *
              degree(FactId::cp) * degree(FactId::ep);
      note(FactId::gpus, std::to_string(world), "the product of the degrees");
    }
    if (world > 0) set(FactId::gpus, world);
    world_ = gpus() > 0 ? gpus() : world;
    const std::int64_t others = degree(FactId::tp) * degree(FactId::pp) * degree(FactId::cp);
    context();
    const bool open_parts = any_open({FactId::tp, FactId::pp, FactId::cp});
    if (of_megatron()) instances(open_parts ? 0 : world_ / others * degree(FactId::cp), replicate);
    if (open_parts) return;
    product(replicate * f_.count(FactId::shard, 1) * others);
    replicas_ = world_ > 0 ? world_ / others : f_.count(FactId::replicas, 0);
    const std::int64_t stated = f_.count(FactId::replicas, replicas_);
    if (stated != replicas_)
      d_.refuse(tools::bare_setting(f_.at(FactId::replicas)->setting),
                "world size over tp x pp x cp is " + std::to_string(replicas_));
    if (!of_megatron() && (sharded() || by_deepspeed())) shard_groups(replicate);
  }

  // Several optimizers of Megatron-Core, each of which shards over a part of the ranks.
  void instances(std::int64_t ranks, std::int64_t optimizers) {
    if (optimizers == 1) return;
    const std::string setting = tools::bare_setting(f_.at(FactId::replicate)->setting);
    if (ranks == 0) return open(FactId::shard, setting, "of how many GPUs; give --gpus");
    if (ranks % optimizers != 0)
      return d_.refuse(setting, "no divisor of the " + std::to_string(ranks) + " ranks");
    set(FactId::shard, ranks / optimizers);
  }

  bool any_open(std::initializer_list<FactId> facts) const {
    return std::any_of(facts.begin(), facts.end(), [&](FactId fact) {
      return d_.is_open(name_of(fact)) && value_at(d_.given, name_of(fact)).is_null();
    });
  }

  // Ranks that share the states of one replica; one rank alone shares nothing.
  void shard_groups(std::int64_t replicate) {
    const bool stated = has(FactId::shard);
    if (!stated && replicas_ == 0 && replicate > 1)
      return open(FactId::shard, f_.at(FactId::replicate)->setting,
                  "of how many GPUs; give --gpus");
    if (!stated && replicas_ % replicate != 0) return;
    const std::int64_t shards = stated ? f_.count(FactId::shard, 1) : replicas_ / replicate;
    const std::int64_t ranks = shards * degree(FactId::cp);
    if (ranks == 1 && !by_deepspeed()) shard_nothing();
    if (replicate > 1 && ranks > 0) set(FactId::shard, ranks);
  }

  void context() {
    if (degree(FactId::cp) == 1) return;
    if (has(FactId::cp_type) || of_megatron()) return copy(FactId::cp_type);
    set(FactId::cp_type, by_deepspeed() ? "a2a" : "p2p");
  }

  // Groups of shards and replicas of whose number all is set are the whole world, else a part of
  // it.
  void product(std::int64_t stated) {
    const bool whole = has(FactId::shard);
    const bool same =
        whole ? world_ == stated || world_ == stated * degree(FactId::ep) : world_ % stated == 0;
    // Megatron-Core's own rules say it better (parallel/rules_table.h).
    if (world_ == 0 || same || of_rl() || of_megatron()) return;
    const std::string setting = whole ? f_.at(FactId::shard)->setting : "tp x pp x cp";
    const std::size_t file = setting.find(": ");
    d_.refuse(setting.substr(file == std::string::npos ? 0 : file + 2),
              "the degrees are " + std::to_string(stated) + " GPUs, and there are " +
                  std::to_string(world_));
  }

  void batches() {
    batch_of_step();
    runs_of_schedule();
  }

  // Gradients that add up around a pipeline: a step runs its schedule once for each schedule_batch
  // of a replica.
  void runs_of_schedule() {
    const std::int64_t once = f_.count(FactId::schedule_batch, 0);
    const std::int64_t batch = count_at(FactId::global_batch, 0);
    if (degree(FactId::pp) == 1 || once == 0 || batch == 0 || replicas_ == 0) return;
    const std::int64_t at_once = once * replicas_;
    if (batch % at_once != 0)
      return open(FactId::schedule_batch, f_.at(FactId::schedule_batch)->setting,
                  "the batch of a step, " + std::to_string(batch) + ", is no multiple of " +
                      std::to_string(at_once) + ", that of all replicas");
    if (batch > at_once) set(FactId::schedule_batch, batch / at_once);
  }

  void batch_of_step() {
    // Answers that share micro batches of so many tokens are one sequence each.
    if (!sets("training.rl.packed_tokens")) copy(FactId::micro_batch);
    if (of_rl()) return;
    if (itself_) return of_deepspeed();
    if (has(FactId::global_batch)) return whole_batch();
    const bool whole = has(FactId::replica_batch);
    if ((!has(FactId::micro_batch) && !whole) || is_open(FactId::global_batch)) return;
    const std::int64_t steps = f_.count(FactId::accumulation, 1);
    const std::int64_t of_replica =
        whole ? f_.count(FactId::replica_batch, 1) : f_.count(FactId::micro_batch, 1) * steps;
    if (replicas_ > 0) return set(FactId::global_batch, of_replica * replicas_);
    const std::string& setting =
        f_.at(whole ? FactId::replica_batch : FactId::micro_batch)->setting;
    open(FactId::global_batch, whole ? setting : setting + " x " + std::to_string(steps),
         "of how many replicas; give --gpus");
  }

  // Where a file says the passes too, they must come to the batch.
  void whole_batch() {
    copy(FactId::global_batch);
    const auto says = [&](FactId fact) { return has(fact) && !f_.at(fact)->is_default; };
    const bool all = says(FactId::global_batch) && says(FactId::micro_batch) &&
                     says(FactId::accumulation) &&
                     f_.of_command_line(FactId::global_batch).is_null();
    const std::int64_t product =
        f_.count(FactId::micro_batch, 0) * f_.count(FactId::accumulation, 0) * replicas_;
    if (!all || product == 0 || product == f_.count(FactId::global_batch, 0)) return;
    d_.refuse(stated_alone(FactId::global_batch),
              stated_alone(FactId::micro_batch) + ", " + stated_alone(FactId::accumulation) +
                  " and " + std::to_string(replicas_) + " replicas come to " +
                  std::to_string(product));
  }

  // Two of the batch of a step, the micro batch and the passes give the third over the replicas
  // (DeepSpeed's configuration: _configure_train_batch_size). "auto" of it is then no question.
  void of_deepspeed() {
    copy(FactId::global_batch);
    const std::int64_t batch = f_.count(FactId::global_batch, 0);
    const std::int64_t micro = f_.count(FactId::micro_batch, 0);
    const std::int64_t passes = f_.count(FactId::accumulation, 0);
    if (passes > 0 && f_.at(FactId::accumulation)->is_default && (batch > 0) != (micro > 0))
      note_passes(passes);
    if (batch > 0 && micro > 0) return check_product(batch, micro, passes);
    if (batch > 0) return divide(batch, passes);
    if (micro > 0 && passes > 0 && f_.of_command_line(FactId::global_batch).is_null())
      multiply(micro, passes);
  }

  void note_passes(std::int64_t passes) {
    const FactValue& stated = *f_.at(FactId::accumulation);
    d_.note("gradient_accumulation_steps", std::to_string(passes), stated.setting);
  }

  [[noreturn]] void contradict(std::int64_t passes, const std::string& allowed) const {
    std::string found;
    for (const FactId fact : {FactId::global_batch, FactId::micro_batch}) {
      if (has(fact)) found += stated_alone(fact) + ", ";
    }
    throw InputError(file_of(FactId::global_batch), stated_alone(FactId::global_batch),
                     found + "accumulation " + std::to_string(passes) + ", replicas " +
                         std::to_string(replicas_),
                     allowed);
  }

  // "ds.json: train_batch_size 8" is a setting of ds.json.
  std::string file_of(FactId fact) const {
    const std::string& setting = f_.at(fact)->setting;
    const std::size_t end = setting.find(": ");
    return end == std::string::npos ? "" : setting.substr(0, end);
  }
  std::string stated_alone(FactId fact) const { return tools::bare_setting(f_.at(fact)->setting); }

  void check_product(std::int64_t batch, std::int64_t micro, std::int64_t passes) const {
    const std::int64_t product = micro * passes * replicas_;
    if (product > 0 && product != batch && !f_.at(FactId::accumulation)->is_default)
      contradict(passes, "a batch that is the product of the others");
  }

  void settle(FactId fact) {
    std::erase_if(d_.out.ignored,
                  [&](const LeftOver& l) { return l.is_refused && l.key == name_of(fact); });
  }

  void divide(std::int64_t batch, std::int64_t passes) {
    const std::int64_t parts = passes * replicas_;
    if (parts == 0) return;
    if (batch % parts != 0) contradict(passes, "a multiple of the other two");
    settle(FactId::micro_batch);
    set(FactId::micro_batch, batch / parts);
  }

  void multiply(std::int64_t micro, std::int64_t passes) {
    settle(FactId::global_batch);
    if (replicas_ > 0) return set(FactId::global_batch, micro * passes * replicas_);
    open(FactId::global_batch,
         f_.at(FactId::micro_batch)->setting + " x gradient_accumulation_steps " +
             std::to_string(passes),
         "of how many replicas; give --gpus, or --global-batch");
  }

  // Steps of the whole training.
  void tokens() {
    constexpr double kMost = 9e15;
    const double tokens = static_cast<double>(f_.count(FactId::steps, 0)) *
                          static_cast<double>(count_at(FactId::global_batch, 0)) *
                          static_cast<double>(count_at(FactId::sequence_length, 0));
    if (tokens > 0 && tokens < kMost) set(FactId::steps, static_cast<std::int64_t>(tokens));
  }

  void precision() {
    copy(FactId::precision);
    if (deepspeed_ || has(FactId::precision) || is_open(FactId::precision)) return;
    if (has(FactId::deepspeed))
      return open(FactId::precision, f_.at(FactId::deepspeed)->setting,
                  "is not given, and nothing else says the precision");
    if (has(FactId::unknown_weights))
      return open(FactId::precision, f_.at(FactId::unknown_weights)->setting, kCheckpointSays);
    if (f_.trains) assume(FactId::precision, "fp32", "no mixed precision is asked for");
  }

  // A base that is stored in nf4 has adapters beside it.
  void adapter() {
    if (f_.is_on(FactId::packed_base)) {
      if (!has(FactId::adapter))
        return d_.refuse(f_.at(FactId::packed_base)->setting,
                         "weights that are quantised already, and no adapter");
      Json packed = f_.at(FactId::adapter)->value;
      packed["base_precision"] = "nf4";
      if (packed["kind"] == "lora") packed["kind"] = "qlora";
      f_.replace(FactId::adapter, std::move(packed));
    }
    experts_are_no_layers();
    wide_base();
    copy(FactId::adapter);
    tower();
  }

  // A base that computes in fp32 is stored so, where nothing says another width.
  void wide_base() {
    if (!has(FactId::adapter) || !has(FactId::precision) || f_.seen(FactId::base_weights)) return;
    const Json& precision = f_.at(FactId::precision)->value;
    Json stated = f_.at(FactId::adapter)->value;
    if ((precision != "fp32" && precision != "tf32") || stated.contains("base_precision")) return;
    stated["base_precision"] = "fp32";
    f_.replace(FactId::adapter, std::move(stated));
  }

  // transformers keeps the experts of these families in one tensor, beside which no adapter of
  // "every linear layer" stands [from memory].
  void experts_are_no_layers() {
    if (!has(FactId::adapter) || !has(FactId::model)) return;
    const std::string model = f_.at(FactId::model)->value.get<std::string>();
    Json stated = f_.at(FactId::adapter)->value;
    if (stated.contains("targets")) return;
    if (begins_with(model, "llama-4"))
      return d_.refuse(f_.at(FactId::adapter)->setting,
                       "on every linear layer, which the routed experts of " + model + " are not");
    if (!begins_with(model, "gpt-oss")) return;
    if (stated["kind"] == "qlora")
      return d_.refuse(f_.at(FactId::adapter)->setting,
                       "4 bits of linear layers, which the experts of " + model + " are not");
    stated["targets"] = {"query", "key", "value", "output"};
    d_.note("training.adapter.targets", "query, key, value, output",
            "the experts of " + model + " are no linear layers [from memory]");
    f_.replace(FactId::adapter, std::move(stated));
  }

  // The encoder of images of the model on the command line, which runs with training.images.
  void tower() {
    const Json& model = value_at(d_.given, "model");
    if (f_.job_.lookup == nullptr || model.is_null() ||
        !has_image_tower({{"model", model}}, *f_.job_.lookup))
      return;
    const Json& images = value_at(d_.given, "training.images");
    if (images.is_null() || images == 0) {
      return d_.ignored("images of the data",
                        "none are counted; --set training.images=N, training.image_tokens=N");
    }
    if (f_.is_on(FactId::freezes_tower) && !has(FactId::adapter))
      d_.refuse("freeze_vision_tower", "the encoder of images is not trained; ours trains it");
  }

  // DeepSpeed keeps its own states.
  bool by_deepspeed() const {
    return deepspeed_ || has(FactId::deepspeed) || d_.at("framework") == "deepspeed";
  }

  bool sharded() const { return has(FactId::zero) && f_.count(FactId::zero, 0) > 0; }

  // Accelerate makes weights fp32 for FSDP; of adapters the base alone is in 16 bits.
  bool loaded_narrow() const {
    return f_.is_on(FactId::loads_narrow) && !sharded() && !by_deepspeed() &&
           !has(FactId::adapter) &&
           (at(FactId::precision) == "bf16" || at(FactId::precision) == "fp8");
  }

  // Optimizers whose states replace Adam's, in full precision.
  static std::string_view other_optimizer(const std::string& name) {
    if (contains(name, "8bit") || contains(name, "4bit")) return "";
    for (const char* other : {"muon", "lion", "adafactor", "galore", "shampoo", "soap"}) {
      if (contains(name, other)) return other;
    }
    return "";
  }

  // Two moments of each weight, and no more.
  static bool is_adam(const std::string& name) {
    for (const char* other : {"adamax", "mini", "apollo", "grok", "flash_", "adamod"}) {
      if (contains(name, other)) return false;
    }
    return contains(name, "adam");
  }

  bool computes_in_half() const {
    return at(FactId::precision) != "fp32" && at(FactId::precision) != "tf32";
  }

  // FSDP's mixed precision gathers and reduces in 16 bits.
  bool sends_half() const { return computes_in_half() && sharded(); }

  // torch.optim.SGD without momentum, as the Trainer makes it: no state beside the weights.
  void sgd() {
    set(FactId::optimizer, "sgd");
    if (by_deepspeed()) return;
    const double width = f_.is_on(FactId::narrow) || loaded_narrow() ? 2 : 4;
    const double sent = sends_half() ? 2 : width;
    const double momentum = f_.is_on(FactId::momentum) ? width : 0;
    d_.set(kStates, {{"weights", width},
                     {"gradients", f_.is_on(FactId::no_gradients) ? 0 : width},
                     {"optimizer", momentum},
                     {"reduced", sent},
                     {"gathered", sent}});
  }

  // PyTorch's Adam makes a list of temporaries, or is a fused kernel that makes none. The
  // Trainer takes the second by itself from PyTorch 2.8 on (transformers, training_args.py).
  void optimizer_kernel() {
    constexpr const char* kPath = "parallel.framework_options.optimizer_kernel";
    const Json& framework = d_.at("framework");
    if (framework != "hf-trainer" && framework != "deepspeed" && framework != "fsdp") return;
    const bool given = has(FactId::optimizer);
    if (!given && is_open(FactId::optimizer)) return;
    const std::string name =
        given ? f_.at(FactId::optimizer)->value.get<std::string>() : "adamw_torch";
    if (contains(name, "paged") && framework != "deepspeed")
      return d_.assume(kPath, "paged", f_.at(FactId::optimizer)->setting);
    if (!contains(name, "adamw_torch") || contains(name, "bit")) return;
    const char* kernel = contains(name, "fused") ? "fused" : "foreach";
    if (given) return d_.assume(kPath, kernel, f_.at(FactId::optimizer)->setting);
    d_.assume(
        kPath, kernel,
        "adamw_torch; fused from PyTorch 2.8 on, with --set " + std::string(kPath) + "=fused");
  }

  // A launch alone says no optimizer.
  bool only_launches() const {
    return !f_.trains && !deepspeed_ &&
           (d_.at("framework") == "hf-trainer" || d_.at("framework") == "fsdp");
  }

  // Bytes of weights, gradients and Adam's states.
  void states() {
    if (itself_) return;
    if (only_launches())
      return d_.open(kStates, kStates, "the program that is launched says its optimizer");
    optimizer_kernel();
    const std::string optimizer =
        has(FactId::optimizer) ? f_.at(FactId::optimizer)->value.get<std::string>() : "adamw_torch";
    if (contains(optimizer, "sgd")) return sgd();
    const std::string_view other = other_optimizer(optimizer);
    if (!other.empty()) set(FactId::optimizer, std::string(other));
    if (other == "galore") copy(FactId::optimizer_rank);
    // GaLore over states of 8 bits, over Adafactor, or layer by layer.
    const bool low_rank =
        contains(optimizer, "galore") && (other != "galore" || contains(optimizer, "layerwise"));
    if (low_rank || (!is_adam(optimizer) && other.empty())) {
      return open(FactId::optimizer, f_.at(FactId::optimizer)->setting,
                  "its states are not modelled");
    }
    if (!d_.at(kStates).is_null()) return;  // a tool's rules set them
    if (f_.is_on(FactId::states_of_profile) || d_.at("framework") == "megatron-core") return;
    const bool bits8 = contains(optimizer, "8bit") || contains(optimizer, "fp8");
    const bool bits4 = contains(optimizer, "4bit");
    if (at(FactId::precision).is_null() && !by_deepspeed()) return;
    const bool loaded = loaded_narrow();
    if (loaded)
      d_.note(kStates, "in 16 bits",
              "weights are loaded in bf16, and nothing makes them fp32 [from memory]");
    const bool narrow = f_.is_on(FactId::narrow) || loaded;
    const bool plain = !bits8 && !bits4 && !f_.is_on(FactId::no_gradients);
    const double moments = bits8 ? 2 : bits4 ? 1 : narrow ? 4 : 8;
    if (by_deepspeed()) {
      if (bits8) d_.set(kStates, "adam-8bit");
      return;
    }
    if (has(FactId::unknown_weights) && !sharded() && !has(FactId::adapter))
      return d_.open(kStates, f_.at(FactId::unknown_weights)->setting, kCheckpointSays);
    const double width = narrow ? 2 : 4;
    if (plain && narrow) return d_.set(kStates, "pure-16bit");
    if (plain) return wide_states();
    const double sent = sends_half() ? 2 : width;
    d_.set(kStates, {{"weights", width},
                     {"gradients", f_.is_on(FactId::no_gradients) ? 0 : width},
                     {"optimizer", moments},
                     {"reduced", sent},
                     {"gathered", sent}});
  }

  void wide_states() {
    const char* recipe = sends_half() ? "fsdp-amp" : "fp32-adam-16";
    if (has(FactId::narrow) || has(FactId::adapter)) return d_.set(kStates, recipe);
    d_.assume(kStates, recipe,
              sends_half() ? "FSDP's mixed precision keeps shards of fp32"
                           : "no setting loads the weights in 16 bits: transformers before 5 loads "
                             "fp32, from 5 on it takes the checkpoint's bits");
  }

  void rest() {
    d_.out.gpus.job_node = f_.count(FactId::node_gpus, 0);
    d_.out.checkpointed_every = f_.count(FactId::checkpointed_every, 0);
    if (d_.out.checkpointed_every > 0) {
      note(FactId::recompute, "full of one layer in " + std::to_string(d_.out.checkpointed_every),
           f_.at(FactId::checkpointed_every)->setting);
    } else if (has(FactId::recompute)) {
      set(FactId::recompute, recompute_of(f_.at(FactId::recompute)->value));
    } else if (f_.trains) {
      assume(FactId::recompute, "none", "no checkpointing of activations is asked for");
    }
    for (const FactId fact : {FactId::offload_parameters, FactId::offload_optimizer,
                              FactId::offload_activations, FactId::flash, FactId::schedule})
      copy(fact);
    adapter();
    if (f_.trains) assume(FactId::flash, true, "PyTorch's scaled dot product attention");
    copy(FactId::kernels);
    copy(FactId::loss);
    if (f_.is_on(FactId::keeps_gathered)) d_.set(name_of(FactId::keeps_gathered), "false");
    if (d_.at("framework") != "deepspeed") return copy(FactId::compile);
    if (f_.is_on(FactId::compile))
      d_.ignored(f_.at(FactId::compile)->setting, "the profile deepspeed compiles nothing");
  }

  Facts& f_;
  bool deepspeed_;  // its file is beside a trainer's
  bool itself_;     // the facts are of its file
  RunDraft d_;
  std::int64_t world_ = 0;
  std::int64_t replicas_ = 0;
};

ImportedRun Facts::finish(DeepSpeedFile deepspeed) { return Finish(*this, deepspeed).run(); }

}  // namespace orrery::trainer
