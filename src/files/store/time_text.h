#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace orch::store {

using TimePoint = std::chrono::system_clock::time_point;

std::string rfc3339_utc(TimePoint time);  // "2026-11-21T22:51:00.123Z", rounded down
std::optional<TimePoint> parse_rfc3339_utc(const std::string& text);  // the form of rfc3339_utc()
std::string compact_utc(TimePoint time);                              // "20261121T225100"
std::string compact_utc_ms(TimePoint time);                           // "20261121T225100123"
std::optional<TimePoint> parse_compact_utc(std::string_view text);    // either form

}  // namespace orch::store
