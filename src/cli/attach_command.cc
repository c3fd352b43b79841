#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "cli/new_command.h"
#include "client/find.h"
#include "event/exit_reason.h"
#include "loop/loop.h"
#include "pty/run_mark.h"
#include "setup/paths.h"
#include "store/run_record.h"
#include "ui/color.h"
#include "ui/viewer.h"

namespace orch::cli {
namespace {

struct AttachOptions {
  std::string issue;
  bool read_only = false;
  std::string detach_key{attach::kDefaultDetachKey};
  ui::ColorChoice color = ui::ColorChoice::kAuto;
  std::optional<std::string> state_dir;
};

constexpr int kSignalBase = 128;

// Reports how the session ended while we were attached. Returns the run's own exit code, the same
// as the process that started the run.
int tell_end(const store::SessionRecord& session, const std::string& result_json) {
  const base::Result<store::RunResult> result = store::run_result_from_json(result_json);
  if (!result) {
    std::fprintf(stderr, "orch: %s has ended\n", session.name.c_str());
    return event::exit_code(event::ExitReason::kInternal);
  }
  std::fprintf(stderr, "orch: %s has ended: %s (exit %d)\n", session.name.c_str(),
               std::string(event::name(result->reason)).c_str(), result->code);
  return result->code;
}

// Whether this terminal is the session's own: attached to itself, it would draw its own output
// again without end.
bool is_inside(const store::SessionRecord& session) {
  for (const char* name : {pty::kRunMark.data(), pty::kRunChain.data()}) {
    const char* runs = std::getenv(name);
    if (runs != nullptr && std::string_view(runs).find(session.run) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

int attach_to(const AttachOptions& options) {
  const base::Result<attach::DetachKey> key = attach::DetachKey::named(options.detach_key);
  if (!key) return report(base::usage_error("--detach-key: " + key.error().text));
  if (!ui::UserTerminal::is_ours()) {
    return report(base::usage_error(
        "orch attach needs a terminal, in its foreground; without one see orch logs -f, orch shot "
        "and orch send"));
  }
  const base::Result<client::Place> place = setup::place_of(options.state_dir);
  if (!place) return report(place.error());
  const base::Result<store::SessionRecord> session = client::find_running(
      *place, options.issue, options.read_only ? client::Reach::kEverywhere : client::Reach::kHere);
  if (!session) return report_no_session(session.error());

  if (is_inside(*session)) {
    return report(
        base::usage_error("this terminal is " + session->name + "'s own; attach from another one"));
  }

  loop::Loop loop;
  using Kind = ui::Viewer::End::Kind;
  ui::Viewer::End end;
  {
    ui::Viewer::Plan plan{.state_dir = place->state_dir,
                          .session = *session,
                          .read_only = options.read_only,
                          .key = *key,
                          .ink = ui::wants_color(options.color, STDERR_FILENO)
                                     ? ui::Ink::kColors
                                     : ui::Ink::kMonochrome};
    end = ui::Viewer(loop, std::move(plan)).run();
  }
  switch (end.kind) {
    case Kind::kLeft:
      std::fprintf(stderr, "orch: left %s, which goes on\n", session->name.c_str());
      return 0;
    case Kind::kEnded:
      return tell_end(*session, end.result_json);
    case Kind::kLost:
      return report_no_session(end.error);
    case Kind::kSignalled:
      return kSignalBase + end.signum;
  }
  return 0;
}

}  // namespace

void add_attach_command(CLI::App& app, Chosen& chosen) {
  CommandWith<AttachOptions> command(app, chosen, "attach",
                                     "show a session's screen and type into it", attach_to);
  command.option("issue", command->issue, "an issue or a session's name").required();
  command.flag("-r,--read-only", command->read_only,
               "only look: no key reaches the agent; q or Ctrl-C leaves, too");
  command.option("--detach-key", command->detach_key,
                 "the key that leaves: C-], C-a, ..., or none (default: C-])");
  command.color();
  command.state_dir();
  command.footer(
      "The session goes on when you leave. Several may attach: the agent's window is the smallest "
      "one of the viewers who may type, less orch's line at the foot. While somebody types, "
      "messages of orch's "
      "own "
      "wait.\n\nExit codes: 0 left · the run's own if it ends before you leave · 4 the session "
      "does not exist, or its host is gone · 2 no terminal · 128+n a signal.\n\n"
      "Examples:\n  orch attach 42\n  orch attach 42 --read-only\n  orch attach 42 --detach-key "
      "C-a");
}

}  // namespace orch::cli
