// SPDX-License-Identifier: Apache-2.0
// Words of AReaL's allocations (inclusionAI/AReaL areal/api/alloc_mode.py and its documentation).
#include "exchange/tools/layout_words.h"

#include <doctest/doctest.h>

namespace orrery {

using tools::layouts_in;

TEST_CASE("A word says the degrees of an engine and of a trainer") {
  const auto parts = layouts_in("sglang:d4t2+fsdp:d2c2");
  REQUIRE(parts);
  REQUIRE(parts->size() == 2);
  CHECK((*parts)[0].backend == "sglang");
  CHECK((*parts)[0].gpus() == 8);
  CHECK((*parts)[1].cp == 2);
  CHECK((*parts)[1].gpus() == 4);
  CHECK_FALSE((*parts)[1].shares);
}

TEST_CASE("Experts apart have degrees of their own") {
  const auto parts = layouts_in("megatron:(attn:d1p2t4|ffn:d1p2t1e4)");
  REQUIRE(parts);
  REQUIRE(parts->size() == 1);
  const tools::PartLayout& p = parts->front();
  CHECK(p.tp == 4);
  CHECK(p.pp == 2);
  CHECK(p.ep == 4);
  CHECK(p.etp == 1);
  CHECK(p.gpus() == 8);
}

TEST_CASE("Named parts may share GPUs, and older words have a dot") {
  const auto parts = layouts_in("vllm[r]:d4 | fsdp[a]:d4 + fsdp[c]:d2");
  REQUIRE(parts);
  REQUIRE(parts->size() == 3);
  CHECK((*parts)[1].shares);
  CHECK((*parts)[1].name == "a");
  CHECK_FALSE((*parts)[2].shares);
  const auto old = layouts_in("sglang.d4p1t1+d4p1t1");
  REQUIRE(old);
  CHECK(old->back().backend.empty());
  CHECK(old->back().dp == 4);
}

TEST_CASE("What is no allocation is not read") {
  for (const char* text : {"", "sglang", "sglang:", "sglang:x4", "sglang:d0", "cuda:d4", "fsdp:d4+",
                           "megatron:(attn:d2|moe:e2)", "fsdp:d99999999999", "fsdp:d65536t65536",
                           "fsdp[:d4", "[]:d4", "((", "d4x"}) {
    CAPTURE(text);
    CHECK_FALSE(layouts_in(text));
  }
}

}  // namespace orrery
