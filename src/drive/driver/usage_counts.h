#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

#include "adapters/manifest.h"
#include "driver/json_way.h"
#include "event/event.h"

namespace orch::driver {

// The usage in a JSON object of an agent; its source is empty. A count that is not a number, is
// negative or is absurdly large counts as 0.
event::Usage counts_of(const adapters::UsageSpec& spec, const AgentJson& json);

// Adds up the usage of all requests in the session files of one agent. Agents write a request down
// once or several times, in one file or in two. Each request is counted once, with the largest
// numbers of its lines, so the sum never decreases.
class UsageSum {
 public:
  // `since` is when the run began, as in "2026-11-22T14:53:08.934Z". Earlier lines belong to an
  // earlier run.
  UsageSum(const adapters::RecordSpec& spec, std::string since);

  void take(std::string_view line);  // one whole line; a line that is not understood is skipped
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
  std::string hint_;                                 // a line without this text has no token counts
  std::unordered_map<std::string, Counts> counted_;  // by the id of the request
  event::Usage sum_;
};

// Cuts bytes that come in parts into lines. A line that is longer than 16 MiB is left out.
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
  // The next bytes begin in the middle of a line, whose rest is skipped.
  void begin_inside() { too_long_ = true; }

 private:
  static constexpr size_t kLongest = 16 << 20;
  std::string begun_;
  bool too_long_ = false;
};

}  // namespace orch::driver
