#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "client/client.h"
#include "client/sessions.h"
#include "loop/loop.h"
#include "loop/timer.h"

namespace orch::client {

// A session as a SessionWatch knows it. Times are on the loop's clock.
struct WatchedSession {
  SessionView view;            // with the last report that came
  int64_t reported_at_ms = 0;  // when that report came
  bool silent = false;         // the session has not answered for kSilentMs
  // The session has ended while it was watched. If `view` has no result then, it ended without
  // writing one.
  bool ended = false;
  int64_t ended_at_ms = 0;
};

inline constexpr int64_t kLookMs = 1'000;    // how often a session is asked for its status
inline constexpr int64_t kSilentMs = 2'500;  // without an answer for this long a session is silent
// how many ended sessions are kept; the oldest are dropped first
inline constexpr size_t kMostEnded = 50;

// Watches all sessions of a state directory: which ones begin, how they stand, how they end. Each
// session has a connection of its own, and is asked every kLookMs; a slow answer holds up no other
// session.
class SessionWatch {
 public:
  // `on_changed` is called from the loop, once for all that has become known since a look.
  SessionWatch(loop::Loop& loop, std::string state_dir, std::function<void()> on_changed);
  SessionWatch(const SessionWatch&) = delete;
  SessionWatch& operator=(const SessionWatch&) = delete;

  void start();
  void look_now();  // call it when something may have changed, as after a request
  // By key, in no meaningful order.
  const std::map<std::string, WatchedSession>& sessions() const { return sessions_; }

  // Sends a request to a session; kNotFound if the session is gone. Errors are one line.
  void request(const std::string& key, const wire::Verb& verb, Client::OnAnswer on_answer,
               int64_t deadline_ms = kAnswerMs);

 private:
  struct Line {  // a connection to a host
    std::unique_ptr<Client> client;
    bool asked = false;  // the question was sent, and is not answered yet
    int64_t asked_at_ms = 0;
    std::optional<int64_t> open_since_ms;  // since when a question is unanswered
  };

  void look();
  bool folder_has_changed();
  void read_folder();
  void take_record(store::SessionRecord record);
  void read_failure(SessionView& view);
  void on_gone(WatchedSession& session);
  void forget_oldest_ended();
  void ask(const std::string& key);
  Client* connected(const std::string& key);
  void on_report(const std::string& key, const base::Result<wire::Answer>& answer);
  void changed();

  loop::Loop& loop_;
  std::string state_dir_;
  std::function<void()> on_changed_;
  loop::Timer look_timer_, tell_timer_;
  std::map<std::string, WatchedSession> sessions_;  // by key
  std::map<std::string, Line> lines_;
  int64_t folder_ns_ = -1;  // time of the folder's last change, as it was read last
  int looks_ = 0;
  bool read_again_ = true;
};

}  // namespace orch::client
