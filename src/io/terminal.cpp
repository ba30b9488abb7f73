// SPDX-License-Identifier: Apache-2.0
#include "io/terminal.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string_view>

namespace orrery {
namespace {

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

}  // namespace

bool wants_color(StandardStream stream, bool forbidden) {
  if (forbidden || is_set("NO_COLOR")) return false;
  if (is_set("FORCE_COLOR")) return true;
  const char* terminal = std::getenv("TERM");
  if (terminal != nullptr && std::string_view(terminal) == "dumb") return false;
  return isatty(stream == StandardStream::out ? STDOUT_FILENO : STDERR_FILENO) != 0;
}

std::size_t terminal_width(StandardStream stream) {
  const int file = stream == StandardStream::out ? STDOUT_FILENO : STDERR_FILENO;
  winsize size{};
  return isatty(file) != 0 && ioctl(file, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void start_log(int verbosity, bool no_color) {
  const auto mode = wants_color(StandardStream::err, no_color) ? spdlog::color_mode::always
                                                               : spdlog::color_mode::never;
  // spdlog's own default logger writes to stdout.
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(mode);
  spdlog::set_default_logger(std::make_shared<spdlog::logger>("orrery", std::move(sink)));
  spdlog::set_pattern("%^%l%$: %v");
  constexpr spdlog::level::level_enum kLevels[] = {spdlog::level::err, spdlog::level::warn,
                                                   spdlog::level::debug, spdlog::level::trace};
  spdlog::set_level(kLevels[verbosity < -1 ? 0 : verbosity > 2 ? 3 : verbosity + 1]);
}

}  // namespace orrery
