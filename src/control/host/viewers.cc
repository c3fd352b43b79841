#include "host/viewers.h"

#include <algorithm>
#include <string>
#include <utility>

namespace orch::host {
namespace {

constexpr int64_t kLookMs = 20;  // how often to look whether orch has typed its message

}  // namespace

Viewers::Viewers(loop::Loop& loop, session::Session& session)
    : loop_(loop), session_(session), arbiter_(session.setup().size), next_(loop) {}

attach::ViewerId Viewers::join(std::optional<term::Size> window) {
  const attach::ViewerId viewer = arbiter_.join(window);
  follow();
  return viewer;
}

void Viewers::leave(attach::ViewerId viewer) {
  arbiter_.leave(viewer);
  follow();
}

void Viewers::on_window(attach::ViewerId viewer, term::Size window) {
  arbiter_.on_window(viewer, window);
  follow();
}

void Viewers::on_own_size(term::Size size) {
  arbiter_.on_own_size(size);
  follow();
}

bool Viewers::type(attach::ViewerId viewer, std::string_view bytes) {
  if (!arbiter_.on_keys(loop_.now_ms(), viewer, bytes)) return false;
  follow();
  return true;
}

void Viewers::hold(bool held) {
  held_ = held;
  follow();
}

bool Viewers::is_full() const {
  return arbiter_.waiting_bytes() + session_.unwritten_bytes() > kMostInputBytes;
}

void Viewers::end() {
  ended_ = true;
  next_.stop();
}

void Viewers::follow() {
  if (ended_) return;
  if (const term::Size size = arbiter_.size(); size != session_.setup().size) {
    session_.resize(size);
  }
  const int64_t now = loop_.now_ms();
  std::string keys = arbiter_.take_keys(now, session_.driver().holds_keyboard());
  session_.hold_keyboard(held_ || arbiter_.is_held(now), held_ || arbiter_.may_type());
  if (!keys.empty()) session_.type(std::move(keys));
  if (const std::optional<base::TimeMs> at = arbiter_.next_change(now)) {
    const bool looks = arbiter_.waiting_bytes() > 0;
    next_.start(looks ? kLookMs : std::max<int64_t>(*at - now, 1), [this] { follow(); });
  } else {
    next_.stop();
  }
}

}  // namespace orch::host
