#include "ui/query_filter.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace orch::ui {
namespace {

constexpr char kEsc = '\x1b', kBel = '\a', kEnq = '\x05', kCan = '\x18', kSub = '\x1a';

bool is_between(char c, char first, char last) { return c >= first && c <= last; }

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Whether `field` is one of the fields of `body`, which are separated by semicolons.
bool has_field(std::string_view body, std::string_view field) {
  while (true) {
    const size_t end = body.find(';');
    if (body.substr(0, end) == field) return true;
    if (end == std::string_view::npos) return false;
    body.remove_prefix(end + 1);
  }
}

// Whether a control sequence asks something. `body` is the part after CSI, such as "?6n": private
// marker, parameters, intermediates, final byte.
bool asks_control(std::string_view body) {
  const char last = body.back();
  body.remove_suffix(1);
  char marker = 0;
  if (!body.empty() && is_between(body.front(), '<', '?')) {
    marker = body.front();
    body.remove_prefix(1);
  }
  const size_t end = std::min(body.find_first_of(" !\"#$%&'()*+,-./"), body.size());
  const std::string_view parameters = body.substr(0, end), between = body.substr(end);
  if (!between.empty()) {
    // DECRQM; DECRQPSR, DECRQTSR, DECRQUPSS, DECRQDE, DECRQCRA, DECRQLP, DECRQSTAT-like reports;
    // XTREPORTSGR, XTREPORTCOLORS.
    return is_one_of(std::string(between) + last,
                     {"$p", "$w", "$u", "&u", "\"v", "*y", "'|", "#|", "#R"});
  }
  switch (last) {
    case 'c':  // DA1, DA2, DA3; with "?" it is the Linux console's cursor
      return marker != '?';
    case 'n':  // DSR; with ">" it sets a key modifier
      return marker == 0 || marker == '?';
    case 'q':  // XTVERSION
      return marker == '>';
    case 'u':  // kitty's keyboard
    case 'S':  // XTSMGRAPHICS
    case 'm':  // XTQMODKEYS
    case 'g':  // XTQFMTKEYS
      return marker == '?';
    case 'x':  // DECREQTPARM
      return marker == 0;
    case 't': {  // XTWINOPS' reports
      const std::string_view what = parameters.substr(0, parameters.find(';'));
      return marker == 0 && is_one_of(what, {"11", "13", "14", "15", "16", "18", "19", "20", "21"});
    }
    default:
      return false;
  }
}

// OSC commands that can ask, by their number: colours and fonts, kitty's colours, pointer shapes
// and notifications, the clipboard, iTerm2's reports, xterm's permissions.
bool may_ask(std::string_view number) {
  return is_one_of(number, {"4",  "5",  "10", "11", "12", "13", "14", "15", "16", "17",
                            "18", "19", "21", "22", "50", "52", "60", "61", "99", "1337"});
}

bool asks_command(std::string_view rest) {
  const std::string_view number = base::take_until(rest, ';');
  if (number == "60" || number == "61") return true;
  if (number == "1337") return rest.starts_with("Report") || rest.starts_with("RequestUpload");
  if (number == "99") return rest.find("p=?") != std::string_view::npos;
  if (number == "21") return rest.find("=?") != std::string_view::npos;
  if (number == "22") return rest.starts_with("?");
  return has_field(rest, "?");
}

// Whether contents of the clipboard follow "52;c;". They may be long, but their first byte already
// shows that this does not ask for the clipboard.
bool is_long_clipboard(std::string_view body) {
  return body.starts_with("52;") && std::count(body.begin(), body.end(), ';') >= 2 &&
         body.back() != ';' && body.back() != '?';
}

}  // namespace

std::string QueryFilter::pass(std::string_view bytes) {
  out_.clear();
  for (const char c : bytes) take(c);
  return std::exchange(out_, {});
}

void QueryFilter::take(char c) {
  switch (state_) {
    case State::kText:
      return in_text(c);
    case State::kFirstOfTwo:
      switch (c) {
        case '\x90':
          return begin(State::kDevice, c);
        case '\x9b':
          return begin(State::kControl, c);
        case '\x9d':
          return begin(State::kCommand, c);
        case '\x9f':
          return begin(State::kGraphics, c);
        case '\x9a':  // DECID
          return drop();
        default:
          give();
          return in_text(c);
      }
    case State::kEscape:
      return after_escape(c);
    case State::kControl:
      return in_control(c);
    case State::kCommand:
      return in_command(c);
    case State::kDevice:
      return in_device(c);
    case State::kGraphics:
      return in_graphics(c);
    case State::kPassString:
    case State::kDropString:
    case State::kStringEscape:
    case State::kStringFirstOfTwo:
      return in_string(c);
  }
}

void QueryFilter::give() {
  out_ += std::exchange(held_, {});
  body_.clear();
  state_ = State::kText;
}

void QueryFilter::drop() {
  held_.clear();
  body_.clear();
  state_ = State::kText;
}

void QueryFilter::give_string() {
  give();
  state_ = string_ = State::kPassString;
}

void QueryFilter::drop_string() {
  drop();
  state_ = string_ = State::kDropString;
}

void QueryFilter::begin(State state, char c) {
  held_ += c;
  body_.clear();
  state_ = state;
}

void QueryFilter::in_text(char c) {
  if (c == kEsc) return begin(State::kEscape, c);
  if (c == '\xc2') return begin(State::kFirstOfTwo, c);
  if (c != kEnq) out_ += c;
}

void QueryFilter::after_escape(char c) {
  switch (c) {
    case '[':
      return begin(State::kControl, c);
    case ']':
      return begin(State::kCommand, c);
    case 'P':
      return begin(State::kDevice, c);
    case '_':
      return begin(State::kGraphics, c);
    case '^':
    case 'X':
      held_ += c;
      return give_string();
    case 'Z':  // DECID
      return drop();
    default:
      give();
      return in_text(c);
  }
}

// A control character inside a sequence takes effect by itself, so it is not part of the body.
void QueryFilter::in_control(char c) {
  if (c == kEsc || c == kCan || c == kSub) {
    give();
    return in_text(c);
  }
  if (c == kEnq) return;
  held_ += c;
  if (is_between(c, '\x20', '\x7e')) body_ += c;
  if (is_between(c, '@', '\x7e')) return asks_control(body_) ? drop() : give();
  if (held_.size() > kMostHeldBytes) give();
}

// True when this byte ends the string or the next one may.
bool QueryFilter::ends_string(char c) {
  return c == kEsc || c == '\xc2' || c == kBel || c == kCan || c == kSub;
}

void QueryFilter::in_command(char c) {
  if (ends_string(c)) {
    asks_command(body_) ? drop_string() : give_string();
    return in_string(c);
  }
  held_ += c;
  body_ += c;
  if (c == ';' && body_.find(';') == body_.size() - 1 &&
      !may_ask(std::string_view(body_).substr(0, body_.size() - 1))) {
    return give_string();
  }
  if (is_long_clipboard(body_)) return give_string();
  if (held_.size() > kMostHeldBytes) drop_string();
}

// The device control strings that ask are DECRQSS, XTGETTCAP and kitty's remote control.
void QueryFilter::in_device(char c) {
  if (ends_string(c)) {
    give_string();
    return in_string(c);
  }
  held_ += c;
  body_ += c;
  if (!is_between(c, '@', '\x7e')) {
    if (held_.size() > kMostHeldBytes) give_string();
    return;
  }
  const size_t parameters = std::min(body_.find_first_not_of("0123456789;:"), body_.size());
  const bool asks = is_one_of(std::string_view(body_).substr(parameters), {"$q", "+q", "@"});
  asks ? drop_string() : give_string();
}

// In kitty's graphics protocol a=q asks whether the terminal can show an image.
void QueryFilter::in_graphics(char c) {
  const bool over = ends_string(c);
  if (!over) {
    held_ += c;
    body_ += c;
  }
  if (!over && c != ';' && body_.front() == 'G' && held_.size() <= kMostHeldBytes) return;
  body_.starts_with("G") && body_.find("a=q") != std::string::npos ? drop_string() : give_string();
  if (over) in_string(c);
}

void QueryFilter::in_string(char c) {
  const bool drops = string_ == State::kDropString;
  if (state_ == State::kStringEscape || state_ == State::kStringFirstOfTwo) {
    const bool over = c == (state_ == State::kStringEscape ? '\\' : '\x9c');
    if (over) {
      held_ += c;
      return drops ? drop() : give();
    }
    if (state_ == State::kStringEscape) {  // a sequence of its own comes next
      state_ = State::kEscape;
      return after_escape(c);
    }
    drops ? drop() : give();
    state_ = string_;
  }
  if (c == kEsc || c == '\xc2') {
    held_ = c;
    state_ = c == kEsc ? State::kStringEscape : State::kStringFirstOfTwo;
    return;
  }
  if (!drops) out_ += c;
  if (c == kBel || c == kCan || c == kSub) state_ = State::kText;
}

}  // namespace orch::ui
