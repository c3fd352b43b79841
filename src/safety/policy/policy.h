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

// What else limits the agent's commands.
enum class Held : uint8_t {
  kNot,
  kByFence,   // the kernel limits their writes to what was granted
  kExternal,  // orch itself is in a container or machine that was made for this agent
};

// The facts about a dialog that a policy decides by.
struct DialogFacts {
  std::string agent;
  agent::DialogRequest request;
  std::string work_dir;  // absolute
  Held held = Held::kNot;
};

struct Decision {
  Answer answer = Answer::kNone;
  // Who decided, as in the "by" of events: "policy:all", "policy:none", "rule:<name or #n>",
  // "denylist:<entry>", "denylist:unreadable".
  std::string rule;
  bool operator==(const Decision&) const = default;
};

// Decides which dialogs are answered, and how (--approve). With `none`, it answers no dialog.
// Otherwise the denylist comes first, for permission dialogs and all other dialogs that would run a
// command or write a file, then the rules in their order, then the default. A request that cannot
// be read to its end, or has an effect that only the shell knows, is never allowed. The exception
// is a fenced run whose policy file says "unreadable": "allow", and every run that something
// external holds: actions that a fence cannot prevent are still not allowed. The default `all`
// allows permissions, plans and trust, accepts API keys that are offered, and declines things that
// the run does not need: updates, other models and modes, hooks, MCP servers and outside
// instructions of the folder, a summary. It leaves everything else to the user, including tools of
// MCP servers and fetches, which a rule may allow, or Held::kExternal does, and modes without
// questions about permissions.
//
// A policy file is JSON: {"default":"none"|"all", "override":["force-push"],
// "unreadable":"none"|"allow", "rules":[{"name":"tests", "agent":"claude", "kind":"permission",
// "command":"^make test$", "path":"RE2", "text":"RE2", "answer":"allow"|"deny"|"none"}]}. Every
// field that a rule has must match. The patterns are searched for: `command` in the shell command
// that the dialog shows, `path` in the files that it wants to write, `text` in all text of the
// dialog.
class Policy {
 public:
  static Policy none() { return Policy(Default::kNone, /*asks_denylist=*/false); }
  static Policy all() { return Policy(Default::kAll, /*asks_denylist=*/true); }
  // An error is one line that names the file, the rule and the field.
  static base::Result<Policy> parse(std::string_view json, std::string_view file);

  Decision decide(const DialogFacts& facts) const;
  // The same for a call that the agent reports before it runs. A call that only reads, searches,
  // lists or plans in the work directory ("kind:read") needs no rule, but a rule may deny it.
  Decision decide_call(const DialogFacts& facts) const;

 private:
  enum class Default : uint8_t { kNone, kAll };
  Policy(Default fallback, bool asks_denylist)
      : default_(fallback), asks_denylist_(asks_denylist) {}

  Decision by_default(const DialogFacts& facts) const;

  Default default_;
  bool asks_denylist_;
  bool fence_answers_ = false;  // "unreadable": "allow"
  std::vector<DenyEntry> overridden_;
  std::vector<PolicyRule> rules_;
};

}  // namespace orch::policy
