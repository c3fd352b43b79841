#include <cstdio>
#include <string>

#include "base/json.h"
#include "base/text.h"
#include "cli/new_command.h"
#include "cli/standing.h"
#include "client/find.h"
#include "client/sessions.h"

namespace orch::cli {
namespace {

// Longer than everything that a reset may take: 15 s for the prompt, and an agent that will not
// end.
constexpr int64_t kResetMs = 40'000;

struct ResetOptions {
  std::string issue;
  bool json = false;
  std::optional<std::string> state_dir;
};

int reset(const ResetOptions& options, const client::Place& place) {
  const base::Result<client::Answered> answered =
      client::ask_running(place, options.issue, wire::Reset{}, kResetMs);
  if (!answered) return report_no_session(answered.error());
  const auto* done = std::get_if<wire::WasReset>(&answered->answer.result);
  if (done == nullptr) return 0;
  if (options.json) {
    base::Json json = identity_json(answered->session);
    json["result"] = done->how;
    std::printf("%s\n", base::json_line(json).c_str());
  } else {
    std::printf("%s\n", base::printable(done->how).c_str());
  }
  return 0;
}

}  // namespace

void add_reset_command(CLI::App& app, Chosen& chosen) {
  CommandWith<ResetOptions> command(app, chosen, "reset",
                                    "empty the conversation of a session's agent", reset);
  command.option("issue", command->issue, "an issue or a session's name").required();
  command.flag("--json", command->json, "print the outcome as JSON");
  command.state_dir();
  command.footer(
      "Interrupts the agent, gives its clear command and waits for its prompt; an agent that does "
      "not\ncome to it within 15 s is restarted. Messages that wait are sent afterwards. Prints "
      "which it was:\ncleared or restarted.\nExit code 4: the session does not exist.\n\n"
      "Examples:\n  orch reset 42 && orch send 42 \"now something else\"");
}

}  // namespace orch::cli
