// SPDX-License-Identifier: Apache-2.0
#include "insight/nccl_causes.h"

namespace orrery {
namespace {

constexpr const char* kNetworkTest = "all_reduce_perf of nccl-tests over two nodes";
constexpr const char* kPeerTest =
    "nvidia-smi topo -p2p r; all_reduce_perf of nccl-tests in one node";

constexpr EnumArray<NoInfiniband, const char*> kWhy = {
    "its lines do not say why",
    "libibverbs was not found",
    "no InfiniBand device was found",
    "a variable of the job asks for it",
};

constexpr EnumArray<NoInfiniband, const char*> kMends = {
    "NCCL_IB_HCA and NCCL_SOCKET_IFNAME by the names of ibv_devinfo; without such a device a "
    "faster "
    "network card, or less traffic between nodes (--tp and sharding within a node)",
    "libibverbs1 and the card's provider in the image of the job (rdma-core); the cloud's plugin "
    "(aws-ofi-nccl for EFA, gpudirect-tcpx on Google)",
    "the cards inside the container (docker --device=/dev/infiniband --cap-add=IPC_LOCK, an RDMA "
    "device of the Kubernetes node); without such a card less traffic between nodes (sharding "
    "within a node)",
    "the job without NCCL_IB_DISABLE and NCCL_NET=Socket",
};

DiagnosedCause over_tcp(const NcclSetup& setup) {
  return {"NCCL sends over TCP between nodes, not over InfiniBand or RoCE",
          std::string(kWhy[setup.why]) + ": “" + setup.network_line + "”",
          network_check(setup),
          kMends[setup.why],
          "",
          0.8,
          true};
}

DiagnosedCause through_host(const NcclSetup& setup) {
  return {"GPUs of a node send through host memory, not directly",
          std::string(setup.peer_off ? "NCCL_P2P_DISABLE is 1" : "none of its lines says P2P") +
              ": “" + setup.host_line + "”",
          peer_check(setup),
          setup.peer_off
              ? "the job without NCCL_P2P_DISABLE, on cards that can (GeForce RTX 40 and 50 cannot)"
              : "NVLink where the machine has it (its driver and fabric manager), ACS off in the "
                "firmware and the hypervisor; GeForce RTX 40 and 50 cannot",
          "",
          0.2,
          true};
}

}  // namespace

std::string network_check(const NcclSetup& setup) {
  return setup.network == NcclNetwork::tcp
             ? std::string("ibv_devinfo on each node and in the job's container; ") + kNetworkTest
             : kNetworkTest;
}

std::string peer_check(const NcclSetup& setup) {
  return setup.peer_off ? std::string("the job's environment; ") + kPeerTest : kPeerTest;
}

std::vector<DiagnosedCause> causes_of_setup(const NcclSetup& setup, bool is_one_node) {
  std::vector<DiagnosedCause> causes;
  if (setup.network == NcclNetwork::tcp && !is_one_node) causes.push_back(over_tcp(setup));
  if (setup.through_host) causes.push_back(through_host(setup));
  if (causes.size() == 1) causes[0].probability = 1;
  return causes;
}

}  // namespace orrery
