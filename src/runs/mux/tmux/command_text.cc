#include "mux/tmux/command_text.h"

#include <charconv>

#include "base/ascii.h"

namespace orch::mux::tmux {
namespace {

constexpr const char* kBuffer = "orch-keys";
constexpr size_t kMaxPiece = size_t{64} << 10;  // lines of 4 MB work, too

bool means_itself(char c) {
  return base::is_letter_or_digit(c) || c == ' ' || c == '.' || c == ',' || c == '_' || c == '/' ||
         c == '-';
}

void add_typed(std::vector<std::string>& commands, const std::string& pane, std::string_view bytes,
               RawPaste raw_paste) {
  commands.push_back(std::string("set-buffer -b ") + kBuffer + " -- " + quoted_word(bytes));
  commands.push_back(std::string("paste-buffer -d -r ") +
                     (raw_paste == RawPaste::kByFlag ? "-S " : "") + "-b " + kBuffer + " -t " +
                     pane);
}

// A NUL cannot be in a buffer, so it is sent as a key. In copy mode keys would go to that mode, so
// it is left first.
void add_nul(std::vector<std::string>& commands, const std::string& pane) {
  commands.push_back("send-keys -X -t " + pane + " cancel");
  commands.push_back("send-keys -t " + pane + " -H 00");
}

}  // namespace

std::string quoted_word(std::string_view word) {
  std::string text = "\"";
  for (const char c : word) {
    if (means_itself(c)) {
      text += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    text += '\\';
    text += static_cast<char>('0' + (byte >> 6));
    text += static_cast<char>('0' + ((byte >> 3) & 7));
    text += static_cast<char>('0' + (byte & 7));
  }
  return text += '"';
}

std::string command_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    line += quoted_word(word);
  }
  return line;
}

std::vector<std::string> typing_commands(std::string_view pane, std::string_view bytes,
                                         RawPaste raw_paste) {
  std::vector<std::string> commands;
  const std::string target = quoted_word(pane);
  while (!bytes.empty()) {
    if (bytes.front() == '\0') {
      add_nul(commands, target);
      bytes.remove_prefix(1);
      continue;
    }
    const std::string_view piece = bytes.substr(0, kMaxPiece);
    const std::string_view part = piece.substr(0, piece.find('\0'));
    add_typed(commands, target, part, raw_paste);
    bytes.remove_prefix(part.size());
  }
  return commands;
}

RawPaste raw_paste_of(std::string_view version) {
  const size_t digit = version.find_first_of("0123456789");
  if (digit == std::string_view::npos) return RawPaste::kByFlag;  // "master"
  int major = 0, minor = 0;
  const char* end = version.data() + version.size();
  const auto [dot, error] = std::from_chars(version.data() + digit, end, major);
  if (error == std::errc() && dot != end && *dot == '.') std::from_chars(dot + 1, end, minor);
  const bool sanitizes = major > 3 || (major == 3 && minor >= 7);
  return sanitizes ? RawPaste::kByFlag : RawPaste::kAsItIs;
}

}  // namespace orch::mux::tmux
