#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/crew_desk.h"
#include "term/screen.h"
#include "wire/message.h"

namespace orch::host {

// The session behind a control socket, as its clients see it. Implemented by HostedSession.
class ControlledSession {
 public:
  virtual ~ControlledSession() = default;

  virtual wire::StatusReport status() const = 0;
  // The session record: the first line of events.jsonl, and the first that a follower of events
  // gets.
  virtual const std::string& head() const = 0;
  // The size of events.jsonl in bytes. It grows immediately before ControlSocket::on_event() gets
  // the line that was appended, and at no other time.
  virtual uint64_t events_size() const = 0;
  // The crew that the agent belongs to, and the agent's name there; nullptr: it belongs to none.
  virtual CrewDesk* crew() const = 0;
  virtual const std::string& member() const = 0;
  // Whether the processes of its run may change the session, as a user may.
  virtual bool trusts_agent() const = 0;
  // Ends the session as killed: step by step, or at once by SIGKILL.
  virtual void kill(bool at_once) = 0;
  // Types keys by their names. If a name is unknown, the error names it, and no key is typed.
  virtual base::Status type_keys(const std::vector<std::string>& names) = 0;
  // Queues a message from `from` (event::Message) and returns its id; `on_sent` is called from the
  // loop, once, with its outcome. An error: this agent takes no messages.
  virtual base::Result<std::string> send(const wire::Send& message, const std::string& from,
                                         std::function<void(const wire::Sent&)> on_sent) = 0;
  // The sender is gone: takes the message back if it was not typed yet, and reports nothing.
  virtual void withdraw(const std::string& message) = 0;
  // Empties the agent's conversation; `on_done` is called from the loop, once, with how that was
  // done or why it was not. An error: it cannot be done now.
  virtual base::Status reset(std::function<void(base::Result<wire::WasReset>)> on_done) = 0;
  virtual void forget_reset() = 0;  // the client is gone: on_done is not called

  // A client looks at the agent's screen; with a window it may also type, and its size counts for
  // the screen's. An error: this agent has no screen.
  virtual base::Result<uint32_t> attach(std::optional<term::Size> window) = 0;
  virtual void detach(uint32_t viewer) = 0;
  virtual void on_window(uint32_t viewer, term::Size window) = 0;
  // False: this viewer may not type.
  virtual bool type(uint32_t viewer, std::string_view bytes) = 0;
  virtual bool input_is_full() const = 0;  // more is typed than the agent takes
  // The present screen, as frames (wire::encode_snapshot).
  virtual std::string snapshot() const = 0;
  // Answers the dialog on the screen; `on_answered` is called from the loop, once: with Ok when the
  // dialog was seen to go, otherwise with kSystem (it still stands) or kUsage (no key was typed).
  // An error, kNotFound or kUsage: there is no dialog, or the answer does not fit it.
  virtual base::Status answer(const wire::AnswerDialog& answer,
                              std::function<void(base::Status)> on_answered) = 0;
  // A hook of the agent reports a call (session::CallCheck). Returns its id for forget_call(),
  // which says that the hook is gone. `on_decided` is called once, at once or from the loop, with
  // the hook's output, or with nullopt if the hook has to refuse.
  virtual std::string check_call(std::string_view event,
                                 std::function<void(std::optional<std::string>)> on_decided) = 0;
  virtual void forget_call(const std::string& id) = 0;
  // Whether the process is in the container that is the session's own.
  virtual bool encloses(pid_t pid) const = 0;
  // The client is gone: on_answered is not called; the answer stays.
  virtual void forget_answer() = 0;
};

}  // namespace orch::host
