// SPDX-License-Identifier: Apache-2.0
// Arguments of Megatron-LM and of its forks.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/error.h"
#include "exchange/yaml.h"
#include "read_text.h"
#include "support/runs.h"

namespace orrery {

using namespace formats;  // NOLINT

namespace {

std::string script(const std::string& program, const std::string& more) {
  return "torchrun --nproc_per_node 8 " + program +
         " --num-layers 4 --hidden-size 64 --num-attention-heads 4 --seq-length 32"
         " --max-position-embeddings 32 --micro-batch-size 1 --global-batch-size 8 --bf16"
         " --vocab-size 100 --tensor-model-parallel-size 1 " +
         more + "\n";
}

}  // namespace

TEST_CASE("The arguments of a functional test of Megatron-LM are those of a command") {
  const ImportedRun r = read({{"model_config.yaml",
                               "ENV_VARS:\n  CUDA_DEVICE_MAX_CONNECTIONS: 1\nMODEL_ARGS:\n"
                               "  --num-layers: 12\n  --hidden-size: 512\n"
                               "  --num-attention-heads: 8\n  --micro-batch-size: 4\n"
                               "  --global-batch-size: 32\n  --seq-length: 1024\n"
                               "  --max-position-embeddings: 1024\n  --swiglu: true\n"
                               "  --sequence-parallel: false\n  --data-path: ${DATA_PATH}/text\n"
                               "  --recompute-granularity: selective\n"
                               "  --recompute-modules: \"[mlp moe_act]\"\n"
                               "  --tensor-model-parallel-size: 2\n  --bf16: true\n"
                               "  --moe-layer-freq: ([0]*3+[1]*9)\nTEST_TYPE: regular\n"}});
  CHECK(at(r, "model.num_hidden_layers") == 12);
  CHECK(at(r, "model.hidden_act") == "swiglu");
  CHECK(at(r, "parallel.tp") == 2);
  CHECK(at(r, "parallel.sequence_parallel") == false);
  CHECK(at(r, "parallel.recompute_modules") == Json({"mlp", "moe_act"}));
  CHECK(at(r, "training.precision") == "bf16");
  CHECK(is_open(read({{"t5.yaml", "MODEL_ARGS:\n  --encoder-num-layers: 12\n  --bf16: true\n"}}),
                "model"));
}

TEST_CASE("A command line of another program has none of Megatron-LM's defaults") {
  CHECK(import_error("a.sh", "torchrun --nproc_per_node=8 train.py config.py --batch_size=12\n")
            .find("of no tool that is read") != std::string::npos);
  CHECK(read({{"a.sh", "python -m verl.trainer.main_ppo actor.megatron.x=1 --config-path=c\n"}})
            .tool == "verl");
  CHECK(read({{"a.sh", "megatron sft --load x --micro_batch_size 1\n"}}).tool == "megatron-swift");
  CHECK(import_error("a.sh",
                     "#!/bin/bash\nsource ./c.sh\ndocker run --rm --gpus all x ./run.sh\n") != "");
  // A launcher that another file gives its arguments.
  const ImportedRun r =
      read({{"run.sh", "bash launch.sh --num-layers 10 --hidden-size 64 --micro-batch-size 3\n"},
            {"launch.sh", "torchrun --nproc_per_node 8 train.py --no-color \"$@\"\n"}});
  CHECK(at(r, "training.micro_batch") == 3);
}

TEST_CASE("Virtual stages are of the layers and of the ends that count as layers") {
  const std::string ends =
      "--bf16 --pipeline-model-parallel-size 2 --num-layers-per-virtual-pipeline-stage 3 ";
  const ImportedRun r = read(started_megatron(ends + "--account-for-embedding-in-pipeline-split "
                                                     "--account-for-loss-in-pipeline-split"));
  CHECK(at(r, "parallel.vpp") == 2);
  CHECK(at(r, "parallel.layer_split") == "ends_as_layers");
}

TEST_CASE(
    "A layout of Megatron-LM's stages that the framework lacks says how many stages a rank has") {
  const ImportedRun r =
      read(started_megatron("--bf16 --pipeline-model-parallel-size 2 "
                            "--pipeline-model-parallel-layout 'Ettt|ttt|tttt|L'"));
  CHECK(at(r, "parallel.vpp") == 2);
  const ImportedRun apart =
      read(started_megatron("--bf16 --mtp-num-layers 1 --pipeline-model-parallel-size 2 "
                            "--pipeline-model-parallel-layout 'Ettttt|ttttt|m|L'"));
  CHECK(is_open(apart, "parallel.stage_layers"));
  CHECK(at(apart, "parallel.vpp") == 2);
  CHECK(at(apart, "parallel.schedule") == "interleaved");
}

TEST_CASE("Dropout of a value that only the shell knows is open") {
  CHECK(is_open(read(started_megatron("--bf16 --hidden-dropout $HD")), "model.dropout"));
  CHECK(at(read(started_megatron("--bf16")), "model.dropout") == true);
}

TEST_CASE("A model of images of Megatron-LM's multimodal example is not its language model") {
  CHECK(is_open(read(started_megatron("--bf16 --language-model-type mistral_7b")), "model"));
  CHECK(is_open(read(started_megatron("--bf16 --freeze-ViT")), "model"));
}

TEST_CASE("Shares of attention and MLPs are spread as Megatron-LM spreads them") {
  // 8B of 56 layers: 4 of attention, 28 MLPs, 24 of Mamba 2 (Waleffe et al. 2024, table 6).
  const ImportedRun r =
      read({{"a.sh",
             "torchrun --nproc_per_node 8 pretrain_mamba.py --num-layers 56 --hidden-size 4096 "
             "--num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 "
             "--micro-batch-size 1 --global-batch-size 8 --vocab-size 256000 --bf16 "
             "--hybrid-attention-ratio 0.08 --hybrid-mlp-ratio 0.5\n"}});
  const Json& layers = at(r, "model.layer_pattern");
  REQUIRE(layers.size() == 56);
  CHECK(std::count(layers.begin(), layers.end(), Json("attention")) == 4);
  CHECK(std::count(layers.begin(), layers.end(), Json("dense")) == 28);
  CHECK(layers.front() == "recurrent");
  CHECK(assumes(r, "model.layer_pattern"));
}

TEST_CASE("MindSpeed's flags that save memory stop the import") {
  CHECK(refuses_at(read(started_megatron("--bf16 --reuse-fp32-param")), "--reuse-fp32-param"));
  CHECK(refuses_at(read(started_megatron("--bf16 --swap-attention")), "--swap-attention"));
}

TEST_CASE("old names of Megatron-LM are read, and its switches in doubt are open") {
  const std::string base =
      "--num-layers 8 --hidden-size 64 --num-attention-heads 8 --vocab-size 100 --seq-length 128 "
      "--fp16 ";
  const ImportedRun old = read(base +
                               "--model-parallel-size 4 --batch-size 2 --zero-stage 2 "
                               "--checkpoint-activations --checkpoint-num-layers 2 --deepspeed");
  CHECK(at(old, "parallel.tp") == 4);
  CHECK(at(old, "training.micro_batch") == 2);
  CHECK(at(old, "parallel.zero") == 2);
  CHECK(at(old, "parallel.recompute") == "full");
  CHECK(at(old, "parallel.recompute_layers") == 2);
  CHECK(at(old, "framework") == "megatron-deepspeed");
  CHECK(at(read(base + "--quick-geglu"), "model.hidden_act") == "geglu");
  CHECK(refuses_at(
      read(base +
           "--tensor-model-parallel-size 2 --checkpoint-activations --partition-activations"),
      "--partition-activations"));
  const ImportedRun doubt =
      read("A=()\nif [ -f x ]; then A+=(--recompute-granularity full); fi\ntrain " + base +
           "\"${A[@]}\"");
  CHECK(is_open(doubt, "parallel.recompute"));
  CHECK(at(doubt, "parallel.recompute").is_null());
  const ImportedRun open = read(base + "--tensor-model-parallel-size $TP");
  CHECK(is_open(open, "parallel.tp"));
  CHECK(at(open, "parallel.tp").is_null());
  CHECK(at(read(base + "--tensor-model-parallel-size $TP", R"({"parallel": {"tp": 8}})"),
           "parallel.tp") == 8);
}

TEST_CASE("Megatron-LM's context of two kinds is open, and no rank of queries is none") {
  const ImportedRun r =
      read(two_nodes("--bf16 --context-parallel-size 4 --cp-comm-type a2a+p2p "
                     "--hierarchical-context-parallel-sizes 2 2"));
  CHECK(is_open(r, "parallel.cp_type"));
  CHECK_FALSE(refuses_at(r, "--hierarchical"));
  CHECK(at(read(two_nodes("--bf16 --softmax-type learnable")), "model.attention_sinks") == true);
  CHECK(at(read(two_nodes("--bf16 --softmax-type vanilla")), "model.attention_sinks").is_null());
  CHECK(at(read(two_nodes("--bf16 --multi-latent-attention --q-lora-rank 0")), "model.q_lora_rank")
            .is_null());
}

TEST_CASE("The size of a table of positions that a model lacks is no question") {
  const std::string unknown = "--bf16 --max-position-embeddings $(cat most) ";
  CHECK_FALSE(is_open(read(started_megatron(unknown + "--position-embedding-type rope")),
                      "model.max_position_embeddings"));
  CHECK(is_open(read(started_megatron(unknown)), "model.max_position_embeddings"));
}

TEST_CASE("Layers on the host by their number alone, and Muon's states over replicas") {
  const std::string layers = "--bf16 --cpu-offloading-num-layers 5";
  CHECK(at(read(started_megatron(layers)), "parallel.offload.activations") == "host");
  CHECK_FALSE(is_open(read(started_megatron("--bf16 --cpu-offloading-num-layers 0")),
                      "parallel.offload.activations"));
  CHECK(at(read(started_megatron("--bf16 --optimizer dist_muon")), "parallel.zero") == 1);
  CHECK(at(read(started_megatron("--bf16 --optimizer muon")), "parallel.zero") == 0);
}

TEST_CASE("A vocabulary that is padded further than the profile pads it is the model's") {
  CHECK(at(read(started_megatron("--bf16 --padded-vocab-size 4096")), "model.vocab_size") == 4096);
  CHECK(at(read(started_megatron("--bf16 --make-vocab-size-divisible-by 512")),
           "model.vocab_size") == 512);
  CHECK(at(read(started_megatron("--bf16 --make-vocab-size-divisible-by 64")),
           "model.vocab_size") == 100);
  CHECK(at(read(started_megatron("--bf16 --padded-vocab-size 128")), "model.vocab_size") == 100);
}

TEST_CASE("Transformer Engine's word for gathered context is ours") {
  CHECK(at(read(started_megatron("--bf16 --context-parallel-size 2 --cp-comm-type all_gather")),
           "parallel.cp_type") ==
        at(read(started_megatron("--bf16 --context-parallel-size 2 --cp-comm-type allgather")),
           "parallel.cp_type"));
}

TEST_CASE("Several distributed optimizers shard over a part of the replicas each") {
  const auto with = [](const std::string& more) {
    return read(started_megatron("--bf16 " + more));
  };
  const std::string two = "--num-distributed-optimizer-instances 2 ";
  CHECK(at(with(two + "--use-distributed-optimizer"), "parallel.zero_shard_group") == 4);
  CHECK(at(with(two + "--use-distributed-optimizer --tensor-model-parallel-size 2 "
                      "--context-parallel-size 2"),
           "parallel.zero_shard_group") == 2);
  CHECK(at(with(two), "parallel.zero_shard_group").is_null());
  CHECK(at(with("--use-layer-wise-distributed-optimizer"), "parallel.zero") == 1);
  CHECK(refuses_at(with("--retro-add-retriever"), "--retro-add-retriever"));
}

TEST_CASE("Programs of Megatron-LM that train no decoder leave the model open") {
  for (const char* program :
       {"pretrain_bert.py", "a/pretrain_t5.py", "pretrain_vlm.py", "pretrain_mamba.py"}) {
    CHECK_MESSAGE(is_open(read(script(program, "")), "model"), program);
  }
  CHECK_FALSE(is_open(read(script("pretrain_gpt.py", "")), "model"));
  CHECK(is_open(read(script("train.py", "--vision-model-type clip --tokenizer-model gpt2")),
                "model"));
  CHECK(at(read({{"a", script("pretrain_bert.py", "")}}, R"({"model": "gpt2"})"), "model") ==
        "gpt2");
  CHECK(refuses_at(read(script("train.py", "--freeze-LM")), "--freeze-LM"));
}

TEST_CASE("--moe-layer-recompute is selective recompute of the layer of experts") {
  const ImportedRun r = read(started_megatron("--num-experts 4 --moe-layer-recompute"));
  CHECK(at(r, "parallel.recompute") == "selective");
  CHECK(at(r, "parallel.recompute_modules") == Json({"moe"}));
  const ImportedRun both = read(
      started_megatron("--num-experts 4 --moe-layer-recompute --recompute-granularity selective "
                       "--recompute-modules core_attn"));
  CHECK(at(both, "parallel.recompute_modules") == Json({"core_attn", "moe"}));
}

TEST_CASE("The base of rotary positions stays in the run and comes back from an export") {
  const std::string base = "--position-embedding-type rope --rotary-base 500000 --bf16";
  const Json flags = json_of(R"({"cluster": {"node": "dgx-h100", "gpus": 8}})");
  ImportedRun r = read(started_megatron(base));
  CHECK(at(r, "model.rope_theta") == 500000);
  merge_over(r.run, flags);
  for (const ForeignFormat format : {ForeignFormat::megatron, ForeignFormat::bridge}) {
    const std::string text =
        export_run(format, testing::resolved(r.run), r.run, testing::shipped_configs()).text;
    CHECK(text.find("500000") != std::string::npos);
  }
}

TEST_CASE("A pattern of layers of Megatron-LM is a model with state-space layers") {
  const ImportedRun r =
      read(script("pretrain_mamba.py",
                  "--hybrid-override-pattern M*-M --position-embedding-type none "
                  "--mamba-num-heads 8 --mamba-head-dim 16 --mamba-state-dim 32 "
                  "--mamba-num-groups 2 --spec "
                  "megatron.core.models.mamba.mamba_layer_specs mamba_stack_spec"));
  CHECK(at(r, "model.layer_pattern") == Json({"recurrent", "attention", "dense", "recurrent"}));
  CHECK(at(r, "model.recurrent") == "mamba2");
  CHECK(at(r, "model.linear_num_value_heads") == 8);
  CHECK(at(r, "model.linear_value_head_dim") == 16);
  CHECK(at(r, "model.linear_key_head_dim") == 32);
  CHECK(at(r, "model.linear_num_key_heads") == 2);
  CHECK(at(r, "model.position_embedding") == "none");
  // Heads of 64 in twice the width of 64.
  const ImportedRun default_value =
      read(script("pretrain_mamba.py", "--hybrid-override-pattern MMMM"));
  CHECK(at(default_value, "model.linear_num_value_heads") == 2);
  for (const char* more : {"--hybrid-override-pattern M*", "--hybrid-override-pattern M*|M",
                           "--hybrid-attention-ratio 0.6 --hybrid-mlp-ratio 0.6"}) {
    CHECK_MESSAGE(is_open(read(script("pretrain_mamba.py", more)), "model.layer_pattern"), more);
  }
  const ImportedRun named =
      read({{"a", script("pretrain_mamba.py", "--hybrid-mlp-ratio 0.5 --mamba-head-dim 64")}},
           R"({"model": "nemotron-h-8b"})");
  CHECK(at(named, "model").is_null());
  CHECK_FALSE(refuses_at(named, "--"));
}

TEST_CASE("a list of layers with experts is taken as Python has it") {
  const auto of = [](const std::string& freq) {
    return read("python pretrain_gpt.py --num-experts 8 --moe-layer-freq " + freq + kLargeModel);
  };
  CHECK(at(of("\"([0,1]*16)\""), "model.moe_layer_freq") == 2);
  CHECK(at(of("\"([0,1]*16)\""), "model.moe_layer_offset") == 1);
  CHECK(at(of("\"([0]*3+[1]*29)\""), "model.first_k_dense_replace") == 3);
  CHECK(at(of("\"([1]+[0]*3)*8\""), "model.moe_layer_freq") == 4);
  CHECK(is_open(of("\"([1]*2+[0]*30)\""), "model.moe_layer_freq"));
  CHECK_THROWS_AS(of("\"([0]*3+[1]*58)\""), InputError);
}

TEST_CASE("what Megatron-LM's own defaults are") {
  CHECK(at(read("python pretrain_gpt.py --group-query-attention" + kLargeModel),
           "model.num_key_value_heads") == 1);
  CHECK(at(read("python $PWD/pretrain_gpt.py --pad-vocab-size-to 250880 --num-layers 2 "
                "--hidden-size 64 "
                "--num-attention-heads 4 --seq-length 128 --bf16"),
           "model.vocab_size") == 250880);
}

TEST_CASE("Flags of Megatron-LM's forks say the shape of the model") {
  const ImportedRun swiglu = read(started_megatron("--bf16 --glu-activation swiglu"));
  CHECK(at(swiglu, "model.hidden_act") == "swiglu");
  CHECK(at(swiglu, "model.intermediate_size") == 256);
  CHECK(is_open(read(started_megatron("--bf16 --glu-activation liglu")), "model.hidden_act"));
  CHECK(at(read(started_megatron("--bf16 --attention-head-type multiquery")),
           "model.num_key_value_heads") == 1);
  CHECK(at(read(started_megatron("--bf16 --attention-output-gate")), "model.attention_gate_dim") ==
        16);
  const ImportedRun experts = read(started_megatron(
      "--bf16 --num-experts 8 --moe-token-dispatcher-type alltoall --moe-latent-size 32"));
  CHECK(at(experts, "model.moe_latent_size") == 32);
}

TEST_CASE("Layers of an encoder's name are those of the model") {
  const ImportedRun r = read(
      "torchrun --nproc_per_node 8 pretrain_gpt.py --encoder-num-layers 10 --hidden-size 64"
      " --num-attention-heads 4 --seq-length 32 --max-position-embeddings 32"
      " --micro-batch-size 1 --global-batch-size 16 --vocab-size 100 --bf16\n");
  CHECK(at(r, "model.num_hidden_layers") == 10);
}

TEST_CASE("Settings of Megatron-LM and its forks that no key says stop the import") {
  for (const char* flag :
       {"--heterogeneous-layers-config-path x.json", "--fp32-residual-connection",
        "--standalone-embedding-stage", "--moe-extended-tp", "--experimental-attention-variant dsa",
        "--remote-device cpu", "--num-layer-list 4,6", "--noop-layers 8,9", "--tp-2d",
        "--gradient-accumulation-steps 8", "--intermediate-size 128"}) {
    const ImportedRun r = read(started_megatron(std::string("--bf16 ") + flag));
    CHECK_MESSAGE(refuses_at(r, std::string(flag).substr(0, std::string(flag).find(' '))), flag);
  }
}

TEST_CASE("Saved activations that tensor ranks share stop the import") {
  const std::string full = "--bf16 --recompute-granularity full --distribute-saved-activations";
  const char* setting = "--distribute-saved-activations";
  CHECK(refuses_at(read(started_megatron(full + " --tensor-model-parallel-size 2")), setting));
  CHECK(!refuses_at(read(started_megatron(full)), setting));
}

TEST_CASE("PyTorch's FSDP2 beside Megatron FSDP's default strategy is ZeRO 3") {
  const ImportedRun r =
      read(started_megatron("--bf16 --use-torch-fsdp2 --data-parallel-sharding-strategy no_shard"));
  CHECK(at(r, "parallel.zero") == 3);
  CHECK(!refuses_at(r, "--data-parallel-sharding-strategy"));
}

TEST_CASE("MindSpeed's way of context parallelism is ours") {
  const std::string two = "--bf16 --context-parallel-size 2 --context-parallel-algo ";
  CHECK(at(read(started_megatron(two + "ulysses_cp_algo")), "parallel.cp_type") == "a2a");
  CHECK(at(read(started_megatron(two + "megatron_cp_algo")), "parallel.cp_type") == "p2p");
  CHECK(is_open(read(started_megatron(two + "hybrid_cp_algo")), "parallel.cp_type"));
}

TEST_CASE("What a checkpoint says of the model is no default of Megatron-LM's") {
  const ImportedRun r = read(started_megatron("--bf16 --use-checkpoint-args"));
  CHECK(is_open(r, "model.norm"));
  CHECK(at(r, "parallel.recompute") == "none");
}

TEST_CASE("Lengths that grow and layers in bf16 of Megatron-LM are named") {
  for (const char* flag : {"--random-ltd", "--curriculum-learning-legacy",
                           "--fp8-format hybrid --first-last-layers-bf16"}) {
    CHECK_MESSAGE(!read(started_megatron(std::string("--bf16 ") + flag)).ignored.empty(), flag);
  }
}

TEST_CASE("Second models, rollouts and flags of Megatron-LM's forks are not passed over") {
  for (const char* name : {"--mos", "--kd", "--perform-rl-step", "--swap-optimizer",
                           "--use-dualpipev", "--enable-zbh1-pipeline"})
    CHECK(refuses_at(read(started_megatron(std::string("--bf16 ") + name)), name));
  const char* flash = "training.flash_attention";
  CHECK(at(read(started_megatron("--bf16 --deepspeed --use-flash-attn-builder")), flash) == true);
  CHECK(at(read(started_megatron("--bf16 --deepspeed")), flash) == false);
  const std::string loss = "--bf16 --cross-entropy-loss-fusion --cross-entropy-fusion-impl ";
  CHECK(refuses_at(read(started_megatron(loss + "linear")), "--cross-entropy-fusion-impl"));
  CHECK(!refuses_at(read(started_megatron(loss + "te")), "--cross-entropy-fusion-impl"));
  CHECK(at(read(started_megatron("--bf16 --num-nextn-predict-layers 1")),
           "model.num_nextn_predict_layers") == 1);
}

TEST_CASE("CUDA graphs and stages that wait for each other are named") {
  for (const char* graphs :
       {"--enable-cuda-graph", "--external-cuda-graph", "--cuda-graph-impl local"})
    CHECK(is_named(read(started_megatron(std::string("--bf16 ") + graphs)), graphs));
  CHECK(!is_named(read(started_megatron("--bf16 --cuda-graph-impl none")), "cuda"));
  const std::string stages =
      "--bf16 --pipeline-model-parallel-size 2 --no-overlap-p2p-communication ";
  CHECK(is_named(read(started_megatron(stages + "--num-layers-per-virtual-pipeline-stage 1")),
                 "--no-overlap-p2p-communication"));
  CHECK(!is_named(read(started_megatron(stages)), "--no-overlap-p2p-communication"));
}

TEST_CASE("A layer that predicts again and again, and attention of Megatron-LM's own") {
  const std::string ahead = "--bf16 --mtp-use-repeated-layer --mtp-num-layers ";
  CHECK(refuses_at(read(started_megatron(ahead + "2")), "--mtp-use-repeated-layer"));
  CHECK(!refuses_at(read(started_megatron(ahead + "1")), "--mtp-use-repeated-layer"));
  CHECK(at(read(started_megatron("--bf16 --export-force-local-attention")),
           "training.flash_attention") == false);
}

TEST_CASE("Megatron-LM's experts that run one by one are named") {
  const std::string moe = "--bf16 --num-experts 8 --moe-token-dispatcher-type alltoall ";
  const auto named = [](const std::string& arguments) {
    return has_word(read(started_megatron(arguments)), "moe-grouped-gemm");
  };
  CHECK(named(moe));
  CHECK(named(moe + "--expert-model-parallel-size 4"));
  CHECK_FALSE(named(moe + "--expert-model-parallel-size 8"));  // one on each rank
  CHECK_FALSE(named(moe + "--moe-grouped-gemm"));
  CHECK_FALSE(named("--bf16"));
}

TEST_CASE(
    "Megatron-LM's latent attention has no compressed queries unless told, and a part of a model "
    "completes a file") {
  const std::string text =
      "--num-layers 4 --hidden-size 2048 --num-attention-heads 16 --multi-latent-attention "
      "--kv-lora-rank 512 --seq-length 2048 --micro-batch-size 1 --bf16";
  CHECK(at(read(text), "model.q_lora_rank").is_null());
  const ConfigLookup lookup = testing::shipped_configs();
  ImportJob job{{{"a", text}}, {}, json_of(R"({"model": {"vocab_size": 32000}})")};
  job.lookup = &lookup;
  CHECK(at(import_files(std::move(job)), "model.num_hidden_layers") == 4);
}

TEST_CASE("Old scripts of Megatron-LM have no fused attention unless they ask for it") {
  const std::string old =
      "python pretrain_gpt.py --num-layers 24 --hidden-size 1024 --num-attention-heads 16 "
      "--seq-length 1024 --micro-batch-size 4 --DDP-impl local --fp16";
  CHECK(at(read(old), "training.flash_attention") == false);
  CHECK(at(read(old + " --use-flash-attn"), "training.flash_attention") == true);
  CHECK(at(read(old + " --transformer-impl transformer_engine"), "training.flash_attention") ==
        true);
}

TEST_CASE(
    "A file of Megatron-LM's settings that is not given leaves them open, and Muon is known by its "
    "name") {
  const std::string head = "torchrun --nproc_per_node 8 pretrain_gpt.py ";
  CHECK(is_open(read(head + "--yaml-cfg config.yaml"), "parallel.tp"));
  CHECK(at(read(head + "--num-layers 2 --bf16 --optimizer dist_muon"), "training.optimizer") ==
        "muon");
}

TEST_CASE("The forks' overlapped distributed optimizer shards its states") {
  CHECK(at(read(started_megatron("--bf16 --overlapped-distributed-optimizer")), "parallel.zero") ==
        1);
}

}  // namespace orrery
