#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "mask/screen.h"
#include "mask/secrets.h"
#include "mask/stream_masker.h"
#include "store/cast_writer.h"
#include "term/screen.h"

namespace orch::session {

// A recording in which secrets are covered, in as many columns, so that a replay shows the same
// screen. What may be the beginning of one waits for its rest, with all that comes after it, for
// kMostHeldMs at most; then it is written with the time at which it came.
// A secret whose bytes come in another order than it is read in stands on the screen that they draw
// all the same: behind the bytes that complete it there a marker says which cells are covered
// (mask/screen.h). Who draws the recording covers them.
class MaskedRecording {
 public:
  static constexpr base::TimeMs kMostHeldMs = 500;

  // Of a terminal of `size`, as the recording's header has it.
  MaskedRecording(std::unique_ptr<store::Recording> recording, term::Size size,
                  const std::shared_ptr<const mask::Secrets>& secrets);

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
    size_t missing = 0;      // bytes that are still held
    std::string text = {};   // with its secrets covered
    std::string drawn = {};  // of kOutput: as it came
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

  base::Status cover_drawn(const Entry& entry);
  void part_screens();
  std::vector<mask::Cells> still_shown(std::vector<mask::Cells> cells) const;

  std::unique_ptr<store::Recording> recording_;
  std::shared_ptr<const mask::Secrets> secrets_;
  mask::StreamMasker output_, input_;
  // Until the cursor was moved for the first time, or something undecided was let out.
  bool in_order_ = true;
  std::unique_ptr<term::Screen> drawn_;  // by the agent, secrets and all
  std::unique_ptr<term::Screen> shown_;  // by what is written; none while that is the same
  std::deque<Entry> waiting_;            // the first one is not known as a whole
};

}  // namespace orch::session
