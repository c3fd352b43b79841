#include "gateway/tape_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/text.h"
#include "store/file_io.h"
#include "store/input.h"
#include "store/output.h"

namespace orch::gateway {
namespace {

// An error if the file holds something else than a tape.
base::Status check_replaceable(const base::Fd& file, const std::string& path) {
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) {
    return base::system_error("look at " + base::printable(path), errno);
  }
  if (!S_ISREG(info.st_mode)) {
    return base::usage_error("--record-wire " + base::printable(path) + ": not a regular file");
  }
  if (info.st_size == 0) return base::Ok{};
  const base::Result<base::Fd> old = store::open_input(path);
  if (!old) return old.error();
  std::string begin(16, '\0');
  const ssize_t count = ::pread(old->get(), begin.data(), begin.size(), 0);
  begin.resize(count > 0 ? static_cast<size_t>(count) : 0);
  if (tape::begins_tape(begin)) return base::Ok{};
  return base::usage_error("--record-wire " + base::printable(path) +
                           ": there is a file that is not a tape; remove it, or name another");
}

}  // namespace

base::Result<TapeFile> TapeFile::make(const std::string& path, const tape::Header& header) {
  base::Result<base::Fd> file = store::open_output(path);
  if (!file) return file.error();
  if (base::Status s = check_replaceable(*file, path); !s) return s.error();
  if (::ftruncate(file->get(), 0) != 0) {
    return base::system_error("shorten " + base::printable(path), errno);
  }
  TapeFile tape(std::move(file).value(), path);
  if (base::Status s = tape.append(tape::line_of(header)); !s) return s.error();
  return tape;
}

base::Status TapeFile::write(const std::string& line) {
  if (base::Status s = append(line); !s) return s;
  ++entries_;
  return base::Ok{};
}

base::Status TapeFile::append(const std::string& line) {
  const auto after = size_ + static_cast<int64_t>(line.size());
  if (after > static_cast<int64_t>(tape::kMostTapeBytes)) {
    return base::usage_error("tape " + base::printable(path_) + ": it would be longer than " +
                             std::to_string(tape::kMostTapeBytes >> 20) + " MB");
  }
  if (base::Status s = store::write_all(file_, path_, line); !s) {
    store::cut_file(file_, size_);
    return s;
  }
  size_ = after;
  return base::Ok{};
}

}  // namespace orch::gateway
