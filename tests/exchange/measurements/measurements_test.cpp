// SPDX-License-Identifier: Apache-2.0
#include "exchange/measurements/measurements.h"

#include <doctest/doctest.h>

#include <string>

#include "core/error.h"
#include "support/about.h"
#include "support/runs.h"

using namespace orrery;

namespace {

MeasurementSet set_of(const std::string& text, const MeasurementHints& hints = {}) {
  return read_measurements(text, "m.txt", hints);
}

std::string error_of(const std::string& text, const MeasurementHints& hints = {}) {
  try {
    set_of(text, hints);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

bool refuses_measurements(const std::string& text, const std::string& part) {
  const std::string error = error_of(text);
  CAPTURE(error);
  return error.find(part) != std::string::npos;
}

template <class Work>
const Work& work(const MeasurementSet& set, std::size_t i) {
  return std::get<Work>(set.points.at(i).work);
}

std::string data(const std::string& name) {
  const auto text = testing::text_of_file(std::string(ORRERY_TEST_DATA) + "/exchange/data/" + name);
  REQUIRE(text);
  return *text;
}

MeasurementSet set_of_data(const std::string& name, const MeasurementHints& hints = {}) {
  return read_measurements(data(name), name, hints);
}

const std::string kNccl =
    "# nThread 1 nGpus 4 minBytes 1048576 maxBytes 2097152 step: 2(factor)\n"
    "# Using devices\n"
    "#  Rank  0 Group  0 Pid   1 on host device  0 [0x07] NVIDIA A100\n"
    "#  Rank  1 Group  0 Pid   1 on host device  1 [0x0f] NVIDIA A100\n"
    "#  Rank  2 Group  0 Pid   1 on host device  2 [0x47] NVIDIA A100\n"
    "#  Rank  3 Group  0 Pid   1 on host device  3 [0x4e] NVIDIA A100\n"
    "#                                                              out-of-place\n"
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time"
    "   algbw   busbw #wrong\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)\n";

std::string nccl(const std::string& redop, double factor) {
  const auto row = [&](int bytes, double us) {
    const double algbw = bytes / us / 1e3;
    return std::to_string(bytes) + " 262144 float " + redop + " -1 " + std::to_string(us) + " " +
           std::to_string(algbw) + " " + std::to_string(algbw * factor) + " 0 99 1 1 0\n";
  };
  return kNccl + row(1048576, 51.4) + row(2097152, 55.7) + "# Avg bus bandwidth    : 12.3\n";
}

}  // namespace

TEST_CASE("CSV: each kind of work by its columns") {
  const MeasurementSet p = set_of(
      "# published: a chart\n# device: a100-sxm4-80gb\n\nm,n,k,dtype,us,groups\n"
      "4096,1024,512,bf16,12.5,\n128,256,64,fp8,3,8\n");
  CHECK(p.source == "a chart");
  CHECK(p.device == "a100-sxm4-80gb");
  CHECK(!p.measured_here);
  CHECK(work<MeasuredProduct>(p, 0).shape.k == 512);
  CHECK(!work<MeasuredProduct>(p, 0).shape.grouped);
  CHECK(work<MeasuredProduct>(p, 1).precision == Precision::fp8);
  CHECK(work<MeasuredProduct>(p, 1).shape.grouped);
  CHECK(p.points[0].timed.time.si() * 1e6 == testing::about(12.5));

  const MeasurementSet m = set_of("kernel,bytes,us,spread\ncopy,1e9,400,0.01\n");
  CHECK(work<MeasuredMemory>(m, 0).bytes.si() == 1e9);
  CHECK(m.points[0].timed.spread == 0.01);
  CHECK(m.measured_here);

  const MeasurementSet r = set_of(
      "\xef\xbb\xbf"
      "collective,ranks,bytes,us\nreduce,8,1048576,50\n");
  CHECK(work<MeasuredCollective>(r, 0).kind == Collective::reduce);
}

TEST_CASE("rates of attention count the causal half, forward and backward 3.5 products") {
  const MeasurementSet a = set_of(
      "kernel,pass,batch,heads,sequence,head_dim,causal,dtype,tflops\n"
      "flash-2,both,8,32,2048,64,true,fp16,140\n"
      "flash-2,forward,8,32,2048,64,false,fp16,140\n");
  const double full = 4.0 * 8 * 32 * 2048 * 2048 * 64;
  CHECK(a.points[0].timed.time.si() * 1e6 == testing::about(1e6 * (full / 2 * 3.5 / 140e12)));
  CHECK(a.points[1].timed.time.si() * 1e6 == testing::about(1e6 * (full / 140e12)));
}

TEST_CASE("CSV that is wrong is refused by line and field") {
  CHECK(refuses_measurements("m,n,k,dtype,us\n1,2,3,bf16\n", "line 2: found 4 fields"));
  CHECK(refuses_measurements("m,n,k,dtype,us\n1,2,3,bf15,9\n", "line 2.dtype: found \"bf15\""));
  CHECK(refuses_measurements("m,n,k,dtype,us\n1,2,3,bf16,nan\n", "line 2.us: found \"nan\""));
  CHECK(refuses_measurements("m,n,k,dtype,us\n1,2,3,bf16,-4\n", "line 2.us: found -4"));
  CHECK(refuses_measurements("m,n,k,dtype,us\n1.5,2,3,bf16,4\n", "line 2.m: found 1.5"));
  CHECK(refuses_measurements("m,n,k,dtype,us,colour\n1,2,3,bf16,4,red\n", "colour"));
  CHECK(refuses_measurements("m,m,k,dtype,us\n1,2,3,bf16,4\n", "the column \"m\" twice"));
  CHECK(refuses_measurements("m,n,k,dtype,us\n", "no measurement"));
  CHECK(refuses_measurements("hello\n", "no measurements"));
  CHECK(refuses_measurements("kernel,bytes,us\ncopy,1e6,100\ncopy,4e6,20\n",
                             "copy: found less time"));
}

TEST_CASE("nccl-tests: ranks, sizes and out-of-place times, and bandwidths tell an all-reduce") {
  const MeasurementSet s = set_of(nccl("sum", 1.5));
  REQUIRE(s.points.size() == 2);
  const auto& c = work<MeasuredCollective>(s, 1);
  CHECK(c.kind == Collective::all_reduce);
  CHECK(c.ranks == 4);
  CHECK(c.size.si() == 2097152);
  CHECK(s.points[1].timed.time.si() * 1e6 == testing::about(55.7));
}

TEST_CASE("nccl-tests: what the output does not tell the user must, and may not contradict") {
  const std::string gather = nccl("none", 0.75);
  CHECK(refuses_measurements(gather, "as its kind or --collective"));
  MeasurementHints hints;
  hints.collective = Collective::all_gather;
  CHECK(work<MeasuredCollective>(set_of(gather, hints), 0).kind == Collective::all_gather);
  const std::string named = "# Collective test starting: reduce_scatter_perf\n" + gather;
  CHECK(work<MeasuredCollective>(set_of(named), 0).kind == Collective::reduce_scatter);
  CHECK(error_of(named, hints).find("the output of reduce-scatter") != std::string::npos);
  CHECK(refuses_measurements("# algbw busbw\n1048576 1 float sum -1 5 1 1 0\n",
                             "numbers before a header"));
}

TEST_CASE("nccl-tests: bus over algorithm bandwidth must be that of the collective and its ranks") {
  MeasurementHints hints;
  hints.collective = Collective::all_to_all;
  CHECK(error_of(nccl("sum", 1.5), hints).find("0.75, as all-to-all over 4 ranks has") !=
        std::string::npos);
  // The head names four of eight ranks.
  const std::string named = "# Collective test starting: all_reduce_perf\n";
  CHECK(refuses_measurements(named + nccl("sum", 1.75), "found a busbw of 1.75 times algbw"));
  hints.collective = Collective::reduce;
  CHECK(work<MeasuredCollective>(set_of(nccl("sum", 1), hints), 0).kind == Collective::reduce);
  std::string split = nccl("sum", 1.5);
  split.replace(split.find("Rank  3 Group  0") + 15, 1, "1");
  CHECK(refuses_measurements(split, "found ranks of groups 0 and 1"));
}

TEST_CASE("nccl-tests: wrong results give no times") {
  std::string text = kNccl + "1048576 262144 float sum -1 51.4 20.4 30.6 77 51.0 20.4 30.6 0\n";
  CHECK(refuses_measurements(text, "found 77 wrong results"));
  text = kNccl + "1048576 262144 float sum -1 51.4 20.4 30.6 0 51.0 20.4 30.6 3\n";
  CHECK(refuses_measurements(text, "found 3 wrong results"));
  text = kNccl + "1048576 262144 float sum -1 51.4 20.4 30.6 N/A 51.0 20.4 30.6 N/A\n";
  CHECK(set_of(text).points.size() == 1);
}

TEST_CASE("nccl-tests: older rows without a root") {
  std::string text = kNccl + "1048576 262144 float sum 51.4 20.4 30.6 0 51.0 20.4 30.6 0\n";
  CHECK(set_of(text).points[0].timed.time.si() * 1e6 == testing::about(51.4));
}

TEST_CASE("nccl-tests: a first row that warms up is set aside, and said") {
  const std::string next =
      "16 4 float sum -1 167.3 0.00 0.00 0 171.2 0.00 0.00 0\n"
      "1048576 262144 float sum -1 220 4.77 7.15 0 221 4.74 7.12 0\n";
  const MeasurementSet cold =
      set_of(kNccl + "8 2 float sum -1 983.2 0.00 0.00 0 166.1 0.00 0.00 0\n" + next);
  CHECK(cold.points.size() == 2);
  REQUIRE(cold.left_out.size() == 1);
  CHECK(cold.left_out[0].find("warm-up") != std::string::npos);
  const MeasurementSet warm =
      set_of(kNccl + "8 2 float sum -1 166.0 0.00 0.00 0 166.1 0.00 0.00 0\n" + next);
  CHECK(warm.points.size() == 3);
  CHECK(warm.left_out.empty());
}

TEST_CASE("SimuMax: shares of a peak by the text of a shape") {
  const MeasurementSet s = set_of(
      R"({"accelerator": {"op": {"matmul": {"tflops": 312, "efficient_factor": 0.7,
          "accurate_efficient_factor": {
            "b=1, m=4096, k=5120, n=1536, layout=TN, accumulate=False, out_dtype=bf16": 0.8}},
         "sdp_fwd": {"tflops": 312, "accurate_efficient_factor": {"batch=1, seq=2": 1.1}}}}})");
  REQUIRE(s.points.size() == 1);
  CHECK(work<MeasuredProduct>(s, 0).shape.n == 1536);
  CHECK(s.points[0].timed.time.si() * 1e6 ==
        testing::about(1e6 * (2.0 * 4096 * 5120 * 1536 / (312e12 * 0.8))));
  REQUIRE(s.left_out.size() == 1);
  CHECK(s.left_out[0] == "1 shapes of sdp_fwd");
}

TEST_CASE("PyTorch profiler: the table does not tell what the elements are") {
  CHECK(refuses_measurements(data("torch-profile.txt"), "--dtype NAME"));
  MeasurementHints hints;
  hints.precision = Precision::fp8;
  CHECK(error_of(data("torch-profile.txt"), hints).find("no measurement") != std::string::npos);
}

// Samples in the tools' own columns: tests/exchange/data/README.md says where they come from.

TEST_CASE("nccl-tests as it prints: a name, eight ranks, every size, the out-of-place times") {
  const MeasurementSet s = set_of_data("nccl-tests.txt");
  REQUIRE(s.points.size() == 16);
  const auto& c = work<MeasuredCollective>(s, 5);
  CHECK(c.kind == Collective::all_reduce);
  CHECK(c.ranks == 8);
  CHECK(c.size.si() == 1048576);
  CHECK(s.points[5].timed.time.si() * 1e6 == testing::about(101.9));
}

TEST_CASE("rccl-tests as it prints: the collective is not in it, N/A is no number of errors") {
  MeasurementHints hints;
  hints.collective = Collective::all_gather;
  const MeasurementSet s = set_of_data("rccl-tests.txt", hints);
  REQUIRE(s.points.size() == 3);
  CHECK(work<MeasuredCollective>(s, 2).size.si() == 1073741824);
  CHECK(s.points[2].timed.time.si() * 1e6 == testing::about(3205.8));
  CHECK_THROWS_AS(set_of_data("rccl-tests.txt"), InputError);
}

TEST_CASE("PyTorch's whole table: device times of products, not of the kernels below them") {
  MeasurementHints hints;
  hints.precision = Precision::bf16;
  const MeasurementSet s = set_of_data("torch-profile.txt", hints);
  REQUIRE(s.points.size() == 4);
  CHECK(work<MeasuredProduct>(s, 0).shape.n == 14336);
  CHECK(s.points[0].timed.time.si() * 1e6 == testing::about(614.02));
  CHECK(s.points[2].timed.time.si() * 1e6 ==
        testing::about(47.2));  // without the copy of its input
  CHECK(work<MeasuredProduct>(s, 3).shape.groups == 32);
  CHECK(s.left_out[0] == "1 products that no GPU ran");
  CHECK(s.left_out[1] == "3 rows of other operators");
}

TEST_CASE("SimuMax's system file: products alone, the others named") {
  const MeasurementSet s = set_of_data("simumax-system.json");
  REQUIRE(s.points.size() == 3);
  CHECK(s.left_out.size() == 2);
}

TEST_CASE("Nsight Systems: copies by way and size, pinned memory alone") {
  const MeasurementSet s = set_of_data("nsys-gpu-trace.csv");
  REQUIRE(s.points.size() == 4);
  CHECK(work<MeasuredHostCopy>(s, 0).bytes.si() == testing::about(16.777e6));
  CHECK(s.points[0].timed.time.si() * 1e6 == testing::about(313));
  CHECK(s.points[1].timed.time.si() * 1e6 == testing::about(1230));
  CHECK(s.points[2].kernel == kToHost);
  CHECK(work<MeasuredMemory>(s, 3).bytes.si() == testing::about(2 * 67.109e6));
  REQUIRE(s.left_out.size() == 2);
  CHECK(s.left_out[0] == "2 rows of kernels and memory sets, which have no shape here");
  CHECK(s.left_out[1] == "1 copies from or to pageable memory");
}

TEST_CASE("Nsight Systems: a summary of kernels says what to give instead") {
  std::string error;
  try {
    set_of_data("nsys-kern-sum.csv");
  } catch (const InputError& e) {
    error = e.what();
  }
  CHECK(error.find("cuda_gpu_trace") != std::string::npos);
  const std::string header = "Start (ns),Duration (ns),Bytes (MB),SrcMemKd,DstMemKd,Name\n";
  CHECK(refuses_measurements(header + "1,2,3\n", "line 2: found 3 fields"));
  CHECK(refuses_measurements(header + "1,x,3.0,Pinned,Device,[CUDA memcpy HtoD]\n", "line 2"));
  CHECK(refuses_measurements(header + "1,nan,3.0,Pinned,Device,[CUDA memcpy HtoD]\n", "line 2"));
  CHECK(refuses_measurements(header, "no measurement"));
  CHECK(refuses_measurements("Time (%),Total Time (ns),Num Calls,Name\n60.0,1000,10,cudaMalloc\n",
                             "a summary of Nsight Systems"));
}

namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
  return text;
}

void check_same_times(const MeasurementSet& a, const MeasurementSet& b) {
  REQUIRE(a.points.size() == b.points.size());
  for (std::size_t i = 0; i < a.points.size(); ++i) {
    CHECK(a.points[i].timed.time.si() == b.points[i].timed.time.si());
    CHECK(amount_of(a.points[i]) == amount_of(b.points[i]));
  }
}

}  // namespace

TEST_CASE("nccl-tests behind a launcher's tags, among NCCL's own lines, without validation") {
  const std::string plain = data("nccl-tests.txt");
  const MeasurementSet set = set_of(plain);
  check_same_times(set, set_of("[1,0]<stdout>:" + replaced(plain, "\n", "\n[1,0]<stdout>:")));
  check_same_times(set, set_of(" 0: " + replaced(plain, "\n", "\n 0: ")));
  check_same_times(set, set_of("node1:77:77 [0] NCCL INFO Bootstrap : Using eth0\n" + plain));
  check_same_times(set, set_of(replaced(plain, "      0\n", "    N/A\n")));
  check_same_times(set, set_of(replaced(plain, "\n", "\r\n")));
}

TEST_CASE("two runs of nccl-tests in one file are refused, not twice the ranks") {
  CHECK(refuses_measurements(data("nccl-tests.txt") + data("nccl-tests.txt"),
                             "rank 0 for the second time"));
}

TEST_CASE("nccl-tests names hosts and GPUs of ranks, and hosts of one name tell nothing") {
  const std::string plain = data("nccl-tests.txt");
  const MeasurementSet one = set_of(plain);
  CHECK(one.gpu == "NVIDIA A100-SXM4-80GB");
  CHECK(one.ranks_of_hosts == std::vector<std::int64_t>{8});
  const auto two = set_of(replaced(plain, "gpu-node-1 device  7", "gpu-node-2 device  0"));
  CHECK(two.ranks_of_hosts == std::vector<std::int64_t>{7, 1});
  CHECK(set_of(replaced(plain, "1 device  7 [0000:bd:00]", "1 device  6 [0000:b7:00]"))
            .ranks_of_hosts.empty());
  CHECK(
      refuses_measurements(replaced(plain, "[0000:bd:00] NVIDIA A100-SXM4-80GB", "[0000:bd:00] L4"),
                           "L4 beside NVIDIA A100-SXM4-80GB"));
}

TEST_CASE("Nsight Systems' durations are of the unit that the header says") {
  const MeasurementSet set = set_of(
      "Start (us),Duration (us),Bytes (MB),SrcMemKd,DstMemKd,Name\n"
      "1,311.0,16.777,Pinned,Device,[CUDA memcpy Host-to-Device]\n");
  REQUIRE(set.points.size() == 1);
  CHECK(set.points[0].timed.time.si() * 1e6 == testing::about(311));
}

TEST_CASE("Nsight Systems' trace as versions before 2021.5 call its columns") {
  const std::string now = data("nsys-gpu-trace.csv");
  std::string before = replaced(replaced(now, "(ns)", "(nsec)"), " (", "(");
  check_same_times(set_of(now), set_of(before));
}
