#pragma once

#include <functional>
#include <map>
#include <memory>

#include "base/result.h"
#include "http/curl.h"
#include "loop/life.h"
#include "loop/timer.h"
#include "loop/watched_fd.h"

namespace orch::loop {
class Loop;
}

namespace orch::http {

// The transfers of libcurl that share its connections, on the loop. It watches the sockets and the
// timer that libcurl asks for, and reports them to libcurl, which calls back from inside these
// calls. Outlives its transfers.
class Multi {
 public:
  // An error if libcurl is missing, or out of memory.
  static base::Result<std::unique_ptr<Multi>> make(loop::Loop& loop);
  ~Multi();
  Multi(const Multi&) = delete;
  Multi& operator=(const Multi&) = delete;

  const Curl& curl() const { return curl_; }
  loop::Loop& loop() const { return loop_; }
  // `on_ended` is called from the loop, once, unless the transfer is removed before. It may remove
  // the transfer, and destroy this.
  void add(CURL* easy, std::function<void(CURLcode)> on_ended);
  void remove(CURL* easy);

 private:
  Multi(loop::Loop& loop, const Curl& curl, CURLM* multi);
  static int on_socket(CURL* easy, curl_socket_t fd, int what, void* self, void* own) noexcept;
  static int on_timer(CURLM* multi, long delay_ms, void* self) noexcept;
  bool watch_socket(curl_socket_t fd, int what);
  void act(curl_socket_t fd, int events);

  loop::Loop& loop_;
  const Curl& curl_;
  CURLM* multi_;
  loop::Timer its_timer_;
  std::map<curl_socket_t, std::unique_ptr<loop::WatchedFd>> sockets_;  // by libcurl's descriptor
  std::map<CURL*, std::function<void(CURLcode)>> on_ended_;
  loop::Life life_;
};

}  // namespace orch::http
