#include "mux/tmux/tmux_source.h"

#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "base/log.h"
#include "base/random.h"
#include "base/text.h"
#include "loop/loop.h"
#include "mux/tmux/snapshot.h"
#include "pty/containment.h"
#include "session/environment.h"

namespace orch::mux::tmux {
namespace {

constexpr const char* kComponent = "tmux";
constexpr int64_t kStartMs = 10'000;
constexpr int64_t kRoomMs = 3'000;  // wait for a session of this name that is about to end
constexpr int64_t kRoomLookMs = 20;
// A process that the agent left behind may keep writing, so the wait for the end of the output is
// bounded. A busy machine takes seconds to bring it.
constexpr int64_t kDrainMs = 5'000;
// tmux keeps 30 s of output for a host that does not read; after that the host gets a snapshot.
constexpr const char* kBehind = "pause-after=30";
constexpr int kMostAttempts = 5;
constexpr int64_t kAttemptMs = 200;
constexpr int64_t kSettledMs = 400;  // tmux collects changes of size for 250 ms
constexpr int kLooks = 5;            // looks at the size: on a busy machine a change takes longer

// A pane's option with the tile's title. It also distinguishes a tile from other panes. The agent
// cannot change it.
constexpr const char* kTileOption = "@orch-tile";
// A session's option with the process that its tiles belong to.
constexpr const char* kHostOption = "@orch-host";

std::string size_text(int number) { return std::to_string(std::max(1, number)); }

// The value of kHostOption for this process.
std::string own_name() { return std::to_string(::getpid()); }

// Whether the client failed because the server was about to exit after its last session, or because
// the session or pane has just ended.
bool just_ended(const ControlClient& client) {
  const std::string& trouble = client.trouble();
  if (trouble.empty()) return client.closed() && !client.attached();
  return trouble == "server exited unexpectedly" || trouble == "no sessions" ||
         trouble.starts_with("can't find ");
}

}  // namespace

base::Result<std::unique_ptr<session::Source>> TmuxSource::start(
    loop::Loop& loop, const Place& place, const pty::SpawnPlan& plan,
    session::SourceObserver& observer) {
  std::unique_ptr<TmuxSource> source(new TmuxSource(loop, place, observer));
  std::unique_ptr<mux::PaneLink> link;
  if (base::Status s = source->open_session(plan, link); !s) return s.error();
  if (base::Status s = source->set_up(*link); !s) return s.error();
  auto agent = mux::PaneAgent::start(loop, std::move(link), plan, *source);
  if (!agent) return agent.error();
  source->agent_ = std::move(agent).value();
  source->client_->watch();
  // The size is the layout's, and is reported before any output.
  if (place.tile) source->look_at_size(0);
  base::log_info(kComponent, "pane " + source->pane_id_ + " of session " + place.session);
  return std::unique_ptr<session::Source>(std::move(source));
}

TmuxSource::TmuxSource(loop::Loop& loop, Place place, session::SourceObserver& observer)
    : loop_(loop),
      place_(std::move(place)),
      observer_(observer),
      mark_("\033Porch-end-" + base::random_hex() + "\033\\"),
      drain_(loop),
      resized_(loop),
      again_(loop),
      attach_(loop) {}

TmuxSource::~TmuxSource() = default;

base::Error TmuxSource::error(const std::string& text) const {
  return {base::ErrorCode::kSystem,
          "start " + place_.session + " in tmux: " + base::printable(text)};
}

base::Status TmuxSource::open_session(const pty::SpawnPlan& plan,
                                      std::unique_ptr<mux::PaneLink>& link) {
  base::Result<mux::PaneDoor> door = mux::PaneDoor::open();
  if (!door) return door.error();
  size_ = {plan.cols, plan.rows};
  const std::vector<std::string> env = environment_for_tmux(session::own_environment());
  const pty::PassedByOrphans server_outlives_us;
  const int64_t room_until = loop_.now_ms() + kRoomMs;
  const int64_t until = loop_.now_ms() + kStartMs;
  while (!link) {
    const std::vector<std::string> argv = place_.server.command(opening_words(door->name()));
    auto client = ControlClient::start(loop_, argv, plan.cwd, env, *this);
    if (!client) return client.error();
    client_ = std::move(client).value();
    auto came = await_pane(*door, until);
    if (came) {
      link = std::move(came).value();
    } else if (client_->trouble().starts_with("duplicate session")) {
      if (base::Status s = make_room(room_until); !s) return s;
    } else if (just_ended(*client_) && loop_.now_ms() < room_until) {
      ::usleep(kRoomLookMs * 1000);
    } else {
      return came.error();
    }
  }
  return base::Ok{};
}

// The words that open a session of its own, or split off a pane after the last of our tiles. A
// client that attaches to a pane would take the focus; this leaves it to a user at another tile.
std::vector<std::string> TmuxSource::opening_words(const std::string& door) const {
  const std::string last = place_.tile ? last_tile() : "";
  const pty::TerminalSize window =
      place_.tile ? pty::TerminalSize{place_.tile->cols, place_.tile->rows} : size_;
  std::vector<std::string> words;
  if (last.empty()) {
    words = {"-C", "new-session",          "-s", place_.session,
             "-x", size_text(window.cols), "-y", size_text(window.rows)};
  } else {
    words = {"-C", "attach-session", "-t", "=" + place_.session, ";", "split-window", "-d", "-t",
             last};
  }
  words.emplace_back("--");
  words.insert(words.end(), place_.pane_command.begin(), place_.pane_command.end());
  words.push_back(door);
  return words;
}

// The pane of this process's newest tile in the session; "" if there is none.
std::string TmuxSource::last_tile() const {
  const std::string format =
      "#{" + std::string(kHostOption) + "} #{?" + kTileOption + ",#{pane_id},}";
  const auto panes =
      ask(place_.server, {"list-panes", "-s", "-t", exactly(place_.session), "-F", format});
  if (!panes || panes->code != 0) return "";
  const std::string ours = own_name() + " ";
  std::string last;
  for (const std::string_view line : base::split_lines(panes->said)) {
    if (line.starts_with(ours) && line.size() > ours.size()) last = line.substr(ours.size());
  }
  return last;
}

base::Result<std::unique_ptr<mux::PaneLink>> TmuxSource::await_pane(mux::PaneDoor& door,
                                                                    int64_t until_ms) {
  std::unique_ptr<mux::PaneLink> link;
  while (!link || !client_->attached()) {
    const int64_t left = until_ms - loop_.now_ms();
    if (left <= 0) return error("the pane does not answer within 10 s");
    const std::string& trouble = client_->trouble();
    if (client_->closed()) return error(trouble.empty() ? "it ended at once" : trouble);
    // The client is attached, but there is no room for the pane.
    if (!link && !trouble.empty()) return error(trouble);
    client_->wait_for_more(link ? -1 : door.fd(), left);
    if (!link) link = door.let_in();
  }
  return link;
}

// Removes a session of this name that an earlier run left to be looked at; a session that lives
// stays.
base::Status TmuxSource::make_room(int64_t until_ms) const {
  if (remove_dead(place_.server, place_.session)) return base::Ok{};
  if (loop_.now_ms() >= until_ms) {
    return base::usage_error("session " + place_.session +
                             " runs in tmux already, though not as this state directory knows; "
                             "end it: tmux -L " +
                             place_.server.label + " kill-session -t =" + place_.session);
  }
  ::usleep(kRoomLookMs * 1000);
  return base::Ok{};
}

base::Status TmuxSource::set_up(const mux::PaneLink& link) {
  const std::string& tmux = link.hello.tmux;
  session_id_ = "$" + tmux.substr(tmux.rfind(',') + 1);
  pane_id_ = link.hello.tmux_pane;
  if (!pane_id_.starts_with('%')) return error("the pane does not know its number");
  const auto set = [this](const std::vector<std::string>& words) {
    client_->send(command_line(words));
  };
  // For a user at the pane: tmux distinguishes an Escape from Alt at once, and the session keeps
  // its name.
  set({"set-option", "-s", "escape-time", "20"});
  set({"set-option", "-w", "-t", pane_id_, "automatic-rename", "off"});
  set({"set-option", "-w", "-t", pane_id_, "window-size", "manual"});
  place_.tile ? set_up_tile() : resize(size_.cols, size_.rows);
  set({"refresh-client", "-f", kBehind});
  std::string told;
  client_->send(command_line({"display-message", "-p", "-t", pane_id_,
                              "#{window_id} #{pane_width} #{pane_height} #{version}"}),
                1, [&told](const std::vector<Block>& answer) {
                  const auto& lines = answer.back().lines;
                  told = lines.empty() ? " " : lines.front();
                });
  const int64_t until = loop_.now_ms() + kStartMs;
  while (told.empty() && !client_->closed() && loop_.now_ms() < until) {
    client_->wait_for_more(-1, until - loop_.now_ms());
  }
  std::istringstream words(told);
  std::string version;
  pty::TerminalSize size;
  if (!(words >> window_id_ >> size.cols >> size.rows >> version)) {
    return error("it does not answer");
  }
  raw_paste_ = raw_paste_of(version);
  if (place_.tile) keep_tiled();
  const int64_t settled = loop_.now_ms() + kSettledMs;
  while (pty::size_of(link.terminal.get()) != size && loop_.now_ms() < settled) {
    client_->wait_for_more(-1, 5);
  }
  return base::Ok{};
}

// An agent that sets a title would replace the tile's. If tmux cannot forbid that (3.3a), a hook
// sets the tile's title again.
void TmuxSource::set_up_tile() {
  const auto set = [this](const std::vector<std::string>& words) {
    client_->send(command_line(words));
  };
  const std::string& title = place_.tile->title;
  const std::vector<std::string> retitle{"select-pane", "-t", pane_id_, "-T", title};
  set({"set-option", "-t", session_id_, kHostOption, own_name()});
  set({"set-option", "-p", "-t", pane_id_, kTileOption, title});
  set({"set-option", "-p", "-t", pane_id_, "allow-set-title", "off"});
  set({"set-hook", "-p", "-t", pane_id_, "pane-title-changed", command_line(retitle)});
  set(retitle);
  set({"set-option", "-w", "-t", pane_id_, "pane-border-status", "top"});
  set({"set-option", "-w", "-t", pane_id_, "pane-border-format",
       " #{?" + std::string(kTileOption) + ",#{" + kTileOption + "},#{pane_title}} "});
  set({"select-layout", "-t", pane_id_, "tiled"});
}

// Has tmux lay out the tiles anew when this one ends, in whatever way, even if this process is
// gone.
void TmuxSource::keep_tiled() {
  const std::string again = command_line({"select-layout", "-t", window_id_, "tiled"});
  client_->send(command_line({"set-hook", "-w", "-t", pane_id_, "pane-exited", again}));
}

void TmuxSource::write(std::string bytes) {
  if (phase_ != Phase::kRunning || lost_) return;
  if (joining_ || client_->closed()) {
    unsent_ += bytes;
    return;
  }
  for (const std::string& command : typing_commands(pane_id_, bytes, raw_paste_)) {
    client_->send(command);
  }
}

// A tile cannot be resized; the caller gets a report of the tile's own size.
void TmuxSource::resize(int cols, int rows) {
  size_ = {cols, rows};
  if (place_.tile) return resized_.start(0, [this] { insist_on_size(); });
  client_->send(command_line(
      {"resize-window", "-t", pane_id_, "-x", size_text(cols), "-y", size_text(rows)}));
}

void TmuxSource::pause() {
  if (paused_ || phase_ == Phase::kEnded) return;
  paused_ = true;
  drain_.stop();
  agent_->hold_output();
}

void TmuxSource::resume() {
  if (!paused_ || phase_ == Phase::kEnded) return;
  paused_ = false;
  agent_->release_output();
  if (phase_ == Phase::kDraining) drain_.start(kDrainMs, [this] { end(); });
  again_.start(0, [this] { on_caught_up(); });
}

void TmuxSource::stop(session::StopOrder order) {
  const pty::StopTimes times{order.quit_bytes.empty() ? 0 : order.quit_ms, order.term_ms};
  if (agent_->stop(times) == pty::StopStep::kQuitKeys) write(std::move(order.quit_bytes));
}

void TmuxSource::part(session::Parting parting) {
  if (lost_) return;
  std::vector<std::string> first;
  if (parting == session::Parting::kKeep && !place_.tile) {
    first = place_.server.command({"set-option", "-p", "-t", pane_id_, "remain-on-exit", "on"});
  }
  agent_->finish(status_, std::move(first));
}

void TmuxSource::on_pane_output(std::string_view pane, std::string_view bytes) {
  if (pane == pane_id_ && !joining_) arrived_ += bytes;
}

void TmuxSource::on_notice(std::string_view name, std::string_view rest) {
  if (name == "session-changed" && joining_) return join();
  if (name == "layout-change") return look_at_size(kSettledMs);
  if (name != "pause" || rest != pane_id_ || joining_) return;
  base::log_warn(kComponent, "output was too fast for this host; it goes on with a snapshot");
  joining_ = true;
  client_->send(command_line({"refresh-client", "-A", pane_id_ + ":continue"}));
  join();
}

void TmuxSource::on_caught_up() {
  if (!agent_ || paused_) return;
  if (phase_ == Phase::kDraining) return drain();
  deliver();
}

void TmuxSource::deliver() {
  if (arrived_.empty()) return;
  take_size();
  const std::string bytes = std::exchange(arrived_, {});
  observer_.on_output(bytes);  // may destroy this
}

// Passes output on up to the mark, which may come in pieces.
void TmuxSource::drain() {
  const size_t found = arrived_.find(mark_);
  std::string bytes;
  if (found == std::string::npos) {
    const size_t held = std::min(arrived_.size(), mark_.size() - 1);
    bytes = arrived_.substr(0, arrived_.size() - held);
    arrived_.erase(0, bytes.size());
  } else {
    bytes = arrived_.substr(0, found);
    arrived_.clear();
    drain_.start(0, [this] { end(); });
  }
  if (bytes.empty()) return;
  take_size();
  observer_.on_output(bytes);  // may destroy this
}

void TmuxSource::end() {
  if (phase_ == Phase::kEnded) return;
  if (!arrived_.empty()) {
    drain_.start(0, [this] { end(); });
    return deliver();
  }
  phase_ = Phase::kEnded;
  drain_.stop();
  again_.stop();
  attach_.stop();
  resized_.stop();
  observer_.on_end(status_);
}

void TmuxSource::on_agent_ended(pty::ExitStatus status) {
  status_ = status;
  phase_ = Phase::kDraining;
  if (lost_) {
    drain_.start(0, [this] { end(); });
    return;
  }
  agent_->print(mark_);
  if (!paused_) drain_.start(kDrainMs, [this] { end(); });
}

void TmuxSource::on_pane_lost() {
  lost_ = true;
  attach_.stop();
  // tmux runs no hook for a pane that is killed
  if (place_.tile) client_->send(command_line({"select-layout", "-t", window_id_, "tiled"}));
  if (phase_ == Phase::kEnded) return;
  if (phase_ == Phase::kDraining) {
    drain_.start(0, [this] { end(); });
    return;
  }
  observer_.on_lost("its pane in tmux is gone");
}

void TmuxSource::on_closed(const std::string& why) {
  if (phase_ == Phase::kEnded || lost_) return;
  base::log_info(kComponent, "let go (" + why + "); attaching again");
  joining_ = true;
  attach_.start(attempts_ == 0 ? 0 : kAttemptMs, [this] { attach_again(); });
}

void TmuxSource::attach_again() {
  if (lost_ || phase_ == Phase::kEnded) return;
  if (++attempts_ > kMostAttempts) {
    lost_ = true;
    if (phase_ == Phase::kDraining) return end();
    return observer_.on_lost("tmux does not let it attach to its pane again");
  }
  auto client = ControlClient::start(
      loop_, place_.server.command({"-C", "attach-session", "-t", session_id_}), "/",
      environment_for_tmux(session::own_environment()), *this);
  if (!client) return on_closed(client.error().text);
  client_ = std::move(client).value();
  client_->watch();
}

void TmuxSource::join() {
  client_->send(command_line({"refresh-client", "-f", kBehind}));
  client_->send(snapshot_command(pane_id_), kSnapshotBlocks,
                [this](const std::vector<Block>& answer) { on_snapshot(answer); });
}

void TmuxSource::on_snapshot(std::span<const Block> answer) {
  joining_ = false;
  attempts_ = 0;
  arrived_ += drawing(answer);
  write(std::exchange(unsent_, {}));
}

void TmuxSource::look_at_size(int64_t after_ms) {
  looks_ = kLooks;
  resized_.start(after_ms, [this] { see_size(); });
}

// The size may change because a user at the pane splits its window or resizes it, or because other
// tiles come and go.
void TmuxSource::see_size() {
  if (phase_ == Phase::kEnded) return;
  if (looks_ > 0 && --looks_ > 0) resized_.start(kSettledMs, [this] { see_size(); });
  take_size();
}

// Called before any output is passed on: an agent draws for the new size after a change of size.
// Anything that it drew before it noticed the change is drawn over.
void TmuxSource::take_size() {
  const pty::TerminalSize now = agent_->size();
  if (now == size_ || now.cols == 0) return;
  size_ = now;
  observer_.on_resized(now.cols, now.rows);
}

// Reports the tile's size. The agent noticed no change and draws nothing anew, but the caller
// wanted another size and may have cut off part of its screen: so a snapshot is fetched.
void TmuxSource::insist_on_size() {
  const pty::TerminalSize now = agent_->size();
  if (now != size_ && now.cols != 0 && phase_ == Phase::kRunning && !client_->closed()) {
    joining_ = true;
    join();
  }
  looks_ = std::max(looks_, 1);
  see_size();
}

}  // namespace orch::mux::tmux
