#include "crew/message_text.h"

#include <algorithm>
#include <cctype>

#include "base/invisible.h"
#include "base/text.h"

namespace orch::crew {
namespace {

constexpr size_t kShownBytes = 200;  // how much of a mail is shown in the notice of it

// Whether a line of a message looks like the beginning of one, whatever blanks precede it.
bool seems_of_another(std::string_view line) {
  const auto is_visible = [](unsigned char c) { return c > ' ' && c < 0x7f; };
  std::string begin(std::find_if(line.begin(), line.end(), is_visible), line.end());
  begin.resize(std::min(begin.size(), size_t{5}));
  std::transform(begin.begin(), begin.end(), begin.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return begin == "[from";
}

bool is_control(char32_t c) {
  return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c <= 0x9f);
}

}  // namespace

base::Result<std::string> plain_text(std::string_view text, size_t most) {
  if (text.size() > most) {
    return base::usage_error("the text is " + std::to_string(text.size() >> 10) +
                             " KB long; at most " + std::to_string(most >> 10) +
                             " KB can be sent: write it to a file and name that");
  }
  if (const auto bad = base::invalid_utf8_at(text)) {
    return base::usage_error("the text is not valid UTF-8 at byte " + std::to_string(*bad));
  }
  std::string plain;
  char32_t before = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const base::Decoded at = base::decode_utf8(rest);
    rest.remove_prefix(at.length);
    const char32_t after = rest.empty() ? 0 : base::decode_utf8(rest).code_point;
    const bool hides = base::is_invisible(at.code_point) &&
                       !base::shapes_its_neighbours(before, at.code_point, after);
    before = at.code_point;
    if (!hides && !is_control(at.code_point)) base::append_utf8(plain, at.code_point);
  }
  if (base::trim(plain).empty()) return base::usage_error("the text is empty");
  return plain;
}

std::string nudge_from(std::string_view sender, std::string_view text) {
  std::string nudge;
  for (const std::string_view line : base::split_lines(text)) {
    if (!nudge.empty()) nudge += seems_of_another(line) ? "\n> " : "\n";
    nudge.append(nudge.empty() ? "[from " + std::string(sender) + "] " : "").append(line);
  }
  return nudge;
}

std::string mail_notice(std::string_view sender, std::string_view inbox, std::string_view text) {
  std::string shown(base::beginning(base::trim(text), kShownBytes));
  const size_t end = shown.find('\n');
  const bool whole = end == std::string::npos && shown.size() == base::trim(text).size();
  if (end != std::string::npos) shown.resize(end);
  return "[from " + std::string(sender) + "] You have mail in " + std::string(inbox) + ": " +
         shown + (whole ? "" : " ...");
}

std::string mail_waits(std::string_view inbox) {
  return "[from orch] You have new mail in " + std::string(inbox);
}

std::string inbox_entry(std::string_view time, std::string_view sender, std::string_view text) {
  std::string entry = "## " + std::string(time) + " from " + std::string(sender) + "\n\n";
  for (const std::string_view line : base::split_lines(text)) {
    entry.append(line.empty() ? ">" : "> ").append(line).append("\n");
  }
  return entry + "\n";
}

}  // namespace orch::crew
