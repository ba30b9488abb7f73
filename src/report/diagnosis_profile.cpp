// SPDX-License-Identifier: Apache-2.0
#include "report/diagnosis_profile.h"

#include <algorithm>
#include <array>

#include "core/units.h"
#include "exchange/text_lines.h"
#include "report/frame.h"

namespace orrery {
namespace {

constexpr std::size_t kMostKernels = 8;
constexpr std::size_t kKernelLetters = 60;

struct ProfilePart {
  const char* name;
  Seconds StepProfile::*time;
};
constexpr std::array kProfileParts = {
    ProfilePart{"computing", &StepProfile::computing},
    ProfilePart{"communication alone", &StepProfile::exposed_communication},
    ProfilePart{"copies alone", &StepProfile::exposed_copies},
    ProfilePart{"idle", &StepProfile::idle},
};

Table part_table(const StepProfile& p) {
  Table table({{"GPU", "part"}, {"time", "time_s", true}, {"share", "share", true}}, 2);
  for (const ProfilePart& part : kProfileParts) {
    const Seconds time = p.*part.time;
    const double share = share_of_profile(time, p);
    table.add({part.name, Cell(pretty(time, 3), time.si()), Cell(percent(share), share)});
  }
  return table;
}

std::string kernel_name(const std::string& name) {
  const std::string_view plain =
      begins_with(name, "void ") ? std::string_view(name).substr(5) : name;
  if (plain.size() <= kKernelLetters) return std::string(plain);
  return std::string(plain.substr(0, kKernelLetters - 1)) + "…";
}

Table kernel_table(const StepProfile& p) {
  Table table({{"kernel", "kernel"},
               {"calls", "calls", true},
               {"time", "time_s", true},
               {"share", "share", true}},
              2);
  for (std::size_t i = 0; i < std::min(kMostKernels, p.largest.size()); ++i) {
    const KernelTime& k = p.largest[i];
    const double share = share_of_profile(k.time, p);
    table.add({kernel_name(k.name), count_cell(k.calls), Cell(pretty(k.time, 3), k.time.si()),
               Cell(percent(share), share)});
  }
  return table;
}

}  // namespace

double share_of_profile(Seconds part, const StepProfile& p) {
  return p.span > Seconds() ? part / p.span : 0.0;
}

std::string profile_words(const StepProfile& p) {
  return "a profiler's trace (Kineto)" + (p.gpu.empty() ? "" : " of " + p.gpu) +
         (p.steps > 0 ? ", " + counted(p.steps, "step") : "");
}

Section profile_section(const StepProfile& p) {
  Section s{bold("Where the time goes") + ", of " + pretty(p.span, 4) + " of the GPU" +
            (p.step_time ? ", " + pretty(*p.step_time, 4) + " a step" : "")};
  s.add(part_table(p));
  s.add(kernel_table(p));
  return s;
}

}  // namespace orrery
