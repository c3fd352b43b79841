#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "mask/secrets.h"
#include "mask/stream_masker.h"
#include "store/cast_writer.h"

namespace orch::session {

// A recording in which secrets are covered, in as many columns, so that a replay shows the same
// screen. What may be the beginning of one waits for its rest, with all that comes after it, for
// kMostHeldMs at most; then it is written with the time at which it came.
class MaskedRecording {
 public:
  static constexpr base::TimeMs kMostHeldMs = 500;

  MaskedRecording(std::unique_ptr<store::Recording> recording,
                  const std::shared_ptr<const mask::Secrets>& secrets)
      : recording_(std::move(recording)), output_(secrets), input_(secrets) {}

  // As those of store::Recording.
  base::Status output(base::TimeMs at, std::string_view bytes);
  base::Status input(base::TimeMs at, std::string_view bytes);
  base::Status resize(base::TimeMs at, int cols, int rows);
  base::Status marker(base::TimeMs at, std::string text);
  base::Status flush(base::TimeMs now);
  base::Status finish(base::TimeMs at);
  bool has_unwritten() const { return !waiting_.empty() || recording_->has_unwritten(); }
  int64_t invalid_bytes() const { return recording_->invalid_bytes(); }
  base::Fd take_file() { return recording_->take_file(); }
  const std::string& path() const { return recording_->path(); }

 private:
  struct Entry {
    enum class Kind : uint8_t { kOutput, kInput, kResize, kMarker };
    Kind kind = Kind::kOutput;
    base::TimeMs at = 0;
    size_t missing = 0;  // bytes that are still held
    std::string text = {};
    int cols = 0, rows = 0;
  };
  base::Status stream(Entry::Kind kind, base::TimeMs at, std::string_view bytes);
  void hand_out(Entry::Kind kind, std::string_view settled);
  void release(Entry::Kind kind);
  mask::StreamMasker& masker(Entry::Kind kind) {
    return kind == Entry::Kind::kOutput ? output_ : input_;
  }
  base::Status write_known();
  base::Status write(const Entry& entry);

  std::unique_ptr<store::Recording> recording_;
  mask::StreamMasker output_, input_;
  std::deque<Entry> waiting_;  // the first one is not known as a whole
};

}  // namespace orch::session
