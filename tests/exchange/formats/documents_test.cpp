// SPDX-License-Identifier: Apache-2.0
// YAML, TOML and bytes that every reader of settings shares.
#include <doctest/doctest.h>

#include "core/error.h"
#include "exchange/flat.h"
#include "exchange/yaml.h"
#include "read_text.h"

namespace orrery {

using namespace formats;  // NOLINT

TEST_CASE("YAML has the types of version 1.1") {
  const Json j = read_yaml(
      "a: no\nb: 'no'\nc: 1_000\nd: 5e-6\ne: 5.0e-6\nf: ~\ng: 0x10\nh: 010\ni: 2:00:00\n"
      "base: &b {x: 1, y: 2}\nk:\n  <<: *b\n  y: 3\nl: on\nm: -7\n",
      "x");
  CHECK(j["a"] == false);
  CHECK(j["b"] == "no");
  CHECK(j["c"] == 1000);
  CHECK(j["d"] == "5e-6");
  CHECK(j["e"].is_number());
  CHECK(j["f"].is_null());
  CHECK(j["g"] == 16);
  CHECK(j["h"] == 8);
  CHECK(j["i"] == "2:00:00");
  CHECK(j["k"] == json_of(R"({"x": 1, "y": 3})"));
  CHECK(j["l"] == true);
  CHECK(j["m"] == -7);
  CHECK_THROWS_AS(read_yaml("a: [1", "x"), InputError);
  std::string bomb = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string n = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + n;
    for (int k = 0; k < 9; ++k) bomb += ", " + n;
    bomb += "]\n";
  }
  CHECK_THROWS_AS(read_yaml(bomb, "x"), InputError);
}

TEST_CASE("YAML's numbers are PyYAML's but for 08 and an exponent without a sign") {
  const Json j = read_yaml("a: 0o14\nb: 1e8\nc: 08\nd: 1.5e3\n", "x");
  CHECK(j["a"] == "0o14");
  CHECK(j["b"] == "1e8");
  CHECK(j["c"] == 8);
  CHECK(j["d"] == 1500);
}

TEST_CASE("an own key goes over merged ones, the first mapping over the second, twice is refused") {
  const Json j =
      read_yaml("a: &a {x: 1, y: 2}\nb: &b {x: 3, z: 4}\nc:\n  <<: [*a, *b]\n  y: 5\n", "x");
  CHECK(j["c"]["x"] == 1);
  CHECK(j["c"]["y"] == 5);
  CHECK(j["c"]["z"] == 4);
  CHECK_THROWS_AS(read_yaml("a: 1\nb: 2\na: 1\n", "x"), InputError);
}

TEST_CASE("references within a document are followed") {
  Json j = read_yaml(
      "model: {h: 64, ffn: '${multiply:4, ${.h}}', n: '${training.model.h}', p: "
      "'${divide_ceil:${model.h},10}'}\n"
      "tp: ${PRIMUS_TP:2}\nname: ${PRIMUS_MODEL:kimi}.yaml\nopen: ${nothing.here}\n",
      "x");
  follow_references(j);
  CHECK(j["model"]["ffn"] == 256);
  CHECK(j["model"]["n"] == 64);
  CHECK(j["model"]["p"] == 7);
  CHECK(j["tp"] == 2);
  CHECK(j["name"] == "kimi.yaml");
  CHECK(j["open"] == "${nothing.here}");
}

TEST_CASE("TOML's bare keys are ASCII: a letter beyond it is refused where it stands") {
  // One letter a block of characters that the library looks up in a table of its own.
  for (const char* letter : {"é", "λ", "ﬀ", "\xEF\xBB\xBC", "漢", "\xF0\x9F\x99\x82"}) {
    CAPTURE(letter);
    const std::string text = "[model]\nname = \"llama3\"\n" + std::string(letter) + " = 1\n";
    CHECK_THROWS_WITH_AS(read(text, kEight), doctest::Contains("line 3"), InputError);
  }
}

TEST_CASE("Lines that end in CR LF go on behind a backslash, and UTF-16 is named") {
  const std::string lines =
      "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 2 \\\r\n"
      "  --hidden-size 64 --num-attention-heads 4 --seq-length 32 \\\r\n"
      "  --micro-batch-size 2 --global-batch-size 16 --bf16\r\n";
  CHECK(at(read(lines), "training.micro_batch") == 2);
  CHECK(at(read(lines), "training.precision") == "bf16");
  CHECK(import_error("a.yaml", std::string("\xff\xfe"
                                           "b\0a\0",
                                           6))
            .find("UTF-16") != std::string::npos);
}

TEST_CASE("YAML with a byte of value 0 is refused") {
  CHECK_THROWS_AS(read_yaml(std::string_view("a: b\0_", 6), "x"), InputError);
}

TEST_CASE("A mapping that is written as YAML is read as the same") {
  const Json mapping = {{"learning_rate", 5e-6},
                        {"betas", {0.9, 1e-8, 1e300}},
                        {"x: y", {{"#", "a: b"}, {"-", 1}}},
                        {"a \"b\": c", "no"},
                        {"", {{"l", {{{"eps", 1e-12}, {"z", nullptr}}, Json::array()}}}}};
  CHECK(read_yaml(write_yaml(mapping), "x") == mapping);
}

TEST_CASE("A key of YAML that stands twice is refused by its line") {
  CHECK(import_error("a.yml", kAxolotl + "micro_batch_size: 4\n")
            .find("line 7: found the key \"micro_batch_size\" twice") != std::string::npos);
  CHECK(at(read("base: &b\n  bf16: true\n<<: *b\n" + kQwenTrainer), "training.precision") ==
        "bf16");
}

TEST_CASE("Bytes that are no UTF-8 are shown as replaced, whatever reads them") {
  const ImportedRun script =
      read("torchrun --nproc_per_node 8\xff pretrain_gpt.py --num-layers 2 --seq-length 8");
  CHECK(at(script, "model.num_hidden_layers") == 2);
  const ImportedRun yaml = read(kAxolotl + "bf16: true\noptimizer: \"\xff\xfe\"\n", kEight);
  CHECK(is_open(yaml, "training.optimizer"));
}

}  // namespace orrery
