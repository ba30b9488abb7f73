// SPDX-License-Identifier: Apache-2.0
// Traces of PyTorch's profiler. tests/exchange/data/README.md says what made the samples.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "core/error.h"
#include "core/json.h"
#include "exchange/kineto/work.h"
#include "exchange/measurements/measurements.h"
#include "support/about.h"
#include "support/runs.h"

using namespace orrery;

namespace {

std::string sample(const std::string& name) {
  const auto text = testing::text_of_file(std::string(ORRERY_TEST_DATA) + "/exchange/data/" + name);
  REQUIRE(text);
  return *text;
}

MeasurementSet traced(const std::string& text) { return read_measurements(text, "t.json"); }

std::string refusal(const std::string& text, const MeasurementHints& hints = {}) {
  try {
    read_measurements(text, "t.json", hints);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

// The work with this name.
const Measurement& named(const MeasurementSet& set, const std::string& name) {
  const auto found = std::find_if(set.points.begin(), set.points.end(),
                                  [&](const Measurement& m) { return name_of_work(m) == name; });
  CAPTURE(name);
  REQUIRE(found != set.points.end());
  return *found;
}

double microseconds(const MeasurementSet& set, const std::string& name) {
  return named(set, name).timed.time.si() * 1e6;
}

bool left_out(const MeasurementSet& set, const std::string& line) {
  CAPTURE(line);
  return std::find(set.left_out.begin(), set.left_out.end(), line) != set.left_out.end();
}

std::string one(const std::string& events) {
  return R"({"schemaVersion": 1, "traceEvents": [)" + events + "]}";
}

// An aten::mm of 64 × 32 × 16 and its kernel; what is given goes into their arguments.
std::string product(const std::string& id, const std::string& op, const std::string& kernel,
                    const std::string& duration = "9.5", const std::string& begin = "100") {
  return R"({"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 1, "dur": 2, "args": {)" + op +
         R"("External id": )" + id +
         R"(, "Input Dims": [[64, 16], [16, 32]], "Input type": ["c10::Half", "c10::Half"]}},)" +
         R"({"ph": "X", "cat": "kernel", "name": "k", "ts": )" + begin + R"(, "dur": )" + duration +
         R"(, "args": {"device": 0, )" + kernel + R"("correlation": 7}})";
}

const std::string kWork = "fp16 products of 64 × 32 × 16";

}  // namespace

TEST_CASE("Kineto: a product is the kernels of its innermost operator, linear no second one") {
  const MeasurementSet set = traced(sample("kineto-trace.json"));
  CHECK(set.points.size() == 14);
  const Measurement& m = named(set, "bf16 products of 8192 × 14336 × 4096");
  CHECK(m.timed.time.si() * 1e6 == testing::about(1332.4));
  CHECK(m.timed.spread * 1e4 == testing::about(1.4826e4 / 1332.4));
}

TEST_CASE("Kineto: two kernels and a memory set of one product add up, through its launch too") {
  const MeasurementSet set = traced(sample("kineto-trace.json"));
  CHECK(microseconds(set, "bf16 products of 2048 × 1024 × 4096") ==
        testing::about(1.5 + 3.5 + (45.0 + 46.0) / 2));
}

TEST_CASE(
    "Kineto: batches, halves and tf32 by their types and kernels, other floats are left out") {
  const MeasurementSet set = traced(sample("kineto-trace.json"));
  CHECK(microseconds(set, "bf16 products of 32 × 2048 × 2048 × 128") == testing::about(70.25));
  CHECK(microseconds(set, "fp16 products of 4 × 512 × 512 × 256") == testing::about(9.75));
  CHECK(microseconds(set, "tf32 products of 4096 × 4096 × 4096") == testing::about(350.5));
  CHECK(left_out(set, "1 products in float whose kernel tells neither fp32 nor tf32"));
  CHECK(left_out(set, "1 products in double"));
}

TEST_CASE("Kineto: attention by its innermost operator, its mask from the concrete inputs") {
  const MeasurementSet set = traced(sample("kineto-trace.json"));
  CHECK(microseconds(set, "flash-2 forward, head 128, causal, of 64 × 4096 in bf16") ==
        testing::about(803.0));
  CHECK(microseconds(set, "flash-2 backward, head 128, causal, of 64 × 4096 in bf16") ==
        testing::about(2400.0));
  CHECK(left_out(set, "1 calls of attention with dropout"));
}

TEST_CASE("Kineto: of a collective the shortest time, over ranks side by side, alone") {
  const MeasurementSet set = traced(sample("kineto-trace.json"));
  CHECK(microseconds(set, "all-reduce over 8 of 67108864 bytes") == testing::about(333.5));
  CHECK(microseconds(set, "all-gather over 8 of 67108864 bytes") == testing::about(190.0));
  CHECK(left_out(set, "1 collectives over ranks that are not side by side, or unsaid"));
  CHECK(left_out(set, "1 collectives by the name of send"));
  CHECK(left_out(set, "1 collectives that ran beside another kernel"));
  CHECK(left_out(set, "1 calls of aten::mm that ran beside another kernel"));
}

TEST_CASE("Kineto: copies by way and bytes, pinned memory alone, the rest by name") {
  const MeasurementSet set = traced(sample("kineto-trace.json"));
  CHECK(microseconds(set, "host copy of 67108864 bytes") == testing::about(67108864 / 54e3));
  CHECK(microseconds(set, "copy to the host of 16777216 bytes") == testing::about(16777216 / 55e3));
  CHECK(microseconds(set, "device copy of 134217728 bytes") == testing::about(55.5));
  CHECK(left_out(set, "1 copies from or to pageable memory"));
  CHECK(left_out(set, "5 kernels of aten::add_"));
  CHECK(left_out(set, "1 kernels of no operator"));
  CHECK(set.source == "a trace of PyTorch's profiler, NVIDIA H100 80GB HBM3");
}

TEST_CASE("Kineto: work is beside what runs on another stream of its GPU, as pairs say") {
  std::vector<GpuWork> work;
  for (int i = 0; i < 200; ++i) {
    GpuWork w;
    w.begin = 7 * i;
    w.time = i * 37 % 31;
    w.stream = i * 13 % 5;
    w.device = i % 2;
    work.push_back(w);
  }
  mark_beside(work);
  for (std::size_t i = 0; i < work.size(); ++i) {
    bool beside = false;
    for (std::size_t j = 0; j < work.size(); ++j) {
      const GpuWork& a = work[std::min(i, j)];
      const GpuWork& b = work[std::max(i, j)];
      beside = beside ||
               (a.device == b.device && a.stream != b.stream && a.begin + a.time > b.begin + 1.0);
    }
    CHECK(work[i].beside == beside);
  }
}

TEST_CASE("Kineto: whole microseconds are no finer than their rounding") {
  const MeasurementSet set = traced(one(product("3", "", R"("External id": 3, )", "10")));
  CHECK(named(set, kWork).timed.spread == testing::about(0.029));
  CHECK(named(traced(one(product("3", "", R"("External id": 3, )"))), kWork).timed.spread == 0);
}

TEST_CASE("Kineto: the spelling of older versions") {
  const std::string event = product("3", "", R"("external id": 3, )");
  std::string older = event;
  older.replace(older.find("cpu_op"), 6, "Operator");
  older.replace(older.find("\"kernel\""), 8, "\"Kernel\"");
  CHECK(traced(one(older)).points.size() == 1);
}

TEST_CASE("Kineto: an External id of two operators says which of them nobody knows") {
  const MeasurementSet set =
      traced(one(product("3", "", R"("External id": 3, )") + "," +
                 product("3", "", R"("External id": 3, )", "9.5", "200") + "," +
                 product("4", "", R"("External id": 4, )", "8.5", "300")));
  CHECK(microseconds(set, kWork) == testing::about(8.5));
  CHECK(left_out(set, "1 operators whose External id another has too"));
}

TEST_CASE("Kineto: an event that is no JSON costs itself, not the trace") {
  const std::string infinite =
      R"({"ph": "X", "cat": "gpu_memcpy", "args": {"memory bandwidth": inf}})";
  const MeasurementSet set =
      traced(one(infinite + "," + product("3", "", R"("External id": 3, )")));
  CHECK(set.points.size() == 1);
  CHECK(left_out(set, "1 events that are no JSON"));
}

TEST_CASE("Kineto: braces in a name are text") {
  CHECK(traced(one(product("3", R"("a \" ]}": "[{", )", R"("External id": 3, )"))).points.size() ==
        1);
}

TEST_CASE("Kineto: a trace that is cut off, without a GPU or without shapes is refused") {
  const std::string whole = sample("kineto-trace.json");
  CHECK(refusal(whole.substr(0, whole.size() / 2)).find("cut off") != std::string::npos);
  const std::size_t end = whole.rfind("\n  ]");
  CHECK(refusal(whole.substr(0, end)).find("the end of the file within") != std::string::npos);
  CHECK(refusal(one("")).find("without work of a GPU") != std::string::npos);
  CHECK(refusal(one("3")).find("no object among the events") != std::string::npos);
  CHECK(refusal(R"({"traceEvents": 3})").find("no array \"traceEvents\"") != std::string::npos);
  std::string shapeless = product("3", "", R"("External id": 3, )");
  shapeless.replace(shapeless.find("Input Dims"), 10, "Input Dimz");
  CHECK(refusal(one(shapeless)).find("record_shapes=True") != std::string::npos);
}

TEST_CASE("a trace that PyTorch 1.13 without Kineto printed is refused for its shapes") {
  const std::string error = refusal(sample("torch-trace-no-kineto.json"));
  CHECK(error.find("without Kineto, which has no shapes") != std::string::npos);
}

TEST_CASE("the table that PyTorch 1.13 printed on a CPU is no profile of a GPU") {
  const std::string error = refusal(sample("torch-profile-cpu.txt"));
  CHECK(error.find("a profile of the CPU alone") != std::string::npos);
}

namespace {

// A real table, its own times under the name that a GPU's have.
std::string as_of_gpu(std::string table) {
  const std::string from = "Self CPU  ";
  const std::size_t at = table.find(from);
  REQUIRE(at != std::string::npos);
  return table.replace(at, from.size(), "Self GPU  ");
}

MeasurementHints in_fp32() {
  MeasurementHints hints;
  hints.precision = Precision::fp32;
  return hints;
}

}  // namespace

TEST_CASE("every product of a table that PyTorch 1.13 printed, in all units of time") {
  const MeasurementSet set =
      read_measurements(as_of_gpu(sample("torch-profile-cpu.txt")), "t.txt", in_fp32());
  CHECK(set.points.size() == 7);
  CHECK(microseconds(set, "fp32 products of 1536 × 1536 × 1536") == testing::about(3.289e6));
  CHECK(microseconds(set, "fp32 products of 4 × 64 × 48 × 32") == testing::about(169.0 / 4));
  CHECK(left_out(set, "17 rows of other operators"));
}

TEST_CASE("the device of a trace counts wherever it stands") {
  const std::string text = sample("kineto-trace.json");
  const Json trace = parse_json(text, "t.json");
  Json again = {{"traceEvents", trace["traceEvents"]}};
  for (const auto& [key, value] : trace.items()) again[key] = value;
  REQUIRE(!traced(text).gpu.empty());
  CHECK(traced(again.dump()).gpu == traced(text).gpu);
  CHECK(traced(again.dump(2)).points.size() == traced(text).points.size());
}

TEST_CASE("a table that PyTorch 1.13 printed with call stacks: their lines are no rows") {
  const MeasurementSet set =
      read_measurements(as_of_gpu(sample("torch-profile-stack.txt")), "t.txt", in_fp32());
  CHECK(set.points.size() == 2);
  CHECK(left_out(set, "2 rows of other operators"));
}

TEST_CASE("a table that PyTorch 1.13 printed with cut shapes says how to print them whole") {
  const std::string error = refusal(as_of_gpu(sample("torch-profile-cut.txt")), in_fp32());
  CHECK(error.find("cut off; allowed: whole ones: table(max_shapes_column_width") !=
        std::string::npos);
}
