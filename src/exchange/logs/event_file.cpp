// SPDX-License-Identifier: Apache-2.0
#include "exchange/logs/event_file.h"

#include <array>
#include <cmath>
#include <cstring>
#include <optional>

#include "core/error.h"

namespace orrery {
namespace {

// std::bit_cast, which Emscripten's library lacks.
template <class To, class From>
To same_bits(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to{};
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kChecksumBytes = 4;
constexpr std::size_t kHeadBytes = kLengthBytes + kChecksumBytes;

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t x = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) x = x << 8 | static_cast<unsigned char>(bytes[i]);
  return x;
}

constexpr std::array<std::uint32_t, 256> castagnoli() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t x = i;
    for (int bit = 0; bit < 8; ++bit) x = (x & 1) != 0 ? x >> 1 ^ 0x82F63B78U : x >> 1;
    table[i] = x;
  }
  return table;
}

// CRC-32C, turned and shifted so that a checksum of checksums differs.
std::uint32_t masked_checksum(std::string_view bytes) {
  static constexpr auto kTable = castagnoli();
  std::uint32_t x = 0xFFFFFFFFU;
  for (const char c : bytes) x = x >> 8 ^ kTable[(x ^ static_cast<unsigned char>(c)) & 0xFFU];
  x = ~x;
  return (x >> 15 | x << 17) + 0xA282EAD8U;
}

enum class Wire : std::uint8_t { varint = 0, eight_bytes = 1, bytes = 2, four_bytes = 5 };

struct WireField {
  std::uint64_t number = 0;
  Wire type{};
  std::uint64_t whole = 0;  // of varint, eight_bytes, four_bytes
  std::string_view bytes;
};

// The fields of a message, one after the other.
class Message {
 public:
  Message(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  std::optional<WireField> next() {
    if (at_ == bytes_.size()) return {};
    WireField f;
    const std::uint64_t key = varint();
    f.number = key >> 3;
    f.type = static_cast<Wire>(key & 7);
    if (f.type == Wire::varint) {
      f.whole = varint();
    } else if (f.type == Wire::bytes) {
      f.bytes = part(varint());
    } else if (f.type == Wire::eight_bytes) {
      f.bytes = part(8);
      f.whole = little_endian(f.bytes);
    } else if (f.type == Wire::four_bytes) {
      f.bytes = part(4);
      f.whole = little_endian(f.bytes);
    } else {
      refuse();
    }
    return f;
  }

 private:
  [[noreturn]] void refuse() const {
    throw InputError(file_, "", "an event that ends early", "an event file of TensorBoard");
  }

  std::uint64_t varint() {
    std::uint64_t x = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ == bytes_.size()) refuse();
      const auto c = static_cast<unsigned char>(bytes_[at_++]);
      x |= static_cast<std::uint64_t>(c & 0x7FU) << shift;
      if (c < 0x80U) return x;
    }
    refuse();
  }

  std::string_view part(std::uint64_t size) {
    if (size > bytes_.size() - at_) refuse();
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }

  std::string_view bytes_;
  const std::string& file_;
  std::size_t at_ = 0;
};

double float_of(std::uint64_t bits) {
  return static_cast<double>(same_bits<float>(static_cast<std::uint32_t>(bits)));
}

// A tensor of one number: float_val (5), double_val (6), or its bytes (4).
std::optional<double> tensor_of(std::string_view bytes, const std::string& file) {
  std::optional<double> value;
  for (Message m(bytes, file); const auto f = m.next();) {
    const bool content = f->number == 4 || f->number == 5 || f->number == 6;
    if (!content || f->type == Wire::varint) continue;
    if (f->bytes.size() == 4) value = float_of(little_endian(f->bytes));
    if (f->bytes.size() == 8) value = same_bits<double>(little_endian(f->bytes));
  }
  return value;
}

// Summary.Value: tag (1), simple_value (2), tensor (8).
void read_value(std::string_view bytes, const std::string& file, LoggedScalar at,
                std::vector<LoggedScalar>& out) {
  std::optional<double> value;
  for (Message m(bytes, file); const auto f = m.next();) {
    if (f->number == 1 && f->type == Wire::bytes) at.tag = f->bytes;
    if (f->number == 2 && f->type == Wire::four_bytes) value = float_of(f->whole);
    if (f->number == 8 && f->type == Wire::bytes) value = tensor_of(f->bytes, file);
  }
  if (!value || !std::isfinite(*value)) return;
  at.value = *value;
  out.push_back(at);
}

// Event: wall_time (1), step (2), summary (5), whose values are its field 1.
void add_event(std::string_view bytes, const std::string& file, std::vector<LoggedScalar>& out) {
  LoggedScalar at;
  std::string_view summary;
  for (Message m(bytes, file); const auto f = m.next();) {
    if (f->number == 1 && f->type == Wire::eight_bytes) at.wall_time = same_bits<double>(f->whole);
    if (f->number == 2 && f->type == Wire::varint) at.step = static_cast<std::int64_t>(f->whole);
    if (f->number == 5 && f->type == Wire::bytes) summary = f->bytes;
  }
  for (Message m(summary, file); const auto f = m.next();) {
    if (f->number == 1 && f->type == Wire::bytes) read_value(f->bytes, file, at, out);
  }
}

void check(std::string_view bytes, std::string_view checksum, std::size_t at,
           const std::string& file) {
  if (masked_checksum(bytes) == little_endian(checksum)) return;
  throw InputError(file, "byte " + std::to_string(at), "a wrong checksum",
                   "an event file of TensorBoard as it was written");
}

}  // namespace

bool is_event_file(std::string_view bytes) {
  return bytes.substr(0, 256).find("brain.Event:") != std::string_view::npos;
}

std::vector<LoggedScalar> read_event(std::string_view event, const std::string& file) {
  std::vector<LoggedScalar> out;
  add_event(event, file, out);
  return out;
}

std::vector<LoggedScalar> read_event_file(std::string_view bytes, const std::string& file) {
  std::vector<LoggedScalar> out;
  for (std::size_t at = 0; bytes.size() - at >= kHeadBytes;) {
    const std::string_view length = bytes.substr(at, kLengthBytes);
    check(length, bytes.substr(at + kLengthBytes, kChecksumBytes), at, file);
    const std::uint64_t size = little_endian(length);
    const std::size_t left = bytes.size() - at - kHeadBytes;
    if (left < kChecksumBytes || size > left - kChecksumBytes) break;
    const std::string_view event = bytes.substr(at + kHeadBytes, size);
    check(event, bytes.substr(at + kHeadBytes + size, kChecksumBytes), at + kHeadBytes, file);
    add_event(event, file, out);
    at += kHeadBytes + size + kChecksumBytes;
  }
  return out;
}

}  // namespace orrery
