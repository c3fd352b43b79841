#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "agent/dialog_choice.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "cli/new_command.h"
#include "cli/standing.h"
#include "client/client.h"
#include "client/find.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "run/machine.h"
#include "ui/dialog_page.h"
#include "ui/user_terminal.h"
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

// Whether a user at a terminal can be shown a dialog and asked about it.
bool may_ask(const AnswerOptions& options) {
  return options.dialog.empty() && !options.json && ::isatty(STDIN_FILENO) != 0 &&
         ::isatty(STDERR_FILENO) != 0 && ui::in_foreground();
}

// Shows a dialog on the user's terminal and asks for the answer to it.
class Question {
 public:
  Question(const store::SessionRecord& session, const wire::DialogReport& dialog, int64_t now_ms)
      : session_(session), is_set_(dialog.is_set()) {
    constexpr int kEveryRow = 1 << 20;
    const int columns = ui::terminal_size().value_or(term::Size{80, 24}).cols;
    page_.set(dialog.id, ui::text_of(dialog), columns, kEveryRow);
    std::fprintf(stderr, "%s asks:\n", session_.name.c_str());
    for (const ui::DialogRow& row : page_.shown()) {
      std::fprintf(stderr, "%s\n", base::printable(row.text).c_str());
    }
    ::tcflush(STDIN_FILENO, TCIFLUSH);  // what was typed before was no answer to this
    page_.on_drawn(now_ms);
  }

  // Asks until a line is an answer. With `choices` it asks only whether to give them. nullopt: the
  // user gives no answer.
  std::optional<std::vector<std::string>> ask(std::vector<std::string> answers,
                                              const std::function<int64_t()>& now_ms) const {
    const bool only_confirms = !answers.empty();
    while (true) {
      std::fputs(only_confirms ? "Answer so? [y/N] " : "Your answer: ", stderr);
      std::string line;
      if (!std::getline(std::cin, line)) return std::fputs("\n", stderr), std::nullopt;
      line = base::trim(line);
      if (only_confirms && line != "y" && line != "yes") return std::nullopt;
      if (!only_confirms) answers = answers_in(line);
      if (answers.empty()) return std::nullopt;
      const std::string refusal = refusal_of(answers.front(), now_ms());
      if (refusal.empty()) return answers;
      std::fprintf(stderr, "orch: %s\n", refusal.c_str());
    }
  }

 private:
  // Only where several options may be ticked are the words of a line several answers.
  std::vector<std::string> answers_in(const std::string& line) const {
    if (line.empty()) return {};
    if (!is_set_) return {line};
    std::vector<std::string> answers;
    std::istringstream words(line);
    for (std::string word; words >> word;) answers.push_back(word);
    return answers;
  }

  std::string refusal_of(const std::string& answer, int64_t now_ms) const {
    if (base::Status s = check(answer); !s) return s.error().text;
    agent::DialogChoice choice = agent::dialog_choice_of(answer);
    if (is_set_) choice.kind = agent::DialogChoice::Kind::kText;
    return ui::refusal_of(page_.check(choice, now_ms), session_.name);
  }

  const store::SessionRecord& session_;
  bool is_set_;
  ui::DialogPage page_;
};

// Asks the host for the session's status until its dialog can be read, then answers that dialog. If
// it changes in between, the host refuses, because the answer names the dialog's id.
class Answerer {
 public:
  explicit Answerer(const AnswerOptions& options)
      : options_(options), answers_(options.answers), again_(loop_) {}

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
    if (options_.dialog.empty() && !dialog_) return end(report_no_session(no_dialog(comes)));
    if (may_ask(options_)) {
      const Question question(session_, *dialog_, loop_.now_ms());
      auto answers = question.ask(answers_, [this] { return loop_.now_ms(); });
      if (!answers) return end(report(base::usage_error("nothing was answered")));
      answers_ = std::move(*answers);
    }
    std::vector<agent::DialogChoice> choices;
    std::transform(answers_.begin(), answers_.end(), std::back_inserter(choices),
                   [](const std::string& word) { return agent::dialog_choice_of(word); });
    const wire::AnswerDialog answer{
        .dialog = options_.dialog.empty() ? dialog_->id : options_.dialog,
        .choice = choices.front(),
        .also = {choices.begin() + 1, choices.end()}};
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
    json["answer"] = answers_.front();
    json["answers"] = answers_;
    json["dialog"] = base::object_of(dialog_, wire::kDialogFields);
    std::printf("%s\n", base::json_line(json).c_str());
  }

  void end(int code) {
    code_ = code;
    loop_.stop();
  }

  const AnswerOptions& options_;
  std::vector<std::string> answers_;
  loop::Loop loop_;
  loop::Timer again_;
  store::SessionRecord session_;
  std::unique_ptr<client::Client> client_;
  std::optional<wire::DialogReport> dialog_;  // as the last status report had it
  int64_t until_ms_ = 0;
  int code_ = kUnconfirmed;
};

int answer(const AnswerOptions& options, const client::Place& place) {
  if (options.answers.empty() && !may_ask(options)) {
    return report(base::usage_error("which answer? orch answer " + options.issue +
                                    " yes; orch status " + options.issue + " shows the question"));
  }
  for (const std::string& word : options.answers) {
    if (base::Status s = check(word); !s) return report(s.error());
  }
  const auto session = client::find_running(place, options.issue, client::Reach::kHere);
  if (!session) return report_no_session(session.error());
  return Answerer(options).run(place.state_dir, *session);
}

}  // namespace

void add_answer_command(CLI::App& app, Chosen& chosen) {
  CommandWith<AnswerOptions> command(app, chosen, "answer",
                                     "answer the dialog that a session waits at", answer);
  command.option("issue", command->issue, "an issue or a session's name").required();
  command.option("answer", command->answers,
                 "yes (allow this once), no (deny), an option's number, or an option's words; "
                 "other words are for an agent that asks for instructions; for tick boxes, "
                 "every option to tick");
  command.option("--dialog", command->dialog,
                 "only the dialog with this id, as orch status --json shows it");
  command.flag("--json", command->json, "print the answer as JSON");
  command.state_dir();
  command.footer(
      "On a terminal the whole dialog is shown first, and you are asked, unless --dialog names "
      "it.\n"
      "Elsewhere the answer is given at once; orch status shows the question and its answers.\n"
      "Yes and no are meanings: they are refused unless exactly one option has them and all of "
      "the\n"
      "dialog could be read. A list of tick boxes is answered as a whole: the options that are\n"
      "named are ticked, the others are not (no: none), and the list is submitted. Keys are typed\n"
      "only while the same dialog is open.\n\n"
      "Exit codes: 0 the dialog has closed; 2 refused, nothing was typed; 3 typed, but the\n"
      "dialog is still open; 4 the session does not exist, or has no open dialog.\n\n"
      "Examples:\n  orch answer 42\n  orch answer 42 yes\n  orch answer 42 2\n"
      "  orch answer 42 \"PostgreSQL\"\n  orch answer 42 \"Red\" \"Blue\"\n"
      "  orch wait 42 --until waiting && orch answer 42 no");
}

}  // namespace orch::cli
