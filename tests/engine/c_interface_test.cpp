// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "orrery/orrery.h"

namespace {

// Without folders: orrery_new() is the installed library's (tests/install).
std::unique_ptr<orrery_engine, decltype(&orrery_free)> engine() {
  return {orrery_new_builtin(), orrery_free};
}

std::unique_ptr<orrery_answer, decltype(&orrery_answer_free)> call(orrery_engine* e,
                                                                   const char* command,
                                                                   const char* request) {
  return {orrery_call(e, command, request), orrery_answer_free};
}

constexpr const char* kRun = R"({"run": "gpt3-175b-1024-a100"})";

}  // namespace

TEST_CASE("the C interface gives text, size and numbers by path") {
  const auto e = engine();
  const auto a = call(e.get(), "estimate", kRun);
  CHECK(orrery_code(a.get()) == 0);
  CHECK(std::string(orrery_error(a.get())).empty());
  size_t size = 0;
  const std::string text = orrery_text(a.get(), &size);
  CHECK(text.size() == size);
  double value = 0;
  CHECK(orrery_number(a.get(), "memory.peak_gib", &value) == 1);
  CHECK(value > 1);
  CHECK(orrery_number(a.get(), "communication.0.count", &value) == 1);
  CHECK(orrery_number(a.get(), "memory.none", &value) == 0);
  CHECK(orrery_number(a.get(), "memory", &value) == 0);
  CHECK(std::string(orrery_line(a.get())).rfind("{\"code\":0,\"answer\":{", 0) == 0);
}

TEST_CASE("the C interface answers what is wrong") {
  const auto e = engine();
  const auto a = call(e.get(), "estimate", "{\"run\": 3}");
  CHECK(orrery_code(a.get()) == 2);
  CHECK(std::string(orrery_error(a.get())).find("request: run") == 0);
  CHECK(std::string(orrery_text(a.get(), nullptr)).empty());
  CHECK(orrery_code(call(e.get(), "estimate", nullptr).get()) == 2);
}

TEST_CASE("an engine answers several threads at once, alike") {
  const auto e = engine();
  const std::string alone = orrery_text(call(e.get(), "estimate", kRun).get(), nullptr);
  std::vector<std::string> answers(4);
  std::vector<std::thread> threads;
  for (std::string& answer : answers) {
    threads.emplace_back(
        [&] { answer = orrery_text(call(e.get(), "estimate", kRun).get(), nullptr); });
  }
  for (std::thread& t : threads) t.join();
  for (const std::string& answer : answers) CHECK(answer == alone);
}

TEST_CASE("who watches a call may end it") {
  const auto e = engine();
  int told = 0;
  orrery_watch(
      e.get(),
      [](void* user, long long done, long long total) {
        CHECK(done <= total);
        ++*static_cast<int*>(user);
        return 1;
      },
      &told);
  CHECK(orrery_code(call(e.get(), "search", kRun).get()) == 130);
  CHECK(told == 1);
}
