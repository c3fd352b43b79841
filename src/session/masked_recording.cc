#include "session/masked_recording.h"

#include <algorithm>
#include <utility>

namespace orch::session {

using base::Status;
using base::TimeMs;

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
  waiting_.push_back({.kind = kind, .at = at, .missing = bytes.size()});
  hand_out(kind, masker(kind).pass(bytes));
  return write_known();
}

// What is known goes to those that miss it, in order.
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

void MaskedRecording::release(Entry::Kind kind) { hand_out(kind, masker(kind).release()); }

Status MaskedRecording::write_known() {
  while (!waiting_.empty() && waiting_.front().missing == 0) {
    Status written = write(waiting_.front());
    waiting_.pop_front();
    if (!written) return written;
  }
  return base::Ok{};
}

Status MaskedRecording::write(const Entry& entry) {
  switch (entry.kind) {
    case Entry::Kind::kOutput:
      return recording_->output(entry.at, entry.text);
    case Entry::Kind::kInput:
      return recording_->input(entry.at, entry.text);
    case Entry::Kind::kResize:
      return recording_->resize(entry.at, entry.cols, entry.rows);
    case Entry::Kind::kMarker:
      return recording_->marker(entry.at, entry.text);
  }
  return base::Ok{};
}

// Each stream by its own age: what was typed long ago does not let out what is being drawn.
Status MaskedRecording::flush(TimeMs now) {
  for (const Entry::Kind kind : {Entry::Kind::kOutput, Entry::Kind::kInput}) {
    const auto oldest = std::ranges::find_if(
        waiting_, [kind](const Entry& entry) { return entry.kind == kind && entry.missing > 0; });
    if (oldest != waiting_.end() && now - oldest->at >= kMostHeldMs) release(kind);
  }
  if (Status s = write_known(); !s) return s;
  return recording_->flush();
}

Status MaskedRecording::finish(TimeMs at) {
  release(Entry::Kind::kOutput);
  release(Entry::Kind::kInput);
  if (Status s = write_known(); !s) return s;
  return recording_->finish(at);
}

}  // namespace orch::session
