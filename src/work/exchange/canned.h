#pragma once

#include <string>
#include <string_view>

#include "exchange/protocol.h"

namespace orch::exchange {

// A whole answer in place of the model's: its turn ends with this text, and used no tokens. `id`
// makes it unlike other answers of the run.
struct Canned {
  std::string content_type;
  std::string body;
};
Canned canned_end(const Asked& asked, std::string_view text, std::string_view id);

// The body of an error, as the agent's own vendor would write it.
std::string error_body(Protocol protocol, int status, std::string_view text);

}  // namespace orch::exchange
