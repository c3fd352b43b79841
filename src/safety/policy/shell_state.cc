#include "policy/shell_state.h"

#include <utility>

#include "policy/shell_text.h"

namespace orch::policy {
namespace {

constexpr size_t kMaxVariables = 48;

// The value that is known to be either `a` or `b`. One of them often is empty, because a
// substitution may have failed.
std::string joined_values(const std::string& a, const std::string& b) {
  const auto maybe = [](const std::string& value) {
    if (value[0] == kMaybeBegin) return value;
    return std::string(1, kMaybeBegin) + value + kMaybeEnd;
  };
  const auto plain = [](const std::string& value) {
    return value.find(kMaybeBegin, 1) == std::string::npos &&
           value.find(kAnyText) == std::string::npos && value.find(kAnyWords) == std::string::npos;
  };
  if (a == b) return a;
  if (a.empty() && plain(b)) return maybe(b);
  if (b.empty() && plain(a)) return maybe(a);
  if (!a.empty() && !b.empty() && (maybe(a) == b || maybe(b) == a)) return maybe(a);
  return one_of({a, b});
}

}  // namespace

std::optional<std::string> ShellState::value_of(const std::string& name) const {
  const auto found = variables_->find(name);
  if (found != variables_->end()) return found->second;
  if (forgotten_) return std::string(1, kAnyText);
  return std::nullopt;
}

void ShellState::assign(const std::string& name, std::string value) {
  if (variables_->size() >= kMaxVariables && !variables_->contains(name)) return forget_variables();
  if (value.size() > 4096) value = std::string(1, kAnyText);
  auto changed = std::make_shared<Variables>(*variables_);
  changed->insert_or_assign(name, std::move(value));
  variables_ = std::move(changed);
}

void ShellState::forget_variables() {
  variables_ = std::make_shared<const Variables>();
  forgotten_ = true;
}

ShellState ShellState::joined(const ShellState& a, const ShellState& b) {
  if (a == b) return a;
  ShellState state = a;
  if (a.dir != b.dir) state.dir.reset();
  state.stops_at_errors = a.stops_at_errors && b.stops_at_errors;
  state.exports_all = a.exports_all || b.exports_all;
  state.splits_oddly = a.splits_oddly || b.splits_oddly;
  state.forgotten_ = a.forgotten_ || b.forgotten_;
  if (a.variables_ == b.variables_) return state;
  const auto take = [&state](const ShellState& from, const ShellState& other) {
    for (const auto& [name, value] : *from.variables_) {
      const std::optional<std::string> also = other.value_of(name);
      state.assign(name, also ? joined_values(value, *also) : std::string(1, kAnyText));
    }
  };
  take(b, a);
  take(a, b);
  return state;
}

bool ShellState::operator==(const ShellState& other) const {
  return dir == other.dir && stops_at_errors == other.stops_at_errors &&
         exports_all == other.exports_all && splits_oddly == other.splits_oddly &&
         forgotten_ == other.forgotten_ &&
         (variables_ == other.variables_ || *variables_ == *other.variables_);
}

}  // namespace orch::policy
