#include "pty/run_mark.h"

namespace orch::pty {
namespace {

constexpr char kChainSeparator = ':';  // no id contains it

// Removes the text up to `separator`, and the separator, from the front of `text`, and returns it.
std::string_view take_until(std::string_view& text, char separator) {
  const size_t end = text.find(separator);
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return taken;
}

bool chain_holds(std::string_view chain, std::string_view run_id) {
  while (!chain.empty()) {
    if (take_until(chain, kChainSeparator) == run_id) return true;
  }
  return false;
}

}  // namespace

std::string chain_below(std::string_view outer_chain, std::string_view outer_mark,
                        std::string_view run_id) {
  std::string chain(outer_chain.empty() ? outer_mark : outer_chain);
  if (!chain.empty()) chain += kChainSeparator;
  return chain.append(run_id);
}

std::string_view run_in(std::string_view environment) {
  std::string_view run;
  while (!environment.empty()) {
    std::string_view value = take_until(environment, '\0');
    if (take_until(value, '=') == kRunMark) run = value;
  }
  return run;
}

Mark mark_in(std::string_view environment, std::string_view run_id) {
  Mark mark = Mark::kNone;
  while (!environment.empty()) {
    std::string_view value = take_until(environment, '\0');
    const std::string_view name = take_until(value, '=');
    // The value of kRunMark is a chain of one.
    const bool told = name == kRunMark || name == kRunChain;
    if (told && chain_holds(value, run_id)) mark = Mark::kOfRun;
  }
  return mark;
}

}  // namespace orch::pty
