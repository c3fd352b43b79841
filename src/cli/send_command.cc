#include <cstdio>
#include <string>

#include "base/duration.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/delivery_exit.h"
#include "cli/new_command.h"
#include "cli/standing.h"
#include "client/client.h"
#include "client/find.h"
#include "event/exit_reason.h"
#include "loop/loop.h"
#include "setup/paths.h"
#include "wire/frame.h"

namespace orch::cli {
namespace {

struct SendOptions {
  std::string issue, text, wait = "accepted", timeout;
  bool as_command = false, json = false;
  std::optional<std::string> state_dir;
};

constexpr size_t kMaxRunId = 100;  // length of the id for an issue of 64 characters

base::Result<wire::Send> message_of(const SendOptions& options) {
  wire::Send message;
  message.as_command = options.as_command;
  message.until_idle = options.wait == "idle";
  if (!message.until_idle && options.wait != "accepted") {
    return base::usage_error("--wait " + options.wait + ": write accepted or idle");
  }
  if (!options.timeout.empty()) {
    base::Result<int64_t> timeout = base::parse_duration(options.timeout);
    if (!timeout) return timeout.error();
    message.timeout_ms = *timeout;
  }
  base::Result<std::string> text =
      options.text == "-" ? setup::read_text("-") : base::Result<std::string>(options.text);
  if (!text) return text.error();
  if (const auto bad = base::invalid_utf8_at(*text)) {
    return base::usage_error("the message is not valid UTF-8 at byte " + std::to_string(*bad));
  }
  if (base::trim(*text).empty()) return base::usage_error("the message is empty");
  message.text = std::move(text).value();
  const std::string longest_run(kMaxRunId, 'x');
  if (wire::to_json(wire::Request{1, message, longest_run}).size() > wire::kMaxPayloadBytes) {
    return base::usage_error("the message is too long: at most about " +
                             std::to_string(wire::kMaxPayloadBytes >> 10) + " KB can be sent");
  }
  return message;
}

void print_json(const store::SessionRecord& session, const wire::Sent& sent, int code) {
  base::Json json = identity_json(session);
  json["message"] = sent.message;
  json["result"] = sent.result;
  json["detail"] = base::or_null(sent.reason);
  json["code"] = code;
  json["enters"] = sent.enters;
  json["status"] = event::name(sent.status);
  json["cause"] = base::or_null(event::name(sent.cause));
  json["screen"] = base::or_null(sent.screen);
  std::printf("%s\n", base::json_line(json).c_str());
}

// Prints the agent's screen on stderr, without blank rows at its start and end.
void print_screen(std::string_view screen) {
  while (screen.starts_with('\n')) screen.remove_prefix(1);
  while (screen.ends_with("\n\n")) screen.remove_suffix(1);
  for (const std::string_view row : base::split_lines(screen)) {
    std::fprintf(stderr, "  | %s\n", base::printable(row).c_str());
  }
}

// Sends the message to the session's host and reports its fate, or that this is unknown.
int deliver(const std::string& state_dir, const store::SessionRecord& session,
            const wire::Send& message, bool json) {
  loop::Loop loop;
  auto client = client::Client::connect(loop, state_dir, session);
  if (!client) return report_no_session(client.error());
  base::Result<wire::Answer> answer = base::usage_error("");
  const auto keep = [&](base::Result<wire::Answer> got) {
    answer = std::move(got);
    loop.stop();
  };
  (*client)->request(wire::AskStatus{}, keep);  // fails if the host is stopped or hangs
  loop.run();
  if (!answer) return report_no_session(answer.error());
  (*client)->request(message, keep, client::kNoDeadline);
  loop.run();
  if (!answer) {
    report(answer.error());
    return exit_code_of(answer.error());
  }
  const auto* sent = std::get_if<wire::Sent>(&answer->result);
  const auto result = sent == nullptr ? std::nullopt : agent::delivery_result_named(sent->result);
  if (!result)
    return report(
        {base::ErrorCode::kSystem, "session " + session.name + " answers what nobody asked"});
  if (json) {
    print_json(session, *sent, exit_code_of(*result));
  } else if (*result != agent::DeliveryResult::kAccepted) {
    std::fprintf(stderr, "orch: %s: %s: %s\n", session.name.c_str(), sent->result.c_str(),
                 sent->reason.c_str());
    if (*result != agent::DeliveryResult::kWouldBeCommand) print_screen(sent->screen);
  }
  return exit_code_of(*result);
}

// If the issue has a run that has ended, says how to go on with it.
base::Error ended_error(const client::Place& place, const std::string& issue,
                        const base::Error& error) {
  if (error.code != base::ErrorCode::kNotFound) return error;
  const auto found = client::find_run(place, issue, client::Reach::kHere);
  if (!found || issue.empty()) return error;
  return {error.code, "the run of " + issue + " has ended; to go on with it: orch continue " +
                          found->run.issue + " \"...\""};
}

int send(const SendOptions& options, const client::Place& place) {
  base::Result<wire::Send> message = message_of(options);
  if (!message) return report(message.error());
  const base::Result<store::SessionRecord> session =
      client::find_running(place, options.issue, client::Reach::kHere);
  if (!session) return report_no_session(ended_error(place, options.issue, session.error()));
  return deliver(place.state_dir, *session, *message, options.json);
}

}  // namespace

void add_send_command(CLI::App& app, Chosen& chosen) {
  CommandWith<SendOptions> command(app, chosen, "send", "send a message to a session's agent",
                                   send);
  command.option("issue", command->issue, "an issue or a session's name").required();
  command.option("text", command->text, "the message; - reads it from standard input").required();
  command
      .option("--wait", command->wait,
              "accepted: until the agent has it; idle: until its turn is over, too")
      .show_default();
  command.option("--timeout", command->timeout,
                 "give up after this long: 90s, 10m, 2h (default: never)");
  command.flag("--as-command", command->as_command,
               "a first / ! # or @ means the agent's command, which is else refused");
  command.flag("--json", command->json, "print the outcome as JSON");
  command.state_dir();
  command.footer(
      "Messages of several senders are typed one after another, each when the agent is ready for "
      "it.\nIf the sender is interrupted, it takes back a message that was not typed yet.\n\n"
      "Exit codes:\n"
      "  0    accepted: the agent has the message, once\n"
      "  2    would_be_command: it begins like a command and was not typed\n"
      "  3    unconfirmed: it was typed, but nothing shows that the agent took it\n"
      "  4    the session does not exist, or the agent exited first\n"
      "  5    unfinished: the agent has it, but its turn was not over within --timeout\n"
      "  6    too many messages wait; nothing was typed\n"
      "  10   blocked: a dialog or somebody's draft is in the way; nothing was typed\n"
      "  124  timeout: the agent did not become ready in time and nothing was typed, or a command "
      "led\n"
      "       to a dialog that still stands\n"
      "  125  the session's host died: whether the message was typed is not known\n\n"
      "Examples:\n"
      "  orch send 42 \"now add a test for it\"\n"
      "  git diff | orch send 42 - --wait idle --timeout 10m\n"
      "  orch send 42 /compact --as-command");
}

}  // namespace orch::cli
