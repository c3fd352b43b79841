#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace orch::store {

using TimePoint = std::chrono::system_clock::time_point;

std::string rfc3339_utc(TimePoint time);  // "2026-11-21T22:51:00.123Z", rounded down
std::optional<TimePoint> parse_rfc3339_utc(const std::string& text);  // what rfc3339_utc() gives
std::string compact_utc(TimePoint time);                              // "20261121T225100"

}  // namespace orch::store
