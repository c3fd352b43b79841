#include "ui/run_display.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <utility>

#include "base/text.h"
#include "event/question.h"
#include "session/environment.h"
#include "store/issue_name.h"
#include "ui/dressed_words.h"
#include "ui/elapsed.h"
#include "ui/github.h"
#include "ui/live_view.h"
#include "ui/runner_guard.h"
#include "ui/standard_streams.h"
#include "ui/summary.h"

namespace orch::ui {
namespace {

const std::vector<std::string> kNoPaths;

// How the dialog that ended the run could have been answered; "" if no dialog ended it.
std::string remedy_of(const store::RunResult& result, bool has_policy, bool is_headless) {
  const bool is_dialog = result.reason == event::ExitReason::kNeedsHuman &&
                         result.detail.find('\n') != std::string::npos;
  if (!is_dialog) return "";
  // Without a terminal an agent may deny a tool itself, and asks nobody.
  if (is_headless && result.answers.empty())
    return "; --approve all allows it, --mode interactive lets the agent ask";
  std::string answers;
  for (const std::string& answer : result.answers) {
    answers.append(answers.empty() ? "" : "|").append(answer);
  }
  return std::string(has_policy ? "; the rules of --approve left it to you: --ask-timeout 10m waits"
                                : "; --approve all or --approve FILE lets orch answer, "
                                  "--ask-timeout 10m lets you") +
         ": orch answer " + result.issue + " " + answers;
}

// Whether the run may have ended so because its agent's screen was not understood.
bool may_be_misread(event::ExitReason reason) {
  using event::ExitReason;
  return reason == ExitReason::kNeedsHuman || reason == ExitReason::kTimeout ||
         reason == ExitReason::kStuck;
}

std::string changes_line(const store::RunResult& result, const std::string& name) {
  const auto& changes = result.changes;
  if (!changes || !changes->unknown.empty() || changes->files == 0) return "";
  constexpr size_t kShownPaths = 3;
  std::string paths;
  for (size_t i = 0; i < std::min(changes->paths.size(), kShownPaths); ++i) {
    paths += (i == 0 ? ": " : ", ") + base::printable(changes->paths[i]);
  }
  const bool are_all = static_cast<size_t>(changes->files) <= kShownPaths;
  return fmt::format("{}changed {} file{}{}{}\n", name, changes->files,
                     changes->files == 1 ? "" : "s", paths, are_all ? "" : ", ...");
}

constexpr size_t kMostOfLine = 1'000;  // bytes shown of a line that a gate printed

// Only of a run that passed its gates: otherwise the output of the failed one says more.
std::string gates_line(const store::RunResult& result, const std::string& name) {
  if (result.gates.empty() || result.reason == event::ExitReason::kGateFailed) return "";
  const store::GateRun& last = result.gates.back();
  return fmt::format("{}gate passed: {} ({})\n", name, base::printable(last.command),
                     elapsed_text(last.duration_ms));
}

// The command to type next.
std::string next_line(const store::RunResult& result, const std::string& name) {
  if (result.cancelled_at) {
    const bool has_conversation = result.turns > 0;  // a program after -- has none
    return fmt::format(
        "{}{}to begin anew: orch retry {}\n", name,
        has_conversation ? fmt::format("to go on: orch continue {} \"go on\"; ", result.issue) : "",
        result.issue);
  }
  const bool has_changes = result.changes && result.changes->files > 0;
  if (!has_changes || result.snapshot.empty()) return "";
  return fmt::format("{}orch diff {} shows the changes, orch undo {} takes them back\n", name,
                     result.issue, result.issue);
}

// The lines that close a run: why a human is needed and other remarks, then one line with the
// reason and the exit code.
std::string last_words(const store::RunResult& result, bool has_policy, bool is_headless) {
  const std::string name = "orch: " + result.session + ": ";
  std::string text;
  if (result.reason == event::ExitReason::kNeedsHuman) {
    for (const std::string_view line : base::split_lines(result.detail)) {
      text += name + "| " + base::printable(line) + "\n";
    }
  }
  if (result.reason == event::ExitReason::kGateFailed && !result.gates.empty()) {
    for (const std::string_view line : base::split_lines(result.gates.back().output)) {
      const std::string_view shown = base::beginning(line, kMostOfLine);
      text += name + "| " + base::printable(shown) + (shown.size() < line.size() ? "…" : "") + "\n";
    }
  }
  if (const auto& worktree = result.worktree; worktree && worktree->kept) {
    text += name + "worktree kept: " + base::printable(worktree->path) + " (" +
            base::printable(worktree->why) + ")\n";
  } else if (worktree && worktree->branch_kept) {
    text += name + "worktree removed; its commits are on branch " + worktree->branch + "\n";
  }
  for (const std::string& path : result.sandbox ? result.sandbox->changed : kNoPaths) {
    text += name + "the agent changed " + base::printable(path) +
            ", which may name programs that run outside of its fence\n";
  }
  if (const auto& calls = result.calls; calls && calls->decided + calls->asked > 0) {
    text += fmt::format("{}calls: {} decided before they ran, {} denied, {} asked\n", name,
                        calls->decided, calls->denied, calls->asked);
  }
  text += changes_line(result, name) + gates_line(result, name) + next_line(result, name);
  if (!result.snapshot_note.empty()) {
    text += name + base::printable(result.snapshot_note) + "\n";
  }
  const std::string_view detail = result.detail;
  std::string first = base::printable(detail.substr(0, detail.find('\n')));
  if (first.ends_with(':')) first.pop_back();  // as "Accessing workspace:", a dialog's title
  return text + fmt::format("{}{} (exit {}){}{}{}\n", name, event::name(result.reason), result.code,
                            first.empty() ? "" : ": ", first,
                            remedy_of(result, has_policy, is_headless));
}

// Names the issue if there are several.
std::string why_not_started(const host::Ended& ended, size_t issues) {
  const std::string name = issues > 1 ? store::session_name(ended.issue) + ": " : "";
  return "orch: " + name + base::printable(ended.why_not) + "\n";
}

// Whether both descriptors are the same file; then one stream must keep the order of the output.
bool are_same_file(int one, int other) {
  struct stat first {
  }, second{};
  return ::fstat(one, &first) == 0 && ::fstat(other, &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

base::Fd open_nowhere(bool in_background) {
  return base::Fd(in_background ? ::open("/dev/null", O_WRONLY | O_CLOEXEC) : -1);
}

size_t terminal_columns() {
  return static_cast<size_t>(terminal_size().value_or(term::Size{80, 24}).cols);
}

// The status line takes at most a third of the terminal's rows; the rest is for the agents' words.
size_t rows_of_line() {
  return static_cast<size_t>(terminal_size().value_or(term::Size{80, 24}).rows) / 3;
}

std::string_view fate_of(host::HostObserver::Slot slot) {
  using Slot = host::HostObserver::Slot;
  switch (slot) {
    case Slot::kUnwanted:
      return "";
    case Slot::kGivenUp:
      return "; another issue has its slot until then";
    case Slot::kKept:
      return "; it keeps its slot, for so many wait already that no further issue is started";
  }
  return "";
}

}  // namespace

// Wraps a session's sink, so that the display sees the events that the sink gets.
class RunDisplay::Tap final : public session::SessionSink {
 public:
  Tap(RunDisplay& display, std::string session, std::unique_ptr<session::SessionSink> sink)
      : display_(display), session_(std::move(session)), sink_(std::move(sink)) {}
  void on_event(const event::Event& event, std::string_view json) override {
    sink_->on_event(event, json);
    // The output so far is written before the run goes on to its verdict: if the write fails, that
    // failure is the verdict.
    const auto* change = std::get_if<event::StatusChange>(&event);
    at_end_ = at_end_ || (change != nullptr && change->status == event::AgentStatus::kExited);
    if (change != nullptr || at_end_ || std::holds_alternative<event::Turn>(event)) {
      if (display_.line_) display_.line_->print_now();
      display_.out_.flush();
    }
    if (const auto* gate = std::get_if<event::Gate>(&event)) note_gate(*gate);
    display_.on_session_event(session_, event, json);
  }
  void on_raw(std::string_view bytes) override {
    sink_->on_raw(bytes);
    if (display_.take_over_) display_.take_over_->on_drawn();
    if (display_.live_) display_.line_->redraw_soon();
  }
  void on_waiting(std::string_view what) override {
    display_.say("orch: " + session_ + " waits for " + std::string(what) + "\n");
  }
  void on_note(std::string_view note) override {
    display_.say("orch: " + session_ + ": " + std::string(note) + "\n");
  }

 private:
  // A gate that has passed is in the run's end alone.
  void note_gate(const event::Gate& gate) {
    if (display_.plan_.output != OutputMode::kText || (gate.ended && gate.code == 0)) return;
    const std::string name = "gate " + std::to_string(gate.n);
    const std::string why =
        gate.timed_out ? "it took too long" : "exit code " + std::to_string(gate.code);
    on_note(gate.ended ? name + " failed: " + why : name + ": " + base::printable(gate.command));
  }

  RunDisplay& display_;
  std::string session_;
  std::unique_ptr<session::SessionSink> sink_;
  bool at_end_ = false;  // the agent has exited, and its last output is still to come
};

RunDisplay::Place RunDisplay::place_of(OutputMode output) {
  if (output == OutputMode::kText && runner_here() == Runner::kGithub) return Place::kGithub;
  const bool fits = output == OutputMode::kText || output == OutputMode::kQuiet;
  return fits && can_draw() ? Place::kTerminal : Place::kPlain;
}

RunDisplay::RunDisplay(loop::Loop& loop, Plan plan, std::function<void()> on_all_ended)
    : nowhere_(open_nowhere(plan.place == Place::kBackground)),
      out_(loop, nowhere_.valid() ? nowhere_.get() : STDOUT_FILENO),
      error_out_(are_same_file(STDOUT_FILENO, STDERR_FILENO) || nowhere_.valid()
                     ? std::nullopt
                     : std::optional<OutputStream>(std::in_place, loop, STDERR_FILENO)),
      notices_(error_out_ ? *error_out_ : out_),
      plan_(std::move(plan)),
      on_all_ended_(std::move(on_all_ended)),
      last_wait_(loop) {
  const bool in_color = wants_color(plan_.color, STDERR_FILENO);
  const Ink ink = in_color ? Ink::kColors : Ink::kMonochrome;
  const bool has_user = plan_.place == Place::kTerminal && plan_.person != Person::kAbsent;
  const bool shows_dialogs = plan_.live && has_user;
  if (plan_.place == Place::kTerminal) {
    StatusLine::Place place{out_, terminal_columns, in_foreground, in_color,
                            plan_.issues > 1 ? rows_of_line : nullptr};
    if (shows_dialogs) place.rows_above = [this] { return live_->rows(); };
    line_.emplace(loop, std::move(place));
    for (const std::string& session : plan_.queued) line_->queue(session);
    if (plan_.bell) attention_.emplace(out_);
  }
  if (plan_.place == Place::kPlain && plan_.person == Person::kAsked) {
    aside_.emplace(loop, ink, [this](const std::string& lines) { say(lines); });
  }
  if (has_user) {
    take_over_.emplace(loop, ink,
                       TakeOver::Callbacks{[this] { fall_silent(); }, [this] { speak_again(); },
                                           [this](std::string_view bytes) {
                                             if (live_ && !silent_) live_->on_keys(bytes);
                                           },
                                           [this] { return session_to_take(); }});
  }
  if (shows_dialogs) {
    live_.emplace(
        loop, ink, plan_.issues == 1 ? LiveSessions::Place::kSingle : LiveSessions::Place::kBatch,
        LiveSessions::Callbacks{[this](const std::string& lines) { say(lines); },
                                [this](host::HostedSession& session) { take_over_->take(session); },
                                [this] { line_->redraw_soon(); }});
  }
  if (!plan_.notify.empty()) notifier_.emplace(loop, plan_.notify, session::own_environment());
  if (plan_.place == Place::kGithub) {
    github_token_ = github::random_token();
    for (const std::string& secret : plan_.secrets) out_.write(github::add_mask(secret));
    if (grouped()) out_.write(github::begin_group("orch run"));
    out_.write(github::stop_commands(github_token_));
  }
}

RunDisplay::~RunDisplay() = default;

std::unique_ptr<session::SessionSink> RunDisplay::sink_for(const session::SessionSetup& setup) {
  const std::string session = store::session_name(setup.issue);
  const std::string label = plan_.issues > 1 ? setup.issue : "";
  std::unique_ptr<session::SessionSink> sink;
  if (plan_.only_values && plan_.output == OutputMode::kText) {
    sink = make_sink(OutputMode::kQuiet, out_, label, setup.secrets);
  } else if (grouped_by_issue()) {
    sink = collecting_sink(setup.issue);
  } else if (line_ && plan_.output == OutputMode::kText) {
    sink = make_text_sink(
        {.write = [this](std::string lines) { line_->print(std::move(lines)); },
         .issue = label,
         .keyword = plan_.keyword,
         .dress = [this, session](const std::string& words) { return dress(session, words); }});
  } else {
    sink = make_sink(plan_.output, out_, label, setup.secrets, plan_.keyword);
  }
  return std::make_unique<Tap>(*this, session, std::move(sink));
}

// The words as the agent's screen shows them, if the terminal has colours and no CI system reads
// them.
std::string RunDisplay::dress(const std::string& session, const std::string& words) {
  const auto running = running_.find(session);
  const bool wanted =
      plan_.live && wants_color(plan_.color, STDOUT_FILENO) && runner_here() == Runner::kNone;
  if (!wanted || running == running_.end() || !may_dress()) return words;
  const term::Screen* screen = running->second->session().driver().screen();
  return screen == nullptr ? words : dressed(words, *screen, Ink::kColors);
}

// Finding words on a screen takes time, so those of a flood, which nobody reads, stay plain.
bool RunDisplay::may_dress() {
  constexpr int64_t kSpanMs = 100;
  constexpr int kMostLines = 100;
  const int64_t now = out_.loop().now_ms();
  if (now - dressing_since_ms_ >= kSpanMs) {
    dressing_since_ms_ = now;
    dressed_lines_ = 0;
  }
  return dressed_lines_++ < kMostLines;
}

// GitHub's groups can neither be nested nor interleaved, so the words of several issues are
// collected and written issue by issue, each when the issue has ended.
std::unique_ptr<session::SessionSink> RunDisplay::collecting_sink(const std::string& issue) {
  constexpr size_t kMostBytes = 4 << 20;
  return make_text_sink({.write =
                             [&words = words_of_issue_[issue]](const std::string& line) {
                               if (words.size() < kMostBytes) words += line;
                             },
                         .keyword = plan_.keyword});
}

void RunDisplay::write_group(const host::Ended& ended) {
  const std::string title = store::session_name(ended.issue) + ": " + std::string(reason_of(ended));
  out_.write(github::resume_commands(github_token_) + github::begin_group(title) +
             github::stop_commands(github_token_) + words_of_issue_[ended.issue] +
             github::resume_commands(github_token_) + github::end_group() +
             github::stop_commands(github_token_));
  words_of_issue_.erase(ended.issue);
}

void RunDisplay::on_started(host::HostedSession& session) {
  started_.push_back({session.record().name, session.record().run});
  if (first_run_dir_.empty()) first_run_dir_ = session.record().run_dir;
  running_[session.record().name] = &session;
  if (take_over_) take_over_->begin();
  if (live_) live_->begin(session);
  if (aside_) aside_->begin(session);
  if (live_ && plan_.issues == 1) tell_of_start(session);
  if (output_error_) session.session().fail(*output_error_);
  if (session.trouble().empty()) return;
  say("orch: " + session.record().name +
      " cannot be reached by other commands: " + base::printable(session.trouble()) + "\n");
}

void RunDisplay::tell_of_start(const host::HostedSession& session) {
  const store::SessionRecord& record = session.record();
  say(fmt::format("orch: {} works in {} (orch attach {})\n", record.name,
                  base::printable(record.cwd), record.issue));
}

void RunDisplay::on_put_off(const std::string& issue, const std::string& why) {
  say("orch: " + store::session_name(issue) +
      " waits until another one has ended: " + base::printable(why) + "\n");
}

// With one issue, the user gets the question itself, or the session waits where nobody looks.
void RunDisplay::on_waits_for_person(host::HostedSession& session, Slot slot) {
  if (plan_.issues == 1) return;
  const std::string& issue = session.record().issue;
  const bool asks = session.session().waiting_dialog().has_value();
  say(fmt::format("orch: {} waits for you: orch attach {}, or orch {} {}{}{}\n",
                  session.record().name, issue, asks ? "answer" : "send", issue,
                  asks ? "" : " TEXT", fate_of(slot)));
}

void RunDisplay::say(const std::string& lines) {
  // Here stderr is a file, or is read by the process that waits for the start.
  if (plan_.place == Place::kBackground) {
    std::fputs(lines.c_str(), stderr);
    return;
  }
  hide_line();
  notices_.say(lines);
  if (line_ && !silent_) line_->redraw_now();
}

void RunDisplay::watch_output_error(std::function<void(const std::string& why)> on_error) {
  tell_output_error_ = std::move(on_error);
  out_.watch_error([this](int error) {
    output_error_ = output_error_text(error);
    tell_output_error_(*output_error_);
  });
}

// The notifier gets every dialog that waits, and the end.
void RunDisplay::on_session_event(const std::string& session, const event::Event& event,
                                  std::string_view json) {
  const auto* change = std::get_if<event::StatusChange>(&event);
  const bool waits = change != nullptr && change->status == event::AgentStatus::kWaiting;
  if (notifier_ && (waits || std::holds_alternative<event::Exit>(event))) {
    notifier_->tell(event::with_session(json, session));
  }
  if (aside_) aside_->look();
  if (!line_) return;
  LineEntry& entry = line_->entry(session);
  update_entry(entry, event, line_->now_ms());
  const auto running = running_.find(session);
  if (running != running_.end() && running->second->session().usage()) {
    entry.tokens = event::tokens_text(*running->second->session().usage());
  }
  if (attention_) call_person(session, event, waits);
  if (!take_over_) return;
  if (const auto* dialog = std::get_if<event::Dialog>(&event)) {
    question_.reset();
    const bool is_only_one = plan_.issues == 1;  // of several each is announced as it waits
    if (plan_.person == Person::kAsked && is_only_one && dialog->answer.empty()) {
      question_ = session + " waits: " + event::question_of(*dialog);
      if (question_ == asked_) question_.reset();  // it was drawn anew, in a window of another size
    }
  } else if (change != nullptr && !waits) {
    question_.reset();
    asked_.clear();
  }
  if (change != nullptr) take_over_->on_drawn();  // a restart begins on an empty screen
  ask();
}

// Calls the user to an unanswered dialog. The title does not repeat the agent's own words.
void RunDisplay::call_person(const std::string& session, const event::Event& event, bool waits) {
  const auto* dialog = std::get_if<event::Dialog>(&event);
  if (dialog != nullptr && dialog->answer.empty() && !silent_ && in_foreground()) {
    attention_->call(session + " waits: " + std::string(event::name(dialog->cause)));
    needed_by_ = session;
  } else if (session == needed_by_ && std::holds_alternative<event::StatusChange>(event) &&
             !waits) {
    needed_by_.clear();
    attention_->relieve();
  }
}

// Prints the question of a waiting dialog on the user's terminal, once for each dialog.
void RunDisplay::ask() {
  const bool listening = take_over_->listen();
  if (!question_ || silent_) return;
  const bool has_hint = listening && !asks_inline();
  asked_ = *question_;
  say("orch: " + *question_ + (has_hint ? " (Ctrl-] to answer)" : "") + "\n");
  question_.reset();
}

// The session whose dialog is shown, or the only one that runs.
host::HostedSession* RunDisplay::session_to_take() {
  host::HostedSession* const asking = live_ && asks_inline() ? live_->asking() : nullptr;
  if (asking != nullptr) return asking;
  if (running_.size() == 1) return running_.begin()->second;
  say("orch: several agents work; orch attach ISSUE shows one\n");
  return nullptr;
}

// Whether a waiting dialog is shown with the keys that answer it.
bool RunDisplay::asks_inline() const {
  return live_ && live_view_fits(terminal_size().value_or(term::Size{}));
}

void RunDisplay::on_resized() {
  if (take_over_) take_over_->on_drawn();
  if (line_) line_->redraw_soon();
}

// Says what Ctrl-C does, on the terminal where it was typed.
void RunDisplay::on_stop_signal(int signum) {
  if (take_over_) take_over_->hand_back();
  if (!line_ || signum != SIGINT) return;
  ++interrupts_;
  const std::string whom = plan_.issues > 1 ? "the agents" : "the agent";
  if (interrupts_ == 1) say("orch: asking " + whom + " to end; Ctrl-C again ends it at once\n");
  if (interrupts_ == 2) say("orch: ending " + whom + " at once\n");
}

void RunDisplay::on_continued() {
  const bool was_erased = take_over_ && take_over_->was_suspended();
  if (line_ && !was_erased) line_->forget();
}

// From here on the terminal is used by somebody else, so nothing is written on it.
void RunDisplay::fall_silent() {
  if (line_) line_->suspend();
  out_.flush();
  out_.hold();
  silent_ = true;
}

// The output that was held back comes first, then the question and the status line below it.
void RunDisplay::speak_again() {
  out_.release();
  out_.flush();
  out_.when_drained([this] {
    silent_ = false;
    if (line_) line_->resume();
    ask();
  });
}

void RunDisplay::hide_line() {
  if (line_ && !silent_) line_->hide();
}

void RunDisplay::on_ended(const host::Ended& ended) {
  if (line_) {
    line_->finish(store::session_name(ended.issue),
                  fmt::format("{} ({})", reason_of(ended), ended.code));
  }
  if (const auto running = running_.find(store::session_name(ended.issue));
      running != running_.end()) {
    if (live_) live_->end(*running->second);
    if (aside_) aside_->end(*running->second);
    if (take_over_) take_over_->on_session_ends(*running->second);
    running_.erase(running);
  }
  if (take_over_ && running_.empty()) take_over_->end();
  if (plan_.only_values) write_value(ended);
  if (grouped_by_issue()) write_group(ended);
  if (attention_ && needed_by_ == store::session_name(ended.issue)) attention_->relieve();
  out_.flush();
  if (ended.result && !version_note_.empty() && may_be_misread(ended.result->reason)) {
    say("orch: " + base::printable(version_note_) + "\n");
  }
  say(ended.result ? last_words(*ended.result, plan_.has_policy, plan_.is_headless)
                   : why_not_started(ended, plan_.issues));
  hurried_ = hurried_ || (ended.result && ended.result->reason == event::ExitReason::kTimeout);
  codes_.push_back(ended.code);
  ended_.push_back(ended);
  if (ended.result && plan_.on_run_ended) plan_.on_run_ended(ended.result->run);
}

// The value of --output-schema, in the place of the agent's words.
void RunDisplay::write_value(const host::Ended& ended) {
  if (plan_.output != OutputMode::kText || !ended.result || ended.result->output.empty()) return;
  const std::string line =
      (plan_.issues > 1 ? ended.issue + " | " : "") + ended.result->output + "\n";
  line_ ? line_->print(line) : out_.write(line);
}

bool RunDisplay::has_started(const std::string& session) const { return !run_of(session).empty(); }

std::string RunDisplay::run_of(const std::string& session) const {
  const auto found =
      std::find_if(started_.begin(), started_.end(),
                   [&session](const Started& started) { return started.session == session; });
  return found == started_.end() ? "" : found->run;
}

std::vector<std::string> RunDisplay::started_and_queued() const {
  std::vector<std::string> names;
  for (const Started& started : started_) names.push_back(started.session);
  for (const std::string& session : plan_.queued) {
    const auto is_session = [&session](const host::Ended& ended) {
      return store::session_name(ended.issue) == session;
    };
    const bool has_ended = std::any_of(ended_.begin(), ended_.end(), is_session);
    if (!has_started(session) && !has_ended) names.push_back(session);
  }
  return names;
}

std::vector<int> RunDisplay::codes_not_started() const {
  std::vector<int> codes;
  for (const host::Ended& ended : ended_) {
    if (!has_started(store::session_name(ended.issue))) codes.push_back(ended.code);
  }
  return codes;
}

void RunDisplay::on_all_ended() {
  hide_line();
  if (line_) line_->clear();
  if (plan_.place == Place::kGithub) {
    out_.write(github::resume_commands(github_token_));
    if (grouped()) out_.write(github::end_group());
    for (const host::Ended& ended : ended_) {
      out_.write(github::annotation(store::session_name(ended.issue), reason_of(ended), ended.code,
                                    base::printable_lines(detail_of(ended))));
    }
  }
  if (plan_.issues > 1) {
    out_.flush();
    std::string text = summary_table(ended_);
    if (base::Result<std::string> path = write_summary(plan_.state_dir, ended_)) {
      text += "orch: summary in " + base::printable(*path) + "\n";
    } else {
      text += "orch: no summary: " + base::printable(path.error().text) + "\n";
    }
    say(text);
  }
  const auto drain = [this] {
    all_ended_ = true;
    wait_for_readers();
  };
  notifier_ ? notifier_->leave(drain) : drain();
}

void RunDisplay::hurry() {
  hurried_ = true;
  if (all_ended_) wait_for_readers();
}

// Waits for readers of the agents' output as long as they take, unless the run was asked to end;
// for readers of standard error until they have taken nothing for kLastWaitMs.
void RunDisplay::wait_for_readers() {
  if (finished_) return;
  const size_t left = out_.waiting_bytes() + (error_out_ ? error_out_->waiting_bytes() : 0);
  const bool all_taken = left == 0 && notices_.all_said();
  const bool stands_still = left == left_to_take_ && last_wait_over_;
  last_wait_over_ = false;
  left_to_take_ = left;
  const bool only_notices = !error_out_ && notices_.are_all_that_waits();
  const bool for_ever = out_.waiting_bytes() > 0 && !only_notices && !hurried_;
  if (all_taken || (stands_still && !for_ever)) {
    finished_ = true;
    return on_all_ended_();
  }
  const auto again = [this] { wait_for_readers(); };
  if (out_.waiting_bytes() > 0) {
    out_.when_drained(again);
  } else if (error_out_) {
    error_out_->when_drained(again);
  }
  if (for_ever) return;
  last_wait_.start(kLastWaitMs, [this] {
    last_wait_over_ = true;
    wait_for_readers();
  });
}

}  // namespace orch::ui
