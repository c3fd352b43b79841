#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "adapters/manifest.h"
#include "driver/json_way.h"
#include "event/event.h"

namespace orch::driver {

// What a line or an object of an agent says of its tokens; its source is empty. What is no number,
// negative or beyond all reason counts as nothing.
event::Usage counts_of(const adapters::UsageSpec& spec, const AgentJson& json);

// Adds up what the session files of one agent say that its requests took. Agents write a request
// down once or several times, in one file or in two, and each counts once: with the most that any
// of its lines says. So the sum never falls.
class UsageSum {
 public:
  // `since`: when the run began, "2026-11-22T14:53:08.934Z". Lines of an earlier time are of an
  // earlier run.
  UsageSum(const adapters::RecordSpec& spec, std::string since);

  void take(std::string_view line);  // one whole line; what is not understood is passed over
  const event::Usage& sum() const { return sum_; }

 private:
  struct Counts {
    int64_t in = 0, out = 0, cached = 0;
    double cost_usd = 0;
  };
  void take_object(const AgentJson& line);
  void count(const event::Usage& now, Counts& counted);

  adapters::RecordSpec spec_;
  std::string since_;
  std::string hint_;  // a line without these characters says nothing of tokens
  std::unordered_map<std::string, Counts> counted_;  // by request
  event::Usage sum_;
};

// Cuts bytes that come in parts into lines. One that is longer than 16 MB is left out.
class RecordLines {
 public:
  // Calls `take` with each line that is complete now.
  template <typename Take>
  void feed(std::string_view bytes, Take take) {
    while (!bytes.empty()) {
      const size_t feed = bytes.find('\n');
      const std::string_view part = bytes.substr(0, feed);
      if (begun_.size() + part.size() > kLongest) too_long_ = true;
      if (!too_long_) begun_ += part;
      if (too_long_) begun_.clear();
      if (feed == std::string_view::npos) return;
      if (!too_long_) take(std::string_view(begun_));
      begun_.clear();
      too_long_ = false;
      bytes.remove_prefix(feed + 1);
    }
  }
  // What comes next begins in the middle of a line.
  void begin_inside() { too_long_ = true; }

 private:
  static constexpr size_t kLongest = 16 << 20;
  std::string begun_;
  bool too_long_ = false;
};

}  // namespace orch::driver
