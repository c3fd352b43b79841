#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "adapters/headless_spec.h"
#include "agent/dialog_request.h"
#include "base/pattern.h"

namespace orch::driver {

// The kinds of an agent's tools, by name, from its manifest.
class ToolKinds {
 public:
  using Tools = std::vector<adapters::HeadlessSpec::Tool>;
  // The first entry of these lists that fits counts. They must outlive this object.
  ToolKinds(std::initializer_list<const Tools*> lists);

  // The request to use a tool with this input (JSON), with the options Yes and No.
  agent::DialogRequest request(const std::string& tool, const std::string& input) const;
  // The request for a recorded use of a tool. `body` is the command of a command, the patch of a
  // patch, otherwise the input (JSON). If the input was cut, the request is incomplete.
  agent::DialogRequest recorded(const std::string& tool, const std::string& body) const;
  // The same as request(), but if a tool asks questions with known options, each question is a
  // request of its own, with these options and "No answer". Never empty.
  std::vector<agent::DialogRequest> requests(const std::string& tool,
                                             const std::string& input) const;

 private:
  std::vector<std::pair<base::Pattern, const adapters::HeadlessSpec::Tool*>> tools_;
};

// A request of the agent that waits for an answer. Several questions are answered one by one.
struct OpenRequest {
  std::string id;
  std::string input;  // JSON
  std::vector<agent::DialogRequest> requests;
  std::vector<std::vector<size_t>> answers = {};  // as in agent::Answer, for the first requests

  const agent::DialogRequest& current() const { return requests[answers.size()]; }
  // Whether no question is left: all are answered, or an answer denies.
  bool is_decided() const;
};

// The line of input that answers a request that is decided. `spec` has the form of the line, for an
// answer that allows and for one that denies.
std::string answer_line(const adapters::HeadlessSpec& spec, const OpenRequest& open);

}  // namespace orch::driver
