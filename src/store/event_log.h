#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace orch::store {

// An append-only file of lines, mode 0600: events.jsonl, transcript.txt. Each line is one write, so
// that a reader who follows the file sees whole lines.
class EventLog {
 public:
  static base::Result<EventLog> open(const std::string& path);

  // Appends line, which holds no line feed, and a line feed. On failure a part that was written is
  // cut off again.
  base::Status append(std::string_view line);
  uint64_t size() const { return size_; }  // bytes appended so far

 private:
  EventLog(std::string path, base::Fd file);

  std::string path_;
  base::Fd file_;
  std::string scratch_;
  uint64_t size_ = 0;
};

}  // namespace orch::store
