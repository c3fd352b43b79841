#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>

#include "base/json.h"

// JSON-RPC 2.0 on standard input and output, one object in each line, as the Model Context Protocol
// and the Agent Client Protocol use it. Pure.
namespace orch::jsonrpc {

// Members of an object that a client wrote. This type finds a member fast however many there are.
using Members = nlohmann::json;

inline constexpr size_t kMaxLineBytes = size_t{16} << 20;  // a longer message is refused

enum class ErrorCode : int {
  kParse = -32700,
  kInvalidRequest = -32600,
  kNoSuchMethod = -32601,
  kInvalidParams = -32602,
  kInternal = -32603,
};

struct Request {
  base::Json id;  // a string or a number
  std::string method;
  Members params;  // an object; empty if there were none
};
struct Notification {
  std::string method;
  Members params;
};
// A message that cannot be understood but still has an answer.
struct Malformed {
  std::string answer;
};
// The peer's answer to a request of ours, or to one that we never made.
struct Response {
  base::Json id;   // a string or a number
  Members result;  // null for an error
  bool is_error = false;
};
// A message without an answer: a response without a usable id, or a notification that cannot be
// understood.
struct Ignored {};
using Message = std::variant<Request, Notification, Response, Malformed, Ignored>;

// The text of an object's member; "" if there is none, or `object` is not an object.
std::string text_in(const Members& object, std::string_view key);

// Reads a line without its line feed; it may hold any bytes.
Message read_message(std::string_view line);

// The answer to a line that is longer than kMaxLineBytes.
std::string long_line_error();

// Messages, as lines with their line feeds. They are valid UTF-8, whatever the texts are.
std::string result_line(const base::Json& id, base::Json result);
// `data` is left out if it is null.
std::string error_line(const base::Json& id, ErrorCode code, std::string_view message,
                       base::Json data = nullptr);
std::string request_line(const base::Json& id, std::string_view method, base::Json params);
std::string notification_line(std::string_view method, base::Json params);

}  // namespace orch::jsonrpc
