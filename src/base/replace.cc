#include "base/replace.h"

namespace orch::base {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

std::string shell_word(std::string_view text) {
  std::string word(text);
  replace_all(word, "'", R"('\'')");
  return "'" + word + "'";
}

}  // namespace orch::base
