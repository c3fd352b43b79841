#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "agent/dialog_choice.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/standing.h"
#include "client/client.h"
#include "client/find.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "run/machine.h"
#include "setup/paths.h"
#include "wire/status_report_fields.h"

namespace orch::cli {
namespace {

struct AnswerOptions {
  std::string issue, dialog;
  std::vector<std::string> answers;
  bool json = false;
  std::optional<std::string> state_dir;
};

// The host reports a dialog once its screen stands still, at the latest a few seconds after the
// agent began to wait. Until then this asks again.
constexpr int64_t kReadMs = 7'000;
constexpr int64_t kLookAgainMs = 100;
// The host itself limits the time for answering a dialog; after this long it counts as silent.
constexpr int64_t kDecidedMs = run::kLongestAnswerMs + client::kAnswerMs;
constexpr size_t kMostTextBytes = 64 << 10;

// Asks the host for the session's status until its dialog can be read, then answers that dialog. If
// it changes in between, the host refuses, because the answer names the dialog's id.
class Answerer {
 public:
  Answerer(const AnswerOptions& options, std::vector<agent::DialogChoice> choices)
      : options_(options), choices_(std::move(choices)), again_(loop_) {}

  int run(const std::string& state_dir, const store::SessionRecord& session) {
    session_ = session;
    auto client = client::Client::connect(loop_, state_dir, session);
    if (!client) return report_no_session(client.error());
    client_ = std::move(client).value();
    until_ms_ = loop_.now_ms() + kReadMs;
    look();
    loop_.run();
    return code_;
  }

 private:
  void look() {
    client_->request(wire::AskStatus{}, [this](const base::Result<wire::Answer>& answer) {
      if (!answer) return end(report_no_session(answer.error()));
      if (const auto* stands = std::get_if<wire::StatusReport>(&answer->result)) consider(*stands);
    });
  }

  void consider(const wire::StatusReport& stands) {
    dialog_ = stands.dialog;
    const bool comes = stands.status == event::AgentStatus::kWaiting && !dialog_;
    if (comes && options_.dialog.empty() && loop_.now_ms() < until_ms_) {
      return again_.start(kLookAgainMs, [this] { look(); });
    }
    wire::AnswerDialog answer{.dialog = options_.dialog,
                              .choice = choices_.front(),
                              .also = {choices_.begin() + 1, choices_.end()}};
    if (answer.dialog.empty()) {
      if (!dialog_) return end(report_no_session(no_dialog(comes)));
      answer.dialog = dialog_->id;
    }
    client_->request(
        answer, [this](const base::Result<wire::Answer>& decided) { conclude(decided); },
        kDecidedMs);
  }

  base::Error no_dialog(bool waits) const {
    return {base::ErrorCode::kNotFound,
            "session " + session_.name +
                (waits ? " waits, but shows no dialog that could be answered; see orch attach"
                       : " asks nothing: no dialog is open")};
  }

  void conclude(const base::Result<wire::Answer>& decided) {
    if (decided) {
      print();
      return end(0);
    }
    const int code = report_no_session(decided.error());
    end(decided.error().code == base::ErrorCode::kSystem ? kUnconfirmed : code);
  }

  void print() const {
    const std::string question = dialog_ ? dialog_->text : "";
    if (!options_.json) {
      std::printf("%s: answered%s\n", session_.name.c_str(),
                  question.empty() ? "" : (": " + base::printable(question)).c_str());
      return;
    }
    base::Json json = identity_json(session_);
    json["result"] = "answered";
    json["answer"] = options_.answers.front();
    json["answers"] = options_.answers;
    json["dialog"] = base::object_of(dialog_, wire::kDialogFields);
    std::printf("%s\n", base::json_line(json).c_str());
  }

  void end(int code) {
    code_ = code;
    loop_.stop();
  }

  const AnswerOptions& options_;
  std::vector<agent::DialogChoice> choices_;
  loop::Loop loop_;
  loop::Timer again_;
  store::SessionRecord session_;
  std::unique_ptr<client::Client> client_;
  std::optional<wire::DialogReport> dialog_;  // as the last status report had it
  int64_t until_ms_ = 0;
  int code_ = kUnconfirmed;
};

base::Status check(const std::string& answer) {
  if (const auto bad = base::invalid_utf8_at(answer)) {
    return base::usage_error("the answer is not valid UTF-8 at byte " + std::to_string(*bad));
  }
  if (base::trim(answer).empty()) return base::usage_error("the answer is empty");
  if (answer.size() > kMostTextBytes) {
    return base::usage_error("the answer is too long: at most " +
                             std::to_string(kMostTextBytes >> 10) + " KB");
  }
  return base::Ok{};
}

int answer(const AnswerOptions& options) {
  const base::Result<client::Place> place = setup::place_of(options.state_dir);
  if (!place) return report(place.error());
  std::vector<agent::DialogChoice> choices;
  for (const std::string& word : options.answers) {
    if (base::Status s = check(word); !s) return report(s.error());
    choices.push_back(agent::dialog_choice_of(word));
  }
  const auto session = client::find_running(*place, options.issue, client::Reach::kHere);
  if (!session) return report_no_session(session.error());
  return Answerer(options, std::move(choices)).run(place->state_dir, *session);
}

}  // namespace

void add_answer_command(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("answer", "answer the dialog that a session waits at");
  auto options = std::make_shared<AnswerOptions>();
  command->add_option("issue", options->issue, "an issue or a session's name")->required();
  command
      ->add_option("answer", options->answers,
                   "yes (allow this once), no (deny), an option's number, or an option's words; "
                   "other words are for an agent that asks what to do instead; where options have "
                   "tick boxes, all that shall be ticked")
      ->required();
  command->add_option("--dialog", options->dialog,
                      "only the dialog with this id, as orch status --json shows it");
  command->add_flag("--json", options->json, "say what was answered as JSON");
  command->add_option("--state-dir", options->state_dir, "where runs are kept");
  command->footer(
      "orch status shows the question and the answers that it takes. Yes and no are meanings:\n"
      "they are refused where not exactly one option has them, or where not all of the dialog\n"
      "could be read. A list of tick boxes is answered as a whole: every option that is named is\n"
      "ticked, every other one is not (no: none), and then the list is submitted. Keys are typed\n"
      "only while the dialog that was seen still stands.\n\n"
      "Exit codes: 0 the dialog was seen to go; 2 refused, nothing was typed; 3 typed, but the\n"
      "dialog still stands; 4 there is no such session, or it asks nothing.\n\n"
      "Examples:\n  orch answer 42 yes\n  orch answer 42 2\n"
      "  orch answer 42 \"PostgreSQL\"\n  orch answer 42 \"Red\" \"Blue\"\n"
      "  orch wait 42 --until waiting && orch answer 42 no");
  command->callback([options, &chosen] { chosen = [options] { return answer(*options); }; });
}

}  // namespace orch::cli
