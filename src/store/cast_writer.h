#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/fd.h"
#include "base/result.h"
#include "store/cast.h"

namespace orch::store {

inline constexpr int64_t kDefaultRecordLimit = 256 << 20;  // bytes of the file; --record-limit

// Writes one asciicast v2 file, mode 0600, while a session runs. Times are milliseconds since the
// start; one that goes backwards is taken as the last. What was written is kept in memory (64 KB)
// until flush(), which is for quiet moments, so that a crash loses little; that memory is given
// back, too.
//
// A UTF-8 character cut by a read waits for its rest, per stream; malformed bytes become U+FFFD and
// are counted. When the file would grow past its limit a marker says so and the recording ends;
// later calls do nothing and succeed. When a write fails the file is cut to its last whole line,
// the Error is returned once and the recording ends likewise.
class Recording {
 public:
  // Creates or empties the file and writes its header, so that it is readable from the start. On
  // failure there is no file.
  static base::Result<std::unique_ptr<Recording>> create(const std::string& path,
                                                         const CastHeader& header,
                                                         int64_t limit_bytes = kDefaultRecordLimit);
  // One that has ended before it began: nothing is written.
  static std::unique_ptr<Recording> none();
  ~Recording();  // flushes what it can; a failure is lost here, so call finish()
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  base::Status output(int64_t ms, std::string_view bytes);
  base::Status input(int64_t ms, std::string_view bytes);
  base::Status resize(int64_t ms, int cols, int rows);
  base::Status marker(int64_t ms, std::string_view text);
  base::Status flush();
  bool has_unwritten() const { return !buffer_.empty(); }

  // Ends the recording with the marker "note=end", which tells readers its duration.
  base::Status finish(int64_t ms);
  // Once it ended, where somebody else is to close the file: that may take long.
  base::Fd take_file() { return std::move(ended_); }
  const std::string& path() const { return path_; }

  bool active() const { return file_.valid(); }  // false once it ended, for whichever reason
  int64_t invalid_bytes() const { return invalid_bytes_; }  // malformed bytes replaced so far

 private:
  Recording(std::string path, base::Fd file, int64_t limit_bytes);
  base::Status stream(int64_t ms, CastKind kind, std::string& cut, std::string_view bytes);
  // One line of the file: `before_it` and text, which are not joined first since text may be long.
  base::Status event(int64_t ms, CastKind kind, std::string_view text,
                     std::string_view before_it = {});
  void append_line(CastKind kind, std::string_view text, std::string_view before_it = {});
  base::Status write_out();
  base::Status end_at_limit();
  base::Status end();

  std::string path_;
  base::Fd file_;   // empty once the recording ended
  base::Fd ended_;  // its file then
  int64_t limit_bytes_;
  int64_t written_ = 0;  // bytes in the file, whole lines
  int64_t last_ms_ = 0;
  int64_t invalid_bytes_ = 0;
  std::string buffer_;                  // whole lines not yet written
  std::string cut_output_, cut_input_;  // the beginning of a character, 0 to 3 bytes
};

}  // namespace orch::store
