#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/dialog_request.h"
#include "driver/stream_reader.h"
#include "driver/stream_request.h"

namespace orch::driver {

// How a headless agent speaks: what its bytes mean, and which bytes bring it a message or an
// answer. Pure.
class StreamDialect {
 public:
  using Kind = StreamItem::Kind;
  virtual ~StreamDialect() = default;

  // Whether a process takes one message after the other.
  virtual bool takes_several() const = 0;
  // Whether the process takes a further message after a turn that has failed.
  virtual bool outlives_failure() const { return false; }
  // Whether the agent has items of this kind at all.
  virtual bool tells(Kind kind) const = 0;

  // A new process begins with this message, in a new conversation or in an earlier one (its id):
  // the arguments that continue it, and the first bytes of input.
  virtual std::vector<std::string> resume_words(const std::string& conversation) const = 0;
  virtual std::string begin(const std::string& conversation, const std::string& text) = 0;
  // The bytes for a further message to a process that takes several.
  virtual std::string message(const std::string& text) = 0;

  // The items that these bytes complete, in order; finish() is for the end of the output.
  virtual std::vector<StreamItem> read(std::string_view bytes) = 0;
  virtual std::vector<StreamItem> finish() = 0;
  // What the bytes that were read ask for in reply; "": nothing. Taken once.
  virtual std::string take_reply() { return ""; }

  // A use of a tool, as a request, and the requests of an item of the kind kRequest (never none).
  virtual agent::DialogRequest request(const std::string& tool, const std::string& input) const = 0;
  virtual std::vector<agent::DialogRequest> requests(const StreamItem& item) const = 0;
  // The bytes that answer a request that is decided.
  virtual std::string answer(const OpenRequest& open) = 0;
};

}  // namespace orch::driver
