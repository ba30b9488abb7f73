// SPDX-License-Identifier: Apache-2.0
//
// Just enough of Protocol Buffers' wire format to write messages: varints, doubles, text, nested
// messages (protobuf.dev/programming-guides/encoding).
#pragma once

#include <cstdint>
#include <string>

namespace orrery {

class WireMessage {
 public:
  WireMessage& whole(std::uint32_t field, std::uint64_t value) {
    key(field, 0);
    varint(value);
    return *this;
  }
  WireMessage& text(std::uint32_t field, const std::string& value) {
    key(field, 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  WireMessage& nested(std::uint32_t field, const WireMessage& m) { return text(field, m.bytes_); }

  const std::string& bytes() const { return bytes_; }

  // The form in a stream: its length, then the message.
  std::string delimited() const {
    WireMessage length;
    length.varint(bytes_.size());
    return length.bytes_ + bytes_;
  }

 private:
  void key(std::uint32_t field, std::uint32_t type) { varint(field << 3 | type); }
  void varint(std::uint64_t value) {
    while (value >= 0x80) {
      bytes_ += static_cast<char>(value | 0x80);
      value >>= 7;
    }
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace orrery
