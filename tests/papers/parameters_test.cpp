// SPDX-License-Identifier: Apache-2.0
// The operator list holds every weight: its sum is the total known for the model, to the last one.
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "model/architecture_json.h"
#include "model/model_files.h"
#include "model/operators.h"

namespace orrery {
namespace {

constexpr std::int64_t kAnySequence = 2048;  // counts depend on it only without max_positions

ParameterCount count_of(const ModelDescription& model) {
  return parameter_count(model.architecture, kAnySequence);
}

Json golden() { return json_file(ORRERY_TEST_DATA "/papers/parameter-totals.json"); }

}  // namespace

TEST_CASE("parameter totals from Hugging Face files") {
  const Json rows = golden()["models"];
  CHECK(rows.size() == 12);
  for (const Json& row : rows) {
    const auto name = row["config"].get<std::string>();
    CAPTURE(name);
    const ParameterCount count = count_of(read_model(hf_sample(name), name));
    CHECK(count.total == row["total"].get<std::int64_t>());
    CHECK(count.active == row["active"].get<std::int64_t>());
  }
}

TEST_CASE("parameter totals of shipped models Hugging Face files are not read for") {
  const Json rows = golden()["shipped"];
  CHECK(rows.size() == 3);
  for (const Json& row : rows) {
    const auto name = row["config"].get<std::string>();
    CAPTURE(name);
    const ParameterCount count = count_of(shipped_model(name));
    CHECK(count.total == row["total"].get<std::int64_t>());
    if (row.contains("active")) CHECK(count.active == row["active"].get<std::int64_t>());
    if (row.contains("mtp")) CHECK(count.mtp == row["mtp"].get<std::int64_t>());
  }
}

TEST_CASE("families give the published totals of their models to the last weight") {
  const Json rows = json_file(ORRERY_TEST_DATA "/papers/family-totals.json")["models"];
  CHECK(rows.size() > 40);
  for (const Json& row : rows) {
    const auto name = row["name"].get<std::string>();
    CAPTURE(name);
    const ParameterCount count = count_of(read_model(row["config"], name));
    CHECK(count.total == row["total"].get<std::int64_t>());
    if (row.contains("active")) CHECK(count.active == row["active"].get<std::int64_t>());
  }
}

TEST_CASE("encoders of images give the rest of the published totals") {
  const Json rows = json_file(ORRERY_TEST_DATA "/papers/tower-totals.json")["models"];
  for (const Json& row : rows) {
    const auto name = row["name"].get<std::string>();
    CAPTURE(name);
    const ParameterCount n = count_of(read_model(row["config"], name));
    CHECK(n.total + n.tower == row["total"].get<std::int64_t>());
    CHECK(n.tower > 0);
  }
}

// Published files with their totals, where they lie: -DORRERY_HF_CONFIGS=FOLDER, by default the
// folder hf-configs of a folder beside the checkout.
TEST_CASE("files of published models give their totals and active parameters") {
  const std::filesystem::path folder = ORRERY_HF_CONFIGS;
  if (!std::filesystem::exists(folder / "expected.json")) {
    MESSAGE("skipped: no ", folder.string());
    return;
  }
  const Json expected = json_file((folder / "expected.json").string());
  for (auto it = expected.begin(); it != expected.end(); ++it) {
    CAPTURE(it.key());
    const Json& row = it.value();
    const ModelDescription model = read_model(json_file((folder / it.key()).string()), it.key());
    const ParameterCount count = count_of(model);
    const auto within = [&](std::int64_t counted, const char* key, double tolerance) {
      const auto total = row[key].get<double>();
      return std::abs(static_cast<double>(counted) - total) <= tolerance * total;
    };
    // The totals with a tolerance above a thousandth are the published, rounded ones.
    const auto tolerance = row["tolerance"].get<double>();
    CHECK(within(count.total, "total_parameters", tolerance > 0.001 ? tolerance : 0));
    if (row["active_parameters"].is_null()) continue;
    const double active = row.value("active_tolerance", tolerance);
    CHECK(within(count.active, "active_parameters", tolerance > 0.001 ? active : 0));
  }
}

TEST_CASE("every shipped model has about its stated parameters") {
  for (const auto& entry : std::filesystem::directory_iterator(ORRERY_CONFIG_DIR "/models")) {
    const ModelDescription model = shipped_model(entry.path().stem().string());
    const auto counted = static_cast<double>(count_of(model).total);
    CHECK(parameter_warning(model, counted).empty());
  }
}

}  // namespace orrery
