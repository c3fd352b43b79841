#include "mcp/output_tail.h"

#include "base/text.h"

namespace orch::mcp {
namespace {

constexpr std::string_view kLeftOut = "[the beginning is left out]\n";

bool is_inside_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// Cuts off the beginning, up to the start of a whole character.
void keep_end(std::string& text, size_t most) {
  size_t start = text.size() - most;
  while (start < text.size() && is_inside_character(text[start])) ++start;
  text.erase(0, start);
}

}  // namespace

void OutputTail::add(std::string_view bytes) {
  if (bytes.size() > most_) {
    is_cut_ = is_cut_ || !bytes_.empty();
    bytes_.clear();
  }
  bytes_ += bytes;
  if (bytes_.size() <= 2 * most_) return;
  bytes_.erase(0, bytes_.size() - most_);
  is_cut_ = true;
}

std::string OutputTail::text() const {
  std::string kept = bytes_;
  bool is_cut = is_cut_ || kept.size() > most_;
  if (is_cut && kept.size() > most_) keep_end(kept, most_);
  std::string text;
  for (std::string_view line : base::split_lines(kept)) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    text.append(base::printable(line)).append("\n");
  }
  if (!kept.ends_with('\n') && !text.empty()) text.pop_back();
  if (text.size() > most_) {  // invisible characters that were written out take more bytes
    keep_end(text, most_);
    is_cut = true;
  }
  return is_cut ? std::string(kLeftOut) + text : text;
}

}  // namespace orch::mcp
