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

// How long after a key somebody still counts as typing, and how long with a text begun and not
// sent.
inline constexpr int64_t kTypingMs = 2'000;
inline constexpr int64_t kDraftMs = 60'000;
// How long a person's keys wait for a message of orch's own that is being typed: then they go
// first.
inline constexpr int64_t kMostWaitMs = 2'000;
// A window that is smaller than this shows a part: nobody can make an agent's screen unreadable.
inline constexpr term::Size kLeastSize{40, 10};

// Decides who of several that look at one session has its size and its keyboard. The smallest
// window of those who may type is the agent's screen; where there is none it is the run's own size.
// Everybody who may type does; while somebody does, orch itself does not, and while orch types a
// message the keys of persons wait. Pure.
class Arbiter {
 public:
  explicit Arbiter(term::Size own) : own_(own) {}

  // Without a window: one that looks only.
  ViewerId join(std::optional<term::Size> window);
  void leave(ViewerId viewer);
  // Ignored of one that looks only.
  void on_window(ViewerId viewer, term::Size window);
  void on_own_size(term::Size own) { own_ = own; }
  term::Size size() const;
  size_t viewers() const { return viewers_.size(); }
  bool may_type() const;  // somebody who looks could

  // False, and nothing is typed: this viewer is none, or looks only.
  bool on_keys(TimeMs now, ViewerId viewer, std::string_view bytes);
  // What is to be typed now; `orch_types`: a message of its own is on its way to the agent.
  std::string take_keys(TimeMs now, bool orch_types);
  size_t waiting_bytes() const { return waiting_.size(); }
  // Whether somebody types: orch must not.
  bool is_held(TimeMs now) const { return !waiting_.empty() || now < held_until(); }
  // When that may change without a call; nothing: it does not.
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
