#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"
#include "loop/life.h"
#include "loop/loop.h"
#include "loop/stream.h"
#include "loop/timer.h"
#include "store/session_file.h"
#include "term/screen.h"
#include "wire/frame.h"
#include "wire/message.h"

namespace orch::client {

inline constexpr int64_t kAnswerMs = 5'000;  // after this a host counts as one that does not answer
inline constexpr int64_t kNoDeadline = -1;   // for what takes as long as it takes

// What a follower was not sent because it did not keep up.
struct Gap {
  uint64_t from = 0, to = 0;  // the part of events.jsonl to read itself, if it wants events
  uint64_t raw_bytes = 0;     // raw output that is only in the recording
};

// Told what a session does; calls come from the loop. Exactly one of on_end and on_lost comes, as
// the last. Each may destroy the client.
class Follower {
 public:
  virtual ~Follower() = default;

  // What is in events.jsonl up to here happened before; what follows is told. Of a viewer 0: it is
  // told what happens, and the rest is in its snapshots.
  virtual void on_started(uint64_t events_offset) = 0;
  // One line, without its end. The first is the session record, which also begins events.jsonl.
  virtual void on_event(std::string_view /*json*/) {}
  virtual void on_raw(std::string_view /*bytes*/) {}
  // To a viewer alone: the screen is drawn anew, by bytes for a fresh terminal of that size. The
  // raw bytes that come next go on from there.
  virtual void on_snapshot(term::Size /*size*/, std::string_view /*bytes*/) {}
  virtual void on_lagged(const Gap& gap) = 0;
  virtual void on_end(std::string_view result_json) = 0;  // the session has ended
  virtual void on_lost(const base::Error& error) = 0;  // refused, or (kNotFound) the host is gone
};

// A command's end of a session's socket: asks, and follows. Each request names the run that was
// found (wire::Request::run), so that none reaches a session that began since. Each has
// its deadline on the monotonic clock unless it is given none, so that a host that is stopped
// (SIGSTOP) is an error that says so. Keeps Loop::run() running while the host is connected.
class Client {
 public:
  using OnAnswer = std::function<void(base::Result<wire::Answer>)>;

  // `session` was found in `state_dir`. kNotFound, here and in what follows: it has ended. Where
  // its host lives but cannot be reached from here (a socket that another container does not see)
  // that is an error of kSystem that says so.
  static base::Result<std::unique_ptr<Client>> connect(loop::Loop& loop,
                                                       const std::string& state_dir,
                                                       const store::SessionRecord& session);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Calls on_answer from the loop, once. It gets an answer that is no Refusal, or an error. A
  // refusal is one of kUsage; but kNotFound where another run has begun, and kSystem where the host
  // takes no more connections, as for a request that is not answered in time. It may destroy this.
  void request(const wire::Verb& verb, OnAnswer on_answer, int64_t deadline_ms = kAnswerMs);

  // Subscribes, once. `follower` outlives this.
  void follow(wire::Subscribe wanted, Follower& follower, int64_t deadline_ms = kAnswerMs);

  // Why a request without a deadline has no answer after so long, for whoever waits on.
  base::Error no_answer(int64_t waited_ms) const;

  // Follows as a viewer, once: one with a window may type into the session.
  void attach(std::optional<term::Size> window, Follower& follower);
  void type(std::string_view bytes);  // of a viewer; before it has started nothing is sent
  void set_window(term::Size window);
  // What was typed and is still here. Somebody who pastes more than the agent takes is to wait.
  size_t unsent_bytes() const { return stream_ ? stream_->queued_bytes() : 0; }
  // Called whenever nothing is left here of what was to be sent.
  void on_drained(std::function<void()> told) { on_drained_ = std::move(told); }

 private:
  struct Pending {
    OnAnswer on_answer;
    std::unique_ptr<loop::Timer> deadline;
  };

  Client(loop::Loop& loop, base::Fd socket, std::string state_dir,
         const store::SessionRecord& session);
  void on_data(std::string_view bytes);
  base::Status take(const wire::Frame& frame);
  base::Status take_answer(std::string_view json);
  base::Status take_lagged(std::string_view json);
  base::Status take_snapshot(std::string_view payload);
  void take_end(std::string_view result_json);
  void on_deadline(int64_t id, int64_t waited_ms);
  void lose(const base::Error& error);
  void close(const base::Error& why);
  void fail_pending();
  base::Error error(const std::string& text) const;
  base::Error ended(const std::string& text) const;  // kNotFound
  // Why the host has hung up: the session has ended, or (kSystem) the host died.
  base::Error host_is_gone() const;

  loop::Loop& loop_;
  std::string session_;  // its name, for errors
  std::string run_, state_dir_, key_;
  std::optional<pid_t> host_pid_;
  std::optional<loop::Stream> stream_;  // empty once it is over
  std::optional<base::Error> lost_;     // why it is over
  wire::Decoder decoder_;
  std::map<int64_t, Pending> pending_;
  int64_t last_id_ = 0;
  Follower* follower_ = nullptr;
  uint32_t viewer_ = 0;   // as the host calls it; 0 for none
  std::string snapshot_;  // that has begun and is not whole
  std::function<void()> on_drained_;
  loop::Life life_;
};

// One question to one session, for commands that have nothing else on the loop: runs it until the
// answer is there.
base::Result<wire::Answer> ask(loop::Loop& loop, const std::string& state_dir,
                               const store::SessionRecord& session, const wire::Verb& verb,
                               int64_t deadline_ms = kAnswerMs);

// "runs in another pid namespace": why nothing of this session can be seen or signalled from here;
// "" where its host is a process like others, or gone.
std::string why_elsewhere(const store::SessionRecord& session);

}  // namespace orch::client
