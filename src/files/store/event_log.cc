#include "store/event_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "store/file_io.h"

namespace orch::store {
namespace {

constexpr size_t kBufferedEventBytes = 64 << 10;
constexpr size_t kKeptBytes = 1 << 10;  // a line or two

}  // namespace

base::Result<EventLog> EventLog::open(const std::string& path) {
  base::Result<base::Fd> file = open_for_writing(path, O_APPEND);
  if (!file) return file.error();
  return EventLog(path, std::move(*file));
}

EventLog::EventLog(std::string path, base::Fd file)
    : path_(std::move(path)), file_(std::move(file)) {}

base::Status EventLog::append(std::string_view line) {
  base::Status added = add(line);
  return added ? flush() : added;
}

base::Status EventLog::add(std::string_view line) {
  buffer_.append(line).push_back('\n');
  size_ += line.size() + 1;
  return buffer_.size() < kBufferedEventBytes ? base::Status(base::Ok{}) : flush();
}

base::Status EventLog::flush() {
  size_t written = 0;
  base::Status status = write_all(file_, path_, buffer_, &written);
  if (!status) {
    const size_t whole_lines = std::string_view(buffer_).substr(0, written).rfind('\n') + 1;
    size_ -= buffer_.size() - whole_lines;
    if (written > whole_lines) {
      const auto part = static_cast<off_t>(written - whole_lines);
      cut_file(file_, ::lseek(file_.get(), 0, SEEK_END) - part);
    }
  }
  buffer_.clear();
  if (buffer_.capacity() > kKeptBytes) std::string().swap(buffer_);  // after a flood of lines
  return status;
}

}  // namespace orch::store
