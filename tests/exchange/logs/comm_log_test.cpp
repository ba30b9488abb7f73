// SPDX-License-Identifier: Apache-2.0
#include "exchange/logs/comm_log.h"

#include <doctest/doctest.h>

#include <string>

#include "core/error.h"
#include "exchange/collective_names.h"
#include "support/about.h"

using namespace orrery;

namespace {

const std::string kHeader =
    "Comm. Op            Message Size        Count               Total Latency(ms)   "
    "Avg Latency(ms)     tput_avg (Gbps)     busbw_avg (Gbps)\n";

CommLog log_of(const std::string& text) { return read_comm_log(text, "log.txt"); }

bool refuses(const std::string& text, const std::string& part) {
  std::string error;
  try {
    log_of(text);
  } catch (const InputError& e) {
    error = e.what();
  }
  CAPTURE(error);
  return error.find(part) != std::string::npos;
}

MessageClass message(Collective c, double bytes, std::int64_t count, double each,
                     std::int64_t ranks = 8) {
  MessageClass m;
  m.line.dimension = CommDimension::dp;
  m.line.collective = c;
  m.line.ranks = ranks;
  m.line.count = count;
  m.line.time = Seconds(each * static_cast<double>(count));
  m.message = Bytes(bytes);
  return m;
}

}  // namespace

TEST_CASE("DeepSpeed's summary is read wherever it stands") {
  const CommLog log = log_of("step 1\n" + kHeader +
                             "broadcast\n"
                             "                    2.0 KB   146   11.12   0.08   0.43   0.41\n"
                             "                    98.25 MB 1     8317.12 8317.12 0.20  0.19\n"
                             "reduce_scatter_tensor   678.86 MB 40 602.29 9.69 1468.06 1376.31\n"
                             "barrier\n"
                             "                    0B   2   1.0 0.5 0.0 0.0\n"
                             "step 2 of the training follows\n"
                             "                    not a row\n");
  REQUIRE(log.rows.size() == 3);
  CHECK(log.form == CommLogForm::deepspeed);
  CHECK(log.rows[0].collective == Collective::broadcast);
  CHECK(log.rows[0].size == Bytes(2048));
  CHECK(log.rows[0].count == 146);
  // 0.08 ms is rounded to one digit: the total says 76 us.
  CHECK(log.rows[0].each.si() == testing::about(11.12e-3 / 146));
  CHECK(log.rows[1].size.si() == testing::about(98.25 * 1024 * 1024));
  CHECK(log.rows[1].line == 5);
  CHECK(log.rows[2].operation == "reduce_scatter_tensor");
  CHECK(log.rows[2].collective == Collective::reduce_scatter);
  CHECK(log.rows[2].each.si() == testing::about(9.69e-3));
}

TEST_CASE("DeepSpeed's debug names carry their caller") {
  const CommLog log = log_of(kHeader +
                             "all_gather_into_tensor | [Caller Func: fetch]\n"
                             "   1.0 MB 4 4.0 1.0 8.0 7.0\n");
  REQUIRE(log.rows.size() == 1);
  CHECK(log.rows[0].collective == Collective::all_gather);
}

TEST_CASE("CSV is read with its columns in any order") {
  const CommLog log = log_of(
      "# measured\n\ncount,us,operation,bytes\r\n10, 250.5, all_reduce, 4096\r\n"
      "# a remark\n3,1,recv,8\n");
  REQUIRE(log.rows.size() == 2);
  CHECK(log.form == CommLogForm::csv);
  CHECK(log.rows[0].collective == Collective::all_reduce);
  CHECK(log.rows[0].each.si() == testing::about(250.5e-6));
  CHECK(log.rows[0].size == Bytes(4096));
  CHECK(log.rows[0].line == 4);
  CHECK(!log.rows[1].collective);
}

TEST_CASE("names of operations in every spelling") {
  CHECK(collective_named("all_reduce") == Collective::all_reduce);
  CHECK(collective_named("AllReduce") == Collective::all_reduce);
  CHECK(collective_named("inference_all_reduce") == Collective::all_reduce);
  CHECK(collective_named("all-gather") == Collective::all_gather);
  CHECK(collective_named("all_gather_base") == Collective::all_gather);
  CHECK(collective_named("reduce_scatter_fn") == Collective::reduce_scatter);
  CHECK(collective_named("all_to_all_single") == Collective::all_to_all);
  CHECK(collective_named("isend") == Collective::point_to_point);
  CHECK(collective_named("point-to-point") == Collective::point_to_point);
  for (const char* other : {"recv", "irecv", "barrier", "gather", "scatter", ""}) {
    CAPTURE(other);
    CHECK(!collective_named(other));
  }
}

TEST_CASE("a bad log is refused with its line") {
  CHECK(refuses("", "log.txt: line 1: found no log"));
  CHECK(refuses("# nothing\n", "line 1: found no log"));
  CHECK(refuses(kHeader, "line 1: found a table without rows"));
  CHECK(refuses(kHeader + "x\n  1.0 MB 4 4.0 1.0 8.0\n", "line 3: found 6 fields"));
  CHECK(refuses(kHeader + "x\n  1.0 MiB 4 4.0 1.0 8.0 7.0\n", "line 3: found unit \"MiB\""));
  CHECK(refuses(kHeader + "x\n  1.0 MB 4.5 4.0 1.0 8.0 7.0\n", "line 3: found count \"4.5\""));
  CHECK(refuses(kHeader + "x\n  1.0 MB 4 nan 1.0 8.0 7.0\n", "line 3: found total latency"));
  CHECK(refuses(kHeader + "x\n  1.0 MB 4 4 -1.0 8.0 7.0\n", "line 3: found mean latency"));
  CHECK(refuses(kHeader + "  1.0 MB 4 4.0 1.0 8.0 7.0\n", "the name of an operation first"));
  CHECK(refuses("operation,bytes,count\n", "line 1: found no column \"us\""));
  CHECK(refuses("operation,bytes,count,us,us\n", "line 1: found 5 columns"));
  CHECK(refuses("operation,bytes,count,us\n", "line 1: found a header alone"));
  CHECK(refuses("operation,bytes,count,us\nrecv,1,2\n", "line 2: found 3 fields"));
  CHECK(refuses("operation,bytes,count,us\nrecv,1,2,0\n", "line 2: found us \"0\""));
  CHECK(refuses("operation,bytes,count,us\n,1,2,3\n", "line 2: found no operation"));
}

TEST_CASE("an unknown operation is refused with the nearest name") {
  CHECK(refuses("operation,bytes,count,us\nal_reduce,1,2,3\n",
                "line 2: found the unknown operation \"al_reduce\""));
  CHECK(refuses("operation,bytes,count,us\nal_reduce,1,2,3\n", "did you mean \"all_reduce\""));
  CHECK(refuses(kHeader + "xyz\n  1.0 MB 4 4.0 1.0 8.0 7.0\n", "line 3: found the unknown"));
}

TEST_CASE("names in quotes are names") {
  const CommLog log = log_of("\"operation\",\"bytes\",count,us\n\"all_reduce\",\"8192\",1,1\n");
  REQUIRE(log.rows.size() == 1);
  CHECK(log.rows[0].collective == Collective::all_reduce);
  CHECK(log.rows[0].size == Bytes(8192));
}

TEST_CASE("rows of one operation and size both count") {
  const CommLog log = log_of(
      "operation,bytes,count,us\nall_reduce,8192,10,48\nallreduce,8192,30,60\n"
      "all_reduce,4096,1,1\nrecv,8192,1,1\nrecv,8192,2,1\n");
  REQUIRE(log.rows.size() == 4);
  CHECK(log.rows[0].count == 40);
  CHECK(log.rows[0].each.si() == testing::about(57e-6));
  const CommComparison c = compare({message(Collective::all_reduce, 8192, 4, 57e-6)}, log);
  REQUIRE(c.matched.size() == 1);
  CHECK(c.matched[0].steps == 10);
  CHECK(c.error == testing::about(0));
}

TEST_CASE("classes meet the nearest size of their collective") {
  const CommLog log = log_of(
      "operation,bytes,count,us\nall_reduce,1000,20,110\n"
      "all_reduce,1040,10,90\nall_gather,1000,5,50\nbroadcast,9,1,1\n");
  const MessageLog predicted = {message(Collective::all_reduce, 1005, 2, 100e-6),
                                message(Collective::all_reduce, 1041, 1, 100e-6),
                                message(Collective::all_gather, 1100, 1, 1e-3)};
  const CommComparison c = compare(predicted, log);
  REQUIRE(c.matched.size() == 2);
  CHECK(c.matched[0].predicted == std::vector<std::size_t>{0});
  CHECK(c.matched[0].steps == 10);
  CHECK(c.matched[0].error == testing::about(100.0 / 110 - 1));
  CHECK(c.matched[1].predicted == std::vector<std::size_t>{1});
  CHECK(c.only_predicted == std::vector<std::size_t>{2});
  CHECK(c.only_measured == std::vector<std::size_t>{2, 3});
  CHECK(c.error == testing::about((20 * 100 + 10 * 100) / (20 * 110 + 10 * 90.0) - 1));
  CHECK(compare(predicted, log, 0.11).only_predicted.empty());
}

TEST_CASE("classes of sizes that a log cannot tell apart share its row") {
  const CommLog log = log_of("operation,bytes,count,us\nall_reduce,1000,30,100\n");
  const CommComparison c = compare({message(Collective::all_reduce, 1000, 2, 90e-6),
                                    message(Collective::all_reduce, 1001, 1, 120e-6)},
                                   log);
  REQUIRE(c.matched.size() == 1);
  CHECK(c.matched[0].count == 3);
  CHECK(c.matched[0].steps == 10);
  CHECK(c.matched[0].error == testing::about(0));
}

TEST_CASE("a gather's size may be a rank's share in DeepSpeed's log, never in CSV") {
  const MessageLog predicted = {message(Collective::all_gather, 8 * 1048576.0, 4, 1e-3, 8)};
  const CommLog share = log_of(kHeader + "all_gather\n 1.0 MB 4 4.0 1.0 8.0 7.0\n");
  REQUIRE(compare(predicted, share).matched.size() == 1);
  CHECK(compare(predicted, share).matched[0].is_share);
  const CommLog whole = log_of(kHeader + "all_gather\n 8.0 MB 4 4.0 1.0 8.0 7.0\n");
  REQUIRE(compare(predicted, whole).matched.size() == 1);
  CHECK(!compare(predicted, whole).matched[0].is_share);
  const CommLog csv = log_of("operation,bytes,count,us\nall_gather,1048576,4,1000\n");
  CHECK(compare(predicted, csv).matched.empty());
}

TEST_CASE("nothing in common is no error of 0 by accident") {
  const CommLog log = log_of("operation,bytes,count,us\nbroadcast,1000,30,100\n");
  const CommComparison c = compare({message(Collective::all_reduce, 1000, 2, 90e-6)}, log);
  CHECK(c.matched.empty());
  CHECK(c.only_predicted.size() == 1);
  CHECK(c.only_measured.size() == 1);
}
