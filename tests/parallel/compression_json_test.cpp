// SPDX-License-Identifier: Apache-2.0
#include "parallel/compression_json.h"

#include <doctest/doctest.h>

#include <string>

#include "core/error.h"
#include "core/json.h"

using namespace orrery;
using enum Collective;

namespace {

CompressionProfile read_json(const Json& document) {
  return read_compression(Reader(document, "run.json", "parallel.compression"), {2, 2, 4});
}

CompressionProfile read_profile(const std::string& text) {
  return read_json(parse_json(text, "run.json"));
}

std::string profile_error(const std::string& text) {
  try {
    read_profile(text);
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

bool in_profile(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a codec of a dimension is of all its collectives, and of its experts") {
  const Compression c =
      read_profile(R"({"dp": {"ratio": 4, "throughput": "50 GB/s", "recompress": false}})")
          .compression;
  for (const CommDimension d : {CommDimension::dp, CommDimension::edp}) {
    CHECK(c.of(d, all_reduce).ratio == 4);
    CHECK(c.of(d, all_gather).compress.si() == 50e9);
    CHECK(!c.of(d, reduce_scatter).recompresses);
  }
  CHECK(!compresses(c, CommDimension::tp, all_reduce));
}

TEST_CASE("a codec of one collective leaves the others alone") {
  const Compression c =
      read_profile(R"({"dp": {"all-gather": {"ratio": 2, "throughput": "unlimited"}},
                                 "edp": {}})")
          .compression;
  CHECK(c.of(CommDimension::dp, all_gather).ratio == 2);
  CHECK(!compresses(c, CommDimension::dp, reduce_scatter));
  CHECK(!compresses(c, CommDimension::edp, all_gather));
}

TEST_CASE("bits are of the element that travels") {
  const Compression c = read_profile(R"({"dp": {"bits": 8, "throughput": "unlimited"},
                                 "tp": {"bits": 8, "throughput": "unlimited"}})")
                            .compression;
  CHECK(c.of(CommDimension::dp, reduce_scatter).ratio == 4);  // of gradients in 4 bytes
  CHECK(c.of(CommDimension::dp, all_gather).ratio == 2);
  CHECK(c.of(CommDimension::tp, all_reduce).ratio == 2);
}

TEST_CASE("what changes nothing is no codec") {
  CHECK(
      !compresses(read_profile(R"({"tp": {"ratio": 1, "throughput": "unlimited"}})").compression));
  CHECK(compresses(read_profile(R"({"tp": {"ratio": 1, "throughput": "1 GB/s"}})").compression));
}

TEST_CASE("what is resolved reads the same again") {
  const CompressionProfile p = read_profile(R"({"name": "mine",
      "dp": {"bits": 7, "compress": "123.4 GB/s", "decompress": "unlimited", "call": "5 us"},
      "edp": {}, "tp": {"all-to-all": {"ratio": 1.3, "throughput": "25 GB/s", "lossless": true}}})");
  const CompressionProfile again = read_json(compression_json(p));
  CHECK(again.compression == p.compression);
  CHECK(again.name == "mine");
}

TEST_CASE("bad compression is refused with its path") {
  CHECK(in_profile(profile_error(R"({"dp": {"ratio": 0.5, "throughput": "1 GB/s"}})"),
                   "parallel.compression.dp.ratio: found 0.5"));
  CHECK(in_profile(profile_error(R"({"tp": {"bits": 17, "throughput": "1 GB/s"}})"),
                   "parallel.compression.tp.bits"));
  CHECK(in_profile(profile_error(R"({"dp": {"ratio": 2}})"), "throughput"));
  CHECK(in_profile(profile_error(R"({"dp": {"ratio": 2, "throughput": 0}})"), "throughput"));
  CHECK(in_profile(profile_error(R"({"dp": {"ratio": 2, "compress": "1 GB/s"}})"), "decompress"));
  CHECK(in_profile(profile_error(R"({"dp": {"ratio": 2, "throughput": 1e9, "compress": 1e9}})"),
                   "compress"));
  CHECK(in_profile(profile_error(R"({"dp": {"ratio": 2, "bits": 8, "throughput": "1 GB/s"}})"),
                   "ratio"));
  CHECK(in_profile(profile_error(R"({"dp": {"bits": 8, "lossless": true, "throughput": 1e9}})"),
                   "bits"));
  CHECK(in_profile(profile_error(R"({"dp": {"all-gathr": {"ratio": 2, "throughput": 1e9}}})"),
                   "all-gather"));
  CHECK(in_profile(profile_error(R"({"dq": {"ratio": 2, "throughput": 1e9}})"),
                   "parallel.compression.dq"));
  CHECK(in_profile(profile_error(R"({"dp": 4})"), "parallel.compression.dp"));
  CHECK(in_profile(profile_error("[]"), "parallel.compression"));
}
