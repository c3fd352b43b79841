#include "driver/dialog_desk.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "driver/dialog_request.h"
#include "term/keys.h"

namespace orch::driver {

using event::AgentStatus;

namespace {

// A dialog is drawn in several frames; Gemini's edit stood half drawn for 90 ms (recorded).
constexpr TimeMs kStandsMs = 300;
// A dialog without options or with a placeholder is not fully drawn yet: Codex announced a dialog
// in the window title up to 610 ms before it was there, and Claude's edit waited 240 ms for its
// diff (recorded). After this long it is left to the user as it is.
constexpr TimeMs kReadMs = 5'000;
// Agents that repaint by erasing lose a dialog for up to 40 ms (Gemini's trust dialog, recorded).
constexpr TimeMs kGoneMs = 300;
// So if a dialog was away for this long while the agent was seen working, the agent has taken the
// answer, and a dialog that appears now is another one, even with the same words.
constexpr TimeMs kRepaintMs = 100;
// If the dialog is still there this long after a digit that moved the cursor, the digit did not
// choose the option.
constexpr TimeMs kMovedMs = 500;
// If the digit did not move the cursor, or Enter had no effect, four cases look alike: the agent is
// slow or its output is late (Gemini, starved of the processor, took a digit after 4 s), another
// dialog with the same words has replaced the first one in a single frame, the agent wants Enter,
// or it dropped the key. One Enter too many would go to whatever comes after the dialog. So after
// this long the cursor is moved away and back, which does no harm in any of these cases. When both
// moves were seen, the owner is asked again, and then Enter is typed.
constexpr TimeMs kIgnoredMs = 5'000;
// The longest wait for the effect of a key, on a machine as busy as that.
constexpr TimeMs kTakenMs = 15'000;
// Keys other than digits wait until the dialog has stood this long: Claude Code 2.1.332 drops them
// for up to 600 ms after it has drawn a dialog (PF in its source), so that nobody answers a dialog
// by keys that were meant for something else.
constexpr TimeMs kGuardedMs = 700;
// The screen heights in rows, tried in this order, for reading a dialog that has no room; the last
// has room for a command of some 60 KB at 80 columns. The agent redraws within this time.
constexpr std::array kHigherRows{200, 1'000};
constexpr TimeMs kRedrawnMs = 1'500;
constexpr size_t kMostKeys = 24;        // to choose one option
constexpr size_t kMostKeysForTick = 4;  // and for each tick box

bool is_drawn(const detect::DialogView& dialog) {
  constexpr std::string_view kPlaceholder = "\n…\n";
  return !dialog.options.empty() &&
         ("\n" + dialog.body + "\n").find(kPlaceholder) == std::string::npos;
}

// The text with every tick box empty: a title may show which questions are answered.
std::string unticked(std::string text) {
  constexpr std::string_view kEmpty = "☐";
  for (const std::string_view ticked : {"☑", "☒", "✔"}) {
    for (size_t at = text.find(ticked); at != std::string::npos; at = text.find(ticked, at)) {
      text.replace(at, ticked.size(), kEmpty);
    }
  }
  return text;
}

// The fingerprint of a dialog: all its text, but neither the position of the cursor nor the ticks.
// If no dialog is drawn, there is still a fingerprint for as long as the agent says that it waits.
std::string print_of(const DialogLook& look) {
  if (look.dialog == detect::DialogView{}) return look.waiting ? "waiting" : "";
  std::string print = unticked(look.dialog.title) + "\n" + look.dialog.body;
  for (const std::string& option : look.dialog.options) print.append("\n> ").append(option);
  return print;
}

// Why a dialog is left to the user after kReadMs.
std::string_view trouble_with(const detect::DialogView& dialog) {
  if (dialog == detect::DialogView{}) return "the agent waits, but shows no dialog";
  return is_drawn(dialog) ? "the dialog does not stand still" : "the dialog shows no options";
}

std::string bytes_of(DialogKey key, const detect::DialogView& dialog,
                     const std::vector<size_t>& options, bool application_cursor) {
  const auto named = [application_cursor](std::string_view name) {
    return term::key_bytes(name, application_cursor ? term::CursorKeys::kApplication
                                                    : term::CursorKeys::kNormal)
        .value_or("");
  };
  switch (key) {
    case DialogKey::kDigit:
      return std::to_string(options.front() + 1);
    case DialogKey::kUp:
      return named("Up");
    case DialogKey::kDown:
      return named("Down");
    case DialogKey::kLeft:
      return named("Left");
    case DialogKey::kRight:
      return named("Right");
    case DialogKey::kSpace:
      return named("Space");
    case DialogKey::kEnter:
      return named("Enter");
    case DialogKey::kOwn: {
      std::string bytes;
      for (const std::string_view key : base::split(dialog.keys[options.front()], ' ')) {
        bytes += named(key);
      }
      return bytes;
    }
    case DialogKey::kUnknown:
      break;
  }
  return {};
}

}  // namespace

DialogLook dialog_look(const detect::Detector& detector, const term::Screen& screen) {
  return {
      .waiting = detector.status() == AgentStatus::kWaiting &&
                 detector.latest().status == AgentStatus::kWaiting,
      .cause = detector.cause(),
      .dialog = detect::read_dialog(detector.rules(), detector.rows(), detector.layout(), screen),
      .application_cursor = screen.modes().application_cursor,
      .rows = screen.size().rows};
}

std::string DialogDesk::step(TimeMs now, const DialogLook& look) {
  see(now, look);
  switch (state_) {
    case State::kNone:
      if (look.waiting) seen_since_ = now;  // this is the first look at the dialog
      return at_none(now, look);
    case State::kReading:
      return at_reading(now, look);
    case State::kChoosing:
      return at_choosing(now, look);
    case State::kAsked:
    case State::kLeft:
      return at_standing(now, look);
  }
  return {};
}

void DialogDesk::see(TimeMs now, const DialogLook& look) {
  std::string print = print_of(look);
  if (print != seen_) {
    seen_ = std::move(print);
    seen_since_ = now;
  }
  if (!is_there()) {
    worked_ = (absent_since_ && worked_) || look.works;
    if (!absent_since_) absent_since_ = now;
    return;
  }
  was_away_ = was_away_ || (absent_since_ && now - *absent_since_ >= kRepaintMs);
  if (!is_gone(now)) absent_since_.reset();
}

std::string DialogDesk::at_none(TimeMs now, const DialogLook& look) {
  deadline_ = kNever;
  if (!look.waiting) return {};
  go(State::kReading, now);
  return at_reading(now, look);
}

std::string DialogDesk::at_reading(TimeMs now, const DialogLook& look) {
  if (!look.waiting) {
    go(State::kNone, now);
    return {};
  }
  const bool drawn = is_drawn(look.dialog);
  const TimeMs stands_at = drawn ? seen_since_ + kStandsMs : kNever;
  if (now >= stands_at) {
    if (!wants_higher(now, look)) ask(now, look, true);
    return {};
  }
  deadline_ = std::min(stands_at, since_ + kReadMs);
  if (now < deadline_) return {};
  ask(now, look, false);
  const std::string trouble(trouble_with(look.dialog));
  if (request_->title.empty()) request_->title = trouble;  // so that the user sees some text
  leave(now, trouble);
  return {};
}

// Asks for a higher screen if the dialog has no room on this one. If the agent has not redrawn it
// in time, it is read as it is.
bool DialogDesk::wants_higher(TimeMs now, const DialogLook& look) {
  if (!look.dialog.clipped || !look.resizable) return false;
  if (wanted_rows_ && now < higher_at_ + kRedrawnMs) {
    deadline_ = higher_at_ + kRedrawnMs;
    return true;
  }
  if (wanted_rows_ && look.rows < *wanted_rows_) return false;
  const auto next = std::find_if(kHigherRows.begin(), kHigherRows.end(),
                                 [&look](int rows) { return rows > look.rows; });
  if (next == kHigherRows.end()) return false;
  wanted_rows_ = *next;
  higher_at_ = now;
  deadline_ = now + kRedrawnMs;
  return true;
}

// Asks the owner for a choice. This happens once for each dialog, unless the dialog may have become
// another one (ask_again).
void DialogDesk::ask(TimeMs now, const DialogLook& look, bool complete) {
  asked_ = seen_;
  absent_since_.reset();
  asked_again_ = false;
  request_ = request_of(look.dialog, look.cause);
  request_->complete = request_->complete && complete;
  asked_ticks_ = look.dialog.ticks;
  go(State::kAsked, now);
}

void DialogDesk::ask_again(TimeMs now, const DialogLook& look) {
  ask(now, look, true);
  asked_again_ = true;
}

void DialogDesk::choose(TimeMs now, std::vector<size_t> options) {
  if (state_ != State::kAsked && state_ != State::kLeft) return;
  options_ = std::move(options);
  const auto has_tick = [this](size_t option) {
    return option < asked_ticks_.size() && asked_ticks_[option];
  };
  ticks_ = std::all_of(options_.begin(), options_.end(), has_tick);
  keys_ = 0;
  by_arrows_ = asked_again_;
  go(State::kChoosing, now);
  deadline_ = now;
}

bool DialogDesk::is_on_option(const detect::DialogView& dialog) const {
  return !ticks_ && dialog.cursor == static_cast<int>(options_.front());
}

DialogKey DialogDesk::next(const detect::DialogView& dialog) const {
  if (ticks_) return next_key_in_set(dialog, options_);
  const size_t option = options_.front();
  if (!by_arrows_) {
    const bool behind_digit = key_ == DialogKey::kDigit && keys_ > 0;
    return behind_digit ? DialogKey::kEnter : next_key(dialog, option);
  }
  const bool moves_away = key_ == DialogKey::kDigit || key_ == DialogKey::kEnter;
  if (!moves_away || !is_on_option(dialog)) {
    detect::DialogView unnumbered = dialog;
    unnumbered.numbered = false;
    return next_key(unnumbered, option);
  }
  if (option + 1 < dialog.options.size()) return DialogKey::kDown;
  return option > 0 ? DialogKey::kUp : DialogKey::kUnknown;
}

std::string DialogDesk::press(TimeMs now, const DialogLook& look) {
  if (!look.keyboard_free) {  // step() is called again when the keyboard is free
    deadline_ = kNever;
    return {};
  }
  const DialogKey key = next(look.dialog);
  if (key == DialogKey::kUnknown) {
    leave(now, "the dialog does not show where its cursor is");
    return {};
  }
  if (key == DialogKey::kEnter && by_arrows_ && !asked_again_) {
    ask_again(now, look);
    return {};
  }
  const size_t most = kMostKeys + kMostKeysForTick * look.dialog.ticks.size();
  if (static_cast<size_t>(keys_) == most) {
    leave(now, "the cursor does not come to the option");
    return {};
  }
  ++keys_;
  key_ = key;
  typed_at_ = now;
  was_away_ = false;
  cursor_before_ = cursor_place(look.dialog);
  ticks_before_ = look.dialog.ticks;
  deadline_ = now + term::kKeyGapMs;
  return bytes_of(key, look.dialog, options_, look.application_cursor);
}

std::string DialogDesk::at_choosing(TimeMs now, const DialogLook& look) {
  if (is_gone(now)) {
    go(State::kNone, now);
    return at_none(now, look);
  }
  if (!is_there()) {
    deadline_ = gone_at();
    return {};
  }
  if (keys_ == 0) {
    const DialogKey key = next(look.dialog);
    const bool guarded = key != DialogKey::kDigit && key != DialogKey::kUnknown;
    if (!guarded || now >= seen_since_ + kGuardedMs) return press(now, look);
    deadline_ = seen_since_ + kGuardedMs;
    return {};
  }
  if (now - typed_at_ < term::kKeyGapMs) {
    deadline_ = typed_at_ + term::kKeyGapMs;
    return {};
  }
  return go_on(now, look);
}

// Goes on while the dialog is still there after a key.
std::string DialogDesk::go_on(TimeMs now, const DialogLook& look) {
  const bool there = is_on_option(look.dialog);
  deadline_ = typed_at_ + kTakenMs;
  switch (key_) {
    case DialogKey::kDigit: {
      const bool moved = there && cursor_before_ != cursor_place(look.dialog);
      if (!there && (!look.waiting || look.dialog.cursor < 0)) break;
      const TimeMs due = typed_at_ + (moved ? kMovedMs : kIgnoredMs);
      if (now < due) {
        deadline_ = due;
        break;
      }
      by_arrows_ = !moved;
      if (!moved || !was_away_) return press(now, look);
      ask_again(now, look);
      return {};
    }
    case DialogKey::kUp:
    case DialogKey::kDown:
    case DialogKey::kLeft:
    case DialogKey::kRight:
      if (cursor_place(look.dialog) == cursor_before_) break;
      if (next(look.dialog) != DialogKey::kUnknown) return press(now, look);
      break;
    case DialogKey::kSpace:
      if (look.dialog.ticks != ticks_before_) return press(now, look);
      break;
    case DialogKey::kEnter: {
      if (!there || asked_again_ || look.dialog.numbered) break;
      const TimeMs due = typed_at_ + kIgnoredMs;
      deadline_ = std::min(deadline_, due);
      if (now < due) return {};
      by_arrows_ = true;
      return press(now, look);
    }
    case DialogKey::kOwn:
    case DialogKey::kUnknown:
      break;
  }
  if (now - typed_at_ >= kTakenMs) {
    leave(now, "the dialog still stands after its answer was typed");
  }
  return {};
}

// The dialog waits for the owner or for a user.
std::string DialogDesk::at_standing(TimeMs now, const DialogLook& look) {
  if (is_gone(now)) {
    go(State::kNone, now);
    return at_none(now, look);
  }
  deadline_ = is_there() ? kNever : gone_at();
  return {};
}

void DialogDesk::leave(TimeMs now, std::string reason) {
  go(State::kLeft, now);
  if (!reason.empty()) reason_ = std::move(reason);
}

TimeMs DialogDesk::gone_at() const { return *absent_since_ + (worked_ ? kRepaintMs : kGoneMs); }

void DialogDesk::go(State state, TimeMs now) {
  if (state == State::kNone) wanted_rows_.reset();
  state_ = state;
  since_ = now;
  deadline_ = kNever;
}

}  // namespace orch::driver
