#include "http/multi.h"

#include <utility>

#include "base/check.h"
#include "loop/loop.h"

namespace orch::http {

base::Result<std::unique_ptr<Multi>> Multi::make(loop::Loop& loop) {
  const base::Result<const Curl*> curl = load_curl();
  if (!curl) return curl.error();
  CURLM* multi = (*curl)->multi_init();
  if (multi == nullptr) return base::Error{base::ErrorCode::kSystem, "HTTP: out of memory"};
  return std::unique_ptr<Multi>(new Multi(loop, **curl, multi));
}

Multi::Multi(loop::Loop& loop, const Curl& curl, CURLM* multi)
    : loop_(loop), curl_(curl), multi_(multi), its_timer_(loop) {
  curl_.multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &Multi::on_socket);
  curl_.multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_.multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &Multi::on_timer);
  curl_.multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
}

Multi::~Multi() {
  curl_.multi_cleanup(multi_);  // calls on_socket()
  sockets_.clear();
  its_timer_.stop();
}

// The transfer begins with libcurl's timer.
void Multi::add(CURL* easy, std::function<void(CURLcode)> on_ended) {
  on_ended_[easy] = std::move(on_ended);
  ORCH_CHECK(curl_.multi_add_handle(multi_, easy) == CURLM_OK);
}

void Multi::remove(CURL* easy) {
  if (on_ended_.erase(easy) > 0) curl_.multi_remove_handle(multi_, easy);
}

int Multi::on_socket(CURL* /*easy*/, curl_socket_t fd, int what, void* self,
                     void* /*own*/) noexcept {
  return static_cast<Multi*>(self)->watch_socket(fd, what) ? 0 : -1;
}

int Multi::on_timer(CURLM* /*multi*/, long delay_ms, void* self) noexcept {
  auto* multi = static_cast<Multi*>(self);
  if (delay_ms < 0) {
    multi->its_timer_.stop();
  } else {
    multi->its_timer_.start(delay_ms, [multi] { multi->act(CURL_SOCKET_TIMEOUT, 0); });
  }
  return 0;
}

// False if no descriptor is left to watch the socket; that ends the transfer.
bool Multi::watch_socket(curl_socket_t fd, int what) {
  if (what == CURL_POLL_REMOVE) {
    sockets_.erase(fd);
    return true;
  }
  std::unique_ptr<loop::WatchedFd>& watch = sockets_[fd];
  if (watch == nullptr) {
    base::Fd own = base::duplicate(fd);
    if (!own.valid()) return false;
    watch = std::make_unique<loop::WatchedFd>(loop_, std::move(own));
  }
  const int wanted =
      (what & CURL_POLL_IN ? loop::kReadable : 0) | (what & CURL_POLL_OUT ? loop::kWritable : 0);
  watch->start(wanted, [this, fd](int ready) {
    act(fd, (ready & loop::kReadable ? CURL_CSELECT_IN : 0) |
                (ready & loop::kWritable ? CURL_CSELECT_OUT : 0));
  });
  return true;
}

// Reports an event to libcurl. May destroy this.
void Multi::act(curl_socket_t fd, int events) {
  const loop::Life::Watch self(life_);
  int running = 0;
  curl_.multi_socket_action(multi_, fd, events, &running);
  int left = 0;
  while (!self.ended()) {
    const CURLMsg* message = curl_.multi_info_read(multi_, &left);
    if (message == nullptr) return;
    const auto found = on_ended_.find(message->easy_handle);
    if (message->msg != CURLMSG_DONE || found == on_ended_.end()) continue;
    const auto on_ended = found->second;  // a copy, because the call may remove ours
    on_ended(message->data.result);
  }
}

}  // namespace orch::http
