# Models that are no text decoder: samples in place of sequences, words of samples, refusals by name.
$ for run in flux.1-dev-64-b200 wan2.1-14b-256-h100 vit-22b-256-h100 clip-vit-l-14-128-a100 whisper-large-32-a100; do orrery estimate $run | grep -o "samples of [0-9,]* token.*"; done
> samples of 1,024 tokens and 512 of text
> samples of 32,760 tokens and 512 of text
> samples of 257 tokens
> samples of 257 tokens and 77 of text
> samples of 1,500 tokens and 448 of text

# A model's file is read as diffusers publishes it, and answers for more resolution, frames and text are never less.
$ echo '{"_class_name": "WanTransformer3DModel", "num_attention_heads": 12, "ffn_dim": 8960, "num_layers": 30}' > config.json
$ orrery show model ./config.json --json > model.json
! json model.json:parameters = 1418996800
$ for size in "256 256 1" "480 832 1" "480 832 81" "720 1280 81"; do set -- $size; orrery estimate --model ./config.json --node dgx-h100 --gpus 8 --global-batch 8 --image-height $1 --image-width $2 --frames $3 --zero 3 --recompute full --framework fsdp --json | python3 -c 'import json,sys; a=json.load(sys.stdin); print(a["step_time_s"], a["memory"]["peak_gib"])'; done | python3 -c 'import sys; rows=[tuple(map(float,l.split())) for l in sys.stdin]; print(rows == sorted(rows), len(set(rows)))'
> True 3

# The speed is in samples, and samples of the whole training give its days.
$ orrery estimate flux.1-dev-64-b200 --samples 100000000 | grep -c "^speed.*samples/s\|^training"
> 2

# A moving average takes 4 bytes a parameter of the device, sharded with the optimizer; encoders that run online are no part of the model.
$ orrery memory flux.1-dev-64-b200 --json > plain.json
$ orrery memory flux.1-dev-64-b200 --set training.ema=device --json > ema.json
! json ema.json:memory.optimizer_gib - plain.json:memory.optimizer_gib = 0.6927 ± 0.01
$ orrery memory flux.1-dev-64-b200 --set training.frozen_parameters=4762310656 --json > frozen.json
! json frozen.json:memory.weights_gib - plain.json:memory.weights_gib = 8.87 ± 0.02

# What nobody said is asked for; what has no meaning is refused.
$ orrery estimate --model flux.1-dev --node hgx-b200 --gpus 64 --global-batch 512
! exit 2
! stderr training.height
$ orrery estimate --model wan2.1-t2v-14b --node hgx-b200 --gpus 64 --global-batch 64 --image-height 480 --image-width 832
! exit 2
! stderr training.frames
$ orrery estimate --model llama-3-8b --node dgx-h100 --gpus 8 --global-batch 8 --sequence-length 4096 --image-height 512
! exit 2
! stderr the model reads text
$ orrery estimate --model flux.1-dev --node hgx-b200 --gpus 64 --global-batch 512 --image-height 512 --frames 9
! exit 2
! stderr a model of images
$ orrery estimate flux.1-dev-64-b200 --set training.sequence_length=4096
! exit 2
! stderr 1536, the tokens of this sample
$ echo '{"_class_name": "UNet2DConditionModel", "sample_size": 64}' > unet.json
$ orrery show model ./unet.json
! exit 2
! stderr block_out_channels
$ orrery estimate sdxl-32-a100 --pp 2
! exit 2
! stderr tp 1, cp 1 and pp 1 with a U-Net
$ echo '{"_class_name": "StableDiffusion3Pipeline"}' > model_index.json
$ orrery show model ./model_index.json
! exit 2
! stderr the config.json of its transformer

# Under all-to-all, context parallelism divides the heads: 24 of FLUX.
$ orrery estimate flux.1-dev-64-b200 --set parallel.cp=16 --set parallel.cp_type=a2a
! exit 2
! stderr num_attention_heads

# LoRA beside a diffusion transformer: the four bits hold every linear layer, and the least card is named by its memory.
$ orrery memory flux.1-dev-qlora-rtx-4090 --json > qlora.json
! json qlora.json:feasible = true
$ orrery memory flux.1-dev-qlora-rtx-4090 --set training.adapter.kind=lora --json > lora.json
! exit 3
! json lora.json:memory.weights_gib - qlora.json:memory.weights_gib = 16.45 ± 0.1
$ orrery estimate flux.1-dev-qlora-rtx-4090 --set training.adapter.targets='["query","modulation","parallel_down"]' --json > /dev/null && echo read
> read
$ orrery estimate flux.1-dev-qlora-rtx-4090 --set training.adapter.targets='["gate"]'
! exit 2
! stderr MLP has no gate

# A U-Net's published sizes, and its samples.
$ for m in sd-1.5 sd-2.1 sdxl; do orrery show model $m --json > m.json; python3 -c "import json; print(json.load(open('m.json'))['parameters'])"; done
> 859520964
> 865910724
> 2567463684
$ orrery estimate sdxl-32-a100 | grep -o "samples of [0-9,]* tokens and 77"
> samples of 16,384 tokens and 77
$ for s in 512 768 1024; do orrery estimate sdxl-32-a100 --image-height $s --json | python3 -c 'import json,sys; a=json.load(sys.stdin); print(a["step_time_s"], a["memory"]["peak_gib"])'; done | python3 -c 'import sys; rows=[tuple(map(float,l.split())) for l in sys.stdin]; print(rows == sorted(rows), len(set(rows)))'
> True 3

# Series as words (Chronos), and a FastConformer.
$ orrery show model chronos-t5-base --json
! json parameters = 201000000 ± 0.3 %
$ orrery show model fastconformer-xl --json
! json parameters = 616000000 ± 1.5 %
$ orrery estimate --model chronos-t5-base --node dgx-a100-80gb --gpus 8 --global-batch 256 --micro-batch 32 | grep -o "samples of [0-9,]* token.*"
> samples of 513 tokens and 65 of text

# Buckets of resolutions: one is the plain run to the bit, as are aspect ratios of as many tokens; memory is the largest's; the step is the slowest rank's, 0.84 of the long one of two ranks that draw it with 0.6; all alike wait for nobody.
$ orrery estimate flux.1-dev-64-b200 --json > plain.json
$ echo '{"model": "flux.1-dev", "cluster": {"node": "hgx-b200", "gpus": 64}, "training": {"buckets": [{"height": 512, "share": 3}, {"height": 256, "width": 1024, "share": 1}], "text_tokens": 512, "global_batch": 512, "micro_batch": 8, "precision": "bf16"}, "parallel": {"zero": 1, "recompute": "none"}, "framework": "megatron-core"}' > alike.json
$ orrery estimate alike.json --json > alike-answer.json
! json alike-answer.json:step_time_s = plain.json:step_time_s
! json alike-answer.json:memory.peak_gib = plain.json:memory.peak_gib
$ echo '{"model": "wan2.1-t2v-14b", "cluster": {"node": "hgx-b200", "gpus": 8}, "training": {"buckets": [{"height": 480, "width": 832, "frames": 81, "share": 0.6}, {"height": 480, "width": 832, "frames": 1, "share": 0.4}], "global_batch": 2, "precision": "bf16"}, "parallel": {"zero": 3, "cp": 4, "recompute": "full"}, "framework": "fsdp"}' > wan.json
$ orrery estimate wan.json --json > wan-answer.json
! json wan-answer.json:step_time_s = 0.84 * wan-answer.json:buckets.by[0].step_time_s + 0.16 * wan-answer.json:buckets.by[1].step_time_s ± 1e-6 %
! json wan-answer.json:memory.peak_gib = wan-answer.json:buckets.by[0].peak_gib
! json sum(wan-answer.json:breakdown_s) = wan-answer.json:step_time_s ± 1e-9 %
$ orrery simulate wan.json --json > played.json
! json played.json:step_time_s = wan-answer.json:step_time_s ± 1e-6 %
$ orrery estimate wan.json --set training.bucket_draw=step --json > step.json
! json step.json:step_time_s = wan-answer.json:buckets.mean_step_time_s
! json step.json:buckets.waits = 0.0
$ orrery estimate wan.json | grep -c "^buckets.*of 2 replicas"
> 1
$ echo '{"model": "flux.1-dev", "cluster": {"node": "hgx-b200", "gpus": 64}, "training": {"buckets": [{"height": 256, "share": 1, "micro_batch": 32}, {"height": 512, "share": 1}], "text_tokens": 512, "global_batch": 512, "micro_batch": 8, "precision": "bf16"}, "parallel": {"zero": 1, "recompute": "none"}, "framework": "megatron-core"}' > own.json
$ orrery estimate own.json --json > own-answer.json
! exit 3
! json own-answer.json:samples_per_s * own-answer.json:step_time_s = 1280 ± 1e-9 %
$ orrery search own.json --json > found.json
! json found.json:best[*].strategy.training.micro_batch = 8
$ orrery estimate wan.json --image-height 480
! exit 2
! stderr training.height: found it beside training.buckets
$ orrery estimate llama-3-8b-8-h100 --set 'training.buckets=[{"height": 256, "share": 1}]'
! exit 2
! stderr the model reads text

# CLIP gathers the features of both towers over the replicas, 4 bytes a number, and scatters their gradients back; without gradients it does not. Every rank may compute all logits: the same model FLOPs, more time and memory. More micro batches run forward twice.
$ orrery estimate clip-vit-l-14-128-a100 --json > clip.json
! json clip.json:communication[0].collective = "all-gather"
! json clip.json:communication[0].bytes_per_gpu = 199753728.0
! json clip.json:communication[1].bytes_per_gpu = 199753728.0
$ orrery estimate clip-vit-l-14-128-a100 --set training.pair_gradients=false --json > forward.json
! json forward.json:communication[1].collective = "all-reduce"
$ orrery estimate clip-vit-l-14-128-a100 --set training.pair_logits=global --json > global.json
! exit 3
! json global.json:step_time_s > clip.json:step_time_s
! json global.json:memory.peak_gib > clip.json:memory.peak_gib
! json global.json:mfu * global.json:step_time_s = clip.json:mfu * clip.json:step_time_s ± 1e-9 %
$ orrery estimate clip-vit-l-14-128-a100 --micro-batch 64 --json > twice.json
! json twice.json:breakdown_s.recompute > 0.25
$ orrery estimate flux.1-dev-64-b200 --set training.pair_logits=global
! exit 2
! stderr the model has no softmax over the pairs of a batch

# DINO: 2 · 257 + 8 · 50 tokens of a student, a teacher held as the moving average, six all-reduces of 131,072 prototypes.
$ echo '{"model": "dinov2-l-14", "cluster": {"node": "dgx-a100-80gb", "gpus": 96}, "training": {"height": 224, "distillation": {"local_size": 98, "head_bottleneck": 384, "prototypes": 131072, "patch_prototypes": 131072}, "global_batch": 3072, "micro_batch": 32, "precision": "fp16"}, "parallel": {"zero": 3, "recompute": "none"}, "framework": "fsdp"}' > dino.json
$ orrery estimate dino.json --json > dino-answer.json
! json dino-answer.json:tokens_per_s / dino-answer.json:samples_per_s = 914 ± 1e-9 %
! json dino-answer.json:communication[0].collective = "all-reduce"
! json dino-answer.json:communication[0].count = 6
! json dino-answer.json:inputs.training.ema = "device"
$ orrery estimate dino.json --set training.ema=host
! exit 2
! stderr training.ema: found it beside training.distillation
$ orrery estimate whisper-large-32-a100 --set 'training.distillation={}'
! exit 2
! stderr an encoder of images with a class token
