#include "cli/crew_messages.h"

#include <chrono>
#include <cstdio>

#include "agent/delivery_result.h"
#include "base/duration.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/crew_place.h"
#include "cli/delivery_exit.h"
#include "client/client.h"
#include "crew/message_text.h"
#include "event/exit_reason.h"
#include "peer/peer_process.h"
#include "setup/paths.h"
#include "store/time_text.h"

namespace orch::cli {
namespace {

using base::Result;
using base::Status;
using base::usage_error;

constexpr int64_t kInboxPatienceMs = 10'000;

// The text of the command line; standard input for "-".
Result<std::string> text_of(const std::string& text) {
  return text == "-" ? setup::read_text("-") : Result<std::string>(text);
}

int report_sent(const wire::Sent& sent) {
  const auto result = agent::delivery_result_named(sent.result);
  if (result == agent::DeliveryResult::kAccepted) return 0;
  std::fprintf(stderr, "orch: %s: %s\n", base::printable(sent.result).c_str(),
               base::printable(sent.reason).c_str());
  return result ? exit_code_of(*result) : event::exit_code(event::ExitReason::kInternal);
}

// For an agent that does not run: it finds the message when it comes back.
int leave_mail(const FoundCrew& crew, const crew::Member& to, const std::string& text) {
  if (const std::string why = peer::refusal_of_this_process(); !why.empty()) {
    return report(usage_error(why));
  }
  const Result<std::string> plain = crew::plain_text(text, crew::kMaxMailBytes);
  if (!plain) return report(plain.error());
  const std::string now = store::rfc3339_utc(std::chrono::system_clock::now());
  const Status written = crew.folder.append_to_inbox(
      to.spec.name, crew::inbox_entry(now, "user", *plain), crew::kMaxInboxBytes, kInboxPatienceMs);
  return written ? 0 : report(written.error());
}

}  // namespace

int crew_tell(const CrewNudgeOptions& options, bool mail) {
  const Result<FoundCrew> crew = find_crew(options.state_dir);
  if (!crew) return report_no_session(crew.error());
  wire::Nudge nudge;
  Result<std::string> text = text_of(options.text);
  if (!text) return report(text.error());
  // A text that is too long is refused here, because it would not fit into a message to the host.
  const size_t most = mail ? crew::kMaxMailBytes : crew::kMaxNudgeBytes;
  text = crew::plain_text(*text, most);
  if (!text) return report(text.error());
  nudge.text = std::move(text).value();
  nudge.from = options.from;
  nudge.mail = mail;
  nudge.wait = !mail && !options.no_wait;
  if (!options.timeout.empty()) {
    const Result<int64_t> timeout = base::parse_duration(options.timeout);
    if (!timeout) return report(timeout.error());
    nudge.timeout_ms = *timeout;
  }
  const int64_t deadline = nudge.wait ? client::kNoDeadline : client::kAnswerMs;
  const Result<wire::Answer> answer = ask_member(*crew, options.agent, nudge, deadline);
  if (!answer) {
    report(answer.error());
    return exit_code_of(answer.error());
  }
  const auto* sent = std::get_if<wire::Sent>(&answer->result);
  return sent == nullptr ? 0 : report_sent(*sent);
}

int crew_inbox(const CrewInboxOptions& options) {
  const Result<FoundCrew> crew = find_crew(options.state_dir);
  if (!crew) return report_no_session(crew.error());
  std::string name = options.agent;
  if (name.empty()) {
    const crew::Member* own = own_member(*crew);
    if (own == nullptr) return report(usage_error("name an agent: orch crew inbox AGENT"));
    name = own->spec.name;
  }
  const Result<crew::Member> member = member_named(*crew, name);
  if (!member) return report_no_session(member.error());
  if (options.text.empty()) {
    const Result<std::string> mail = crew->folder.read_inbox(name);
    if (!mail) return report(mail.error());
    std::string shown;
    for (const std::string_view line : base::split_lines(*mail)) {
      shown += base::printable(line) + "\n";
    }
    std::fputs(shown.c_str(), stdout);
    return 0;
  }
  const auto session = running_session(crew->place.state_dir, *member);
  if (session.is_unknown()) return report(session.error());
  if (session.is_present()) {
    CrewNudgeOptions nudge;
    nudge.agent = name;
    nudge.text = options.text;
    nudge.state_dir = options.state_dir;
    return crew_tell(nudge, true);
  }
  const Result<std::string> text = text_of(options.text);
  if (!text) return report(text.error());
  return leave_mail(*crew, *member, *text);
}

}  // namespace orch::cli
