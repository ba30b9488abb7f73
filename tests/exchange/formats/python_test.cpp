// SPDX-License-Identifier: Apache-2.0
// Trainings that a Python script sets up: dictionaries of arguments, and writes to their object.
#include <doctest/doctest.h>

#include "exchange/python_calls.h"
#include "read_text.h"

namespace orrery {

using namespace formats;  // NOLINT

namespace {

const std::string kImports =
    "from transformers import Trainer, TrainingArguments\n"
    "model = AutoModelForCausalLM.from_pretrained('meta-llama/Llama-3.2-1B')\n";
const std::string kTrain = "Trainer(model=model, args=args).train()\n";
constexpr const char* kOneNode = R"({"cluster": {"node": "dgx-h100", "gpus": 8}})";

ImportedRun read_python(const std::string& text) {
  return read({{"train.py", kImports + text + kTrain}}, kOneNode);
}

Json settings_of(const std::string& text) { return *python_settings({"train.py", text}); }

}  // namespace

TEST_CASE("What a program writes to its arguments afterwards counts") {
  for (const std::string write : {"args.per_device_train_batch_size = 4\n",
                                  "setattr(args, 'per_device_train_batch_size', 4)\n",
                                  "args.per_device_train_batch_size: int = 4  # as the paper\n"}) {
    const ImportedRun r = read_python("args = TrainingArguments('out', bf16=True)\n" + write);
    CHECK_MESSAGE(at(r, "training.micro_batch") == 4, write);
    CHECK_MESSAGE(at(r, "training.global_batch") == 32, write);
  }
  // The last one holds.
  CHECK(at(read_python("args = TrainingArguments(per_device_train_batch_size=2)\n"
                       "args.per_device_train_batch_size = 4\n"),
           "training.micro_batch") == 4);
}

TEST_CASE("A write that a branch may leave out is asked for") {
  const ImportedRun r = read_python(
      "args = TrainingArguments('out', bf16=True)\nif big:\n    args.per_device_train_batch_size = "
      "4\n");
  CHECK(at(r, "training.micro_batch").is_null());
  CHECK(is_open(r, "training.micro_batch"));
}

TEST_CASE("A dictionary of arguments is read where the text says all of it") {
  for (const std::string made :
       {"kw = {'per_device_train_batch_size': 4, 'bf16': True,\n      \"optim\": 'adafactor'}\n",
        "kw = dict(per_device_train_batch_size=4, bf16=True, optim='adafactor')\n",
        "kw = {'bf16': True, 'optim': 'adafactor'}\nkw['per_device_train_batch_size'] = 4\n"}) {
    const ImportedRun r = read_python(made + "args = TrainingArguments(output_dir='o', **kw)\n");
    CHECK_MESSAGE(at(r, "training.micro_batch") == 4, made);
    CHECK_MESSAGE(at(r, "training.precision") == "bf16", made);
    CHECK_MESSAGE(at(r, "training.optimizer") == "adafactor", made);
  }
}

TEST_CASE("Arguments that only the running program knows leave no default standing") {
  for (const std::string made :
       {"args = TrainingArguments(output_dir='o', **read_yaml())\n",
        "kw = {'bf16': True}\nkw = {k: v for k, v in kw.items() if k in known}\n"
        "args = TrainingArguments(**kw)\n",
        "kw = {'bf16': True}\nkw.update(more)\nargs = TrainingArguments(**kw)\n",
        "args = TrainingArguments('o')\nargs = dataclasses.replace(args, **more)\n",
        "args = TrainingArguments('o')\nfor k in more:\n    setattr(args, k, more[k])\n",
        "args = TrainingArguments('o')\nargs.set_training(batch_size=4)\n",
        "model_args, args = HfArgumentParser((ModelArguments, TrainingArguments))"
        ".parse_args_into_dataclasses()\n"}) {
    const ImportedRun r = read_python(made);
    for (const char* key : {"training.micro_batch", "training.precision", "training.optimizer",
                            "parallel.recompute", "parallel.zero"}) {
      CHECK_MESSAGE(at(r, key).is_null(), made << key);
      CHECK_MESSAGE(is_open(r, key), made << key);
    }
  }
}

TEST_CASE("Of several calls, an argument that one lacks is of none") {
  const ImportedRun r = read_python(
      "if big:\n    args = TrainingArguments(per_device_train_batch_size=4, bf16=True)\n"
      "else:\n    args = TrainingArguments(bf16=True)\n");
  CHECK(is_open(r, "training.micro_batch"));
  CHECK(at(r, "training.precision") == "bf16");
}

TEST_CASE("A value of the program's own arguments is asked for, and never an error") {
  const ImportedRun r = read_python(
      "args = TrainingArguments('o', per_device_train_batch_size=a.batch, "
      "gradient_checkpointing=a.save, fp16=torch.cuda.is_available())\n"
      "model = get_peft_model(model, LoraConfig(\n    r=a.rank,\n    "
      "target_modules=['q_proj'],\n))\n");
  for (const char* key :
       {"training.micro_batch", "training.adapter", "parallel.recompute", "training.precision"})
    CHECK_MESSAGE(is_open(r, key), key);
  CHECK_FALSE(has_word(r, "neither bf16 nor fp16"));
}

TEST_CASE("An argument that is called like a call is none") {
  const Json s = settings_of(
      "args = TrainingArguments(LoraConfig=3, bf16=True)\nargs.from_pretrained = 2\n"
      "c = LoraConfig(r=8)\nm = A.from_pretrained('gpt2')\n");
  CHECK(value_at(s, "LoraConfig.r") == 8);
  CHECK(value_at(s, "from_pretrained.model_name") == "gpt2");
}

TEST_CASE("A long expression in any script is shown to the end of a character") {
  for (const std::string before : {"", "x"}) {
    std::string word;
    while (word.size() < 80) word += "\u00e9";
    const Json s = settings_of("args = TrainingArguments(optim=" + before + "f('" + word + "'))\n");
    CHECK_NOTHROW(s.dump());
    CHECK(s.at("optim").get<std::string>().find("$" + before + "f('\u00e9") == 0);
  }
}

TEST_CASE("A model that a trainer loads by its name is the model") {
  const Json s = settings_of("from trl import SFTTrainer\nSFTTrainer(model='gpt2', args=None)\n");
  CHECK(value_at(s, "from_pretrained.model_name") == "gpt2");
  CHECK_FALSE(s.contains("unread_arguments"));
}

TEST_CASE("A Python file keeps its name in what is said of it") {
  const ImportedRun r = read_python("args = TrainingArguments('o', bf16=True)\n");
  CHECK(r.file == "train.py");
}

TEST_CASE("A base that a Python script loads in 4 bits is one beside its adapters") {
  const std::string args =
      "from peft import LoraConfig, get_peft_model\n"
      "args = TrainingArguments('out', bf16=True)\n"
      "model = get_peft_model(model, LoraConfig(r=16, target_modules=['q_proj', 'v_proj']))\n";
  const ImportedRun plain = read_python(args);
  CHECK(at(plain, "training.adapter.kind") == "lora");
  const ImportedRun r = read_python(args +
                                    "config = BitsAndBytesConfig(load_in_4bit=True, "
                                    "bnb_4bit_use_double_quant=True)\n");
  CHECK(at(r, "training.adapter.kind") == "qlora");
  CHECK(at(r, "training.adapter.base_precision") == "nf4");
}

TEST_CASE("A name that a program sets to one value has it, in a function and over several lines") {
  const Json read = settings_of(
      "WIDE = [\n    'q_proj',  # the query\n    'v_proj',\n]\n"
      "def main():\n    long = 2 * 1024\n    in_4bit = True\n    half = "
      "torch.cuda.is_bf16_supported()\n"
      "    model = FastLanguageModel.from_pretrained('m', max_seq_length=long, "
      "load_in_4bit=in_4bit)\n"
      "    get_peft_model(model, target_modules=WIDE)\n"
      "    args = TrainingArguments('o', bf16=half, fp16=not half)\n"
      "def other():\n    long = 2048\n");
  CHECK(read["from_pretrained"]["max_seq_length"] == 2048);
  CHECK(read["from_pretrained"]["load_in_4bit"] == true);
  CHECK(read["get_peft_model"]["target_modules"] == Json({"q_proj", "v_proj"}));
  CHECK(read["bf16"] == "auto");
  CHECK_FALSE(read.contains("fp16"));
}

TEST_CASE("A name that a program may have set to another value is not known") {
  const auto value = [](const std::string& text) {
    return settings_of(text)["per_device_train_batch_size"];
  };
  const std::string call = "TrainingArguments('o', per_device_train_batch_size=n)\n";
  CHECK(value("n = 4\n" + call) == 4);
  for (const std::string& text :
       {"n = 4\nif big:\n    n = 8\n" + call, "n = 4\nn += 1\n" + call,
        "for n in [1, 2]:\n    " + call, "with batch() as n:\n    " + call,
        "n = 4\ndef train(n):\n    " + call, "n = int(sys.argv[1])\n" + call,
        "n = [4]\nn.append(8)\n" + call, "a, n = sizes()\n" + call})
    CHECK_MESSAGE(bare_text(value(text)).front() == '$', text);
  // A parameter of another function is another name.
  CHECK(value("n = 4\ndef load(n):\n    return n\n" + call) == 4);
}

TEST_CASE("Arguments that argparse reads are those of the command that starts the program") {
  const std::string program =
      kImports +
      "parser = argparse.ArgumentParser()\nparser.add_argument('--batch-size', type=int, "
      "default=1)\n"
      "parser.add_argument('--passes', default=4)\nparser.add_argument('--half', "
      "action='store_true')\n"
      "def main(args):\n    training = TrainingArguments('o', bf16=args.half,\n"
      "        per_device_train_batch_size=args.batch_size,\n"
      "        gradient_accumulation_steps=args.passes)\n"
      "    Trainer(model=model, args=training).train()\n"
      "args = parser.parse_args()\nmain(args)\n";
  const ImportedRun r =
      read({{"run.sh", "torchrun --nproc_per_node 2 train.py --batch-size 8 --half\n"},
            {"train.py", program}},
           R"({"cluster": {"node": "dgx-h100"}})");
  CHECK(at(r, "training.micro_batch") == 8);
  CHECK(at(r, "training.global_batch") == 64);
  CHECK(at(r, "training.precision") == "bf16");
  CHECK(at(r, "cluster.gpus") == 2);
  // Alone, only the running program knows them.
  CHECK(is_open(read({{"train.py", program}}, kOneNode), "training.micro_batch"));
}

}  // namespace orrery
