#include "cli/crew_watch.h"

#include <algorithm>
#include <utility>

#include "cli/top_rows.h"

namespace orch::cli {
namespace {

using Kind = ui::TerminalInput::Kind;

constexpr int64_t kFrameMs = 50;
// While an agent is in the middle of a frame (synchronized output), drawing is put off; but at most
// this often, because the other agents draw, too.
constexpr int kMostHalfFrames = 3;
constexpr int64_t kMessageMs = 8'000;

}  // namespace

// Follows the screen of one member's session while it runs. Like any viewer that does not type, it
// gets snapshots from the host and the raw output after them.
class CrewWatch::View final : public client::Follower {
 public:
  explicit View(CrewWatch& watch) : watch_(watch) {}

  // Follows the session's run, unless it does already.
  void look_at(const store::SessionRecord& record) {
    if (client_ && run_ == record.run) return;
    leave();
    auto client = client::Client::connect(watch_.screen_.loop(), watch_.plan_.state_dir, record);
    if (!client) return;  // tried again with the next look at the sessions
    client_ = std::move(client).value();
    run_ = record.run;
    client_->attach(std::nullopt, *this);
  }
  void leave() {
    client_.reset();
    screen_.reset();
  }
  const term::Screen* screen() const { return screen_ ? &*screen_ : nullptr; }
  bool in_frame() const { return screen_ && screen_->modes().synchronized; }

 private:
  void on_started(uint64_t /*events_offset*/) override {}
  void on_raw(std::string_view bytes) override {
    if (!screen_) return;
    screen_->feed(bytes);
    screen_->take_replies();  // discarded: the host has answered the agent's queries
    watch_.draw_soon();
  }
  void on_snapshot(term::Size size, std::string_view bytes) override {
    screen_.emplace(size);
    screen_->feed(bytes);
    screen_->take_replies();
    watch_.draw_soon();
  }
  void on_lagged(const client::Gap& /*gap*/) override {}
  void on_end(std::string_view /*result_json*/) override { on_over(); }
  void on_lost(const base::Error& /*error*/) override { on_over(); }
  void on_over() {
    CrewWatch& watch = watch_;
    leave();
    watch.draw_soon();
  }

  CrewWatch& watch_;
  std::string run_;
  std::optional<term::Screen> screen_;  // unset before the first snapshot
  std::unique_ptr<client::Client> client_;
};

CrewWatch::CrewWatch(Plan plan)
    : plan_(std::move(plan)),
      screen_(plan_.ink, *this),
      watch_(screen_.loop(), plan_.state_dir, [this] { on_sessions(); }),
      frame_(screen_.loop()),
      message_over_(screen_.loop()) {
  for (size_t i = 0; i < plan_.members.size(); ++i) views_.push_back(std::make_unique<View>(*this));
}

CrewWatch::~CrewWatch() = default;

int CrewWatch::run() {
  screen_.start();
  watch_.start();
  return screen_.run();
}

// Called every client::kLookMs, and when a session answers.
void CrewWatch::on_sessions() {
  looked_ = true;
  for (size_t i = 0; i < views_.size(); ++i) {
    const auto session = watch_.sessions().find(plan_.members[i].key);
    if (session == watch_.sessions().end()) continue;
    const client::WatchedSession& watched = session->second;
    const bool runs =
        !watched.ended && watched.view.record.status == store::SessionStatus::kRunning;
    runs ? views_[i]->look_at(watched.view.record) : views_[i]->leave();
  }
  draw_soon();
}

// Draws at once if nothing was drawn for kFrameMs; otherwise when that time is over.
void CrewWatch::draw_soon() {
  if (frame_.active()) return;
  const int64_t wait_ms = drawn_at_ms_ + kFrameMs - now_ms();
  frame_.start(std::clamp<int64_t>(wait_ms, 0, kFrameMs), [this] { draw_frame(); });
}

void CrewWatch::draw_frame() {
  drawn_at_ms_ = now_ms();
  const bool half =
      std::any_of(views_.begin(), views_.end(), [](const auto& view) { return view->in_frame(); });
  if (half && ++half_frames_ < kMostHalfFrames) return draw_soon();
  half_frames_ = 0;
  screen_.draw();
}

void CrewWatch::draw(ui::Canvas& canvas) {
  std::vector<ui::Tile> tiles;
  for (size_t i = 0; i < views_.size(); ++i) {
    const Member& member = plan_.members[i];
    ui::Tile tile{
        .name = member.name, .role = member.role, .state = looked_ ? "not running" : "", .age = ""};
    tile.screen = views_[i]->screen();
    const auto session = watch_.sessions().find(member.key);
    if (session != watch_.sessions().end()) {
      const ui::TopSession row = top_row(session->second, now_ms());
      tile.need = row.need;
      tile.state = row.state;
      if (!row.end_ms) tile.age = ui::age_text(now_ms() - row.since_ms);
      tile.text = row.words();
    }
    tiles.push_back(std::move(tile));
  }
  areas_ = ui::tile_areas(tiles.size(), canvas.size());
  ui::draw_tiles(tiles, selected_, foot(), canvas);
}

std::string CrewWatch::foot() const {
  if (!message_.empty()) return message_;
  return plan_.title + "  q leave  Enter, 1-9 attach  ←↑↓→ select";
}

void CrewWatch::on_input(const ui::TerminalInput& input) {
  switch (input.kind) {
    case Kind::kText:
    case Kind::kKey:
      return on_key(input.text);
    case Kind::kClick:
      selected_ = ui::tile_at(areas_, {input.row, input.col}).value_or(selected_);
      return;
    case Kind::kPaste:  // a pasted text is no command
    case Kind::kWheelUp:
    case Kind::kWheelDown:
      return;
  }
}

void CrewWatch::on_key(const std::string& key) {
  if (key == "q" || key == "C-c") return screen_.end(0);
  if (key == "C-z") return screen_.suspend();
  if (key == "C-l") return screen_.forget();
  if (key == "Up") return move(ui::Direction::kUp);
  if (key == "Down") return move(ui::Direction::kDown);
  if (key == "Left") return move(ui::Direction::kLeft);
  if (key == "Right") return move(ui::Direction::kRight);
  if (key == "Enter") return attach(selected_);
  const bool is_digit = key.size() == 1 && key.front() >= '1' && key.front() <= '9';
  if (is_digit) attach(static_cast<size_t>(key.front() - '1'));
}

void CrewWatch::move(ui::Direction direction) {
  selected_ = ui::neighbour(areas_, selected_, direction);
}

void CrewWatch::attach(size_t member) {
  if (member >= views_.size()) return;
  selected_ = member;
  const Member& wanted = plan_.members[member];
  const auto session = watch_.sessions().find(wanted.key);
  const bool runs = session != watch_.sessions().end() && !session->second.ended &&
                    session->second.view.record.status == store::SessionStatus::kRunning;
  if (!runs) return say(wanted.name + " does not run");
  screen_.run_command(plan_.attach(wanted.key));
}

void CrewWatch::on_command_ended(const std::string& trouble) {
  if (!trouble.empty()) say("attach " + trouble);
  watch_.look_now();
}

void CrewWatch::say(const std::string& message) {
  message_ = message;
  message_over_.start(kMessageMs, [this] {
    message_.clear();
    draw_soon();
  });
  draw_soon();
}

}  // namespace orch::cli
