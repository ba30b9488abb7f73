// SPDX-License-Identifier: Apache-2.0
#include "estimate/run_warnings.h"

#include <algorithm>

#include "core/error.h"
#include "core/json_path.h"
#include "core/key_access.h"
#include "cost/operator_time.h"
#include "document/words.h"
#include "estimate/estimate.h"
#include "estimate/exposed_exchange.h"
#include "estimate/price.h"
#include "estimate/resolve.h"
#include "estimate/rl_keys.h"
#include "estimate/rl_run.h"
#include "estimate/training_keys.h"
#include "parallel/partition.h"
#include "parallel/stages.h"

namespace orrery {
namespace {

bool sends(const Answer& a, CommDimension d, Collective kind) {
  return std::any_of(a.comm.begin(), a.comm.begin() + a.comm_count, [&](const auto& line) {
    return line.dimension == d && line.collective == kind;
  });
}

// The messages that dimension `d` has a codec for and never sends: "dp all-to-all", or "dp" alone
// if it has one for everything.
std::string idle_codecs(const Run& run, const Answer& a, CommDimension d) {
  const auto& codecs = run.compression.codecs[d];
  const std::string name(name_of(d));
  std::string idle;
  bool applies = false;
  for (const Collective kind : kAllOf<Collective>) {
    if (!is_on(codecs[kind])) continue;
    if (sends(a, d, kind)) {
      applies = true;
    } else {
      idle += (idle.empty() ? "" : ", ") + name + " " + std::string(name_of(kind));
    }
  }
  const bool of_all = std::all_of(codecs.begin(), codecs.end(), is_on);
  if (!of_all) return idle;
  return applies ? "" : name;
}

// Codecs that no message of a step passes, as "cp, dp all-to-all"; "" where all do. Leaves out what
// another dimension's codec stands in for (edp, etp) and the shared embedding, which not every
// stage sends.
std::string idle_codecs(const Run& run) {
  if (!compresses(run.compression)) return "";
  const Answer a = estimate(run);
  std::string idle;
  for (const CommDimension d : {CommDimension::tp, CommDimension::cp, CommDimension::ep,
                                CommDimension::pp, CommDimension::dp}) {
    const std::string here = idle_codecs(run, a, d);
    if (!here.empty()) idle += (idle.empty() ? "" : ", ") + here;
  }
  return idle;
}

using Lines = std::vector<std::string>;

std::string lossy_dimensions(const Compression& c) {
  std::string text;
  for (const CommDimension d : kAllOf<CommDimension>) {
    if (std::none_of(c.codecs[d].begin(), c.codecs[d].end(), is_lossy)) continue;
    text += (text.empty() ? "" : ", ") + std::string(name_of(d));
  }
  return text;
}

void warn_of_codecs(const Run& run, Lines& lines) {
  const std::string lossy = lossy_dimensions(run.compression);
  if (!lossy.empty()) {
    lines.push_back("compression of " + lossy +
                    " is lossy; what that does to the training is not predicted");
  }
  const std::string idle = idle_codecs(run);
  if (!idle.empty()) {
    lines.push_back("compression of " + idle + " applies to nothing: this run sends none");
  }
}

void warn_of_size(const ResolvedRun& r, Lines& lines) {
  // Heads beside the model are no part of what its file states.
  const ParameterCount n = parameter_count(r.model.architecture, r.run.training.sequence);
  const std::string size = parameter_warning(r.model, static_cast<double>(n.total));
  if (!size.empty()) lines.push_back(size);
}

void warn_of_attention(const Run& run, Lines& lines) {
  if (!run.training.fused_attention || run.training.attention_kernel) return;
  const AttentionKernel kernel = kernel_choice(run).attention;
  const auto first = run.framework.kernels.attention.begin();
  const auto last = first + run.framework.kernels.attention_count;
  if (std::find(first, last, kernel) != last) return;
  lines.push_back("none of the framework's attention kernels is known on this device; " +
                  std::string(name_of(kernel)) + " is assumed");
}

// FlashAttention and cuDNN's attention take 16 bits [from memory, both]; PyTorch's own has fp32.
void warn_of_wide_attention(const Run& run, Lines& lines) {
  const Precision p = run.training.precision;
  if (!run.training.fused_attention || (p != Precision::fp32 && p != Precision::tf32)) return;
  const AttentionKernel kernel = kernel_choice(run).attention;
  if (kernel == AttentionKernel::sdpa || kernel == AttentionKernel::triton) return;
  lines.push_back("attention by " + std::string(name_of(kernel)) +
                  " takes 16 bits and is priced in " + std::string(name_of(p)) +
                  "; without it all scores are kept (--flash-attention false)");
}

void warn_of_vendor(const Run& run, Lines& lines) {
  const Vendor vendor = run.cluster.device.vendor;
  const std::string on = "; this run is on a device of " + std::string(name_of(vendor));
  if (run.framework.vendor.value_or(vendor) != vendor) {
    lines.push_back("framework " + std::string(run.framework.name.view()) +
                    " has its constants from devices of " +
                    std::string(name_of(*run.framework.vendor)) + on);
  }
  const CollectiveLibrary library = run.cluster.library;
  const bool other = (library == CollectiveLibrary::nccl && vendor != Vendor::nvidia) ||
                     (library == CollectiveLibrary::rccl && vendor != Vendor::amd);
  if (other) lines.push_back("collective_library is " + std::string(name_of(library)) + on);
}

// huggingface/peft 0.10.0, release notes: QLoRA under ZeRO-3 and FSDP needs bitsandbytes 0.43; its
// docs (accelerate/deepspeed, accelerate/fsdp): bnb_4bit_quant_storage is the type of the model.
void warn_of_packed_shards(const Run& run, Lines& lines) {
  const auto& adapter = run.training.adapter;
  const Partition p = partition_of(run.strategy, ShardedStates::dense);
  if (!adapter || !is_packed(adapter->base) || p.weights == 1) return;
  lines.push_back(
      "packed weights are sharded here, which bitsandbytes 0.43 and PEFT 0.10 do where "
      "bnb_4bit_quant_storage is the type of the other weights; else every GPU holds them whole "
      "(--zero 2)");
}

std::string recompute_kinds(const Framework& f) {
  std::vector<std::string> has;
  for (const RecomputeChoice c : kAllOf<RecomputeChoice>) {
    if (has_recompute(f, c)) has.emplace_back(name_of(c));
  }
  return alternatives(has);
}

// A run may ask what a framework lacks; what Orrery chooses never does.
void warn_of_recompute(const Run& run, Lines& lines) {
  const Strategy& s = run.strategy;
  const RecomputeChoice asked = recompute_choice(s);
  const bool some = asked == RecomputeChoice::layers;
  const std::string framework = "framework " + std::string(run.framework.name.view());
  if (!has_recompute(run.framework, asked)) {
    lines.push_back(framework + " has recompute " + recompute_kinds(run.framework) +
                    ", and this run asks for " +
                    (some ? "full recompute of some layers" : std::string(name_of(asked))));
    return;
  }
  const std::int64_t chunk = most_layers_of_chunk(s, run.model);
  if (!some || has_recompute_of(run.framework, s.recompute_layers, chunk)) return;
  lines.push_back(framework + " recomputes one layer in n, and no n makes that " +
                  std::to_string(s.recompute_layers) + " of " + std::to_string(chunk) + " layers");
}

void warn_of_expert_load(const Run& run, Lines& lines) {
  const double most = most_expert_load(run.model, run.strategy.ep);
  if (run.training.expert_load <= most) return;
  lines.push_back("expert_load counts as " + plain_number(most) +
                  (is_moe(run.model) ? ", the most that one of " + std::to_string(run.strategy.ep) +
                                           " ranks of experts can get over the mean"
                                     : ": this model has no experts"));
}

void warn_of_expert_overlap(const Run& run, Lines& lines) {
  const bool exchanges = is_moe(run.model) && run.strategy.ep > 1;
  if (!exchanges || !run.framework.overlap.ep_paired || hides_experts(run)) return;
  lines.push_back(
      "parallel.overlap.ep has no effect here: the exchange hides in a pipeline with vpp above 1, "
      "or "
      "without a pipeline with two micro batches or more, and not with full recompute");
}

constexpr const char* kFrozen = key_path<&TrainingRequest::frozen_parameters>;

// Where they run in every step, they fill the device beside it.
void warn_of_encoders(const ResolvedRun& r, Lines& lines) {
  if (!leaves_out_encoders(r)) return;
  lines.push_back(
      "text encoders and autoencoder: taken to have run beforehand, none on the GPU; where they "
      "run "
      "in every step, --set " +
      std::string(kFrozen) + "=N counts their N parameters in 16 bits");
}

void warn_of_unread_keys(const ModelDescription& model, Lines& lines) {
  for (const std::string& note : model.notes) lines.push_back("model: " + note);
  if (!model.ignored_keys.empty()) {
    lines.push_back("model: nothing is known of " + alternatives(model.ignored_keys) +
                    "; ignored, as Hugging Face files carry much that is not architecture");
  }
  if (!model.quantization.empty()) {
    lines.push_back("model: quantization_config (" + model.quantization +
                    ") is about the weights as published, not about this run; ignored");
  }
}

}  // namespace

std::vector<std::string> run_warnings(const ResolvedRun& r) {
  Lines lines;
  warn_of_codecs(r.run, lines);
  lines.insert(lines.end(), r.cluster.notes.begin(), r.cluster.notes.end());
  lines.insert(lines.end(), r.framework.notes.begin(), r.framework.notes.end());
  warn_of_size(r, lines);
  warn_of_encoders(r, lines);
  warn_of_attention(r.run, lines);
  warn_of_wide_attention(r.run, lines);
  warn_of_vendor(r.run, lines);
  warn_of_recompute(r.run, lines);
  warn_of_packed_shards(r.run, lines);
  warn_of_expert_load(r.run, lines);
  warn_of_expert_overlap(r.run, lines);
  warn_of_unread_keys(r.model, lines);
  return lines;
}

std::vector<std::string> placement_warnings(const RlRun& rl) {
  Lines lines;
  if (!rl.generates) return lines;
  const RlPlacement& p = rl.placement;
  constexpr RlPlacement kPlain;
  const bool colocated = p.kind == PlacementKind::colocated;
  if (colocated && p.transfer != kPlain.transfer) {
    lines.push_back(std::string(key_path<&PlacementRequest::transfer>) +
                    " has no effect here: colocated, each GPU gathers its share from the learner's "
                    "shards around it");
  }
  if (!colocated && p.sleep_level != kPlain.sleep_level) {
    lines.push_back(std::string(key_path<&PlacementRequest::sleep_level>) +
                    " has no effect here: engines on GPUs of their own do not sleep");
  }
  return lines;
}

bool leaves_out_encoders(const ResolvedRun& run) {
  const Trunk& t = run.run.model.trunk;
  if (t.kinds == 0 || t.loss != TrunkLoss::mse || t.text == 0 || t.frozen_parameters > 0)
    return false;
  return value_at(*run.inputs, kFrozen).is_null();
}

}  // namespace orrery
