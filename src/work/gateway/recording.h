#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "gateway/tape_file.h"
#include "loop/background.h"
#include "tape/normal.h"

namespace orch::gateway {

// The tape that a run writes. To normalise a request takes milliseconds, so another thread does it,
// one request after the other; the loop writes the lines.
class Recording {
 public:
  // `on_failure` is called at most once, from the loop; nothing is written after it.
  Recording(loop::Loop& loop, TapeFile file, std::shared_ptr<const tape::Normaliser> normaliser,
            std::function<void(const std::string& why)> on_failure);

  void add(tape::Entry entry);
  // Writes at once what waits, and returns a phrase for the run's end, or "" after a failure.
  // Nothing may be added after.
  std::string end();

 private:
  class Job;
  void write_first(const std::string& line);

  TapeFile file_;
  std::shared_ptr<const tape::Normaliser> normaliser_;
  std::function<void(const std::string&)> on_failure_;
  std::deque<std::shared_ptr<const tape::Entry>> waiting_;  // a job has each, in this order
  bool has_failed_ = false;
  std::unique_ptr<loop::Background> background_;  // calls this; null once it has ended
};

}  // namespace orch::gateway
