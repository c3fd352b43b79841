#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/headless_spec.h"
#include "agent/dialog_request.h"
#include "base/pattern.h"

namespace orch::driver {

// What the tools of a headless agent do, which its manifest says by their names.
class ToolKinds {
 public:
  explicit ToolKinds(const adapters::HeadlessSpec& spec);  // `spec` must outlive this object

  // The request to use a tool with this input (JSON). If the tool asks a question and its options
  // are known, the request has these options and "No answer"; otherwise it has Yes and No.
  agent::DialogRequest request(const std::string& tool, const std::string& input) const;

 private:
  std::vector<std::pair<base::Pattern, const adapters::HeadlessSpec::Tool*>> tools_;
};

// A request of the agent that waits for an answer.
struct OpenRequest {
  std::string id;
  std::string input;  // JSON
  agent::DialogRequest request;
};

// The line of input that answers the request with these options (as in agent::Answer). `spec` has
// the form of the line, for an answer that allows and for one that denies.
std::string answer_line(const adapters::HeadlessSpec& spec, const OpenRequest& open,
                        const std::vector<size_t>& options);

}  // namespace orch::driver
