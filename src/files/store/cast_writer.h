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

inline constexpr int64_t kDefaultRecordLimit = 256 << 20;  // bytes of the file; see --record-limit

// Writes one asciicast v2 file, mode 0600, while a session runs. Times are milliseconds since the
// start; one that goes backwards is replaced by the last. Up to 64 KB are kept in memory until
// flush(), which the caller does every now and then, so that a crash loses little. rest() frees
// that memory.
//
// A UTF-8 character that is split between two writes waits for its rest, for each stream by itself;
// malformed bytes become U+FFFD and are counted. Before the file grows past its limit a marker says
// so and the recording ends; later calls do nothing and succeed. When a write fails, the file is
// cut after its last complete line, the error is returned once, and the recording ends likewise.
class Recording {
 public:
  // Creates or empties the file and writes its header, so that it is readable from the start. On
  // failure no file is left.
  static base::Result<std::unique_ptr<Recording>> create(const std::string& path,
                                                         const CastHeader& header,
                                                         int64_t limit_bytes = kDefaultRecordLimit);
  // A recording that has ended already: nothing is written.
  static std::unique_ptr<Recording> none();
  ~Recording();  // flushes as much as it can; a failure is lost here, so call finish()
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  base::Status output(int64_t ms, std::string_view bytes);
  base::Status input(int64_t ms, std::string_view bytes);
  base::Status resize(int64_t ms, int cols, int rows);
  base::Status marker(int64_t ms, std::string_view text);
  base::Status flush();
  // Call it when no output is expected for a while: frees the memory, because an idle session needs
  // none.
  base::Status rest();

  // Ends the recording with the marker "note=end", whose time is the recording's duration.
  base::Status finish(int64_t ms);
  // The file of a recording that has ended, for a caller that closes it elsewhere, because close()
  // may block.
  base::Fd take_file() { return std::move(ended_); }
  const std::string& path() const { return path_; }

  bool active() const { return file_.valid(); }  // false once it has ended, for whatever reason
  int64_t invalid_bytes() const { return invalid_bytes_; }  // malformed bytes replaced so far

 private:
  Recording(std::string path, base::Fd file, int64_t limit_bytes);
  base::Status stream(int64_t ms, CastKind kind, std::string& cut, std::string_view bytes);
  // Writes one event line with the data `before_it` + `text`. They are not joined first, because
  // text may be long.
  base::Status event(int64_t ms, CastKind kind, std::string_view text,
                     std::string_view before_it = {});
  void append_line(CastKind kind, std::string_view text, std::string_view before_it = {});
  base::Status end_at_limit();
  base::Status end();

  std::string path_;
  base::Fd file_;   // empty once the recording has ended
  base::Fd ended_;  // the file, once the recording has ended
  int64_t limit_bytes_;
  int64_t written_ = 0;  // bytes in the file, in complete lines
  int64_t last_ms_ = 0;
  int64_t invalid_bytes_ = 0;
  std::string buffer_;                  // complete lines that are not written yet
  std::string cut_output_, cut_input_;  // the beginning of a UTF-8 character, 0 to 3 bytes
};

}  // namespace orch::store
