#include "mux/zellij/screen.h"

#include "base/text.h"

namespace orch::mux::zellij {

std::string drawing(std::string_view dump, int rows) {
  std::string out = "\030\033[m";  // CAN ends a sequence that was cut off
  int row = 0;
  for (std::string_view line : base::split_lines(dump)) {
    if (++row > rows) break;
    if (line.ends_with('\r')) line.remove_suffix(1);
    out.append("\033[")
        .append(std::to_string(row))
        .append(";1H")
        .append(line)
        .append("\033[m\033[K");
  }
  if (row < rows) out += "\033[" + std::to_string(row + 1) + ";1H\033[J";
  return out;
}

}  // namespace orch::mux::zellij
