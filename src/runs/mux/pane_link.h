#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "mux/pane_message.h"

namespace orch::mux {

// A host's end of the socket to the process in a pane, and the pane's terminal.
struct PaneLink {
  base::Fd socket;    // SOCK_SEQPACKET; it is at its end when the pane is gone
  base::Fd terminal;  // no process's controlling terminal, until an agent makes it its own
  Hello hello;
  pid_t pid = 0;  // of the process in the pane

  // Sends an order. Never waits: a packet is dropped if there is no room for it.
  void order(const Order& order) const;
};

// The socket where a host waits for the one pane that it has asked a multiplexer to open. Its name
// is a secret of 128 bits in the abstract namespace, and only processes of this user are let in.
class PaneDoor {
 public:
  static base::Result<PaneDoor> open();

  const std::string& name() const { return name_; }
  int fd() const { return socket_.get(); }  // readable when a process has connected
  // Accepts the process that has connected; nullptr if it was a stranger, or none has connected.
  // Waits up to 1 s for the pane's first packet, which it sends at once.
  std::unique_ptr<PaneLink> let_in();

 private:
  PaneDoor(std::string name, base::Fd socket)
      : name_(std::move(name)), socket_(std::move(socket)) {}
  std::string name_;
  base::Fd socket_;
};

// The pane's side. knock() returns an invalid descriptor, and sets errno, if no process of this
// user waits at the door.
base::Fd knock(const std::string& door);
bool hand_over(const base::Fd& host, const Hello& hello, int terminal);

}  // namespace orch::mux
