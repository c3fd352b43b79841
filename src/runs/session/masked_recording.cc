#include "session/masked_recording.h"

#include <algorithm>
#include <utility>

#include "term/cell.h"
#include "term/snapshot.h"

namespace orch::session {

using base::Status;
using base::TimeMs;

namespace {

// Whether the bytes only continue behind each other: nothing moves the cursor back, inserts or
// deletes. Such bytes can be masked as they come. Once other bytes have come, the next may be drawn
// anywhere.
bool goes_on_in_order(std::string_view bytes) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == '\x1b' || bytes[i] == '\b') return false;
    if (bytes[i] == '\r' && (i + 1 == bytes.size() || bytes[i + 1] != '\n')) return false;
  }
  return true;
}

// Drops the screen's replies to the agent's queries: nobody reads them here.
void feed(term::Screen& screen, std::string_view bytes) {
  screen.feed(bytes);
  (void)screen.take_replies();
}

}  // namespace

MaskedRecording::MaskedRecording(std::unique_ptr<store::Recording> recording, term::Size size,
                                 const std::shared_ptr<const mask::Secrets>& secrets)
    : recording_(std::move(recording)),
      output_(secrets),
      input_(secrets),
      search_(secrets),
      size_(size) {}

Status MaskedRecording::output(TimeMs at, std::string_view bytes) {
  return stream(Entry::Kind::kOutput, at, bytes);
}

Status MaskedRecording::input(TimeMs at, std::string_view bytes) {
  return stream(Entry::Kind::kInput, at, bytes);
}

Status MaskedRecording::resize(TimeMs at, int cols, int rows) {
  waiting_.push_back({.kind = Entry::Kind::kResize, .at = at, .cols = cols, .rows = rows});
  return write_known();
}

Status MaskedRecording::marker(TimeMs at, std::string text) {
  waiting_.push_back({.kind = Entry::Kind::kMarker, .at = at, .text = std::move(text)});
  return write_known();
}

Status MaskedRecording::stream(Entry::Kind kind, TimeMs at, std::string_view bytes) {
  if (!recording_->active()) return base::Ok{};
  const bool is_output = kind == Entry::Kind::kOutput;
  if (is_output) drawn_at_ = at;
  const std::string settled = masker(kind).pass(bytes);
  // The common case: no bytes are held back, before or now.
  if (waiting_.empty() && settled.size() == bytes.size()) {
    note_unwritten(at);
    return is_output ? write_output(at, settled, bytes) : recording_->input(at, settled);
  }
  waiting_.push_back({.kind = kind, .at = at, .missing = bytes.size()});
  if (is_output) waiting_.back().drawn = bytes;
  hand_out(kind, settled);
  return write_known();
}

// Hands masked bytes out, in order, to the entries that miss some.
void MaskedRecording::hand_out(Entry::Kind kind, std::string_view settled) {
  for (Entry& entry : waiting_) {
    if (settled.empty()) return;
    if (entry.kind != kind) continue;
    const std::string_view part = settled.substr(0, entry.missing);
    entry.text.append(part);
    entry.missing -= part.size();
    settled.remove_prefix(part.size());
  }
}

// The bytes that are released may be the first part of a secret after all, so from then on the
// screen is searched.
void MaskedRecording::release(Entry::Kind kind) {
  const std::string let_out = masker(kind).release();
  if (kind == Entry::Kind::kOutput && !let_out.empty()) in_order_ = false;
  hand_out(kind, let_out);
}

Status MaskedRecording::write_known() {
  while (!waiting_.empty() && waiting_.front().missing == 0) {
    note_unwritten(waiting_.front().at);
    Status written = write(waiting_.front());
    waiting_.pop_front();
    if (!written) return written;
  }
  return base::Ok{};
}

Status MaskedRecording::write(const Entry& entry) {
  switch (entry.kind) {
    case Entry::Kind::kOutput:
      return write_output(entry.at, entry.text, entry.drawn);
    case Entry::Kind::kInput:
      return recording_->input(entry.at, entry.text);
    case Entry::Kind::kResize:
      drawn().resize({entry.cols, entry.rows});
      size_ = drawn().size();
      if (shown_) shown_->resize({entry.cols, entry.rows});
      return recording_->resize(entry.at, entry.cols, entry.rows);
    case Entry::Kind::kMarker:
      return recording_->marker(entry.at, entry.text);
  }
  return base::Ok{};
}

// Searches the agent's own screen, without masks: a secret that is covered in part by then is still
// recognized there by its beginning.
Status MaskedRecording::write_output(TimeMs at, std::string_view text, std::string_view bytes) {
  if (Status s = recording_->output(at, text); !s) return s;
  if (!recording_->active()) return base::Ok{};
  if (text != bytes) part_screens();
  feed(drawn(), bytes);
  if (shown_) feed(*shown_, text);
  in_order_ = in_order_ && goes_on_in_order(bytes);
  if (in_order_) return base::Ok{};
  const std::vector<mask::Cells> cells = still_shown(search_.find_on(*drawn_));
  if (cells.empty()) return base::Ok{};
  part_screens();
  mask::cover(*shown_, cells);
  return recording_->marker(at, mask::cover_marker(cells));
}

// Few recordings ever hide anything. Until then one screen serves as both, which halves the memory
// of an idle session.
void MaskedRecording::part_screens() {
  if (shown_) return;
  shown_ = std::make_unique<term::Screen>(size_);
  feed(*shown_, term::snapshot(drawn()));
}

void MaskedRecording::note_unwritten(TimeMs at) { unwritten_at_ = std::min(unwritten_at_, at); }

// An agent may be idle for hours, and a host may have many of them.
void MaskedRecording::put_away() {
  if (!drawn_ || shown_) return;
  put_away_ = term::snapshot(*drawn_);
  put_away_.shrink_to_fit();
  drawn_.reset();
  search_.forget();
}

term::Screen& MaskedRecording::drawn() {
  if (!drawn_) {
    drawn_ = std::make_unique<term::Screen>(size_);
    feed(*drawn_, std::exchange(put_away_, {}));
  }
  return *drawn_;
}

// Those of `cells` that the recording still shows at least partly as drawn.
std::vector<mask::Cells> MaskedRecording::still_shown(std::vector<mask::Cells> cells) const {
  const term::Screen& shown_screen = shown_ ? *shown_ : *drawn_;
  std::erase_if(cells, [&](const mask::Cells& at) {
    const term::RowView drawn = drawn_->row(at.row), shown = shown_screen.row(at.row);
    for (auto col = static_cast<size_t>(at.from); col < static_cast<size_t>(at.to); ++col) {
      const bool same = drawn.codes[col] == shown.codes[col];
      if (same && drawn.codes[col] != '*' && drawn.codes[col] != term::kWideTail) return false;
    }
    return true;
  });
  return cells;
}

// Each stream is released by its own age: old input does not release the output that is just being
// drawn.
Status MaskedRecording::flush(TimeMs now) {
  for (const Entry::Kind kind : {Entry::Kind::kOutput, Entry::Kind::kInput}) {
    const auto oldest = std::ranges::find_if(
        waiting_, [kind](const Entry& entry) { return entry.kind == kind && entry.missing > 0; });
    if (oldest != waiting_.end() && now - oldest->at >= kMostHeldMs) release(kind);
  }
  if (Status s = write_known(); !s) return s;
  if (unwritten_at_ != base::kNever) flushed_at_ = now;
  unwritten_at_ = base::kNever;
  if (now - drawn_at_ < kRestMs) return recording_->flush();
  put_away();
  return recording_->rest();
}

TimeMs MaskedRecording::next_flush() const {
  TimeMs next = base::kNever;
  // A millisecond later the screen is looked at, too, which spares a wake-up.
  if (unwritten_at_ != base::kNever) {
    next = std::max(unwritten_at_ + 1, flushed_at_ + kMostUnwrittenMs);
  }
  if (!waiting_.empty()) next = std::min(next, waiting_.front().at + kMostHeldMs);
  if (drawn_ && !shown_) next = std::min(next, drawn_at_ + kRestMs);
  return next;
}

Status MaskedRecording::finish(TimeMs at) {
  release(Entry::Kind::kOutput);
  release(Entry::Kind::kInput);
  if (Status s = write_known(); !s) return s;
  return recording_->finish(at);
}

}  // namespace orch::session
