#include "mux/tmux/control_client.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "base/child.h"
#include "base/fd.h"
#include "base/log.h"
#include "loop/loop.h"
#include "pty/spawn.h"

namespace orch::mux::tmux {

base::Result<std::unique_ptr<ControlClient>> ControlClient::start(
    loop::Loop& loop, const std::vector<std::string>& argv, const std::string& cwd,
    const std::vector<std::string>& env, ControlObserver& observer) {
  base::Result<base::PipeEnds> in = base::open_pipe();
  if (!in) return in.error();
  base::Result<base::PipeEnds> out = base::open_pipe();
  if (!out) return out.error();
  const int said = out->write.get();
  const pty::ChildStdio stdio{pty::ChildStdio::Kind::kPipes, {in->read.get(), said, said}};
  const base::Result<pid_t> pid = pty::spawn_child(argv, cwd, env, stdio);
  if (!pid) return pid.error();
  for (const int fd : {in->write.get(), out->read.get()}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
  return std::unique_ptr<ControlClient>(
      new ControlClient(loop, *pid, std::move(in->write), std::move(out->read), observer));
}

ControlClient::ControlClient(loop::Loop& loop, pid_t pid, base::Fd in, base::Fd out,
                             ControlObserver& observer)
    : observer_(observer),
      in_(loop, std::move(in)),
      out_(loop, std::move(out)),
      child_(loop, pid, [](pty::ExitStatus) {}) {}

ControlClient::~ControlClient() = default;

void ControlClient::send(const std::string& line, size_t commands, OnAnswer on_answer) {
  if (closed_) return;
  awaited_.push_back({commands, std::move(on_answer), {}});
  const bool behind_others = !queue_.empty();
  queue_.push(line + "\n");
  if (!behind_others) write();
}

void ControlClient::write() {
  // The end of the other pipe will show that tmux is gone.
  if (!queue_.flush(in_.get())) queue_.clear();
  if (queue_.empty() || !watched_) return in_.stop();
  if (!in_.active()) in_.start(loop::kWritable, [this](int) { write(); });
}

void ControlClient::wait_for_more(int other, int64_t timeout_ms) {
  std::array<pollfd, 2> ready{{{out_.get(), POLLIN, 0}, {other, POLLIN, 0}}};
  ::poll(ready.data(), ready.size(), static_cast<int>(timeout_ms));
  if (ready[0].revents != 0) read();
}

void ControlClient::watch() {
  watched_ = true;
  write();
  out_.start(loop::kReadable, [this](int) { read(); });
}

void ControlClient::read() {
  std::array<char, pty::kReadBufferBytes> buffer;
  const pty::ReadBurst burst = pty::read_burst(out_.get(), buffer);
  if (burst.at_end && burst.bytes.empty()) return close();
  parser_.feed(burst.bytes, *this);
  observer_.on_caught_up();
}

void ControlClient::close() {
  if (closed_) return;
  closed_ = true;
  out_.stop();
  in_.stop();
  if (watched_) observer_.on_closed(trouble_.empty() ? "tmux is gone" : trouble_);
}

void ControlClient::on_pane_output(std::string_view pane, std::string_view bytes) {
  observer_.on_pane_output(pane, bytes);
}

void ControlClient::on_block(Block block) {
  if (!block.asked || awaited_.empty()) {  // the answer to the command line
    if (!block.ok && !block.lines.empty()) trouble_ = block.lines.back();
    return;
  }
  Awaited& awaited = awaited_.front();
  const bool failed = !block.ok;
  awaited.blocks.push_back(std::move(block));
  if (!failed && awaited.blocks.size() < awaited.commands) return;
  const Awaited whole = std::move(awaited);
  awaited_.pop_front();
  if (failed && !whole.blocks.back().lines.empty()) {
    base::log_debug("tmux", whole.blocks.back().lines.back());
  }
  if (whole.on_answer) whole.on_answer(whole.blocks);
}

void ControlClient::on_notice(std::string_view name, std::string_view rest) {
  if (name == "session-changed") attached_ = true;
  if (name == "exit" && !rest.empty()) trouble_ = rest;
  observer_.on_notice(name, rest);
}

}  // namespace orch::mux::tmux
