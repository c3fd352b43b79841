#include "acp/protocol.h"

#include <algorithm>
#include <array>

namespace orch::acp {
namespace {

constexpr std::array kMethods1{
    MethodRow{"initialize", Method::kInitialize},
    MethodRow{"authenticate", Method::kAuthenticate},
    MethodRow{"session/new", Method::kNew},
    MethodRow{"session/load", Method::kLoad},
    MethodRow{"session/resume", Method::kResume},
    MethodRow{"session/list", Method::kList},
    MethodRow{"session/close", Method::kClose},
    MethodRow{"session/delete", Method::kDelete},
    MethodRow{"session/prompt", Method::kPrompt},
    MethodRow{"session/set_mode", Method::kSetMode},
    MethodRow{"session/set_config_option", Method::kSetConfigOption},
    MethodRow{"session/cancel", Method::kCancel},
    MethodRow{"$/cancel_request", Method::kCancelRequest},
};

}  // namespace

const Protocol& protocol_1() {
  static constexpr Protocol kProtocol{.version = 1,
                                      .methods = kMethods1,
                                      .update = "session/update",
                                      .ask_permission = "session/request_permission",
                                      .ask_question = "elicitation/create",
                                      .cancel_request = "$/cancel_request"};
  return kProtocol;
}

std::optional<Method> method_named(const Protocol& protocol, std::string_view name) {
  const auto found = std::find_if(protocol.methods.begin(), protocol.methods.end(),
                                  [&](const MethodRow& row) { return row.name == name; });
  if (found == protocol.methods.end()) return std::nullopt;
  return found->method;
}

}  // namespace orch::acp
