#include "cli/top.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "base/text.h"
#include "cli/top_rows.h"
#include "client/end_session.h"
#include "run/machine.h"
#include "ui/top_view.h"

namespace orch::cli {
namespace {

using Mode = ui::UserTerminal::Mode;

// The painter wants autowrap; clicks and the wheel in SGR's form; what is pasted told apart.
constexpr std::string_view kOwnModes = "\033[?7h\033[?25l\033[?1000h\033[?1006h\033[?2004h";
constexpr int64_t kEscapeMs = 50;  // a sequence comes in one piece, or nearly
constexpr int64_t kRetryMs = 500;  // a shell that brings us to the foreground need not tell us
constexpr int64_t kChildEndsMs = 2'000;
constexpr int64_t kDecidedMs = run::kLongestAnswerMs + client::kAnswerMs;

std::string word_of(const agent::DialogChoice& choice) {
  if (choice.kind == agent::DialogChoice::Kind::kNumber) return std::to_string(choice.number);
  return std::string(agent::name(choice.kind));
}

// A child in our process group, at our terminal, with the dispositions of a fresh process.
int spawn_at_terminal(const std::vector<std::string>& words, pid_t& pid) {
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t all, none;
  ::sigfillset(&all);
  ::sigemptyset(&none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  const int failure = ::posix_spawn(&pid, argv.front(), nullptr, &attributes, argv.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  return failure;
}

}  // namespace

Top::Top(Plan plan)
    : plan_(std::move(plan)),
      out_(loop_, STDOUT_FILENO),
      keys_(loop_, STDIN_FILENO),
      escape_timer_(loop_),
      retry_timer_(loop_),
      end_timer_(loop_),
      watch_(loop_, plan_.place.state_dir, [this] { on_sessions(); }),
      painter_(plan_.ink) {}

int Top::run() {
  watch_signals();
  take_terminal();
  watch_.start();
  loop_.run();
  leave_terminal();
  return code_;
}

// False while we are in the background: it is tried again.
bool Top::take_terminal() {
  if (!terminal_.switch_to(Mode::kTaken)) {
    retry_timer_.start(kRetryMs, [this] { take_terminal(); });
    return false;
  }
  retry_timer_.stop();
  taken_ = true;
  suspended_ = std::make_unique<loop::SignalWatch>(loop_, SIGTSTP, [this](int) { suspend(); });
  painter_.forget();
  out_.write(std::string(kOwnModes));
  keys_.start(loop::kReadable, [this](int) { on_keys(); });
  draw();
  return true;
}

void Top::leave_terminal() {
  if (!taken_) return;
  taken_ = false;
  keys_.stop();
  escape_timer_.stop();
  suspended_.reset();
  out_.discard();
  draws_ = false;
  terminal_.switch_to(Mode::kFound);
}

void Top::watch_signals() {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_UNBLOCK, &all, nullptr);
  for (const int signum : {SIGINT, SIGTERM, SIGHUP}) {
    signals_.push_back(
        std::make_unique<loop::SignalWatch>(loop_, signum, [this](int n) { on_stop_signal(n); }));
  }
  // In the background a terminal would stop whoever writes to it or sets its modes.
  for (const int signum : {SIGTTIN, SIGTTOU}) std::signal(signum, SIG_IGN);
  signals_.push_back(std::make_unique<loop::SignalWatch>(loop_, SIGWINCH, [this](int) { draw(); }));
  // Whoever had the terminal meanwhile may have left it in modes of theirs.
  signals_.push_back(std::make_unique<loop::SignalWatch>(loop_, SIGCONT, [this](int) {
    if (child_ != 0) return;
    leave_terminal();
    take_terminal();
  }));
}

// A child at the terminal puts that in order first; Ctrl-C is the child's own business.
void Top::on_stop_signal(int signum) {
  if (child_ != 0 && signum == SIGINT) return;
  if (child_ == 0) return end(128 + signum);
  code_ = 128 + signum;
  ::kill(child_, signum);
  end_timer_.start(kChildEndsMs, [this] { end(code_); });
}

void Top::end(int code) {
  code_ = code;
  loop_.stop();
}

// Nobody could continue an orphaned process group: there the signal is ignored, and this returns.
void Top::suspend() {
  if (child_ != 0) return;
  leave_terminal();
  ::raise(SIGTSTP);
  take_terminal();
}

void Top::on_keys() {
  if (!ui::in_foreground()) {  // they are typed for somebody else
    leave_terminal();
    take_terminal();
    return;
  }
  std::array<char, 4096> buffer;
  const ssize_t n = ::read(STDIN_FILENO, buffer.data(), buffer.size());
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (n <= 0) return end(128 + SIGHUP);  // the terminal is gone
  escape_timer_.stop();
  take_inputs(reader_.feed({buffer.data(), static_cast<size_t>(n)}));
  if (reader_.waits() && taken_) {
    escape_timer_.start(kEscapeMs, [this] { take_inputs(reader_.flush()); });
  }
}

// What was typed in one breath with a key that gives the terminal away is not for us any more.
void Top::take_inputs(const std::vector<ui::TerminalInput>& inputs) {
  for (const ui::TerminalInput& input : inputs) {
    const ui::TopAction action = model_.on_input(input, loop_.now_ms());
    act(action);
    if (!taken_ || std::holds_alternative<ui::top::Leave>(action)) return;
  }
  draw();
}

void Top::act(const ui::TopAction& action) {
  namespace top = ui::top;
  if (std::holds_alternative<top::Leave>(action)) return end(0);
  if (std::holds_alternative<top::Suspend>(action)) return suspend();
  if (std::holds_alternative<top::Redraw>(action)) return painter_.forget();
  if (const auto* wanted = std::get_if<top::Attach>(&action)) return attach(wanted->key);
  if (const auto* wanted = std::get_if<top::Answer>(&action)) return answer(*wanted);
  if (const auto* wanted = std::get_if<top::Kill>(&action)) return kill(wanted->key);
}

void Top::attach(const std::string& key) {
  leave_terminal();
  if (const int failure = spawn_at_terminal(plan_.attach(key), child_)) {
    child_ = 0;
    say(base::system_error("attach", failure).text);
    take_terminal();
    return;
  }
  child_watch_ = std::make_unique<loop::ChildWatch>(loop_, child_, [this] { on_attach_ended(); });
}

void Top::on_attach_ended() {
  int status = 0;
  ::waitpid(child_, &status, 0);
  child_ = 0;
  child_watch_.reset();
  if (end_timer_.active()) return end(code_);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    say("attach ended with " +
        std::to_string(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)));
  }
  take_terminal();
  watch_.look_now();
}

void Top::answer(const ui::top::Answer& wanted) {
  const std::string name = watch_.sessions().at(wanted.key).view.record.name;
  say(name + ": answering " + word_of(wanted.choice));
  watch_.request(
      wanted.key, wire::AnswerDialog{.dialog = wanted.dialog, .choice = wanted.choice},
      [this, name, choice = wanted.choice](const base::Result<wire::Answer>& answer) {
        say(answer ? name + ": answered " + word_of(choice) : answer.error().text);
        watch_.look_now();
      },
      kDecidedMs);
}

// One whose host is gone has only what that left behind.
void Top::kill(const std::string& key) {
  const auto session = watch_.sessions().find(key);
  if (session == watch_.sessions().end()) return;
  const store::SessionRecord& record = session->second.view.record;
  const std::string name = record.name;
  if (record.status != store::SessionStatus::kRunning) {
    const bool removed = client::remove_dead_session(plan_.place.state_dir, record);
    say(removed ? name + ": removed" : name + ": it may live; see orch kill --now");
    return watch_.look_now();
  }
  say(name + ": ending");
  watch_.request(key, wire::Kill{}, [this, name](const base::Result<wire::Answer>& answer) {
    if (!answer) say(answer.error().text + "; orch kill --now ends it all the same");
    watch_.look_now();
  });
}

void Top::on_sessions() {
  std::vector<ui::TopSession> rows;
  const int64_t now_ms = loop_.now_ms();
  for (const auto& [key, session] : watch_.sessions()) {
    const store::SessionRecord& record = session.view.record;
    if (plan_.here && !client::is_here(plan_.place, record.repository, record.cwd)) continue;
    rows.push_back(top_row(session, now_ms));
  }
  model_.update(std::move(rows), now_ms);
  draw();
}

void Top::say(const std::string& message) {
  model_.say(message, loop_.now_ms());
  draw();
}

// A terminal that takes nothing is not drawn for: the newest is, once it does.
void Top::draw() {
  if (!taken_ || draws_) return;
  const term::Size size = ui::terminal_size().value_or(term::Size{80, 24});
  model_.resize(size);
  ui::Canvas canvas(size);
  ui::draw_top(model_, loop_.now_ms(), canvas);
  const std::string bytes = painter_.paint(canvas);
  if (bytes.empty()) return;
  out_.write(bytes);
  if (out_.waiting_bytes() == 0) return;
  draws_ = true;
  out_.when_drained([this] {
    draws_ = false;
    draw();
  });
}

}  // namespace orch::cli
