#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/headless_spec.h"
#include "agent/dialog_request.h"
#include "base/pattern.h"

namespace orch::driver {

// What an agent's tools do, by their names, as its manifest says.
class ToolKinds {
 public:
  explicit ToolKinds(const adapters::HeadlessSpec& spec);  // outlives this

  // The request to use a tool with that input (JSON). A question whose options are known has them,
  // anything else Yes and No.
  agent::DialogRequest request(const std::string& tool, const std::string& input) const;

 private:
  std::vector<std::pair<base::Pattern, const adapters::HeadlessSpec::Tool*>> tools_;
};

// A request of the agent's that waits for its answer.
struct OpenRequest {
  std::string id;
  std::string input;  // JSON
  agent::DialogRequest request;
};

// The line that answers it with the option. `spec` has the form of both answers.
std::string answer_line(const adapters::HeadlessSpec& spec, const OpenRequest& open, size_t option);

}  // namespace orch::driver
