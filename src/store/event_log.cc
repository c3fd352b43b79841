#include "store/event_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "store/file_io.h"

namespace orch::store {

base::Result<EventLog> EventLog::open(const std::string& path) {
  base::Result<base::Fd> file = open_for_writing(path, O_APPEND);
  if (!file) return file.error();
  return EventLog(path, std::move(*file));
}

EventLog::EventLog(std::string path, base::Fd file)
    : path_(std::move(path)), file_(std::move(file)) {}

base::Status EventLog::append(std::string_view line) {
  scratch_.assign(line).push_back('\n');
  size_t written = 0;
  base::Status status = write_all(file_, path_, scratch_, &written);
  if (status) size_ += scratch_.size();
  if (!status && written > 0) {
    cut_file(file_, ::lseek(file_.get(), 0, SEEK_END) - static_cast<off_t>(written));
  }
  return status;
}

}  // namespace orch::store
