#include "cli/run_display.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

#include "base/text.h"
#include "cli/github.h"
#include "cli/run_options.h"
#include "cli/summary.h"
#include "session/environment.h"
#include "store/issue_name.h"

namespace orch::cli {
namespace {

const std::vector<std::string> kNoPaths;

// Why a human is needed, then one line with reason and code.
void print_last_words(const store::RunResult& result) {
  const std::string name = "orch: " + result.session + ": ";
  if (result.reason == event::ExitReason::kNeedsHuman) {
    for (const std::string_view line : base::split_lines(result.detail)) {
      std::fprintf(stderr, "%s| %s\n", name.c_str(), base::printable(line).c_str());
    }
  }
  for (const std::string& path : result.sandbox ? result.sandbox->changed : kNoPaths) {
    std::fprintf(stderr,
                 "%sthe agent changed %s, which may name programs that run outside of its "
                 "fence\n",
                 name.c_str(), base::printable(path).c_str());
  }
  const std::string_view detail = result.detail;
  const std::string first = base::printable(detail.substr(0, detail.find('\n')));
  const std::string_view reason = event::name(result.reason);
  std::fprintf(stderr, "%s%.*s (exit %d)%s%s\n", name.c_str(), static_cast<int>(reason.size()),
               reason.data(), result.code, first.empty() ? "" : ": ", first.c_str());
}

size_t terminal_columns() {
  return static_cast<size_t>(terminal_size().value_or(term::Size{80, 24}).cols);
}

}  // namespace

// Stands before a session's sink, so that the display hears what it is told.
class RunDisplay::Tap final : public session::SessionSink {
 public:
  Tap(RunDisplay& display, std::string session, std::unique_ptr<session::SessionSink> sink)
      : display_(display), session_(std::move(session)), sink_(std::move(sink)) {}
  void on_event(const event::Event& event, std::string_view json) override {
    display_.hide_line();
    sink_->on_event(event, json);
    if (display_.line_) display_.out_.flush();
    display_.on_session_event(session_, event, json);
    display_.show_line();
  }
  void on_raw(std::string_view bytes) override {
    sink_->on_raw(bytes);
    if (display_.take_over_) display_.take_over_->on_drawn();
  }

 private:
  RunDisplay& display_;
  std::string session_;
  std::unique_ptr<session::SessionSink> sink_;
};

RunDisplay::Place RunDisplay::place_of(OutputMode output) {
  if (output == OutputMode::kText && github::is_runner()) return Place::kGithub;
  const bool own_stdout = ::isatty(STDOUT_FILENO) == 0;
  const bool fits = output == OutputMode::kText || output == OutputMode::kQuiet || own_stdout;
  return ::isatty(STDERR_FILENO) != 0 && fits ? Place::kTerminal : Place::kPlain;
}

RunDisplay::RunDisplay(loop::Loop& loop, Plan plan, std::function<void()> on_all_ended)
    : out_(loop, STDOUT_FILENO), plan_(std::move(plan)), on_all_ended_(std::move(on_all_ended)) {
  if (plan_.place == Place::kTerminal) line_.emplace(loop, STDERR_FILENO, terminal_columns);
  if (plan_.person != Person::kAbsent) {
    take_over_.emplace(loop,
                       TakeOver::Callbacks{[this] { fall_silent(); }, [this] { speak_again(); }});
  }
  if (!plan_.notify.empty()) notifier_.emplace(loop, plan_.notify, session::own_environment());
  if (plan_.place == Place::kGithub) {
    github_token_ = github::random_token();
    if (grouped()) out_.write(github::begin_group("orch run"));
    out_.write(github::stop_commands(github_token_));
  }
}

RunDisplay::~RunDisplay() = default;

std::unique_ptr<session::SessionSink> RunDisplay::sink_for(const session::SessionSetup& setup) {
  auto sink = make_sink(plan_.output, out_, plan_.issues > 1 ? setup.issue : "");
  if (!line_ && !notifier_) return sink;
  return std::make_unique<Tap>(*this, store::session_name(setup.issue), std::move(sink));
}

void RunDisplay::on_started(host::HostedSession& session) {
  started_.push_back(session.record().name);
  if (first_run_dir_.empty()) first_run_dir_ = session.record().run_dir;
  if (take_over_) take_over_->begin(session.session());
  if (session.trouble().empty()) return;
  hide_line();
  std::fprintf(stderr, "orch: %s cannot be reached by other commands: %s\n",
               session.record().name.c_str(), base::printable(session.trouble()).c_str());
}

// Told of: a dialog that stands, and the end.
void RunDisplay::on_session_event(const std::string& session, const event::Event& event,
                                  std::string_view json) {
  const auto* change = std::get_if<event::StatusChange>(&event);
  const bool waits = change != nullptr && change->status == event::AgentStatus::kWaiting;
  if (notifier_ && (waits || std::holds_alternative<event::Exit>(event))) {
    notifier_->tell(event::with_session(json, session));
  }
  if (!line_) return;
  LineEntry& entry = line_->entry(session);
  if (change != nullptr) {
    entry.status = change->status;
    entry.cause = change->cause;
  } else if (const auto* turn = std::get_if<event::Turn>(&event)) {
    entry.turn = turn->n;
  }
  if (!take_over_) return;
  if (const auto* dialog = std::get_if<event::Dialog>(&event)) {
    question_.reset();
    if (plan_.person == Person::kAsked && dialog->answer.empty()) {
      question_ = session + " waits: " + question_of(*dialog);
    }
  } else if (change != nullptr && !waits) {
    question_.reset();
  }
  if (change != nullptr) take_over_->on_drawn();  // a restart begins on an empty screen
  ask();
}

// Asks the person at the terminal, once for each dialog.
void RunDisplay::ask() {
  const bool listening = take_over_->listen();
  if (!question_ || silent_) return;
  std::fprintf(stderr, "orch: %s%s\n", question_->c_str(), listening ? " (Ctrl-] to answer)" : "");
  question_.reset();
}

void RunDisplay::on_resized() {
  if (take_over_) take_over_->on_drawn();
}

void RunDisplay::hand_back() {
  if (take_over_) take_over_->hand_back();
}

// The terminal is not ours to write on for a while.
void RunDisplay::fall_silent() {
  hide_line();
  if (out_is_terminal_) {
    out_.flush();
    out_.hold();
  }
  hide_line();  // which may have come back with the last byte
  silent_ = true;
}

// What was held back comes first, then question and line below it.
void RunDisplay::speak_again() {
  const auto go_on = [this] {
    silent_ = false;
    ask();
    show_line();
  };
  if (!out_is_terminal_) return go_on();
  out_.release();
  out_.flush();
  out_.when_drained(go_on);
}

void RunDisplay::show_line() {
  if (line_ && !silent_) line_->show();
}

void RunDisplay::hide_line() {
  if (line_) line_->hide();
}

void RunDisplay::on_ended(const host::Ended& ended) {
  if (line_) line_->remove(store::session_name(ended.issue));
  if (take_over_) take_over_->end();
  hide_line();
  out_.flush();
  if (ended.result) {
    print_last_words(*ended.result);
  } else {
    std::fprintf(stderr, "orch: %s\n", base::printable(ended.why_not).c_str());
  }
  show_line();
  codes_.push_back(ended.code);
  ended_.push_back(ended);
}

void RunDisplay::on_all_ended() {
  hide_line();
  if (plan_.place == Place::kGithub) {
    out_.write(github::resume_commands(github_token_));
    if (grouped()) out_.write(github::end_group());
    for (const host::Ended& ended : ended_) {
      if (!ended.result) continue;
      const std::string detail = base::printable(ended.result->detail);
      out_.write(
          github::annotation(ended.result->session, ended.result->reason, ended.code, detail));
    }
  }
  if (plan_.issues > 1) {
    out_.flush();
    std::fprintf(stderr, "%s", summary_table(ended_).c_str());
    if (base::Result<std::string> path = write_summary(plan_.state_dir, ended_)) {
      std::fprintf(stderr, "orch: summary in %s\n", base::printable(*path).c_str());
    } else {
      std::fprintf(stderr, "orch: no summary: %s\n", base::printable(path.error().text).c_str());
    }
  }
  const auto drain = [this] { out_.when_drained(on_all_ended_); };
  notifier_ ? notifier_->when_done(drain) : drain();
}

}  // namespace orch::cli
