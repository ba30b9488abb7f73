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
> True 4

# The speed is in samples, and samples of the whole training give its days.
$ orrery estimate flux.1-dev-64-b200 --samples 100000000 | grep -c "samples/s/GPU\|^training"
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
! stderr U-Net
$ echo '{"_class_name": "StableDiffusion3Pipeline"}' > model_index.json
$ orrery show model ./model_index.json
! exit 2
! stderr the config.json of its transformer

# Under all-to-all, context parallelism divides the heads: 24 of FLUX.
$ orrery estimate flux.1-dev-64-b200 --set parallel.cp=16 --set parallel.cp_type=a2a
! exit 2
! stderr num_attention_heads
