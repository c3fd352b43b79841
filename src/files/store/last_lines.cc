#include "store/last_lines.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include "base/fd.h"
#include "store/file_io.h"

namespace orch::store {
namespace {

constexpr uint64_t kBlockBytes = 64 << 10;

// Exactly that many bytes; fewer only if the file has been cut.
base::Result<std::string> block_of(const base::Fd& file, const std::string& path, uint64_t at,
                                   uint64_t bytes) {
  std::string block(bytes, '\0');
  size_t held = 0;
  while (held < block.size()) {
    const ssize_t got = ::pread(file.get(), block.data() + held, block.size() - held,
                                static_cast<off_t>(at + held));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return base::system_error("read " + path, errno);
    if (got == 0) break;
    held += static_cast<size_t>(got);
  }
  block.resize(held);
  return block;
}

// The offset of the last line feed. std::string_view::rfind() looks at each byte by itself.
size_t last_feed(std::string_view text) {
  const void* feed = text.empty() ? nullptr : ::memrchr(text.data(), '\n', text.size());
  if (feed == nullptr) return std::string_view::npos;
  return static_cast<size_t>(static_cast<const char*>(feed) - text.data());
}

// A line that is read piece by piece; the text of one that is too long is dropped.
class LineInPieces {
 public:
  // Adds the next piece. Backwards, when the pieces come from the line's end, the text is kept
  // reversed.
  void add(std::string_view piece, bool backwards) {
    if (is_too_long_ || text_.size() + piece.size() > kLongestLineBytes) {
      is_too_long_ = true;
      text_.clear();
    } else if (backwards) {
      text_.append(piece.rbegin(), piece.rend());
    } else {
      text_.append(piece);
    }
  }
  void clear() { text_.clear(), is_too_long_ = false; }
  bool is_too_long() const { return is_too_long_; }
  std::string& text() { return text_; }

 private:
  std::string text_;
  bool is_too_long_ = false;
};

// A regular file and its size.
struct Opened {
  base::Fd file;
  uint64_t size = 0;
};
base::Result<Opened> open_file(const std::string& path) {
  base::Result<base::Fd> file = open_regular_file(path);
  if (!file) return file.error();
  struct stat info {};
  if (::fstat(file->get(), &info) != 0) return base::system_error("open " + path, errno);
  return Opened{std::move(file).value(), static_cast<uint64_t>(info.st_size)};
}

}  // namespace

base::Result<size_t> each_line(
    const std::string& path, uint64_t from, uint64_t to,
    const std::function<bool(std::string_view line, uint64_t next)>& take) {
  const base::Result<Opened> opened = open_file(path);
  if (!opened) return opened.error();
  const uint64_t end = std::min(to, opened->size);
  LineInPieces line;
  size_t too_long = 0;
  for (uint64_t at = from; at < end;) {
    const uint64_t bytes = std::min(kBlockBytes, end - at);
    const base::Result<std::string> block = block_of(opened->file, path, at, bytes);
    if (!block) return block.error();
    if (block->empty()) break;
    std::string_view rest = *block;
    for (size_t feed = rest.find('\n'); feed != std::string_view::npos; feed = rest.find('\n')) {
      line.add(rest.substr(0, feed), false);
      rest.remove_prefix(feed + 1);
      if (line.is_too_long()) {
        ++too_long;
      } else if (!take(line.text(), at + block->size() - rest.size())) {
        return too_long;
      }
      line.clear();
    }
    line.add(rest, false);
    at += block->size();
  }
  return too_long + (line.is_too_long() ? 1 : 0);
}

base::Result<size_t> each_line_from_end(const std::string& path, uint64_t from, uint64_t to,
                                        const std::function<bool(std::string_view)>& take) {
  const base::Result<Opened> opened = open_file(path);
  if (!opened) return opened.error();
  LineInPieces later;  // the end of a line whose beginning is not read yet, reversed
  bool ended = false;  // a line feed follows `later`
  size_t too_long = 0;
  // Passes on the line that is complete now. Returns whether `take` wants more lines.
  const auto goes_on = [&] {
    if (later.is_too_long()) ++too_long;
    std::reverse(later.text().begin(), later.text().end());
    const bool more = !ended || later.is_too_long() || take(later.text());
    later.clear();
    ended = true;
    return more;
  };
  for (uint64_t at = std::min(to, opened->size); at > from;) {
    const uint64_t bytes = std::min(kBlockBytes, at - from);
    const base::Result<std::string> block = block_of(opened->file, path, at - bytes, bytes);
    if (!block) return block.error();
    at -= bytes;
    std::string_view rest = *block;
    for (size_t feed = last_feed(rest); feed != std::string_view::npos; feed = last_feed(rest)) {
      later.add(rest.substr(feed + 1), true);
      if (!goes_on()) return too_long;
      rest = rest.substr(0, feed);
    }
    later.add(rest, true);
  }
  goes_on();
  return too_long;
}

}  // namespace orch::store
