#include "setup/coming_secrets.h"

#include <algorithm>

#include "setup/recordings.h"

namespace orch::setup {
namespace {

// The least time between two searches for secrets. A search costs more than most changes of a
// screen, and there may be hundreds of changes a second.
constexpr int64_t kSpacingMs = 250;

}  // namespace

void ComingSecrets::note(int64_t ms, const term::Screen& screen,
                         const std::vector<mask::Cells>& covered) {
  std::vector<mask::Cells> cells = mask::find_on(secrets_, screen);
  cells.insert(cells.end(), covered.begin(), covered.end());
  if (cells.empty() || noted_.size() == kMostNoted) return;
  std::vector<mask::Standing> secrets = mask::standing_in(screen, cells);
  if (!noted_.empty() && noted_.back().secrets == secrets) return;
  noted_.push_back({ms, std::move(secrets)});
}

std::vector<mask::Cells> ComingSecrets::parts_on(int64_t ms, const term::Screen& screen) const {
  std::vector<mask::Cells> parts;
  auto next = std::ranges::lower_bound(noted_, ms, {}, &Noted::ms);
  for (; next != noted_.end() && next->ms - ms <= mask::kMostApartMs; ++next) {
    const std::vector<mask::Cells> some = mask::parts_on(next->secrets, screen);
    parts.insert(parts.end(), some.begin(), some.end());
  }
  return parts;
}

ComingSecrets coming_secrets(store::CastReader& cast, int64_t from_ms, int64_t to_ms,
                             const std::shared_ptr<const mask::Secrets>& secrets) {
  ComingSecrets coming(secrets);
  term::Screen screen({cast.header().cols, cast.header().rows});
  int64_t ms = 0, looked_ms = from_ms - kSpacingMs;
  for (const store::CastEvent* event = cast.next(); event != nullptr; event = cast.next()) {
    const int64_t now = event->us / 1000;
    if (now > to_ms || event->kind == store::CastKind::kExit) break;
    if (ms >= from_ms && now > ms && now - looked_ms >= kSpacingMs) {
      coming.note(ms, screen);
      looked_ms = now;
    }
    ms = now;
    const bool is_marker = event->kind == store::CastKind::kMarker;
    const auto covered =
        is_marker ? mask::read_cover_marker(event->data) : std::vector<mask::Cells>();
    if (now >= from_ms && !covered.empty()) coming.note(now, screen, covered);
    play(*event, screen);
  }
  coming.note(ms, screen);
  return coming;
}

}  // namespace orch::setup
