#include "mux/zellij/screen.h"

#include "base/json.h"
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

std::optional<std::string> rows_of(std::string_view update) {
  const base::Json json = base::parse_json(update);
  if (!json.is_object() || base::text_at(json, "event") != "pane_update") return std::nullopt;
  const base::Json& viewport = base::member(json, "viewport");
  if (!viewport.is_array()) return std::nullopt;
  std::string rows;
  for (const base::Json& row : viewport) {
    if (row.is_string()) rows += row.get_ref<const std::string&>();
    rows += '\n';
  }
  return rows;
}

}  // namespace orch::mux::zellij
