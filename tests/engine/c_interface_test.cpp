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
  int reported = 0;
  orrery_watch(
      e.get(),
      [](void* user, long long done, long long total) {
        CHECK(done <= total);
        ++*static_cast<int*>(user);
        return 1;
      },
      &reported);
  CHECK(orrery_code(call(e.get(), "search", kRun).get()) == 130);
  CHECK(reported == 1);
}

TEST_CASE("the C interface throws nothing, whatever it is given") {
  const auto e = engine();
  const auto refused = [](orrery_answer* a) {
    const std::unique_ptr<orrery_answer, decltype(&orrery_answer_free)> kept(a, orrery_answer_free);
    REQUIRE(a != nullptr);
    CHECK(orrery_code(a) == 2);
    CHECK(std::string(orrery_error(a)).find("found ") != std::string::npos);
    CHECK(std::string(orrery_line(a)).find("{\"code\":2") == 0);
  };
  refused(orrery_call(e.get(), nullptr, "{}"));
  refused(orrery_call(nullptr, "estimate", kRun));
  refused(orrery_ask(nullptr, "estimate", "{}"));
  refused(orrery_call(e.get(), "", ""));
  refused(orrery_call(e.get(), "estimate", "\xff\xfe{"));
  refused(orrery_call(e.get(), "\xff\xfe\x1b", "{}"));
  refused(orrery_call(e.get(), "estimate", std::string(5'000'000, '[').c_str()));
  refused(orrery_call(e.get(), std::string(5'000'000, 'x').c_str(), "{}"));
  refused(orrery_call(e.get(), "estimate", R"({"run": {"file": 5}})"));
  CHECK(orrery_open(nullptr, "{}") == nullptr);
  CHECK(orrery_set(nullptr, "a", "1") == 0);
  const std::unique_ptr<orrery_session, decltype(&orrery_close)> session(orrery_open(e.get(), kRun),
                                                                         orrery_close);
  CHECK(orrery_set(session.get(), nullptr, "1") == 0);
  refused(orrery_ask(session.get(), nullptr, nullptr));
  CHECK(orrery_set(session.get(), "", std::string(5'000'000, '[').c_str()) == 1);
  refused(orrery_ask(session.get(), "estimate", std::string(100'000, '{').c_str()));
  const std::unique_ptr<orrery_session, decltype(&orrery_close)> of_list(
      orrery_open(e.get(), "[1, 2]"), orrery_close);
  refused(orrery_ask(of_list.get(), "estimate", "{}"));
  orrery_watch(nullptr, nullptr, nullptr);
  orrery_free(nullptr);
  orrery_close(nullptr);
  orrery_answer_free(nullptr);
}

TEST_CASE("the C interface has an empty text where there is none") {
  const auto e = engine();
  const auto a = call(e.get(), "list", R"({"what": "models"})");
  for (const orrery_answer* one :
       {static_cast<const orrery_answer*>(a.get()), static_cast<const orrery_answer*>(nullptr)}) {
    size_t size = 7;
    CHECK(std::string(orrery_warning(one, 99)).empty());
    CHECK(std::string(orrery_file_name(one, 5)).empty());
    CHECK(std::string(orrery_file_text(one, static_cast<size_t>(-1), &size)).empty());
    CHECK(size == 0);
    CHECK(std::string(orrery_file_text(one, 5, nullptr)).empty());
  }
  CHECK(orrery_code(nullptr) == 2);
  CHECK(std::string(orrery_text(nullptr, nullptr)).empty());
  CHECK(std::string(orrery_error(nullptr)).empty());
  CHECK(orrery_warning_count(nullptr) == 0);
  CHECK(orrery_file_count(nullptr) == 0);
  CHECK(std::string(orrery_line(nullptr)).empty());
  double value = 0;
  CHECK(orrery_number(nullptr, "a", &value) == 0);
  CHECK(orrery_number(a.get(), nullptr, &value) == 0);
  CHECK(orrery_number(a.get(), "0.parameters", nullptr) == 0);
}

TEST_CASE("a report of progress that throws stops its call") {
  const auto e = engine();
  orrery_watch(
      e.get(), [](void*, long long, long long) -> int { throw 5; }, nullptr);
  const auto a = call(e.get(), "search",
                      R"({"model": "llama-3-8b", "node": "dgx-h100", "gpus": 64,
                          "sequence_length": 4096, "global_batch": 256})");
  REQUIRE(a != nullptr);
  CHECK(orrery_code(a.get()) == 130);
}
