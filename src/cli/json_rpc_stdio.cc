#include "cli/json_rpc_stdio.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "cli/command.h"

namespace orch::cli {
namespace {

constexpr size_t kReadBytes = size_t{64} << 10;
constexpr int64_t kFlushMs = 2'000;  // for a peer that closed its side and may still read

}  // namespace

JsonRpcStdio::JsonRpcStdio(loop::Loop& loop, Handlers handlers)
    : loop_(loop),
      handlers_(std::move(handlers)),
      input_(loop, loop::WatchedFd::share(STDIN_FILENO)),
      output_(loop, STDOUT_FILENO),
      flush_(loop) {
  output_.watch_fill([this] { input_.stop(); }, [this] { read_on(); });
  output_.watch_error([this](int error) {
    code_ = report(base::system_error("cannot write standard output", error));
    loop_.stop();
  });
  read_on();
}

void JsonRpcStdio::finish() {
  flush_.start(kFlushMs, [this] { loop_.stop(); });
  output_.when_drained([this] { loop_.stop(); });
}

void JsonRpcStdio::read_on() {
  if (!at_end_) input_.start(loop::kReadable, [this](int) { on_readable(); });
}

void JsonRpcStdio::on_input(std::string_view bytes) {
  const auto on_line = [this](std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    handlers_.on_line(line);
  };
  lines_.cut(bytes, on_line, [this] { say(jsonrpc::long_line_error()); });
}

void JsonRpcStdio::on_readable() {
  std::array<char, kReadBytes> buffer;
  const ssize_t count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
  if (count > 0) return on_input({buffer.data(), static_cast<size_t>(count)});
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (count < 0) code_ = report(base::system_error("cannot read standard input", errno));
  at_end_ = true;
  input_.stop();
  handlers_.on_end();
}

}  // namespace orch::cli
