// SPDX-License-Identifier: Apache-2.0
// Tests of cuda/ without a GPU: its absence is reported, and cuDNN accepts the graphs of attention.
// Built with ORRERY_CUDA; scripts/check-cuda runs it.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "cuda/cuda_device.h"
#ifdef ORRERY_HAS_CUDNN
#include "cuda/attention_graph.h"
#endif

using namespace orrery;

TEST_CASE("where there is no GPU the reason is one line, and where there is one it has a name") {
  std::string why_not;
  const auto device = open_cuda_device(why_not);
  if (device) {
    CHECK(!device->facts().name.empty());
  } else {
    CHECK(!why_not.empty());
    CHECK(why_not.find('\n') == std::string::npos);
  }
}

#ifdef ORRERY_HAS_CUDNN
namespace {

MeasuredAttention attention(AttentionPass pass, std::int64_t head, double pairs) {
  return {{32, 4096, 4096, head, head, pairs}, AttentionKernel::cudnn, Precision::bf16, pass};
}

}  // namespace

TEST_CASE("cuDNN takes attention of both passes, masked or not, of every head size") {
  for (const AttentionPass pass : {AttentionPass::forward, AttentionPass::backward}) {
    for (const std::int64_t head : kAttentionHeadSizes) {
      for (const double pairs : {1.0, 0.5}) {
        const MeasuredAttention a = attention(pass, head, pairs);
        CHECK(std::string(no_attention_graph(a)).empty());
        CHECK_NOTHROW(attention_graph(a, nullptr));
      }
    }
  }
}

TEST_CASE("attention without a graph says why") {
  MeasuredAttention a = attention(AttentionPass::both, 128, 1);
  CHECK(std::string(no_attention_graph(a)).find("together") != std::string::npos);
  a = attention(AttentionPass::forward, 128, 1);
  a.precision = Precision::fp8;
  CHECK(std::string(no_attention_graph(a)).find("16 bits") != std::string::npos);
  a = attention(AttentionPass::forward, 128, 1);
  a.kernel = AttentionKernel::flash_2;
  CHECK(std::string(no_attention_graph(a)).find("cuDNN") != std::string::npos);
}
#endif
