#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "attach/arbiter.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "session/session.h"

namespace orch::host {

// Those who look at a session, and may type into it: carries out what the arbiter decides. Nothing
// here knows how they are reached.
class Viewers {
 public:
  // More input than this the agent has not taken yet: whoever types is to wait.
  static constexpr size_t kMostInputBytes = 256 << 10;

  Viewers(loop::Loop& loop, session::Session& session);  // which outlives this
  Viewers(const Viewers&) = delete;
  Viewers& operator=(const Viewers&) = delete;

  // Without a window: one that looks only. To be called, as what follows, from the loop.
  attach::ViewerId join(std::optional<term::Size> window);
  void leave(attach::ViewerId viewer);
  void on_window(attach::ViewerId viewer, term::Size window);
  void on_own_size(term::Size size);  // of the run: where nobody's window decides
  bool type(attach::ViewerId viewer, std::string_view bytes);  // false: this one may not
  // Somebody has taken the keyboard for themselves: until then orch types nothing.
  void hold(bool held);

  size_t count() const { return arbiter_.viewers(); }
  bool is_full() const;  // see kMostInputBytes
  void end();            // the session takes nothing any more

 private:
  void follow();

  loop::Loop& loop_;
  session::Session& session_;
  attach::Arbiter arbiter_;
  loop::Timer next_;
  bool held_ = false;
  bool ended_ = false;
};

}  // namespace orch::host
