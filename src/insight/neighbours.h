// SPDX-License-Identifier: Apache-2.0
//
// A job whose traffic meets another's on the same links.
//
// Each computes and sends in turn: in every step T its traffic fills the shared links for c. While
// both send, each has half of them (max-min fairness), so that both get on at the same pace: in
// units of work the other's sending stays a pattern of c' in every T', and the delay is what of the
// pattern falls into an own length c. Over all phases, with n = ⌊c/T'⌋ and r = c − n·T':
//
//   mean delay      c·c'/T'
//   between         n·c' + max(0, r + c' − T')  and  n·c' + min(r, c')
//   more than n·c' + x in (|r − c'| + 2(min(r, c') − x))/T' of the phases
//
// A step is longer by that share of c of what half the links cost it all the time, which the chain
// prices with what compute hides. Shared are the links of the outermost tier. Jobs drift: CASSINI's
// shifts (NSDI'24), priorities (Crux, SIGCOMM'24) and phases that lock are left out, as are traffic
// spread over the step, for which the tail is shorter, and more than two jobs. Units: SI. Errors:
// none.
#pragma once

#include <string>

#include "insight/comm_report.h"

namespace orrery {

// A step on the shared links.
struct SharedTraffic {
  Seconds step{};
  Seconds busy{};    // c
  Seconds halved{};  // the step with half of the links all the time
  std::string tier;
};

SharedTraffic shared_traffic(const CommReport& r);

struct TrafficDelay {
  Seconds mean{};
  Seconds at_95{};  // or less in 95 of 100 phases
  Seconds worst{};
};

// Traffic of length `busy` beside another job's, which sends `other_busy` in every `period`.
TrafficDelay delay_beside(Seconds busy, Seconds period, Seconds other_busy);

// Steps beside the other job.
struct StepsBeside {
  Seconds mean{};
  Seconds at_95{};
  Seconds worst{};
};
StepsBeside steps_beside(const SharedTraffic& own, const SharedTraffic& other);

}  // namespace orrery
