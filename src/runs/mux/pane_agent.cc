#include "mux/pane_agent.h"

#include <sys/socket.h>
#include <termios.h>

#include <array>
#include <cerrno>
#include <utility>

#include "loop/loop.h"
#include "pty/containment.h"
#include "pty/init.h"

namespace orch::mux {

base::Result<std::unique_ptr<PaneAgent>> PaneAgent::start(loop::Loop& loop,
                                                          std::unique_ptr<PaneLink> link,
                                                          const pty::SpawnPlan& plan,
                                                          PaneObserver& observer) {
  base::Result<pty::Started> child = pty::start_on_terminal(plan, link->terminal.get());
  if (!child) return child.error();
  return std::unique_ptr<PaneAgent>(
      new PaneAgent(loop, std::move(link), std::move(child).value(), observer));
}

PaneAgent::PaneAgent(loop::Loop& loop, std::unique_ptr<PaneLink> link, pty::Started child,
                     PaneObserver& observer)
    : observer_(observer),
      link_(std::move(link)),
      link_watch_(loop, loop::WatchedFd::share(link_->socket.get())),
      child_(
          loop, child.pid, [this](pty::ExitStatus status) { observer_.on_agent_ended(status); },
          std::move(child.init)) {
  link_watch_.start(loop::kReadable, [this](int) { on_link(); });
}

// The pane sends no further packets, so this can only be the end of the connection.
void PaneAgent::on_link() {
  std::array<char, 16> nothing;
  const ssize_t size = ::recv(link_->socket.get(), nothing.data(), nothing.size(), MSG_DONTWAIT);
  if (size > 0 || (size < 0 && (errno == EAGAIN || errno == EINTR))) return;
  link_watch_.stop();
  observer_.on_pane_lost();
}

bool PaneAgent::canonical() const { return pty::is_canonical(link_->terminal.get()); }

bool PaneAgent::asks_secret() const { return pty::asks_secret(link_->terminal.get()); }

pty::TerminalSize PaneAgent::size() const { return pty::size_of(link_->terminal.get()); }

void PaneAgent::hold_output() { ::tcflow(link_->terminal.get(), TCOOFF); }

void PaneAgent::release_output() { ::tcflow(link_->terminal.get(), TCOON); }

void PaneAgent::print(std::string bytes) const {
  link_->order({Order::Kind::kPrint, {}, {std::move(bytes)}});
}

void PaneAgent::if_abandoned(std::vector<std::string> command) const {
  link_->order({Order::Kind::kIfAbandoned, {}, std::move(command)});
}

void PaneAgent::finish(pty::ExitStatus status, std::vector<std::string> command) const {
  link_->order({Order::Kind::kFinish, status, std::move(command)});
}

}  // namespace orch::mux
