// SPDX-License-Identifier: Apache-2.0
// Commands and settings inside manifests, tasks, notebooks and READMEs.
#include "exchange/wrappers.h"

#include <doctest/doctest.h>

#include "core/json_path.h"
#include "exchange/python_calls.h"
#include "exchange/text_lines.h"
#include "formats/read_text.h"

namespace orrery {

using namespace formats;  // NOLINT

namespace {

// Master and one kind of workers, each pod with all GPUs of a node.
constexpr const char* kPyTorchJob = R"(apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template: &pod
        spec:
          containers:
          - name: pytorch
            command: [bash, -c, "torchrun --nnodes 4 --nproc_per_node 8 pretrain_gpt.py --num-layers 2"]
            resources: {limits: {nvidia.com/gpu: 8}}
    Worker:
      replicas: 3
      template: *pod
)";

}  // namespace

TEST_CASE("A PyTorchJob has replicas times the GPUs of a pod, and one command") {
  const auto inner = unwrapped({"job.yaml", kPyTorchJob});
  REQUIRE(inner);
  CHECK(inner->gpus == 32);
  CHECK(inner->file.name == "job.yaml (script)");
  const std::size_t first = inner->file.text.find("--num-layers 2");
  CHECK(first != std::string::npos);
  CHECK(inner->file.text.find("--num-layers 2", first + 1) == std::string::npos);
}

TEST_CASE("Of several manifests the one with the most GPUs is the job") {
  const auto u = unwrapped({"job.yaml", R"(apiVersion: v1
kind: Service
metadata: {name: head}
spec: {clusterIP: None}
---
apiVersion: apps/v1
kind: Deployment
spec:
  template:
    spec:
      containers: [{name: etcd, image: etcd, command: ["/usr/local/bin/etcd"]}]
---
apiVersion: batch/v1
kind: Job
spec:
  parallelism: 2
  template:
    spec:
      containers:
      - {name: t, image: x, command: [torchrun, train.py], resources: {limits: {nvidia.com/gpu: 8}}}
)"});
  REQUIRE(u);
  CHECK(u->gpus == 16);
  CHECK(u->file.text.find("train.py") != std::string::npos);
  CHECK(u->file.text.find("etcd") == std::string::npos);
}

TEST_CASE("A JobSet multiplies its replicas with the parallelism of its jobs") {
  const auto inner = unwrapped({"set.yaml", R"(apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
spec:
  replicatedJobs:
  - name: w
    replicas: 2
    template:
      spec:
        parallelism: 4
        template:
          spec:
            containers:
            - command: [python, train.py, --lr, "1e-4"]
              env: [{name: NCCL_DEBUG, value: INFO}]
              resources: {limits: {amd.com/gpu: "8"}}
)"});
  REQUIRE(inner);
  CHECK(inner->gpus == 64);
  CHECK(contains(inner->file.text, "export NCCL_DEBUG=INFO\npython train.py --lr 1e-4\n"));
}

TEST_CASE("A TrainJob has nodes times the GPUs of each") {
  const auto inner = unwrapped({"t.yaml", R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
spec:
  trainer:
    numNodes: 3
    resourcesPerNode: {limits: {nvidia.com/gpu: 4}}
    command: [torchrun, train.py]
)"});
  REQUIRE(inner);
  CHECK(inner->gpus == 12);
}

TEST_CASE("A task of SkyPilot has nodes times accelerators, and its variables") {
  const auto inner = unwrapped({"sky.yaml",
                                "resources:\n  accelerators: H100:8\nnum_nodes: 2\n"
                                "run: |\n  torchrun --nproc_per_node $SKYPILOT_NUM_GPUS_PER_NODE "
                                "--nnodes $SKYPILOT_NUM_NODES train.py\n"});
  REQUIRE(inner);
  CHECK(inner->gpus == 16);
  CHECK(inner->device == "H100");
  CHECK(contains(inner->file.text, "export SKYPILOT_NUM_GPUS_PER_NODE=8\n"));
}

TEST_CASE("A RayJob has its entrypoint, and the GPUs of its cluster's pods") {
  const auto inner = unwrapped({"ray.yaml", R"(apiVersion: ray.io/v1
kind: RayJob
spec:
  entrypoint: python train.py --lr 1e-4
  runtimeEnvYAML: "env_vars: {TP: '4'}"
  rayClusterSpec:
    headGroupSpec: {template: {spec: {containers: [{name: head, image: r}]}}}
    workerGroupSpecs:
      - replicas: 2
        template: {spec: {containers: [{name: w, image: r, resources: {limits: {nvidia.com/gpu: 8}}}]}}
)"});
  REQUIRE(inner);
  CHECK(inner->gpus == 16);
  CHECK(contains(inner->file.text, "export TP=4\npython train.py --lr 1e-4\n"));
}

TEST_CASE("A service of Docker Compose has the devices that it reserves") {
  const auto inner = unwrapped({"compose.yml", R"(services:
  train:
    command: torchrun train.py --x 1
    deploy: {resources: {reservations: {devices: [{driver: nvidia, count: 4, capabilities: [gpu]}]}}}
)"});
  REQUIRE(inner);
  CHECK(inner->gpus == 4);
  CHECK(contains(inner->file.text, "torchrun train.py --x 1"));
}

TEST_CASE("A config.yaml of Weights & Biases is the settings below `value`") {
  const auto inner = unwrapped({"config.yaml", R"(_wandb: {value: {cli_version: 0.17}}
bf16: {desc: null, value: true}
per_device_train_batch_size: {value: 4}
)"});
  REQUIRE(inner);
  CHECK(contains(inner->file.text, "bf16: true"));
  CHECK_FALSE(contains(inner->file.text, "_wandb"));
}

TEST_CASE("A README's commands are those of its shell blocks") {
  const auto inner = unwrapped({"README.md",
                                "# Train\nInstall --now:\n```\npip install x\n```\n"
                                "```bash\ntrl sft --model_name_or_path a/b\n```\n"
                                "```python\nf(--x)\n```\n"});
  REQUIRE(inner);
  CHECK(inner->file.text == "#!/bin/bash\ntrl sft --model_name_or_path a/b\n");
}

TEST_CASE("Nothing is unwrapped from other files and templates") {
  CHECK_FALSE(unwrapped({"a.yaml", "base_model: x\n"}));
  CHECK_FALSE(unwrapped({"a.yaml", "apiVersion: v1\nkind: Job\nspec: {{ .Values.x }}\n"}));
  CHECK_FALSE(unwrapped({"service.yaml", "apiVersion: v1\nkind: Service\nspec: {ports: [1]}\n"}));
  CHECK_FALSE(unwrapped({"a.py", "print('no call')\n"}));
}

TEST_CASE("Arguments of a script's calls are read, with the names it sets") {
  const auto settings = python_settings({"train.py", R"(from unsloth import FastLanguageModel
max_seq_length = 2048  # any
rank = 8
rank = 16
model, tokenizer = FastLanguageModel.from_pretrained(
    model_name = "unsloth/Meta-Llama-3.1-8B",  # a (comment
    max_seq_length = max_seq_length,
    load_in_4bit = True,
)
model = FastLanguageModel.get_peft_model(model, r = rank, target_modules = ["q_proj", "v_proj",])
trainer = SFTTrainer(
    model = model,
    packing = False,
    args = SFTConfig(per_device_train_batch_size = 2, learning_rate = 2e-4, bf16 = is_ok(),
                     optim = 'adamw_8bit'),
)
)"});
  REQUIRE(settings);
  CHECK(value_at(*settings, "from_pretrained.max_seq_length") == 2048);
  CHECK(value_at(*settings, "from_pretrained.load_in_4bit") == true);
  CHECK(value_at(*settings, "get_peft_model.target_modules") == Json({"q_proj", "v_proj"}));
  // Set twice, so that only the program knows.
  CHECK(value_at(*settings, "get_peft_model.r") == "$rank");
  CHECK(value_at(*settings, "per_device_train_batch_size") == 2);
  CHECK(value_at(*settings, "bf16") == "$is_ok()");
  CHECK(value_at(*settings, "SFTTrainer.packing") == false);
  CHECK(value_at(*settings, "imports") == Json({"unsloth"}));
}

TEST_CASE("A notebook's cells are one script without its commands") {
  const auto settings = python_settings(
      {"n.ipynb",
       R"json({"cells": [{"cell_type": "markdown", "source": ["SFTConfig(bf16=False)"]},
                     {"cell_type": "code", "source": ["!pip install x\n", "a = SFTConfig(bf16=True)"]}]})json"});
  REQUIRE(settings);
  CHECK(value_at(*settings, "bf16") == true);
}

TEST_CASE("A text cut anywhere is read to its end") {
  const std::string text = "a = SFTConfig(x = \"un(closed, y = [1, 2, '''z";
  for (std::size_t n = 0; n <= text.size(); ++n) {
    CHECK_NOTHROW(python_settings({"a.py", text.substr(0, n)}));
  }
}

TEST_CASE("A manifest's training is imported with its GPUs") {
  const ImportedRun r = read({{"job.yaml", kPyTorchJob}});
  CHECK(at(r, "cluster.gpus") == 32);
  CHECK(at(r, "model.num_hidden_layers") == 2);
}

}  // namespace orrery
