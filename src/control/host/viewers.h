#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "attach/arbiter.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "session/session.h"

namespace orch::host {

// The viewers of a session, who look at it and may type into it: carries out the arbiter's
// decisions. It does not know how the viewers are connected.
class Viewers {
 public:
  // If the agent has more input than this to take, the viewers have to wait before they type more.
  static constexpr size_t kMostInputBytes = 256 << 10;

  Viewers(loop::Loop& loop, session::Session& session);  // `session` outlives this
  Viewers(const Viewers&) = delete;
  Viewers& operator=(const Viewers&) = delete;

  // A viewer without a window only looks. This and the following are called from the loop.
  attach::ViewerId join(std::optional<term::Size> window);
  void leave(attach::ViewerId viewer);
  void on_window(attach::ViewerId viewer, term::Size window);
  // The run's own size, which counts while no viewer's window does.
  void on_own_size(term::Size size);
  bool type(attach::ViewerId viewer, std::string_view bytes);  // false: this viewer may not type
  // Somebody holds the keyboard for themselves: orch types nothing while they do.
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
