#include "setup/recorded_calls.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "base/text.h"
#include "event/event.h"
#include "mask/text.h"
#include "setup/run_secrets.h"
#include "store/last_lines.h"

namespace orch::setup {
namespace {

constexpr size_t kMostShown = 160;  // of a call's text, in bytes

std::string shown(const std::string& tool, std::string what) {
  static const auto kSecrets = std::make_shared<const mask::Secrets>(secrets_of({}));
  std::replace(what.begin(), what.end(), '\n', ' ');
  const std::string text =
      base::printable(mask::masked(kSecrets, tool + (tool.empty() ? "" : ": ") + what));
  const std::string_view kept = base::beginning(text, kMostShown);
  return std::string(kept) + (kept.size() < text.size() ? "…" : "");
}

}  // namespace

base::Result<std::vector<driver::RecordedCall>> calls_of(const std::string& folder,
                                                         const adapters::Manifest* manifest) {
  const driver::ToolKinds::Tools none;
  const driver::ToolKinds kinds({manifest != nullptr ? &manifest->calls.tools : &none,
                                 manifest != nullptr ? &manifest->headless.tools : &none});
  driver::RecordedCalls calls(kinds);
  const base::Result<size_t> read =
      store::each_line(folder + "/events.jsonl", 0, std::numeric_limits<uint64_t>::max(),
                       [&calls](std::string_view line, uint64_t /*next*/) {
                         const std::optional<event::Record> record = event::parse_record(line);
                         if (record) calls.take(record->event);
                         return true;
                       });
  if (!read) return read.error();
  return std::move(calls).all();
}

std::string decision_text(const std::string& decided, const std::string& by) {
  if (decided == "asked") return by.empty() ? "asked" : "asked (" + by + ")";
  return (decided == "deny" ? "denied by " : "allowed by ") + (by.empty() ? "?" : by);
}

std::string decided_line(const event::Tool& tool) {
  return base::printable(decision_text(tool.decided, tool.by)) + ", " +
         std::to_string(tool.decided_ms) + " ms  " + shown(tool.name, tool.input);
}

std::string what_text(const driver::RecordedCall& call) {
  return shown(call.request.tool, call.what);
}

}  // namespace orch::setup
