#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/dialog_request.h"
#include "base/result.h"
#include "event/status.h"
#include "policy/denylist.h"
#include "policy/policy_rule.h"

namespace orch::policy {

// What is known of a dialog when it is to be decided.
struct DialogFacts {
  std::string agent;
  agent::DialogRequest request;
  std::string work_dir;  // absolute
  bool fenced = false;   // the kernel holds what the agent's commands write
};

struct Decision {
  Answer answer = Answer::kNone;
  // Who decided, as in the events' "by": "policy:all", "policy:none", "rule:<name or #n>",
  // "denylist:<entry>", "denylist:unreadable".
  std::string rule;
  bool operator==(const Decision&) const = default;
};

// Which dialogs are answered, and how: --approve. Under `none` none is. Otherwise the denylist is
// asked first about permission dialogs and whatever else would run a command or write a file, then
// the rules in their order, then the default. A request that cannot be read to its end, or of which
// only the shell knows what it would do, is never allowed - but under a fence, where a file says
// "unreadable": "allow": then the kernel answers for files, and what it cannot hold stays denied.
// The default `all` allows permissions, plans and trust, takes API keys that are offered, declines
// updates and other models, and leaves everything else to a person: also tools of MCP servers and
// fetches, which a rule may allow, and modes in which nothing is asked any more.
//
// A policy file is JSON: {"default":"none"|"all", "override":["force-push"],
// "unreadable":"none"|"allow", "rules":[{"name":"tests", "agent":"claude", "kind":"permission",
// "command":"^make test$", "path":"RE2", "text":"RE2", "answer":"allow"|"deny"|"none"}]}. Every
// field of a rule that is given must match; the patterns are searched for: `command` in the shell
// command the dialog shows, `path` in the file it wants to write, `text` in all the dialog says.
class Policy {
 public:
  static Policy none() { return Policy(Default::kNone, /*asks_denylist=*/false); }
  static Policy all() { return Policy(Default::kAll, /*asks_denylist=*/true); }
  // An error is one line that names the file, the rule and the field.
  static base::Result<Policy> parse(std::string_view json, std::string_view file);

  Decision decide(const DialogFacts& facts) const;

 private:
  enum class Default : uint8_t { kNone, kAll };
  Policy(Default fallback, bool asks_denylist)
      : default_(fallback), asks_denylist_(asks_denylist) {}

  Decision by_default(const agent::DialogRequest& request) const;

  Default default_;
  bool asks_denylist_;
  bool fence_answers_ = false;  // for what cannot be read
  std::vector<DenyEntry> overridden_;
  std::vector<PolicyRule> rules_;
};

}  // namespace orch::policy
