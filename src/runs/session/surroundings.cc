#include "session/surroundings.h"

#include <ctime>

namespace orch::session {

run::LocalTime local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm broken{};
  ::localtime_r(&now, &broken);
  return {.year = broken.tm_year + 1900,
          .month = broken.tm_mon + 1,
          .day = broken.tm_mday,
          .hour = broken.tm_hour,
          .minute = broken.tm_min,
          .second = broken.tm_sec,
          .utc_offset_s = static_cast<int>(broken.tm_gmtoff)};
}

run::Clocks clocks() {
  const auto read_ms = [](clockid_t clock) {
    timespec time{};
    ::clock_gettime(clock, &time);
    return int64_t{time.tv_sec} * 1'000 + time.tv_nsec / 1'000'000;
  };
  return {.wall_ms = read_ms(CLOCK_REALTIME), .elapsed_ms = read_ms(CLOCK_BOOTTIME)};
}

namespace {

std::string connections_of(const pty::LifeSigns& signs) {
  if (signs.sockets_open < 0) return "";
  return ", " + std::to_string(signs.sockets_established) + " connections of " +
         std::to_string(signs.sockets_open) + " sockets";
}

}  // namespace

std::string evidence_of(const pty::LifeSigns& before, const pty::LifeSigns& after) {
  std::string children;
  for (const std::string& name : after.child_names()) children += " " + name;
  return std::to_string(after.child_count()) + " child processes" +
         (children.empty() ? "" : " (" + children.substr(1) + ")") + ", " +
         std::to_string(after.cpu_ms() - before.cpu_ms()) + " ms of CPU used in " +
         std::to_string((after.at_ms - before.at_ms) / 1'000) + " s (" +
         std::to_string(after.cpu_ms()) + " ms in all)" + connections_of(after);
}

}  // namespace orch::session
