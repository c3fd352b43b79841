#include "duties/check_call.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <optional>
#include <string_view>

#include "base/fd.h"
#include "peer/session_socket.h"
#include "setup/paths.h"
#include "wire/frame.h"
#include "wire/message.h"

namespace orch::duties {
namespace {

constexpr int kRefused = 2;
// An agent that stops waiting for its hook lets the call run. The manifests make the agents wait
// for a day; this is an hour less.
constexpr int kMostWaitMs = 23 * 3'600'000;

// The arguments of the command line.
struct Wanted {
  std::string socket;
  bool inside = false;
  int wait_ms = kMostWaitMs;
};

base::Error lost(const std::string& what) {
  return base::system_error("the session: " + what, errno);
}

std::optional<Wanted> wanted_in(std::span<const std::string> arguments) {
  Wanted wanted;
  while (arguments.size() > 1) {
    if (arguments.front() == "--inside") {
      wanted.inside = true;
    } else if (arguments.front() == "--wait" && arguments.size() > 2) {
      arguments = arguments.subspan(1);
      const std::string& text = arguments.front();
      const auto [end, error] =
          std::from_chars(text.data(), text.data() + text.size(), wanted.wait_ms);
      if (error != std::errc() || *end != '\0' || wanted.wait_ms < 0) return std::nullopt;
    } else {
      return std::nullopt;
    }
    arguments = arguments.subspan(1);
  }
  if (arguments.empty()) return std::nullopt;
  wanted.socket = arguments.front();
  return wanted;
}

// Waits until the socket is ready for `events`.
base::Status await(const base::Fd& socket, short events, int wait_ms) {
  pollfd wanted{.fd = socket.get(), .events = events, .revents = 0};
  int ready = 0;
  do {
    ready = ::poll(&wanted, 1, wait_ms);
  } while (ready < 0 && errno == EINTR);
  if (ready == 0) return base::usage_error("nobody has decided it in time");
  return ready > 0 ? base::Status(base::Ok{}) : base::Status(lost("poll"));
}

base::Status write_all(const base::Fd& socket, std::string_view bytes, int wait_ms) {
  while (!bytes.empty()) {
    if (base::Status s = await(socket, POLLOUT, wait_ms); !s) return s;
    const ssize_t count = ::write(socket.get(), bytes.data(), bytes.size());
    if (count < 0 && errno != EAGAIN && errno != EINTR) return lost("write");
    if (count > 0) bytes.remove_prefix(static_cast<size_t>(count));
  }
  return base::Ok{};
}

base::Result<std::string> read_answer(const base::Fd& socket, int wait_ms) {
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
    if (base::Status s = await(socket, POLLIN, wait_ms); !s) return s.error();
    const ssize_t count = ::read(socket.get(), bytes, sizeof bytes);
    if (count == 0) return base::usage_error("the session is gone");
    if (count < 0 && errno != EAGAIN && errno != EINTR) return lost("read");
    if (count > 0) decoder.feed({bytes, static_cast<size_t>(count)});
  }
}

base::Result<std::string> decision_on(const std::string& event, const Wanted& wanted) {
  const std::string request =
      wire::to_json(wire::Request{.id = 1, .verb = wire::CheckCall{event}, .run = {}});
  if (request.size() > wire::kMaxPayloadBytes) {
    return base::usage_error("it is larger than 1 MB");
  }
  base::Result<base::Fd> socket =
      wanted.inside ? peer::connect_inside(wanted.socket) : peer::connect_to(wanted.socket);
  if (!socket) return socket.error();
  const std::string frame = wire::encode(wire::FrameType::kRequest, request);
  if (base::Status s = write_all(*socket, frame, wanted.wait_ms); !s) return s.error();
  return read_answer(*socket, wanted.wait_ms);
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
  base::Status done =
      base::usage_error("usage: orch internal check-call [--inside] [--wait MS] SOCKET");
  if (const std::optional<Wanted> wanted = wanted_in(arguments)) {
    const base::Result<std::string> event = setup::read_text("-", kMostBytes);
    const base::Result<std::string> decision = event ? decision_on(*event, *wanted) : event;
    done = decision ? print(*decision) : base::Status(decision.error());
  }
  if (done) return 0;
  std::fprintf(stderr, "orch has not read this call: %s\n", done.error().text.c_str());
  return kRefused;
}

}  // namespace orch::duties
