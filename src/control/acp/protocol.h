#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

// The Agent Client Protocol as a table: another version is another table. Pure.
namespace orch::acp {

// What a client asks of us.
enum class Method : uint8_t {
  kInitialize,
  kAuthenticate,
  kNew,
  kLoad,
  kResume,
  kList,
  kClose,
  kDelete,
  kPrompt,
  kSetMode,
  kSetConfigOption,
  kCancel,         // a notification
  kCancelRequest,  // a notification, which we send, too
};

struct MethodRow {
  std::string_view name;
  Method method;
};

struct Protocol {
  int version;
  std::span<const MethodRow> methods;
  // What we ask of, or report to, a client.
  std::string_view update, ask_permission, ask_question, cancel_request;
};

const Protocol& protocol_1();

std::optional<Method> method_named(const Protocol& protocol, std::string_view name);

}  // namespace orch::acp
