// SPDX-License-Identifier: Apache-2.0
#include "core/divide.h"
#include "core/json_path.h"
#include "estimate/resolve.h"
#include "exchange/accelerate/accelerate.h"
#include "exchange/deepspeed/names.h"
#include "exchange/yaml.h"

namespace orrery::accelerate {
namespace {

using deepspeed::kDevices;

class AccelerateExport {
 public:
  explicit AccelerateExport(const ResolvedRun& r) : r_(r), s_(r.run.strategy) {}

  Json document() {
    launch();
    precision();
    sharding();
    degrees();
    if (value_at(*r_.inputs, "parallel.framework_options.compile") == "true") {
      out_["dynamo_config"]["dynamo_backend"] = "INDUCTOR";
    }
    return std::move(out_);
  }

 private:
  bool by_deepspeed() const { return value_at(*r_.inputs, "framework") == "deepspeed"; }
  bool keeps_gathered() const {
    return value_at(*r_.inputs, "parallel.framework_options.reshard_after_forward") == "false";
  }
  bool by_fsdp() const { return !by_deepspeed() && s_.zero > 1; }

  void launch() {
    const std::int64_t gpus = r_.run.cluster.gpus;
    out_["compute_environment"] = "LOCAL_MACHINE";
    out_["distributed_type"] = by_deepspeed() ? "DEEPSPEED"
                               : by_fsdp()    ? "FSDP"
                               : gpus > 1     ? "MULTI_GPU"
                                              : "NO";
    out_["num_machines"] = system_count(r_.run.cluster);
    out_["num_processes"] = gpus;
    out_["machine_rank"] = 0;
  }

  void precision() {
    switch (r_.run.training.precision) {
      case Precision::fp32:
      case Precision::tf32:
        out_["mixed_precision"] = "no";
        break;
      case Precision::fp16:
        out_["mixed_precision"] = "fp16";
        break;
      case Precision::bf16:
      case Precision::int8:  // of products alone; Accelerate has none
        out_["mixed_precision"] = "bf16";
        break;
      case Precision::fp8:
      case Precision::mxfp8:
      case Precision::nvfp4:
        out_["mixed_precision"] = "fp8";
        break;
    }
  }

  void sharding() {
    if (by_deepspeed()) return deepspeed();
    if (!by_fsdp()) return;
    out_["fsdp_config"] = {
        {"fsdp_version", 2},
        {"fsdp_reshard_after_forward", s_.zero == 3 && !keeps_gathered()},
        {"fsdp_offload_params", kOffloadPlaces[s_.offload.parameters].host_memory},
        {"fsdp_activation_checkpointing", s_.recompute == Recompute::full},
        {"fsdp_auto_wrap_policy", "TRANSFORMER_BASED_WRAP"}};
  }

  void deepspeed() {
    out_["deepspeed_config"] = {{"zero_stage", s_.zero},
                                {"offload_optimizer_device", kDevices[s_.offload.optimizer]},
                                {"offload_param_device", kDevices[s_.offload.parameters]},
                                {"gradient_accumulation_steps", s_.micro_batches}};
  }

  // Ulysses is DeepSpeed's, "sp" here.
  void degrees() {
    const bool ulysses = s_.cp > 1 && s_.cp_type == ContextType::a2a;
    const std::int64_t shards = s_.zero > 1 ? s_.partition.optimizer / s_.cp : 1;
    const bool hybrid = by_fsdp() && shards >= 1 && shards < s_.dp;
    if (s_.tp * s_.cp == 1 && !hybrid) return;
    const std::int64_t shard = hybrid ? shards : by_fsdp() ? s_.dp : 1;
    const auto add = [&](const char* name, std::int64_t n) {
      out_["parallelism_config"][std::string("parallelism_config_") + name + "_size"] = n;
    };
    // DeepSpeed shards by its stage over all replicas.
    if (!by_deepspeed()) add("dp_replicate", s_.dp / shard);
    if (!by_deepspeed()) add("dp_shard", shard);
    add("tp", s_.tp);
    add("cp", ulysses ? 1 : s_.cp);
    add("sp", ulysses ? s_.cp : 1);
    if (s_.cp > 1 && !ulysses) {
      const bool gathers = s_.cp_type == ContextType::all_gather;
      out_["parallelism_config"]["parallelism_config_cp_comm_strategy"] =
          gathers ? "allgather" : "alltoall";
    }
  }

  const ResolvedRun& r_;
  const Strategy& s_;
  Json out_ = Json::object();
};

}  // namespace

std::string export_run(const ResolvedRun& resolved) {
  return write_yaml(AccelerateExport(resolved).document());
}

}  // namespace orrery::accelerate
