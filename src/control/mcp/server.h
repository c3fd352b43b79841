#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/json.h"
#include "jsonrpc/message.h"
#include "mcp/tools.h"

namespace orch::mcp {

inline constexpr size_t kMostCalls = 16;  // calls running at the same time

// The next work for the caller of Server. The number of a call is never used again.
struct Say {
  std::string line;  // with its line feed
};
struct Start {
  uint64_t call = 0;
  Invocation invocation;
};
struct Stop {
  uint64_t call = 0;
};
using Action = std::variant<Say, Start, Stop>;

// How the command of a call ended.
struct Ended {
  int code = 0;          // exit code, as a shell reports it
  std::string out, err;  // valid UTF-8
};

// One client and its tool calls. Every request gets one answer: at once, or, if it leads to a
// Start, when the caller reports the command's end with ended(); none if the client has cancelled
// it. Pure.
class Server {
 public:
  struct Plan {
    Caller caller = Caller::kInRun;
    std::string run;  // id of the innermost run around this process; "" if there is none
    std::string version;
    std::optional<std::string> state_dir;  // passed to every command
  };
  explicit Server(Plan plan) : plan_(std::move(plan)) {}

  std::optional<Action> hear(std::string_view line);
  // Call it once for each Start. Returns the call's answer, or another Start for the same call.
  std::optional<Action> ended(uint64_t call, const Ended& ended);

  size_t calls() const { return calls_.size(); }

 private:
  struct Call {
    base::Json id;
    std::string tool;
    bool taken_back = false;  // the client has cancelled it
    base::Json own_session;   // for whoami: the session, once it is known
  };

  Action answer(const jsonrpc::Request& request);
  std::optional<Action> heed(const jsonrpc::Notification& notification);
  Say initialize(const jsonrpc::Request& request) const;
  Action call_tool(const jsonrpc::Request& request);
  Start start(uint64_t call, Invocation invocation) const;
  std::optional<Action> tell_session(uint64_t number, Call& call, const Ended& ended);

  Plan plan_;
  std::map<uint64_t, Call> calls_;
  uint64_t next_call_ = 1;
};

}  // namespace orch::mcp
