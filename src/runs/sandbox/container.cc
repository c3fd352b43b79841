#include "sandbox/container.h"

#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "sandbox/exec_words.h"
#include "sandbox/leash.h"
#include "session/environment.h"
#include "session/stream_source.h"

namespace orch::sandbox {
namespace {

// This is long, because a daemon under load makes one container at a time.
constexpr int64_t kStartMs = 120'000;
constexpr int64_t kAnswerMs = 5'000;
constexpr int64_t kCloseMs = 10'000;
constexpr size_t kMostErrors = 4'096;
// The leash says only a few words; any other output of the container is dropped. A program that
// prints more than kMostBefore before the leash's first word is not a leash.
constexpr size_t kMostLine = 4'096, kMostBefore = 1 << 20;

std::string_view word_of(Signal signal) { return signal == Signal::kTerm ? "TERM\n" : "KILL\n"; }

}  // namespace

Container::Container(loop::Loop& loop, Plan plan)
    : loop_(loop),
      plan_(std::move(plan)),
      lines_(kMostLine),
      patience_(loop),
      soon_(loop),
      tools_(loop, session::own_environment(), kEngineLimits) {}

Container::~Container() = default;

void Container::start(const std::vector<std::string>& words) {
  if (phase_ != Phase::kNew) return;
  phase_ = Phase::kStarting;
  // The client has no mark of the run: a run ends everything with its mark when its agent has
  // ended.
  pty::SpawnPlan spawn;
  spawn.argv = words;
  spawn.cwd = "/";
  spawn.env = session::own_environment();
  base::Result<std::unique_ptr<session::Source>> leash =
      session::StreamSource::spawn(loop_, spawn, *this);
  if (!leash) {
    soon_.start(0, [this, why = leash.error().text] { lose(why); });
    return;
  }
  leash_ = std::move(leash).value();
  base::log_info("container", plan_.name + ": " + plan_.what);
  patience_.start(kStartMs, [this] {
    lose(plan_.what + " did not start within " + std::to_string(kStartMs / 1'000) + "s");
  });
}

void Container::observe(ContainerObserver* observer) {
  observer_ = observer;
  told_up_ = false;
  if (phase_ != Phase::kUp && phase_ != Phase::kLost) return;
  soon_.start(0, [this] {
    if (phase_ == Phase::kUp) tell_up();
    if (phase_ == Phase::kLost && observer_ != nullptr) observer_->on_lost(why_);
  });
}

// Waits for the answers to earlier signals, so that they do not hit processes that the observer
// starts.
void Container::tell_up() {
  if (observer_ == nullptr || told_up_ || unanswered_ > 0) return;
  told_up_ = true;
  observer_->on_up();
}

void Container::forget(const ContainerObserver* observer) {
  if (observer_ == observer) observer_ = nullptr;
}

void Container::on_output(std::string_view bytes) {
  if (phase_ == Phase::kStarting) {
    before_ += bytes.size();
    if (before_ > kMostBefore) {
      return lose(plan_.what +
                  " says more than 1 MB and not that it is up: use an image whose sh "
                  "is a plain shell");
    }
  }
  if (phase_ == Phase::kLost) return;
  lines_.cut(
      bytes, [this](std::string_view line) { hear(line); }, [] {});
}

void Container::on_error_output(std::string_view bytes) {
  errors_.append(bytes.substr(0, kMostErrors - std::min(kMostErrors, errors_.size())));
}

void Container::hear(std::string_view line) {
  if (phase_ == Phase::kStarting && line == kUp) {
    patience_.stop();
    phase_ = Phase::kUp;
    tell_up();
  } else if (phase_ == Phase::kStarting && line == kMissing) {
    lose("there is no " + base::printable(plan_.program) + " in " + plan_.what +
         ": use an image that has it");
  } else if (line.starts_with(kDid) && unanswered_ > 0) {
    --unanswered_;
    await_answer();
    if (observer_ != nullptr && told_up_) return observer_->on_signalled();
    if (phase_ == Phase::kUp) tell_up();
  }
}

void Container::end_inside(Signal signal) {
  if (phase_ != Phase::kUp) return;
  ++unanswered_;
  leash_->write(std::string(word_of(signal)));
  await_answer();
}

void Container::await_answer() {
  if (phase_ != Phase::kUp) return;
  if (unanswered_ == 0) return patience_.stop();
  patience_.start(kAnswerMs, [this] {
    lose("container " + plan_.name + " does not answer: it is paused, or its daemon hangs");
  });
}

void Container::end_marked(const std::string& mark) {
  if (phase_ == Phase::kUp) tools_.run(kill_marked_words(plan_.engine, plan_.name, mark));
}

void Container::find_life_signs(const std::string& mark,
                                std::function<void(std::optional<pty::LifeSigns>)> found) {
  if (phase_ != Phase::kUp) return found(std::nullopt);
  tools_.run(life_words(plan_.engine, plan_.name, mark),
             [this, found = std::move(found)](const pty::ToolEnd& end) {
               pty::LifeSigns signs = pty::life_signs_in(end.output, loop_.now_ms());
               // The agent itself has the mark: if no process is found, the look has failed, for
               // example because a program is missing in the image.
               if (!end.ok || signs.processes.empty()) return found(std::nullopt);
               found(std::move(signs));
             });
}

void Container::on_end(pty::ExitStatus status) {
  leash_ended_ = true;
  patience_.stop();
  switch (phase_) {
    case Phase::kStarting:
      return lose(plan_.what + " does not start: " + complaint_in(errors_));
    case Phase::kUp:
      return find_out_why(status);
    case Phase::kClosing:
      return on_removed();
    case Phase::kNew:
    case Phase::kLost:
    case Phase::kClosed:
      return;
  }
}

// Finds out whether the container or its daemon is gone, because the message should say which.
void Container::find_out_why(pty::ExitStatus /*status*/) {
  phase_ = Phase::kLost;
  why_ = "container " + plan_.name + " is gone";
  tools_.run({plan_.engine.program, "container", "inspect", "--format",
              "{{.State.Status}}{{if .State.OOMKilled}}, out of memory{{end}}", plan_.name},
             [this](const pty::ToolEnd& end) {
               const std::string complaint = complaint_in(end.errors);
               const bool missing = complaint.find("o such container") != std::string::npos;
               if (end.ok) {
                 why_ += ": it is " + base::printable(base::trim(end.output));
               } else if (missing) {
                 why_ += ": somebody removed or killed it";
               } else {
                 why_ = "container " + plan_.name + " cannot be reached, and what runs in it may " +
                        "go on; " + std::string(sandbox::name(plan_.engine.kind)) +
                        "'s daemon: " + (end.timed_out ? "it gives no answer" : complaint);
               }
               soon_.start(0, [this] { lose(why_); });
             });
}

void Container::lose(std::string why) {
  if (phase_ == Phase::kClosing || phase_ == Phase::kClosed) return;
  phase_ = Phase::kLost;
  patience_.stop();
  why_ = std::move(why);
  base::log_warn("container", plan_.name + ": " + why_);
  if (observer_ != nullptr) observer_->on_lost(why_);
}

void Container::close(std::function<void()> on_closed) {
  on_closed_ = std::move(on_closed);
  observer_ = nullptr;
  const bool ended = leash_ == nullptr || leash_ended_;
  const bool lost = phase_ == Phase::kLost;
  phase_ = Phase::kClosing;
  if (ended && !lost) return soon_.start(0, [this] { on_removed(); });
  if (lost) return soon_.start(0, [this] { remove(); });
  leash_->finish_writing();
  patience_.start(kCloseMs, [this] { remove(); });
}

// Removes the container by force. A joined container stays: only the run's leftovers in it are
// killed.
void Container::remove() {
  patience_.stop();
  std::vector<std::string> words{plan_.engine.program, "rm", "--force", plan_.name};
  if (plan_.ownership == Ownership::kJoined) {
    words = end_own_words(plan_.engine, plan_.name, plan_.mark);
  }
  tools_.run(std::move(words), [this](const pty::ToolEnd& end) {
    if (end.timed_out) {
      base::log_warn("container", plan_.name + " could not be removed: " +
                                      std::string(sandbox::name(plan_.engine.kind)) +
                                      " gives no answer; orch gc removes it later");
    }
    on_removed();
  });
}

// Called when the leash ends and when the removing command has ended; the first call counts.
void Container::on_removed() {
  if (phase_ == Phase::kClosed) return;
  phase_ = Phase::kClosed;
  patience_.stop();
  soon_.start(0, [this] {
    leash_.reset();
    if (on_closed_) std::exchange(on_closed_, nullptr)();
  });
}

}  // namespace orch::sandbox
