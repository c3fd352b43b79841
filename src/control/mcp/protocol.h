#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>

#include "base/json.h"

// JSON-RPC 2.0 as the Model Context Protocol uses it on standard input and output: one object in
// each line. Pure.
namespace orch::mcp {

// Members of an object that a client wrote. This type finds a member fast however many there are.
using Members = nlohmann::json;

enum class ErrorCode : int {
  kParse = -32700,
  kInvalidRequest = -32600,
  kNoSuchMethod = -32601,
  kInvalidParams = -32602,
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
// A message without an answer: a response, although orch asked nothing, or a notification that
// cannot be understood.
struct Ignored {};
using Message = std::variant<Request, Notification, Malformed, Ignored>;

// Reads a line without its line feed; it may hold any bytes.
Message read_message(std::string_view line);

// Responses, as lines with their line feeds.
std::string result_line(const base::Json& id, base::Json result);
std::string error_line(const base::Json& id, ErrorCode code, std::string_view message);

}  // namespace orch::mcp
