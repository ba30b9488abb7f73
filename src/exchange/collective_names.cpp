// SPDX-License-Identifier: Apache-2.0
#include "exchange/collective_names.h"

#include <array>
#include <cctype>

#include "exchange/text_lines.h"

namespace orrery {
namespace {

struct Spelling {
  std::string_view begin;
  Collective collective;
};

// Beginnings of names, in lower case without separators.
constexpr std::array<Spelling, 9> kSpellings = {{{"allreduce", Collective::all_reduce},
                                                 {"inferenceallreduce", Collective::all_reduce},
                                                 {"allgather", Collective::all_gather},
                                                 {"reducescatter", Collective::reduce_scatter},
                                                 {"alltoall", Collective::all_to_all},
                                                 {"broadcast", Collective::broadcast},
                                                 {"send", Collective::point_to_point},
                                                 {"isend", Collective::point_to_point},
                                                 {"pointtopoint", Collective::point_to_point}}};

}  // namespace

std::string plain_name(std::string_view operation) {
  std::string name;
  for (const char c : operation) {
    if (c == '|' || c == '[') break;  // the caller
    if (c == '_' || c == '-' || c == ' ') continue;
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return name;
}

std::optional<Collective> collective_named(std::string_view operation) {
  const std::string name = plain_name(operation);
  if (name == "reduce") return Collective::reduce;
  for (const Spelling& s : kSpellings) {
    if (begins_with(name, s.begin)) return s.collective;
  }
  return {};
}

}  // namespace orrery
