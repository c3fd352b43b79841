#include "pty/run_mark.h"

#include "base/text.h"

namespace orch::pty {
namespace {

constexpr char kChainSeparator = ':';  // no id contains it

bool chain_holds(std::string_view chain, std::string_view run_id) {
  while (!chain.empty()) {
    if (base::take_until(chain, kChainSeparator) == run_id) return true;
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
    std::string_view value = base::take_until(environment, '\0');
    if (base::take_until(value, '=') == kRunMark) run = value;
  }
  return run;
}

Mark mark_in(std::string_view environment, std::string_view run_id) {
  Mark mark = Mark::kNone;
  while (!environment.empty()) {
    std::string_view value = base::take_until(environment, '\0');
    const std::string_view name = base::take_until(value, '=');
    // The value of kRunMark is a chain of one.
    const bool told = name == kRunMark || name == kRunChain;
    if (told && chain_holds(value, run_id)) mark = Mark::kOfRun;
  }
  return mark;
}

}  // namespace orch::pty
