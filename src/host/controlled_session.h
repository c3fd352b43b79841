#pragma once

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

// The session behind a control socket, as its clients see it.
class ControlledSession {
 public:
  virtual ~ControlledSession() = default;

  virtual wire::StatusReport status() const = 0;
  // The session record: the first line of events.jsonl, and of what a follower of events is told.
  virtual const std::string& head() const = 0;
  // Bytes of events.jsonl. It grows immediately before ControlSocket::on_event() is told the line
  // that was appended, and never otherwise.
  virtual uint64_t events_size() const = 0;
  // The crew that its agent is of, and the agent's name there; nullptr: it is of none.
  virtual CrewDesk* crew() const = 0;
  virtual const std::string& member() const = 0;
  // Whether the processes of its run may change it, as a person may.
  virtual bool trusts_agent() const = 0;
  // Ends the session as killed: by the ladder, or by SIGKILL at once.
  virtual void kill(bool at_once) = 0;
  // Types keys, by their names; an error says which is none, and then none is typed.
  virtual base::Status type_keys(const std::vector<std::string>& names) = 0;
  // Queues a message of whoever `from` names (event::Message) and returns its id; `on_sent` is told
  // from the loop, once, what became of it. An error: this agent takes none.
  virtual base::Result<std::string> send(const wire::Send& message, const std::string& from,
                                         std::function<void(const wire::Sent&)> on_sent) = 0;
  // Whoever sent the message is gone: it is taken back if it was not typed yet, and nobody is told.
  virtual void withdraw(const std::string& message) = 0;
  // Empties the agent's conversation; `on_done` is told from the loop, once, how that was done or
  // why not. An error: not now.
  virtual base::Status reset(std::function<void(base::Result<wire::WasReset>)> on_done) = 0;
  virtual void forget_reset() = 0;  // whoever asked is gone

  // Somebody looks at the agent's screen; with a window they may type, and have a say in its size.
  // An error: this agent has none.
  virtual base::Result<uint32_t> attach(std::optional<term::Size> window) = 0;
  virtual void detach(uint32_t viewer) = 0;
  virtual void on_window(uint32_t viewer, term::Size window) = 0;
  virtual bool type(uint32_t viewer, std::string_view bytes) = 0;  // false: this one may not
  virtual bool input_is_full() const = 0;  // the agent takes less than is typed
  // The screen as it is now, as frames (wire::encode_snapshot).
  virtual std::string snapshot() const = 0;
  // Answers the dialog that stands; `on_answered` is told from the loop, once, Ok when it was seen
  // to go, else an error of kSystem (it still stands) or kUsage (nothing was typed). An error, of
  // kNotFound or kUsage: there is none, or this is no answer to it.
  virtual base::Status answer(const wire::AnswerDialog& answer,
                              std::function<void(base::Status)> on_answered) = 0;
  virtual void forget_answer() = 0;  // whoever answered is gone; the answer stays
};

}  // namespace orch::host
