#include "setup/crew_preparations.h"

#include <cstdio>
#include <functional>
#include <optional>
#include <utility>

#include "base/text.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "pty/tool_queue.h"
#include "session/environment.h"

namespace orch::setup {
namespace {

using OnDone = std::function<void(base::Status)>;

class AskVersion final : public host::Preparation {
 public:
  explicit AskVersion(Asked asked) : asked_(std::move(asked)) {}

  void begin(loop::Loop& loop, session::SessionSetup& setup, OnDone on_done) override {
    question_.emplace(loop, std::move(asked_), VersionQuestion::kWaitedFor,
                      [&setup, on_done = std::move(on_done)](const std::string& version) {
                        setup.agent_version = version;
                        on_done(base::Ok{});  // may destroy this
                      });
  }

 private:
  Asked asked_;
  std::optional<VersionQuestion> question_;
};

class AwaitTmux final : public host::Preparation {
 public:
  // An answer within this time counts as immediate; otherwise tmux is asked again.
  static constexpr int64_t kAtOnceMs = 500;
  static constexpr int64_t kPatienceMs = 5'000;

  explicit AwaitTmux(mux::tmux::Server server) : server_(std::move(server)) {}

  void begin(loop::Loop& loop, session::SessionSetup& /*setup*/, OnDone on_done) override {
    loop_ = &loop;
    on_done_ = std::move(on_done);
    until_ms_ = loop.now_ms() + kPatienceMs;
    next_.emplace(loop);
    tmux_.emplace(loop, mux::tmux::environment_for_tmux(session::own_environment()),
                  pty::ToolLimits{.patience_ms = kPatienceMs});
    ask();
  }

 private:
  // tmux always answers, even without sessions or without a server.
  void ask() {
    asked_ms_ = loop_->now_ms();
    tmux_->run(server_.command({"list-sessions"}),
               [this](const pty::ToolEnd& end) { on_answered(end.timed_out); });
  }

  void on_answered(bool timed_out) {
    const int64_t now = loop_->now_ms();
    if (!timed_out && now - asked_ms_ <= kAtOnceMs) return tell(base::Ok{});
    if (!timed_out && now < until_ms_) return ask();
    tell(base::Error{base::ErrorCode::kSystem, base::printable(server_.program) + " -L " +
                                                   server_.label + " does not answer within " +
                                                   std::to_string(kPatienceMs / 1'000) + " s"});
  }

  void tell(base::Status done) {
    next_->start(0, [this, done = std::move(done)] {
      const OnDone on_done = std::move(on_done_);
      on_done(done);  // may destroy this
    });
  }

  mux::tmux::Server server_;
  loop::Loop* loop_ = nullptr;
  OnDone on_done_;
  int64_t asked_ms_ = 0, until_ms_ = 0;
  std::optional<loop::Timer> next_;
  std::optional<pty::ToolQueue> tmux_;
};

}  // namespace

void say_of_member(const std::string& member, const std::string& note) {
  std::fprintf(stderr, "orch: %s: %s\n", member.c_str(), base::printable(note).c_str());
}

std::unique_ptr<host::Preparation> ask_version_of(Asked asked) {
  return std::make_unique<AskVersion>(std::move(asked));
}

std::unique_ptr<host::Preparation> await_tmux(mux::tmux::Server server) {
  return std::make_unique<AwaitTmux>(std::move(server));
}

}  // namespace orch::setup
