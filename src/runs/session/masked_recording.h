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

// A recording that replaces secrets by as many columns of stars, so that a replay shows the same
// screen. Bytes that may begin a secret wait for the rest, with all that comes after them, for at
// most kMostHeldMs. Then they are written with the time at their arrival. The bytes of a secret may
// also come in another order than it is read in, if the cursor is moved. A secret of this kind is
// found on the screen that the bytes draw, and a marker behind the bytes that complete it says
// which cells are covered (mask/screen.h). The program that replays the recording covers them.
class MaskedRecording {
 public:
  static constexpr base::TimeMs kMostHeldMs = 500;
  static constexpr base::TimeMs kMostUnwrittenMs = 100;
  // A session that is quiet for so long counts as resting: longer than a clock that is drawn each
  // second.
  static constexpr base::TimeMs kRestMs = 1'500;

  // `size` is the terminal's, as in the recording's header.
  MaskedRecording(std::unique_ptr<store::Recording> recording, term::Size size,
                  const std::shared_ptr<const mask::Secrets>& secrets);

  // As in store::Recording.
  base::Status output(base::TimeMs at, std::string_view bytes);
  base::Status input(base::TimeMs at, std::string_view bytes);
  base::Status resize(base::TimeMs at, int cols, int rows);
  base::Status marker(base::TimeMs at, std::string text);
  // Writes all bytes that are ready, and frees memory that a resting session does not need.
  base::Status flush(base::TimeMs now);
  // When flush() is due; kNever: it has no work. New bytes are written at once, but not within
  // kMostUnwrittenMs after the last write, so that a crash loses no more than that. Bytes that may
  // begin a secret are written kMostHeldMs later.
  base::TimeMs next_flush() const;
  base::Status finish(base::TimeMs at);
  int64_t invalid_bytes() const { return recording_->invalid_bytes(); }
  base::Fd take_file() { return recording_->take_file(); }
  const std::string& path() const { return recording_->path(); }

 private:
  struct Entry {
    enum class Kind : uint8_t { kOutput, kInput, kResize, kMarker };
    Kind kind = Kind::kOutput;
    base::TimeMs at = 0;
    size_t missing = 0;      // bytes of the entry that the masker still holds
    std::string text = {};   // with its secrets covered
    std::string drawn = {};  // kOutput: the bytes as they came
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

  // Writes the masked output `text`; `bytes` is the same output as it came.
  base::Status write_output(base::TimeMs at, std::string_view text, std::string_view bytes);
  void note_unwritten(base::TimeMs at);
  void part_screens();
  void put_away();
  term::Screen& drawn();
  std::vector<mask::Cells> still_shown(std::vector<mask::Cells> cells) const;

  std::unique_ptr<store::Recording> recording_;
  mask::StreamMasker output_, input_;
  mask::ScreenSearch search_;  // on drawn_
  // The bytes have drawn the screen in reading order: the cursor was not moved yet, and no bytes
  // were released that the masker was undecided about.
  bool in_order_ = true;
  // The agent's screen, secrets included. Null: nothing has come for a while, and put_away_, its
  // snapshot, stands for it, with some KB instead of some forty.
  std::unique_ptr<term::Screen> drawn_;
  std::string put_away_;
  term::Size size_;
  base::TimeMs drawn_at_ = 0;  // when bytes came last
  // When the oldest unwritten bytes came; kNever: all is written.
  base::TimeMs unwritten_at_ = base::kNever;
  base::TimeMs flushed_at_ = -kMostUnwrittenMs;  // when flush() wrote last
  std::unique_ptr<term::Screen> shown_;          // the screen of the recording; null: the same
  std::deque<Entry> waiting_;                    // the first one is still incomplete
};

}  // namespace orch::session
