#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "attach/draft.h"
#include "base/time.h"
#include "term/screen.h"

namespace orch::attach {

using base::TimeMs;
using ViewerId = uint32_t;  // from 1; never used twice in one session

// How long after a key a user still counts as typing, and how long if they have begun a text and
// not sent it.
inline constexpr int64_t kTypingMs = 2'000;
inline constexpr int64_t kDraftMs = 60'000;
// How long a user's keys wait while orch types a message of its own; after that they go first.
inline constexpr int64_t kMostWaitMs = 2'000;
// A window smaller than this shows only a part of the screen, so that nobody can make an agent's
// screen unreadable.
inline constexpr term::Size kLeastSize{40, 10};

// Decides the window size of a session, and whose keys are typed, when several users look at it.
// The agent's screen has the size of the smallest window among the viewers that may type; without
// one, it has the run's own size. All viewers that may type can type at any time; while one does,
// orch types nothing itself, and while orch types a message the users' keys wait. Pure.
class Arbiter {
 public:
  explicit Arbiter(term::Size own) : own_(own) {}

  // A viewer without a window only looks.
  ViewerId join(std::optional<term::Size> window);
  void leave(ViewerId viewer);
  // Ignored for a viewer that only looks.
  void on_window(ViewerId viewer, term::Size window);
  void on_own_size(term::Size own) { own_ = own; }
  term::Size size() const;
  size_t viewers() const { return viewers_.size(); }
  bool may_type() const;  // whether any viewer may type

  // Returns false, and drops the keys, if the viewer does not exist or only looks.
  bool on_keys(TimeMs now, ViewerId viewer, std::string_view bytes);
  // The keys that are to be typed now. `orch_types`: a message of orch's own is on its way to the
  // agent.
  std::string take_keys(TimeMs now, bool orch_types);
  size_t waiting_bytes() const { return waiting_.size(); }
  // Whether a user is typing, so that orch must not.
  bool is_held(TimeMs now) const { return !waiting_.empty() || now < held_until(); }
  // When is_held() may change without a call; nullopt: it does not.
  std::optional<TimeMs> next_change(TimeMs now) const;

 private:
  struct Viewer {
    std::optional<term::Size> window;
    Draft draft;
    TimeMs typed_at = 0;
    bool has_typed = false;
  };
  TimeMs held_until() const;

  term::Size own_;
  std::map<ViewerId, Viewer> viewers_;
  ViewerId last_ = 0;
  std::string waiting_;
  TimeMs waiting_since_ = 0;
};

}  // namespace orch::attach
