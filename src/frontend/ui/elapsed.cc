#include "ui/elapsed.h"

#include <fmt/format.h>

#include <array>
#include <ctime>

#include "store/time_text.h"

namespace orch::ui {

std::string elapsed_text(int64_t ms) {
  const int64_t s = ms / 1000;
  if (s < 60) return fmt::format("{}s", s);
  if (s < 3600) return fmt::format("{}m{:02}s", s / 60, s % 60);
  if (s < 86'400) return fmt::format("{}h{:02}m", s / 3600, s / 60 % 60);
  return fmt::format("{}d{:02}h", s / 86'400, s / 3600 % 24);
}

std::string elapsed_words(int64_t ms) {
  const int64_t s = ms / 1000;
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  if (s < 86'400) return fmt::format("{} h {} min", s / 3600, s / 60 % 60);
  return fmt::format("{} d {} h", s / 86'400, s / 3600 % 24);
}

std::string local_time_text(const std::string& rfc3339) {
  const auto time = store::parse_rfc3339_utc(rfc3339);
  if (!time) return rfc3339;
  const std::time_t seconds = std::chrono::system_clock::to_time_t(*time);
  std::tm local{};
  std::array<char, 32> text{};
  if (::localtime_r(&seconds, &local) == nullptr ||
      std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &local) == 0) {
    return rfc3339;
  }
  return text.data();
}

}  // namespace orch::ui
