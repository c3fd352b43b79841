#include "attach/detach_key.h"

#include <utility>

namespace orch::attach {
namespace {

constexpr std::string_view kPasteBegins = "\x1b[200~", kPasteEnds = "\x1b[201~";
constexpr char kFirstControl = '\x1c';  // C-\ C-] C-^ C-_ follow on the letters

}  // namespace

base::Result<DetachKey> DetachKey::named(std::string_view name) {
  if (name == "none") return DetachKey("", 0);
  const bool by_name = name.size() == 3 && (name.starts_with("C-") || name.starts_with("c-"));
  const bool by_caret = name.size() == 2 && name.starts_with('^');
  const char key = by_name || by_caret ? name.back() : '\0';
  const char upper = key >= 'a' && key <= 'z' ? static_cast<char>(key - 'a' + 'A') : key;
  const auto control = static_cast<char>(upper & 0x1f);
  const bool letter = upper >= 'A' && upper <= 'Z' && upper != 'C' && upper != 'M' && upper != 'I';
  const bool sign = upper >= '\\' && upper <= '_' && control >= kFirstControl;
  if (!letter && !sign) {
    return base::usage_error("no key to leave by: '" + std::string(name) +
                             "'; it is C-] or another of C-a to C-z (not C-c, C-i, C-m), C-\\, "
                             "C-^, C-_, or none");
  }
  return DetachKey(std::string("Ctrl-") + upper, control);
}

DetachKey::DetachKey(std::string name, char control)
    : name_(std::move(name)), control_(control), code_(0) {
  if (control_ == 0) return;
  code_ = static_cast<unsigned char>(name_.back());
  if (code_ >= 'A' && code_ <= 'Z') code_ += 'a' - 'A';
}

// Whether the bytes, which begin with ESC or the control character, are the key or may become it.
DetachKey::Match DetachKey::match(std::string_view bytes, size_t& length) const {
  length = 1;
  if (control_ == 0) return Match::kNo;
  if (bytes.front() == control_) return Match::kYes;
  const std::string code = std::to_string(code_);
  Match match = Match::kNo;
  for (const std::string& form : {"\x1b[" + code + ";5u", "\x1b[27;5;" + code + "~"}) {
    length = form.size();
    if (bytes.starts_with(form)) return Match::kYes;
    if (form.starts_with(bytes)) match = Match::kBegins;
  }
  return match;
}

DetachKey::Found DetachKey::find(std::string_view bytes) {
  const size_t kept = kept_.size();
  const std::string all = std::exchange(kept_, {}).append(bytes);
  Found found;
  for (size_t i = 0; i < all.size(); ++i) {
    const std::string_view rest = std::string_view(all).substr(i);
    const std::string_view paste_mark = in_paste_ ? kPasteEnds : kPasteBegins;
    const bool escape = rest.front() == '\x1b';
    if (escape && rest.starts_with(paste_mark)) {
      in_paste_ = !in_paste_;
    } else if (escape && paste_mark.starts_with(rest)) {
      kept_ = rest;
      return found;
    } else if (!in_paste_ && (escape || rest.front() == control_)) {
      size_t length = 0;
      const Match match = this->match(rest, length);
      if (match == Match::kYes) {
        found.pressed = true;
        found.rest = bytes.substr(i + length - kept);
        return found;
      }
      if (match == Match::kBegins) {
        kept_ = rest;
        return found;
      }
    }
    found.before.push_back(rest.front());
  }
  return found;
}

std::string DetachKey::release() { return std::exchange(kept_, {}); }

}  // namespace orch::attach
