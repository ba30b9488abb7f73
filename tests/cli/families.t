# Models that are no plain decoders, each on a cluster of a kind that trains it: estimate, simulate
# and search answer with the steps of docs/models.md, and explain ends at the device's and the profile's sources.
$ cat > ask
< for command in estimate simulate search; do
<   orrery $command "$@" --json | python3 -c '
< import json, sys
< answer = json.load(sys.stdin)
< step = "%.4g s" % min(best["step_time_s"] for best in answer.get("best", [answer]))
< rows = [row.split(" | ") for row in open(sys.argv[2]) if row.startswith("| ") and row.count(" | ") == 4]
< column = 2 + ["estimate", "simulate", "search"].index(sys.argv[1])
< written = any(row[column].startswith(step) for row in rows)
< print(sys.argv[1], answer["feasible"], "as written" if written else "not in docs/models.md: " + step)' $command $ROOT/docs/models.md
< done
< orrery explain "$@" step_time_s --depth 12 | grep -o '← [a-z0-9-]*: ' | sort | uniq -c |
<   awk '$1 > 5 {print "sources of", $3}'

# DeepSeek-V3
$ sh ask deepseek-v3-2048-h800
> estimate True as written
> simulate True as written
> search True as written
> sources of h800-80gb:
> sources of h800-sxm-80gb:
> sources of hai-llm:

# Kimi K2
$ sh ask --model kimi-k2 --node h800-80gb --gpus 512 --sequence-length 4096 --global-batch 1024 --pp 16 --ep 32 --framework megatron-core
> estimate True as written
> simulate True as written
> search True as written
> sources of h800-80gb:
> sources of h800-sxm-80gb:
> sources of megatron-core:

# Qwen3-Next
$ sh ask --model qwen3-next-80b-a3b --node gb200-nvl72 --gpus 64 --sequence-length 4096 --global-batch 256 --tp 1 --pp 1 --cp 1 --ep 32 --framework megatron-core
> estimate True as written
> simulate True as written
> search True as written
> sources of gb200-nvl72:
> sources of gb200:
> sources of megatron-core:

# Nemotron-H
$ sh ask --model nemotron-h-8b --node dgx-h100 --gpus 64 --sequence-length 8192 --global-batch 128 --tp 2 --pp 1 --framework megatron-core
> estimate True as written
> simulate True as written
> search True as written
> sources of dgx-h100:
> sources of h100-sxm5-80gb:
> sources of megatron-core:

# gpt-oss-120b
$ sh ask --model gpt-oss-120b --node dgx-h100 --gpus 64 --sequence-length 4096 --global-batch 256 --tp 2 --sequence-parallel true --pp 2 --ep 8 --framework megatron-core
> estimate True as written
> simulate True as written
> search True as written
> sources of dgx-h100:
> sources of h100-sxm5-80gb:
> sources of megatron-core:

# Llama 4 Maverick
$ sh ask --model llama-4-maverick --node dgx-h100 --gpus 256 --sequence-length 8192 --global-batch 256 --tp 4 --sequence-parallel true --pp 2 --cp 1 --ep 32 --framework megatron-core
> estimate True as written
> simulate True as written
> search True as written
> sources of dgx-h100:
> sources of h100-sxm5-80gb:
> sources of megatron-core:

# An encoder of images is counted apart, and trained where the run has images.
$ cat > images.json
< {"model_type": "qwen2_vl", "hidden_size": 3584, "intermediate_size": 18944, "num_hidden_layers": 28,
<  "num_attention_heads": 28, "num_key_value_heads": 4, "vocab_size": 152064,
<  "vision_config": {"depth": 32, "embed_dim": 1280, "mlp_ratio": 4, "num_heads": 16, "patch_size": 14}}
$ orrery show model images.json | head -3
> model images.json, images.json
> 7,615,616,512 parameters, 7,615,616,512 active
> and 675,759,104 of the encoder of images, which a run with training.images trains
$ orrery estimate --model images.json --node dgx-h100 --gpus 64 --sequence-length 8192 --global-batch 128 --set training.images=4 --set training.image_tokens=1024 --json
! json inputs.training.images = 4
! json inputs.model.vision_num_hidden_layers = 32

# Packed documents: attention of the longest is waited for, and long ones alone are split.
$ cat > packed.json
< {"model": "llama-3-8b", "cluster": {"node": "dgx-h100", "gpus": 64},
<  "training": {"sequence_length": 32768, "global_batch": 64,
<   "sequence_lengths": [{"length": 2048, "share": 8}, {"length": 32768, "share": 1}]},
<  "parallel": {"tp": 2, "cp": 2, "dynamic_cp": true}}
$ orrery estimate packed.json --json
! json inputs.training.sequence_lengths = [{"length": 2048, "share": 8.0}, {"length": 32768, "share": 1.0}]
! json inputs.parallel.dynamic_cp = true

# The encoder may have the first stage of a pipeline to itself; the simulator says the same.
$ orrery explain step_time_s --model images.json --node dgx-h100 --gpus 64 --sequence-length 8192 --global-batch 128 --set training.images=4 --set training.image_tokens=1024 --tp 2 --pp 1 | grep -o "forward of a layer of the image encoder" | sort -u
> forward of a layer of the image encoder
$ orrery estimate --model images.json --node dgx-h100 --gpus 64 --sequence-length 8192 --global-batch 128 --set training.images=4 --set training.image_tokens=1024 --tp 2 --pp 4 --recompute none --set parallel.vision_stage=true --json
! json feasible = true
! json step_time_s = 3.71 ± 0.05
$ orrery simulate --model images.json --node dgx-h100 --gpus 64 --sequence-length 8192 --global-batch 128 --set training.images=4 --set training.image_tokens=1024 --tp 2 --pp 4 --recompute none --set parallel.vision_stage=true --json
! json feasible = true
! json step_time_s = 3.71 ± 0.05

# A block that several layers share is held once.
$ cat > zamba2.json
< {"model_type": "zamba2", "hidden_size": 2048, "num_hidden_layers": 4, "num_attention_heads": 32,
<  "attention_head_dim": 128, "intermediate_size": 8192, "n_mamba_heads": 64, "mamba_headdim": 64,
<  "mamba_d_state": 128, "vocab_size": 32000, "use_shared_attention_adapter": true,
<  "layers_block_type": ["mamba", "hybrid", "mamba", "hybrid"]}
$ orrery show model zamba2.json | sed -n 2p
> 297,391,872 parameters, 297,391,872 active
$ orrery estimate --model zamba2.json --node dgx-h100 --gpus 8 --sequence-length 4096 --global-batch 64 --pp 2
! exit 2
! stderr /pp 1 where several layers have the same weights/
