// SPDX-License-Identifier: Apache-2.0
//
// Links in NCCL's own lines, in the spellings of its releases.
#include "exchange/messages/nccl_setup.h"

#include <doctest/doctest.h>

using namespace orrery;

TEST_CASE("TCP between nodes, and why it is no InfiniBand") {
  const auto by = [](const char* text) { return read_nccl_setup(text).value(); };
  const NcclSetup library =
      by("n1:5022:5089 [3] NCCL INFO Failed to open libibverbs.so[.1]\n"
         "n1:5022:5089 [3] NCCL INFO NET/Socket : Using [0]eth0:10.0.0.1<0>\n"
         "n1:5022:5089 [3] NCCL INFO Using network Socket\n");
  CHECK(library.network == NcclNetwork::tcp);
  CHECK(library.why == NoInfiniband::no_library);
  CHECK(library.network_line == "Using network Socket");
  CHECK(by("a [0] NCCL INFO NET/IB : No device found.\na [0] NCCL INFO Using network Socket").why ==
        NoInfiniband::no_device);
  CHECK(by("a [0] NCCL INFO NCCL_IB_DISABLE set by environment to 1.\n"
           "a [0] NCCL INFO Channel 00 : 15[7] -> 0[0] [receive] via NET/Socket/0")
            .why == NoInfiniband::switched_off);
  CHECK(by("a [0] NCCL INFO Using internal Network Socket").network == NcclNetwork::tcp);
}

TEST_CASE("InfiniBand, a plugin, and text that is not NCCL's") {
  CHECK(read_nccl_setup("a [0] NCCL INFO Using network IB")->network == NcclNetwork::infiniband);
  CHECK(read_nccl_setup("a [0] NCCL INFO Ring 01 : 15 -> 0 [send] via NET/IB/0/GDRDMA")->network ==
        NcclNetwork::infiniband);
  CHECK(read_nccl_setup("a [0] NCCL INFO Using network AWS Libfabric")->network ==
        NcclNetwork::plugin);
  CHECK(!read_nccl_setup("our script is Using network Socket"));
  CHECK(!read_nccl_setup("a [0] NCCL INFO comm 0x7f rank 0 nranks 8 - Init COMPLETE"));
}

TEST_CASE("host memory inside a node, where no line has a direct copy") {
  const char* shm = "a [0] NCCL INFO Channel 00 : 0[0] -> 1[1] via SHM/direct/direct\n";
  CHECK(read_nccl_setup(shm)->through_host);
  CHECK(!read_nccl_setup(shm)->peer_off);
  CHECK(
      read_nccl_setup(std::string(shm) + "a [0] NCCL INFO NCCL_P2P_DISABLE set by environment to 1")
          ->peer_off);
  CHECK(
      !read_nccl_setup(std::string(shm) + "a [0] NCCL INFO Channel 00 : 1[1] -> 2[2] via P2P/IPC"));
}
