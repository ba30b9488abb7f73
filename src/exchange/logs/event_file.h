// SPDX-License-Identifier: Apache-2.0
//
// TensorBoard's event files: frames of TFRecord (length, CRC-32C of the length, bytes, CRC-32C of
// the bytes), each with one Event of Protocol Buffers. Only scalars are read, as simple_value or as
// a tensor of one float or double. A last frame that is cut off, as of a run that still writes,
// ends the file.
//
// Errors: InputError with the byte where a checksum is wrong or a message ends early.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

struct LoggedScalar {
  std::string_view tag;  // within the file's text
  std::int64_t step = 0;
  double wall_time = 0;  // seconds since 1970
  double value = 0;
};

bool is_event_file(std::string_view bytes);

// One event, without its frame.
std::vector<LoggedScalar> read_event(std::string_view event, const std::string& file);

std::vector<LoggedScalar> read_event_file(std::string_view bytes, const std::string& file);

}  // namespace orrery
