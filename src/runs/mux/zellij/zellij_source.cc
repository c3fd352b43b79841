#include "mux/zellij/zellij_source.h"

#include <poll.h>

#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "loop/loop.h"
#include "mux/tool.h"
#include "mux/zellij/command.h"
#include "mux/zellij/screen.h"
#include "pty/containment.h"
#include "session/environment.h"

namespace orch::mux::zellij {
namespace {

constexpr int64_t kLookMs = 500;
constexpr int64_t kDrainMs = 5'000;  // a busy machine takes seconds to dump a screen
constexpr int kStartMs = 10'000;

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
  auto agent = mux::PaneAgent::start(loop, std::move(link).value(), plan, *source);
  if (!agent) return failed(agent.error());
  source->agent_ = std::move(agent).value();
  source->agent_->if_abandoned(delete_session(place.session));
  source->look_after(0);
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
      tools_(loop, session::own_environment()) {}

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
  for (const Words& words :
       {create_session(place_.session), run_in_pane(place_.session, place_.session, command)}) {
    const auto answered = mux::run_tool(words, env);
    if (!answered) return answered.error();
    if (answered->code == 0) continue;
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

// A dump that was begun before the agent's end may lack its last words.
void ZellijSource::look_after(int64_t delay_ms) {
  look_.start(delay_ms, [this] {
    const bool last = phase_ == Phase::kDraining;
    tools_.run(dump_screen(place_.session, pane_),
               [this, last](const pty::ToolEnd& end) { on_look(end.ok, end.output, last); });
    see_size();  // last, because the observer may destroy this
  });
}

// Reports from a timer, because the observer may destroy this and the queue that calls here.
void ZellijSource::on_look(bool ok, std::string_view dump, bool last) {
  if (phase_ == Phase::kEnded || paused_) return;
  if (phase_ == Phase::kRunning) look_after(kLookMs);
  const bool changed = ok && dump != seen_;
  if (changed) seen_ = dump;
  tell_.start(0, [this, changed, last] {
    if (last) drain_.start(0, [this] { end(); });
    if (changed) observer_.on_output(drawing(seen_, size_.rows));
  });
}

void ZellijSource::see_size() {
  const pty::TerminalSize now = agent_->size();
  if (now == size_ || now.cols == 0) return;
  size_ = now;
  seen_.clear();
  observer_.on_resized(now.cols, now.rows);
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
