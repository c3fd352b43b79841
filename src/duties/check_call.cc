#include "duties/check_call.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string_view>

#include "base/fd.h"
#include "host/runtime_dir.h"
#include "setup/paths.h"
#include "wire/frame.h"
#include "wire/message.h"

namespace orch::duties {
namespace {

constexpr int kRefused = 2;
// An agent that stops waiting for its hook lets the call run. The manifests tell the agents to wait
// for a day; this is an hour less.
constexpr int kMostWaitMs = 23 * 3'600'000;

base::Error lost(const std::string& what) {
  return base::system_error("the session: " + what, errno);
}

// Waits until the socket is ready for `events`.
base::Status await(const base::Fd& socket, short events) {
  pollfd wanted{.fd = socket.get(), .events = events, .revents = 0};
  int ready = 0;
  do {
    ready = ::poll(&wanted, 1, kMostWaitMs);
  } while (ready < 0 && errno == EINTR);
  if (ready == 0) return base::usage_error("nobody has decided it for a day");
  return ready > 0 ? base::Status(base::Ok{}) : base::Status(lost("poll"));
}

base::Status write_all(const base::Fd& socket, std::string_view bytes) {
  while (!bytes.empty()) {
    if (base::Status s = await(socket, POLLOUT); !s) return s;
    const ssize_t count = ::write(socket.get(), bytes.data(), bytes.size());
    if (count < 0 && errno != EAGAIN && errno != EINTR) return lost("write");
    if (count > 0) bytes.remove_prefix(static_cast<size_t>(count));
  }
  return base::Ok{};
}

base::Result<std::string> read_answer(const base::Fd& socket) {
  wire::Decoder decoder;
  char bytes[4096];
  while (true) {
    const base::Result<std::optional<wire::Frame>> frame = decoder.next();
    if (!frame) return frame.error();
    if (*frame && (*frame)->type == wire::FrameType::kAnswer) {
      const base::Result<wire::Answer> answer = wire::read_answer((*frame)->payload);
      if (!answer) return answer.error();
      if (const auto* decided = std::get_if<wire::CallAnswer>(&answer->result)) {
        return decided->print;
      }
      const auto* refusal = std::get_if<wire::Refusal>(&answer->result);
      return base::usage_error(refusal != nullptr ? refusal->error : "no decision came");
    }
    if (*frame) return base::usage_error("the session has ended");
    if (base::Status s = await(socket, POLLIN); !s) return s.error();
    const ssize_t count = ::read(socket.get(), bytes, sizeof bytes);
    if (count == 0) return base::usage_error("the session is gone");
    if (count < 0 && errno != EAGAIN && errno != EINTR) return lost("read");
    if (count > 0) decoder.feed({bytes, static_cast<size_t>(count)});
  }
}

base::Result<std::string> decision_on(const std::string& event, const std::string& path) {
  const std::string request =
      wire::to_json(wire::Request{.id = 1, .verb = wire::CheckCall{event}, .run = {}});
  if (request.size() > wire::kMaxPayloadBytes) {
    return base::usage_error("it is larger than 1 MB");
  }
  base::Result<base::Fd> socket = host::connect_to(path);
  if (!socket) return socket.error();
  if (base::Status s = write_all(*socket, wire::encode(wire::FrameType::kRequest, request)); !s) {
    return s.error();
  }
  return read_answer(*socket);
}

base::Status print(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(STDOUT_FILENO, text.data(), text.size());
    if (count < 0 && errno != EINTR) return base::system_error("write", errno);
    if (count > 0) text.remove_prefix(static_cast<size_t>(count));
  }
  return base::Ok{};
}

}  // namespace

int run_check_call(std::span<const std::string> arguments) {
  constexpr size_t kMostBytes = 64 << 20;
  base::Status done = base::usage_error("usage: orch check-call SOCKET");
  if (arguments.size() == 1) {
    const base::Result<std::string> event = setup::read_text("-", kMostBytes);
    const base::Result<std::string> decision =
        event ? decision_on(*event, arguments.front()) : event;
    done = decision ? print(*decision) : base::Status(decision.error());
  }
  if (done) return 0;
  std::fprintf(stderr, "orch has not read this call: %s\n", done.error().text.c_str());
  return kRefused;
}

}  // namespace orch::duties
