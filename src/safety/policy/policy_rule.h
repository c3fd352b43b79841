#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/pattern.h"
#include "base/result.h"
#include "event/status.h"

namespace orch::policy {

enum class Answer : uint8_t {
  kNone,   // leave it to the user
  kAllow,  // allow this once; never always
  kDeny,
};

// A compiled pattern that can be copied; a copy compiles the expression again.
class RulePattern {
 public:
  explicit RulePattern(base::Pattern pattern) : pattern_(std::move(pattern)) {}
  RulePattern(const RulePattern& other)
      : pattern_(base::Pattern::compile(other.pattern_.expression()).value()) {}
  RulePattern& operator=(const RulePattern& other) { return *this = RulePattern(other); }
  RulePattern(RulePattern&&) noexcept = default;
  RulePattern& operator=(RulePattern&&) noexcept = default;
  ~RulePattern() = default;

  bool matches(std::string_view text) const { return pattern_.matches(text); }

 private:
  base::Pattern pattern_;
};

// One rule of a policy file. A field that is absent matches everything.
struct PolicyRule {
  std::string name;  // the name in the file, otherwise "#<n>", counted from 1
  std::optional<std::string> agent;
  std::optional<event::Cause> kind;
  bool bypass = false;  // "kind": "bypass"; no other rule can allow a mode without questions
  std::optional<RulePattern> command, path, text;
  Answer answer = Answer::kNone;
};

}  // namespace orch::policy
