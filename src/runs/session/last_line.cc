#include "session/last_line.h"

#include <string_view>

#include "base/text.h"
#include "detect/row_text.h"
#include "mask/text.h"
#include "term/screen.h"

namespace orch::session {
namespace {

constexpr size_t kMostLineBytes = 300;

std::string unwrapped_text(const term::Screen& screen) {
  std::string text;
  for (int i = 0; i < screen.size().rows; ++i) {
    const term::RowView row = screen.row(i);
    screen.append_text(row, text);
    if (!row.wrapped) {
      text += '\n';
    } else if (row.codes.back() == ' ') {  // append_text() leaves blanks at the end out
      text += ' ';
    }
  }
  return text;
}

// Whether the line is only an address, which a program prints below the sentence that explains it.
bool is_link(std::string_view line) {
  return line.find("://") != std::string_view::npos && line.find(' ') == std::string_view::npos;
}

}  // namespace

// The text is masked before it is split into lines, because a part of a secret would not be
// recognized.
std::string last_line_of(const driver::Driver& agent,
                         const std::shared_ptr<const mask::Secrets>& secrets) {
  const term::Screen* screen = agent.screen();
  const std::string text =
      mask::masked(secrets, screen != nullptr ? unwrapped_text(*screen) : agent.text());
  std::string_view last, sentence;
  for (const std::string_view line : base::split_lines(text)) {
    const std::string_view words = detect::bare(base::trim(line));
    if (words.empty() || detect::is_rule(words)) continue;
    last = words;
    if (!is_link(words)) sentence = words;
  }
  if (!sentence.empty()) last = sentence;
  return base::printable(base::beginning(last, kMostLineBytes));
}

}  // namespace orch::session
