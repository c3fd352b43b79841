#include "run/novelty.h"

#include <functional>

#include "base/text.h"

namespace orch::run {

void Novelty::on_line(std::string_view text) {
  const std::string_view words = base::trim(text);
  if (words.empty()) return;
  last_line_ = words;
  const size_t hash = std::hash<std::string_view>{}(words);
  if (known_.contains(hash)) return;
  brought_new_ = true;
  if (known_.size() < kMostLines) known_.insert(hash);
}

void Novelty::on_turn_ended() {
  barren_turns_ = brought_new_ ? 0 : barren_turns_ + 1;
  brought_new_ = false;
}

}  // namespace orch::run
