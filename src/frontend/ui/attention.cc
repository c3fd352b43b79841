#include "ui/attention.h"

#include "base/text.h"

namespace orch::ui {
namespace {

constexpr size_t kMostTextBytes = 200;

// Cuts the text to kMostTextBytes, and drops control characters and semicolons. A semicolon would
// begin another field of the OSC 777 sequence.
std::string harmless(std::string_view text) {
  std::string safe;
  for (const char c : base::printable(text)) {
    if (static_cast<unsigned char>(c) >= ' ' && c != '\x7f' && c != ';') safe += c;
  }
  while (safe.size() > kMostTextBytes || base::invalid_utf8_at(safe)) safe.pop_back();
  return safe;
}

}  // namespace

void Attention::call(std::string_view text) {
  const std::string safe = harmless(text);
  std::string bytes = called_ ? "" : "\x1b[22;0t";
  bytes += "\x1b]0;" + safe + "\a";
  bytes += "\x1b]9;" + safe + "\a";
  bytes += "\x1b]777;notify;orch;" + safe + "\a";
  stream_.write(bytes + "\a");
  called_ = true;
}

void Attention::relieve() {
  if (called_) stream_.write("\x1b[23;0t");
  called_ = false;
}

}  // namespace orch::ui
