#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "adapters/manifest.h"
#include "base/pattern.h"
#include "driver/json_way.h"
#include "event/event.h"

namespace orch::driver {

// Finds in the agent's own record which calls have run: evidence in addition to the hooks. The
// agent's processes can write to that record, too, so it never allows anything.
class RanCalls {
 public:
  // `since` is when the run began, as UsageSum has it. `manifest` must outlive this object.
  RanCalls(const adapters::Manifest& manifest, std::string since);

  struct Call {
    std::string id, tool;
    bool operator==(const Call&) const = default;
  };
  // Whether a tool's end in the agent's output belongs to a call that has run.
  bool has_run(const event::Tool& tool) const;
  // The calls that have run according to this line.
  std::vector<Call> take(std::string_view line);

 private:
  using Line = adapters::CallSpec::RecordLine;
  void take_object(const AgentJson& line, std::vector<Call>& ran);
  void take_part(const Line& rule, const AgentJson& part, std::vector<Call>& ran);

  const adapters::Manifest& manifest_;
  std::string since_;
  std::optional<base::Pattern> tools_;
  std::unordered_map<std::string, std::string> called_;  // the tool, by the call's id
};

}  // namespace orch::driver
