#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "pane/pane_message.h"

namespace orch::pane {

// A host's end of the socket to the process in a pane, and the pane's terminal.
struct PaneLink {
  base::Fd socket;    // packets; at its end when the pane is gone
  base::Fd terminal;  // nobody's controlling terminal, until an agent makes it its own
  Hello hello;
  pid_t pid = 0;  // of the process in the pane

  // Never waits: a packet that does not fit is lost with the pane.
  void order(const Order& order) const;
};

// Where a host waits for the one pane that it has had a multiplexer open. The name is a secret of
// 128 bits in the abstract name space, and only processes of this user are let in.
class PaneDoor {
 public:
  static base::Result<PaneDoor> open();

  const std::string& name() const { return name_; }
  int fd() const { return socket_.get(); }  // readable: somebody knocks
  // Lets in who knocks; nothing when it was a stranger, or nobody. Waits up to 1 s for what the
  // pane says first, which it does at once.
  std::unique_ptr<PaneLink> let_in();

 private:
  PaneDoor(std::string name, base::Fd socket)
      : name_(std::move(name)), socket_(std::move(socket)) {}
  std::string name_;
  base::Fd socket_;
};

// The pane's side. knock() is empty, with errno, when nobody of this user waits there.
base::Fd knock(const std::string& door);
bool hand_over(const base::Fd& host, const Hello& hello, int terminal);

}  // namespace orch::pane
