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

// A host that takes longer counts as one that does not answer.
inline constexpr int64_t kAnswerMs = 5'000;
inline constexpr int64_t kNoDeadline = -1;  // for requests that may take any time

// The session's file as it is now; absent when it is gone or belongs to another run.
store::Found<store::SessionRecord> still(const std::string& state_dir,
                                         const store::SessionRecord& session);
// Whether that file says that the run goes on, or cannot be read.
bool may_run(const std::string& state_dir, const store::SessionRecord& session);

// The output that a follower was not sent because it did not keep up with the host.
struct Gap {
  uint64_t from = 0, to = 0;  // the part of events.jsonl that the follower can read by itself
  uint64_t raw_bytes = 0;     // bytes of raw output that are only in the recording
};

// Receives the events and output of a session; calls come from the loop. The last call is exactly
// one of on_end and on_lost. Each call may destroy the client.
class Follower {
 public:
  virtual ~Follower() = default;

  // The events in events.jsonl up to this offset happened before; later ones follow as calls. A
  // viewer gets 0: it gets events and output from now on only, and its snapshots show the rest.
  virtual void on_started(uint64_t events_offset) = 0;
  // One line without its line feed. The first is the session record, which is also the first line
  // of events.jsonl.
  virtual void on_event(std::string_view /*json*/) {}
  virtual void on_raw(std::string_view /*bytes*/) {}
  // Only for viewers: replaces the screen. `bytes` draw it on a fresh terminal of that size, and
  // the raw bytes that come next continue from there.
  virtual void on_snapshot(term::Size /*size*/, std::string_view /*bytes*/) {}
  virtual void on_lagged(const Gap& gap) = 0;
  virtual void on_end(std::string_view result_json) = 0;  // the session has ended
  virtual void on_lost(const base::Error& error) = 0;  // refused; or (kNotFound) the host is gone
};

// A command's end of a session's socket, for requests and for following the session. Each request
// names the run that was found (wire::Request::run), so that none reaches a session that has begun
// since. Each has a deadline on the monotonic clock unless it is given kNoDeadline, so that a host
// that is stopped (SIGSTOP) leads to an error that says so. It keeps Loop::run() running while it
// is connected.
class Client {
 public:
  using OnAnswer = std::function<void(base::Result<wire::Answer>)>;

  // Connects to a session that was found in `state_dir`. The error kNotFound, here and later, means
  // that the session has ended. If its host lives but cannot be reached from here (its socket is
  // not visible in another container, for example), the error is kSystem and says so.
  static base::Result<std::unique_ptr<Client>> connect(loop::Loop& loop,
                                                       const std::string& state_dir,
                                                       const store::SessionRecord& session);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Calls on_answer once, from the loop, with an answer other than a Refusal, or with an error. A
  // refusal is an error of kUsage, except: kNotFound if another run has begun, if there is no
  // dialog or if the agent is gone; kShortage if the host has too many connections or messages;
  // kSystem if the dialog stood on after the answer was typed. A request that is not answered in
  // time is kSystem. on_answer may destroy the client.
  void request(const wire::Verb& verb, OnAnswer on_answer, int64_t deadline_ms = kAnswerMs);

  // Subscribes to the session's events; to be called once. `follower` must outlive the client.
  void follow(wire::Subscribe wanted, Follower& follower, int64_t deadline_ms = kAnswerMs);

  // The error about a request without an answer, if a caller does its own waiting.
  base::Error no_answer(int64_t waited_ms) const;

  // Follows the session as a viewer; to be called once. Only a viewer with a window may type.
  void attach(std::optional<term::Size> window, Follower& follower);
  void type(std::string_view bytes);  // as a viewer; dropped before on_started()
  void set_window(term::Size window);
  // How many bytes of input are not sent yet. A caller should read no further input while they are
  // many, as after a large paste.
  size_t unsent_bytes() const { return stream_ ? stream_->queued_bytes() : 0; }
  // The callback is called whenever the last waiting byte has been sent.
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
  base::Error ended(const std::string& text) const;  // with the code kNotFound
  // The error for a host that has hung up: the session has ended, or (kSystem) the host died.
  base::Error host_is_gone() const;

  loop::Loop& loop_;
  std::string session_;  // its name, for errors
  std::string run_, state_dir_, key_;
  std::optional<pid_t> host_pid_;
  std::optional<loop::Stream> stream_;  // empty once the connection is over
  std::optional<base::Error> lost_;     // why the connection is over
  wire::Decoder decoder_;
  std::map<int64_t, Pending> pending_;
  int64_t last_id_ = 0;
  Follower* follower_ = nullptr;
  uint32_t viewer_ = 0;   // our number as a viewer with the host; 0 for none
  std::string snapshot_;  // the parts so far of a snapshot that is not complete
  std::function<void()> on_drained_;
  loop::Life life_;
};

// Asks one session one question, if the command has no other work on the loop: runs the loop until
// the answer is there.
base::Result<wire::Answer> ask(loop::Loop& loop, const std::string& state_dir,
                               const store::SessionRecord& session, const wire::Verb& verb,
                               int64_t deadline_ms = kAnswerMs);

// Why the processes of this session cannot be seen or signalled from here, such as "runs in another
// pid namespace"; "" if its host is a process of this machine and pid namespace, or is gone.
std::string why_elsewhere(const store::SessionRecord& session);

}  // namespace orch::client
