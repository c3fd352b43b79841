#include "delivery_model.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <utility>

#include "base/text.h"
#include "driver/screen_driver.h"
#include "run/machine.h"

namespace orch::driver::model {
namespace {

constexpr term::Size kSize{60, 24};
constexpr size_t kRoom = 56;     // columns of text in the box
constexpr size_t kMostRows = 8;  // of a box; a longer text scrolls, and hides the box's prompt
constexpr size_t kPlaceholderLines = 10;
constexpr TimeMs kGlueMs = 80;  // the agent takes an Enter this soon after a paste as part of it
constexpr TimeMs kDetectionMs = 400;  // how long until a dialog on the screen is known
constexpr TimeMs kLongest = 40 * 60'000;

// A random number generator that gives the same numbers on every platform, unlike the distributions
// of the standard library.
class Chance {
 public:
  explicit Chance(uint64_t seed) : random_(seed) {}
  int64_t between(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random_() % static_cast<uint64_t>(most - least + 1));
  }
  bool one_in(int n) { return between(1, n) == 1; }
  template <typename T>
  T one_of(std::initializer_list<T> values) {
    return *(values.begin() + between(0, static_cast<int64_t>(values.size()) - 1));
  }

 private:
  std::mt19937_64 random_;
};

// A delay that changes at given times. It never changes the order of what is on its way.
class Lag {
 public:
  Lag() = default;
  explicit Lag(std::map<TimeMs, int64_t> from) : from_(std::move(from)) {}
  TimeMs arrival(TimeMs now) {
    const auto next = from_.upper_bound(now);
    const int64_t lag = next == from_.begin() ? 0 : std::prev(next)->second;
    return last_ = std::max(last_, now + lag);
  }
  int64_t longest() const {
    int64_t most = 0;
    for (const auto& [at, lag] : from_) most = std::max(most, lag);
    return most;
  }

 private:
  std::map<TimeMs, int64_t> from_;
  TimeMs last_ = 0;
};

enum class By : uint8_t { kOrch, kPerson };

struct Typed {
  TimeMs due = 0, written_at = 0;
  By by = By::kOrch;
  std::string bytes;
};

struct Drawn {
  TimeMs due = 0;
  std::string bytes;
  int dialog = 0;  // the number of the dialog that it shows; 0: none
};

struct Manners {
  int swallows = 0;   // how many Enters it ignores
  int loses = -1;     // the number of the paste that it loses; -1: none
  bool cuts = false;  // it loses only the first half of that paste
  TimeMs clock_ms = 0;
  bool asks = false;  // it opens a dialog during a turn, for `stands_ms`
  TimeMs asks_after_ms = 0, works_ms = 0, stands_ms = 0;
  std::vector<TimeMs> own_dialogs;  // when it opens a dialog by itself, at its prompt
};

// An agent's reaction to what is typed, and what it draws. It draws as the demo agent does.
class Agent {
 public:
  struct Accepted {
    std::string text;
    By by = By::kOrch;
  };
  struct Touched {  // a key that reached a dialog
    int dialog = 0;
    bool of_message = false;  // the dialog is about a turn of a message of orch's
    Typed typed;
  };

  Agent(Manners manners, TimeMs now) : manners_(std::move(manners)), clock_at_(now) { draw(); }

  void on_typed(TimeMs now, const Typed& typed) {
    std::string_view bytes = typed.bytes;
    while (!bytes.empty()) {
      constexpr std::string_view kBegin = "\x1b[200~", kEnd = "\x1b[201~";
      size_t length = base::decode_utf8(bytes).length;
      constexpr std::string_view kControls = "\x1b\r\x15\x7f", kEndKey = "\x1b[F";
      if (bytes.starts_with(kBegin)) {
        length = bytes.find(kEnd) + kEnd.size();
      } else if (bytes.starts_with(kEndKey)) {
        length = kEndKey.size();
      } else if (kControls.find(bytes.front()) == std::string_view::npos) {
        length = std::min(bytes.find_first_of(kControls), bytes.size());
      }
      std::string_view key = bytes.substr(0, length);
      bytes.remove_prefix(length);
      if (dialog_ != 0) {
        touched.push_back({dialog_, of_turn_ && turn_by_ == By::kOrch, typed});
        if (key == "\r" || key == "1" || key == "2") close(now);
        continue;
      }
      if (key.starts_with(kBegin)) {
        paste(now, key.substr(kBegin.size(), length - kBegin.size() - kEnd.size()));
      } else if (key == "\r") {
        enter(now, typed.by);
      } else if (key == "\x15") {
        clear_line();
      } else if (key == "\x7f") {
        erase_last();
      } else if (key != kEndKey) {
        type(key);
      }
    }
    draw();
  }

  TimeMs deadline() const {
    TimeMs next = next_at_;
    if (manners_.clock_ms > 0) next = std::min(next, clock_at_ + manners_.clock_ms);
    if (mode_ == Mode::kPrompt && dialog_ == 0 && !manners_.own_dialogs.empty()) {
      next = std::min(next, manners_.own_dialogs.front());
    }
    return next;
  }

  void on_time(TimeMs now) {
    if (now >= next_at_) {
      next_at_ = kNever;
      if (dialog_ != 0) {
        close(now);
      } else if (mode_ == Mode::kWorks && asks_next_) {
        asks_next_ = false;
        open(now, true);
      } else {
        mode_ = Mode::kPrompt;
      }
    }
    if (mode_ == Mode::kPrompt && dialog_ == 0 && !manners_.own_dialogs.empty() &&
        now >= manners_.own_dialogs.front()) {
      manners_.own_dialogs.erase(manners_.own_dialogs.begin());
      open(now, false);
    }
    if (manners_.clock_ms > 0 && now >= clock_at_ + manners_.clock_ms) {
      clock_at_ = now;
      ++ticks_;
    }
    draw();
  }

  std::string take_output() { return std::exchange(output_, ""); }
  int dialog() const { return dialog_; }

  std::vector<Accepted> accepted;
  std::vector<Touched> touched;
  int dialogs = 0;  // how many it has opened

 private:
  enum class Mode : uint8_t { kPrompt, kWorks };
  struct Piece {
    std::string text, placeholder;
  };

  // What it takes of a text that is pasted or typed.
  std::string_view taken(std::string_view text) {
    if (pastes_++ != manners_.loses) return text;
    if (!manners_.cuts) return {};
    text.remove_prefix(text.size() / 2);
    while (!text.empty() && (text.front() & 0xC0) == 0x80) text.remove_prefix(1);
    return text;
  }

  void type(std::string_view text) {
    text = taken(text);
    if (!text.empty()) box_.push_back({std::string(text), ""});
  }

  void paste(TimeMs now, std::string_view text) {
    pasted_at_ = now;
    text = taken(text);
    if (text.empty()) return;
    const auto feeds = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
    std::string placeholder;
    if (feeds >= kPlaceholderLines) {
      placeholder =
          "[Pasted text #" + std::to_string(pastes_) + " +" + std::to_string(feeds) + " lines]";
    }
    box_.push_back({std::string(text), std::move(placeholder)});
  }

  // Clears up to the start of the line, as gemini does: the line before it takes another key.
  void clear_line() {
    while (!box_.empty()) {
      Piece& last = box_.back();
      const size_t feed = last.placeholder.empty() ? last.text.rfind('\n') : std::string::npos;
      if (feed != std::string::npos) return last.text.resize(feed + 1);
      box_.pop_back();
    }
  }

  void erase_last() {
    if (box_.empty()) return;
    std::string& text = box_.back().text;
    if (!box_.back().placeholder.empty()) text.clear();
    while (!text.empty() && (text.back() & 0xC0) == 0x80) text.pop_back();
    if (!text.empty()) text.pop_back();
    if (text.empty()) box_.pop_back();
  }

  void enter(TimeMs now, By by) {
    if (pasted_at_ && now - *pasted_at_ < kGlueMs) {
      box_.push_back({"\n", ""});
      return;
    }
    if (box_.empty()) return;
    if (manners_.swallows > 0) {
      --manners_.swallows;
      return;
    }
    std::string text;
    for (const Piece& piece : box_) text += piece.text;
    box_.clear();
    accepted.push_back({std::move(text), by});
    if (mode_ == Mode::kWorks) return;  // the message waits behind the present turn
    mode_ = Mode::kWorks;
    turn_by_ = by;
    asks_next_ = manners_.asks;
    next_at_ = now + (asks_next_ ? manners_.asks_after_ms : manners_.works_ms);
  }

  void open(TimeMs now, bool of_turn) {
    dialog_ = ++dialogs;
    of_turn_ = of_turn;
    next_at_ = now + manners_.stands_ms;
  }

  void close(TimeMs now) {
    dialog_ = 0;
    next_at_ = mode_ == Mode::kWorks ? now + manners_.works_ms : kNever;
  }

  void draw() {
    std::string rule;
    for (int i = 0; i < kSize.cols; ++i) rule += "─";
    const bool works = mode_ == Mode::kWorks && dialog_ == 0;
    std::string frame = works ? "\x1b]0;◐ demo\a" : "\x1b]0;○ demo\a";
    frame += "\x1b[?2004h\x1b[2J\x1b[H";
    if (works) frame += "· Thinking… (1s · esc to stop)\r\n\r\n";
    frame += rule + "\r\n";
    if (dialog_ != 0) {
      // A dialog that it opens by itself is of a kind that does not belong to a turn.
      const std::string what =
          of_turn_ ? " Bash command\r\n\r\n   touch " : " Accessing workspace\r\n\r\n   ";
      frame += what + std::to_string(dialog_) +
               "\r\n\r\n Do you want to proceed?\r\n ❯ 1. Yes\r\n   2. No\r\n\r\n"
               " Enter to confirm · Esc to cancel";
    } else {
      frame += box_rows() + rule + "\r\n" + (works ? "  esc to stop" : "  enter to send");
    }
    if (manners_.clock_ms > 0 && dialog_ == 0) frame += "   " + std::to_string(ticks_);
    if (frame != frame_) output_ += frame_ = frame;
  }

  std::string box_rows() const {
    std::string shown;
    for (const Piece& piece : box_)
      shown += piece.placeholder.empty() ? piece.text : piece.placeholder;
    std::vector<std::string> rows(1);
    size_t column = 0;
    for (std::string_view rest = shown; !rest.empty();) {
      const size_t length = base::decode_utf8(rest).length;
      if (rest.front() == '\n' || column == kRoom) {
        rows.emplace_back();
        column = 0;
      }
      if (rest.front() != '\n') {
        rows.back() += rest.front() == '\t' ? " " : rest.substr(0, length);
        ++column;
      }
      rest.remove_prefix(length);
    }
    const size_t hidden = rows.size() - std::min(rows.size(), kMostRows);
    std::string text;
    for (size_t i = hidden; i < rows.size(); ++i) {
      text += (i == 0 ? "»\u00a0" : "  ") + rows[i] + "\r\n";
    }
    return text;
  }

  Manners manners_;
  Mode mode_ = Mode::kPrompt;
  std::vector<Piece> box_;
  int pastes_ = 0;
  std::optional<TimeMs> pasted_at_;
  int dialog_ = 0;
  bool of_turn_ = false, asks_next_ = false;
  By turn_by_ = By::kOrch;
  TimeMs next_at_ = kNever;  // when a turn goes on, or a dialog closes
  TimeMs clock_at_;
  int ticks_ = 0;
  std::string frame_, output_;
};

struct Message {
  std::string text;
  TimeMs at = 0;
  int64_t timeout_ms = 0;
  std::string id = {};
  std::optional<run::SendReport> report = {};
  int reports = 0;
};

class World {
 public:
  World(const adapters::Manifest& manifest, const detect::RuleSet& rules, uint64_t seed)
      : manifest_(manifest), rules_(rules), chance_(seed), machine_(plan(), 0) {
    choose();
    begin_agent();
    pump();
  }

  Outcome play() {
    while (!is_over()) {
      const TimeMs before = now_;
      now_ = std::max(now_, next());
      if (now_ > kLongest || ++steps_ > 2'000'000) {
        wrong("it does not end");
        break;
      }
      turns_at_ = now_ == before ? turns_at_ + 1 : 0;
      if (turns_at_ > 1'000) {
        wrong("it spins");
        break;
      }
      step();
    }
    judge();
    return std::move(outcome_);
  }

 private:
  static run::RunPlan plan() {
    run::RunPlan plan;
    plan.until = run::Until::kExit;
    plan.ask_timeout_ms = kNever;
    return plan;
  }

  std::map<TimeMs, int64_t> lags() {
    std::map<TimeMs, int64_t> from{{0, chance_.one_of<int64_t>({1, 5, 20, 100, 400, 1'500})}};
    const auto late = [this] {
      return chance_.one_of<int64_t>(
          {chance_.between(1, 100), chance_.between(100, 1'000), chance_.between(1'000, 10'000)});
    };
    if (chance_.one_in(2)) from[0] = late();
    for (int64_t i = chance_.between(0, 3); i > 0; --i) from[chance_.between(0, 40'000)] = late();
    return from;
  }

  Manners manners() {
    Manners manners;
    manners.swallows = static_cast<int>(chance_.one_in(4) ? chance_.between(1, 3) : 0);
    manners.loses = static_cast<int>(chance_.one_in(4) ? chance_.between(0, 4) : -1);
    manners.cuts = chance_.one_in(2);
    if (chance_.one_in(2)) manners.clock_ms = chance_.one_of<TimeMs>({50, 120, 250, 1'000, 3'000});
    manners.asks = chance_.one_in(2);
    manners.asks_after_ms = chance_.between(1, 4'000);
    manners.works_ms = chance_.between(1, 8'000);
    manners.stands_ms = chance_.between(500, 20'000);
    if (chance_.one_in(4)) {
      for (int64_t i = chance_.between(1, 3); i > 0; --i) {
        manners.own_dialogs.push_back(now_ + chance_.between(0, 40'000));
      }
      std::sort(manners.own_dialogs.begin(), manners.own_dialogs.end());
    }
    return manners;
  }

  std::string text(int n) {
    const std::string name = "message " + std::to_string(n) + " ";
    std::string text = name;
    const auto add = [&](int64_t count, std::string_view what) {
      for (int64_t i = 0; i < count; ++i) text.append(what).append(std::to_string(i));
    };
    switch (chance_.between(0, 6)) {
      case 0:
        return name + "x";
      case 1:
        add(chance_.between(1, 20), " of words ");
        break;
      case 2:
        add(chance_.between(1, 9), "\nand line ");
        break;
      case 3:
        add(chance_.between(10, 40), "\nand line ");
        break;
      case 4:
        add(chance_.between(20, 200), "letters");  // perhaps more than the box shows
        break;
      case 5:
        add(chance_.between(1, 9), "\u200bcaf\u0065\u0301 \u00ad\u4e2d\U0001F44D\U0001F3FD\t│ ");
        break;
      default:
        add(chance_.between(1, 30), "\n| a | b\u00a0");
        break;
    }
    return text + "end of " + name;
  }

  void choose() {
    to_agent_lag_ = Lag({{0, chance_.one_of<int64_t>({1, 1, 20, 100, 1'500, 4'000})}});
    if (chance_.one_in(4)) {
      sleeps_from_ = chance_.between(0, 20'000);
      sleeps_until_ = sleeps_from_ + chance_.between(100, 10'000);
    }
    to_screen_lag_ = Lag(lags());
    outcome_.longest_lag_ms = to_screen_lag_.longest();
    const int64_t count = chance_.between(1, 4);
    TimeMs at = chance_.between(0, 3'000);
    for (int n = 0; n < count; ++n) {
      messages_.push_back({text(n), at, chance_.one_in(5) ? chance_.between(500, 20'000) : 0});
      at += chance_.one_in(2) ? chance_.between(0, 500) : chance_.between(0, 30'000);
    }
    if (chance_.one_in(4)) {
      const TimeMs from = chance_.between(0, 30'000);
      const std::string keys = chance_.one_of<std::string>({"W", "WRONG", "WRONG\r", "\x15", "1"});
      for (size_t i = 0; i < keys.size(); ++i) {
        keys_.push_back({from + static_cast<TimeMs>(i) * 60, keys.substr(i, 1)});
      }
    }
    if (chance_.one_in(8)) restart_at_ = chance_.between(1'000, 40'000);
  }

  void begin_agent() {
    agent_ = std::make_unique<Agent>(manners(), now_);
    driver_ = std::make_unique<ScreenDriver>(manifest_, rules_, kSize, now_);
    to_agent_.clear();
    to_screen_.clear();
    draw();
  }

  bool is_over() const {
    return restart_at_ == kNever && keys_.empty() &&
           std::all_of(messages_.begin(), messages_.end(),
                       [](const Message& m) { return m.report.has_value(); });
  }

  // The time at which an agent that sleeps at `at` goes on: as if the machine had no processor for
  // it, it neither reads nor draws meanwhile.
  TimeMs awake(TimeMs at) const {
    return at >= sleeps_from_ && at < sleeps_until_ ? sleeps_until_ : at;
  }

  TimeMs next() const {
    TimeMs next = std::min({driver_->next_deadline(), machine_.next_deadline(),
                            awake(agent_->deadline()), restart_at_});
    if (!to_agent_.empty()) next = std::min(next, awake(to_agent_.front().due));
    if (!to_screen_.empty()) next = std::min(next, to_screen_.front().due);
    if (!keys_.empty()) next = std::min(next, std::max(keys_.front().first, keys_wait_until_));
    for (const Message& m : messages_) {
      if (m.id.empty()) next = std::min(next, m.at);
    }
    return next;
  }

  void step() {
    if (now_ >= restart_at_) restart();
    while (!to_agent_.empty() && awake(to_agent_.front().due) <= now_) {
      const Typed typed = std::move(to_agent_.front());
      to_agent_.pop_front();
      agent_->on_typed(now_, typed);
      draw();
    }
    if (awake(agent_->deadline()) <= now_) {
      agent_->on_time(now_);
      draw();
    }
    while (!to_screen_.empty() && to_screen_.front().due <= now_) {
      const Drawn drawn = std::move(to_screen_.front());
      to_screen_.pop_front();
      if (drawn.dialog != 0) seen_at_.emplace(std::pair(agents_, drawn.dialog), now_);
      driver_->on_output(now_, drawn.bytes);
      pump();
    }
    type_keys();
    for (Message& message : messages_) {
      if (!message.id.empty() || now_ < message.at) continue;
      run::SendRequest request;
      request.text = message.text;
      request.timeout_ms = message.timeout_ms;
      message.id = machine_.send(std::move(request), now_);
      pump();
    }
    if (std::min(driver_->next_deadline(), machine_.next_deadline()) > now_) return;
    driver_->on_timer(now_);
    machine_.on_clocks(now_, {now_, now_});
    machine_.on_time(now_, driver_->last_output());
    pump();
  }

  void type_keys() {
    if (keys_.empty() || now_ < std::max(keys_.front().first, keys_wait_until_)) return;
    if (driver_->holds_keyboard()) {
      keys_wait_until_ = now_ + 60;
      return;
    }
    std::string key = std::move(keys_.front().second);
    keys_.pop_front();
    keys_wait_until_ = now_ + 60;
    driver_->on_typed(now_, key);
    write(By::kPerson, std::move(key));
    pump();
    driver_->on_surroundings(now_, {.keyboard_held = !keys_.empty(), .attended = !keys_.empty()});
    pump();
  }

  void restart() {
    restart_at_ = kNever;
    take_from_agent();
    ++agents_;
    begin_agent();
    machine_.on_restart(now_);
    pump();
  }

  void draw() {
    std::string bytes = agent_->take_output();
    if (bytes.empty()) return;
    to_screen_.push_back({to_screen_lag_.arrival(now_), std::move(bytes), agent_->dialog()});
  }

  void write(By by, std::string bytes) {
    to_agent_.push_back({to_agent_lag_.arrival(now_), now_, by, std::move(bytes)});
  }

  // Does what a session does, until nobody has anything left to write or to report.
  void pump() {
    machine_.settle(now_, driver_->last_output());
    for (bool more = true; more;) {
      more = false;
      for (std::string& bytes : driver_->take_writes()) {
        write(By::kOrch, std::move(bytes));
        more = true;
      }
      for (const agent::News& news : driver_->take_news()) {
        machine_.on_news(now_, news);
        more = true;
      }
      if (more) machine_.settle(now_, driver_->last_output());
      for (const run::Action& action : machine_.take_actions()) {
        if (const auto* command = std::get_if<agent::Command>(&action)) {
          driver_->command(now_, *command);
        } else if (const auto* report = std::get_if<run::Report>(&action)) {
          take(report->report);
        }
        more = true;
      }
    }
  }

  void take(const run::SendReport& report) {
    for (Message& message : messages_) {
      if (message.id != report.id) continue;
      message.report = report;
      ++message.reports;
    }
  }

  void take_from_agent() {
    for (Agent::Accepted& accepted : agent_->accepted) accepted_.push_back(std::move(accepted));
    for (const Agent::Touched& touched : agent_->touched) judge(touched);
    outcome_.dialogs += agent_->dialogs;
  }

  void judge(const Agent::Touched& touched) {
    if (touched.typed.by != By::kOrch) return;
    const auto seen = seen_at_.find({agents_, touched.dialog});
    const bool known =
        seen != seen_at_.end() && seen->second + kDetectionMs < touched.typed.written_at;
    if (touched.of_message || known) {
      wrong("typed into a dialog at " + std::to_string(touched.typed.written_at) +
            (touched.of_message ? " of a message: " : ": ") +
            base::printable(touched.typed.bytes.substr(0, 40)));
    }
  }

  void judge() {
    take_from_agent();
    const auto trimmed = [](std::string text) {
      while (text.ends_with('\n')) text.pop_back();
      return text;
    };
    for (const Agent::Accepted& accepted : accepted_) {
      if (accepted.by != By::kOrch) continue;
      const bool sent = std::any_of(messages_.begin(), messages_.end(), [&](const Message& m) {
        return trimmed(normalised_message(m.text)) == trimmed(accepted.text);
      });
      if (!sent) wrong("entered what nobody sent: " + base::printable(accepted.text.substr(0, 80)));
    }
    for (const Message& message : messages_) judge(message, trimmed);
  }

  void judge(const Message& message, const std::function<std::string(std::string)>& trimmed) {
    const auto times =
        std::count_if(accepted_.begin(), accepted_.end(), [&](const Agent::Accepted& accepted) {
          return trimmed(accepted.text) == trimmed(normalised_message(message.text));
        });
    if (!message.report) return;
    if (message.reports != 1) wrong(message.id + " was reported more than once");
    const std::string said = message.id + " " + std::string(agent::name(message.report->result)) +
                             " (" + message.report->reason + "), in the agent " +
                             std::to_string(times) + " times";
    outcome_.repeats += std::max(0, message.report->enters - 1);
    switch (message.report->result) {
      case DeliveryResult::kAccepted:
      case DeliveryResult::kUnfinished:
        ++outcome_.accepted;
        if (times != 1) wrong(said);
        break;
      case DeliveryResult::kUnconfirmed:
        ++outcome_.unconfirmed;
        if (times > 1) wrong(said);
        break;
      case DeliveryResult::kExited:
        ++outcome_.exited;
        if (times > 1) wrong(said);
        break;
      case DeliveryResult::kBlocked:
      case DeliveryResult::kTimeout:
      case DeliveryResult::kWouldBeCommand:
        ++outcome_.refused;
        if (times != 0) wrong(said);
        break;
    }
  }

  void wrong(std::string what) { outcome_.wrong.push_back(std::move(what)); }

  const adapters::Manifest& manifest_;
  const detect::RuleSet& rules_;
  Chance chance_;
  run::Machine machine_;
  std::unique_ptr<ScreenDriver> driver_;
  std::unique_ptr<Agent> agent_;
  Lag to_agent_lag_, to_screen_lag_;
  std::deque<Typed> to_agent_;
  std::deque<Drawn> to_screen_;
  std::vector<Message> messages_;
  std::deque<std::pair<TimeMs, std::string>> keys_;  // keys that a person types, and when
  TimeMs keys_wait_until_ = 0;
  TimeMs restart_at_ = kNever;
  TimeMs sleeps_from_ = kNever, sleeps_until_ = kNever;  // while the agent sleeps
  int agents_ = 0;
  std::map<std::pair<int, int>, TimeMs> seen_at_;  // when a dialog was first on the screen
  std::vector<Agent::Accepted> accepted_;
  TimeMs now_ = 0;
  int64_t steps_ = 0;
  int turns_at_ = 0;
  Outcome outcome_;
};

}  // namespace

Outcome play(const adapters::Manifest& manifest, const detect::RuleSet& rules, uint64_t seed) {
  return World(manifest, rules, seed).play();
}

}  // namespace orch::driver::model
