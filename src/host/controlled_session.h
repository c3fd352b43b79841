#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "wire/message.h"

namespace orch::host {

// The session behind a control socket, as its clients see it.
class ControlledSession {
 public:
  virtual ~ControlledSession() = default;

  virtual wire::StatusReport status() const = 0;
  // Bytes of events.jsonl. It grows immediately before ControlSocket::on_event() is told the line
  // that was appended, and never otherwise.
  virtual uint64_t events_size() const = 0;
  // Ends the session as killed: by the ladder, or by SIGKILL at once.
  virtual void kill(bool at_once) = 0;
  // Types keys, by their names; an error says which is none, and then none is typed.
  virtual base::Status type_keys(const std::vector<std::string>& names) = 0;
};

}  // namespace orch::host
