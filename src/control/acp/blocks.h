#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "jsonrpc/message.h"

// The content of a prompt. Pure.
namespace orch::acp {

// A file that an agent gets by its path.
struct Attachment {
  std::string path, bytes;
};
struct Prompt {
  std::string text;
  std::vector<Attachment> files;
};

// A prompt's blocks as one message to an agent: texts as they are, a link by its path or address,
// an embedded text with its address, an image as a file in `folder` ("": images are refused), whose
// name begins with `name`. An error is one line that names the block.
base::Result<Prompt> prompt_of(const jsonrpc::Members& blocks, const std::string& folder,
                               const std::string& name);

}  // namespace orch::acp
