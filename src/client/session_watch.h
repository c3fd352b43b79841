#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/client.h"
#include "client/sessions.h"
#include "loop/loop.h"
#include "loop/timer.h"

namespace orch::client {

// A session as a SessionWatch knows it. Times are of the loop's clock.
struct WatchedSession {
  SessionView view;            // the report is the last one there was
  int64_t reported_at_ms = 0;  // when it came
  bool silent = false;         // asked for kSilentMs and has not answered
  // It has ended while it was watched; without a result in `view` it did so without a word.
  bool ended = false;
  int64_t ended_at_ms = 0;
};

inline constexpr int64_t kLookMs = 1'000;    // how often a session is asked how it stands
inline constexpr int64_t kSilentMs = 2'500;  // so long without an answer it counts as silent
inline constexpr size_t kMostEnded = 50;     // that are kept; the oldest go first

// Keeps an eye on all sessions of a state directory: those that begin, how they stand, how they
// end. One connection each, which is asked once in kLookMs; none waits for another's answer.
class SessionWatch {
 public:
  // `on_changed` is called from the loop, once for what is known anew after each look.
  SessionWatch(loop::Loop& loop, std::string state_dir, std::function<void()> on_changed);
  SessionWatch(const SessionWatch&) = delete;
  SessionWatch& operator=(const SessionWatch&) = delete;

  void start();
  void look_now();  // what was just asked for may have changed something
  // In no order.
  const std::map<std::string, WatchedSession>& sessions() const { return sessions_; }

  // Has a session do something; kNotFound when it is gone. Errors are one line.
  void request(const std::string& key, const wire::Verb& verb, Client::OnAnswer on_answer,
               int64_t deadline_ms = kAnswerMs);

 private:
  struct Line {  // to a host
    std::unique_ptr<Client> client;
    bool asked = false;  // and not answered yet
    int64_t asked_at_ms = 0;
    std::optional<int64_t> open_since_ms;  // the first question that is not answered yet
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
  int64_t folder_ns_ = -1;  // its time of change as it was read
  int looks_ = 0;
  bool read_again_ = true;
};

}  // namespace orch::client
