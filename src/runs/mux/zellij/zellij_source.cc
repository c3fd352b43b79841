#include "mux/zellij/zellij_source.h"

#include <poll.h>

#include <functional>
#include <optional>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "loop/loop.h"
#include "mux/tool.h"
#include "mux/zellij/command.h"
#include "mux/zellij/screen.h"
#include "pty/containment.h"
#include "pty/pty.h"
#include "session/environment.h"
#include "store/atomic_file.h"
#include "store/temporary_folder.h"

namespace orch::mux::zellij {
namespace {

constexpr int64_t kLookMs = 500;
constexpr int64_t kDrainMs = 5'000;  // a busy machine takes seconds to dump a screen
constexpr int kStartMs = 10'000;
constexpr int64_t kSizeLookMs = 20, kSizeMs = 3'000;  // the size of a new pane is waited for
constexpr size_t kMostUpdate = size_t{4} << 20;

// A client that nobody looks at. Its end ends the wait for it.
class Unseen final : public pty::Observer {
 public:
  explicit Unseen(loop::Loop& loop) : loop_(loop) {}
  void on_output(std::string_view /*bytes*/) override {}
  void on_end(pty::ExitStatus /*status*/) override { loop_.stop(); }

 private:
  loop::Loop& loop_;
};

std::vector<std::string> client_environment() {
  std::vector<std::string> env = session::own_environment();
  if (session::value_in(env, "TERM").empty()) env.emplace_back("TERM=xterm-256color");
  return env;
}

// A session in the background has 50 × 50 cells until a client comes. One that comes for a moment,
// on a terminal of the wanted size, sets the size, which stays.
void set_size(const std::string& session, int terminal, pty::TerminalSize wanted) {
  loop::Loop own;
  Unseen unseen(own);
  const pty::SpawnPlan plan{.argv = attach(session),
                            .cwd = "",
                            .env = client_environment(),
                            .cols = wanted.cols,
                            .rows = wanted.rows};
  const auto client = pty::Pty::spawn(own, plan, unseen);
  if (!client) return base::log_warn("zellij", "set the size: " + client.error().text);
  loop::Timer look(own);
  const int64_t until = own.now_ms() + kSizeMs;
  const std::function<void()> see = [&] {
    if (pty::size_of(terminal) == wanted || own.now_ms() > until) return own.stop();
    look.start(kSizeLookMs, see);
  };
  look.start(0, see);
  own.run();
}

}  // namespace

base::Result<std::unique_ptr<session::Source>> ZellijSource::start(
    loop::Loop& loop, const Place& place, const pty::SpawnPlan& plan,
    session::SourceObserver& observer) {
  std::unique_ptr<ZellijSource> source(new ZellijSource(loop, place, observer));
  const auto failed = [&place](base::Error error) {
    remove_session(place.session);
    return error;
  };
  auto link = source->open_pane();
  if (!link) return failed(link.error());
  source->pane_ = "terminal_" + (*link)->hello.zellij_pane;
  source->size_ = {plan.cols, plan.rows};
  set_size(place.session, (*link)->terminal.get(), source->size_);
  auto agent = mux::PaneAgent::start(loop, std::move(link).value(), plan, *source);
  if (!agent) return failed(agent.error());
  source->agent_ = std::move(agent).value();
  source->agent_->if_abandoned(delete_session(place.session));
  source->subscribe();
  base::log_info("zellij", source->pane_ + " of session " + place.session);
  return std::unique_ptr<session::Source>(std::move(source));
}

ZellijSource::ZellijSource(loop::Loop& loop, Place place, session::SourceObserver& observer)
    : loop_(loop),
      place_(std::move(place)),
      observer_(observer),
      look_(loop),
      tell_(loop),
      drain_(loop),
      tools_(loop, session::own_environment()),
      lines_(kMostUpdate) {}

ZellijSource::~ZellijSource() = default;

base::Result<std::unique_ptr<mux::PaneLink>> ZellijSource::open_pane() const {
  const auto error = [this](const std::string& text) {
    return base::Error{base::ErrorCode::kSystem,
                       "start " + place_.session + " in zellij: " + base::printable(text)};
  };
  base::Result<mux::PaneDoor> door = mux::PaneDoor::open();
  if (!door) return door.error();
  std::vector<std::string> command = place_.pane_command;
  command.push_back(door->name());
  remove_session(place_.session);  // an earlier run may have left one to be looked at
  const std::vector<std::string> env = session::own_environment();
  const pty::PassedByOrphans server_outlives_us;
  const base::Result<store::TemporaryFolder> folder = store::TemporaryFolder::make(place_.session);
  if (!folder) return folder.error();
  const std::string settings = folder->path() + "/zellij.kdl";
  if (base::Status s = store::write_file_unsynced(settings, kSettings); !s) return s.error();
  const auto answered = mux::run_tool(create_session(place_.session, settings, command), env);
  if (!answered) return answered.error();
  if (answered->code != 0) {
    const bool mute = base::trim(answered->said).empty();
    return error(mute ? "exit code " + std::to_string(answered->code) : answered->said);
  }
  pollfd ready{door->fd(), POLLIN, 0};
  if (::poll(&ready, 1, kStartMs) != 1) return error("the pane does not answer within 10 s");
  std::unique_ptr<mux::PaneLink> link = door->let_in();
  if (!link || link->hello.zellij_pane.empty()) return error("the pane does not know its number");
  return link;
}

void ZellijSource::write(std::string bytes) {
  if (phase_ != Phase::kRunning || lost_) return;
  for (std::string_view rest = bytes; !rest.empty();) {
    const std::string_view piece = rest.substr(0, kMaxTyped);
    tools_.run(type_bytes(place_.session, pane_, piece));
    rest.remove_prefix(piece.size());
  }
}

void ZellijSource::pause() {
  if (paused_ || phase_ == Phase::kEnded) return;
  paused_ = true;
  look_.stop();
  drain_.stop();
  if (tell_.active()) {  // the screen will be dumped and reported anew
    tell_.stop();
    seen_.clear();
  }
  agent_->hold_output();
}

void ZellijSource::resume() {
  if (!paused_ || phase_ == Phase::kEnded) return;
  paused_ = false;
  agent_->release_output();
  if (!lost_) look_after(0);
  if (phase_ == Phase::kDraining) drain_.start(lost_ ? 0 : kDrainMs, [this] { end(); });
}

void ZellijSource::stop(session::StopOrder order) {
  const pty::StopTimes times{order.quit_bytes.empty() ? 0 : order.quit_ms, order.term_ms};
  if (agent_->stop(times) == pty::StopStep::kQuitKeys) write(std::move(order.quit_bytes));
}

void ZellijSource::part(session::Parting parting) {
  if (lost_) return;
  // The pane of a command that has ended is kept by zellij.
  const bool keep = parting == session::Parting::kKeep;
  agent_->finish(status_, keep ? Words{} : delete_session(place_.session));
}

// Asks zellij for the pane's rows now, and for each change of them.
void ZellijSource::subscribe() {
  pty::ProcessPlan plan;
  plan.argv = zellij::subscribe(place_.session, pane_);
  plan.env = session::own_environment();
  plan.parent_death = pty::ParentDeath::kDieToo;
  auto client = pty::Process::spawn(loop_, std::move(plan), *this);
  if (!client) {
    base::log_warn("zellij", "subscribe: " + client.error().text);
  } else {
    changes_ = std::move(client).value();
  }
  look_after(0);
}

void ZellijSource::on_output(std::string_view bytes) {
  std::optional<std::string> rows;
  lines_.cut(
      bytes,
      [&rows](std::string_view line) {
        if (std::optional<std::string> now = rows_of(line)) rows = std::move(now);
      },
      [] {});
  if (!rows || phase_ != Phase::kRunning || paused_) return;
  newer_ = true;
  tell(std::move(*rows), false);
}

// The client ends with the pane, or an older zellij has none: then the pane is looked at.
void ZellijSource::on_end(pty::ExitStatus /*status*/) {
  changes_.reset();
  if (phase_ == Phase::kRunning && !paused_ && !lost_) look_after(kLookMs);
}

// A dump that was begun before the agent's end may lack its last words.
void ZellijSource::look_after(int64_t delay_ms) {
  look_.start(delay_ms, [this] {
    newer_ = false;
    const bool last = phase_ == Phase::kDraining;
    tools_.run(dump_screen(place_.session, pane_),
               [this, last](const pty::ToolEnd& end) { on_look(end.ok, end.output, last); });
  });
}

void ZellijSource::on_look(bool ok, std::string_view dump, bool last) {
  if (phase_ == Phase::kEnded || paused_) return;
  if (phase_ == Phase::kRunning && !changes_) look_after(kLookMs);
  if (newer_ && !last) return;
  tell(ok ? std::string(dump) : seen_, last);
}

// Reports from a timer: an observer may destroy this, and the queue or the client that calls here.
void ZellijSource::tell(std::string rows, bool last) {
  const bool changed = rows != seen_ || tell_.active();
  seen_ = std::move(rows);
  tell_.start(0, [this, changed, last] {
    if (last) drain_.start(0, [this] { end(); });
    const pty::TerminalSize now = agent_->size();
    if (now != size_ && now.cols != 0) {
      size_ = now;
      tell_.start(0, [this] { observer_.on_output(drawing(seen_, size_.rows)); });
      return observer_.on_resized(now.cols, now.rows);
    }
    if (changed) observer_.on_output(drawing(seen_, size_.rows));
  });
}

void ZellijSource::on_agent_ended(pty::ExitStatus status) {
  status_ = status;
  phase_ = Phase::kDraining;
  if (!lost_) look_after(0);
  if (!paused_) drain_.start(lost_ ? 0 : kDrainMs, [this] { end(); });
}

void ZellijSource::on_pane_lost() {
  lost_ = true;
  look_.stop();
  if (phase_ == Phase::kRunning) return observer_.on_lost("its pane in zellij is gone");
  if (!paused_) drain_.start(0, [this] { end(); });
}

void ZellijSource::end() {
  if (phase_ == Phase::kEnded) return;
  phase_ = Phase::kEnded;
  look_.stop();
  tell_.stop();
  drain_.stop();
  observer_.on_end(status_);
}

}  // namespace orch::mux::zellij
