#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>

#include "base/json.h"

// JSON-RPC 2.0 as the Model Context Protocol speaks it over standard input and output: one object a
// line. Pure.
namespace orch::mcp {

// Members of what a client writes: found fast however many there are.
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
  Members params;  // an object, empty where there was none
};
struct Notification {
  std::string method;
  Members params;
};
// What cannot be understood, and has an answer all the same.
struct Malformed {
  std::string answer;
};
// What has none: an answer, though nothing was asked; a notification that cannot be understood.
struct Ignored {};
using Message = std::variant<Request, Notification, Malformed, Ignored>;

// A line without its line feed, of whatever bytes.
Message read_message(std::string_view line);

// Lines with their line feeds.
std::string result_line(const base::Json& id, base::Json result);
std::string error_line(const base::Json& id, ErrorCode code, std::string_view message);

}  // namespace orch::mcp
