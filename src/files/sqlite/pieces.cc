#include "sqlite/pieces.h"

#include <charconv>
#include <system_error>

namespace orch::sqlite {

void add_piece(std::string& to, std::string_view piece) {
  to.append(std::to_string(piece.size())).append(":").append(piece);
}

std::optional<std::string_view> take_piece(std::string_view& text) {
  size_t size = 0;
  const char* const end = text.data() + text.size();
  const auto [at, failure] = std::from_chars(text.data(), end, size);
  if (failure != std::errc() || at == end || *at != ':') return std::nullopt;
  const std::string_view rest = text.substr(static_cast<size_t>(at + 1 - text.data()));
  if (rest.size() < size) return std::nullopt;
  text = rest.substr(size);
  return rest.substr(0, size);
}

}  // namespace orch::sqlite
