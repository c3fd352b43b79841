#pragma once

#include <string>

#include "base/result.h"
#include "jsonrpc/message.h"

// The content of a prompt. Pure.
namespace orch::acp {

// A prompt's blocks as one message to an agent: texts as they are, a link by its path or address,
// an embedded text with its address. An error is one line that names the block.
base::Result<std::string> message_of(const jsonrpc::Members& blocks);

}  // namespace orch::acp
