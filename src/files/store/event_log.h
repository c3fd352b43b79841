#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/fd.h"
#include "base/result.h"

namespace orch::store {

// An append-only file of lines, mode 0600: events.jsonl, transcript.txt. Only complete lines are
// written, so a reader that follows the file sees only those.
class EventLog {
 public:
  static base::Result<EventLog> open(const std::string& path);

  // Appends `line`, which contains no line feed, and a line feed. On failure a part of the line
  // that was written is cut off again.
  base::Status append(std::string_view line);
  // The same for one of many lines: up to 64 KB of them are kept in memory until flush(). Call that
  // before others may look at the file.
  base::Status add(std::string_view line);
  base::Status flush();
  uint64_t size() const { return size_; }  // appended so far, unflushed bytes included
  // The last call, after flush(), for a caller that closes the file elsewhere, because close() may
  // block.
  base::Fd take_file() { return std::move(file_); }
  const std::string& path() const { return path_; }

 private:
  EventLog(std::string path, base::Fd file);

  std::string path_;
  base::Fd file_;
  std::string buffer_;  // complete lines
  uint64_t size_ = 0;
};

}  // namespace orch::store
