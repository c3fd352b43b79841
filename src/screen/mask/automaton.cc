#include "mask/automaton.h"

#include <deque>

namespace orch::mask {

Automaton::Automaton(const std::vector<std::string>& words) : nodes_(1) {
  for (const std::string& word : words) {
    for (const char byte : word) {
      uint8_t& column = column_of_[static_cast<unsigned char>(byte)];
      if (column == 0) column = static_cast<uint8_t>(columns_++);
    }
  }
  next_.resize(columns_, 0);
  for (size_t i = 0; i < words.size() && i <= UINT16_MAX; ++i) {
    if (!add(words[i], static_cast<uint16_t>(i))) break;
  }
  link();
  for (const Node& node : nodes_) {
    depth_.push_back(node.depth);
    ends_word_.push_back(node.words.empty() ? 0 : 1);
  }
}

bool Automaton::add(const std::string& word, uint16_t number) {
  if (nodes_.size() + word.size() > kMaxStates) return false;
  State state = 0;
  for (const char byte : word) state = child(state, byte);
  nodes_[state].words.push_back(number);
  return true;
}

Automaton::State Automaton::child(State state, char byte) {
  const size_t at = state * columns_ + column_of_[static_cast<unsigned char>(byte)];
  if (next_[at] == 0) {
    next_[at] = static_cast<State>(nodes_.size());
    nodes_.push_back({static_cast<uint16_t>(nodes_[state].depth + 1), {}});
    next_.resize(nodes_.size() * columns_, 0);
  }
  return next_[at];
}

// Completes the transitions: if no word continues from a state, the walk goes on in the state of
// the longest other beginning of a word that the bytes so far end with. Breadth first, so that the
// shorter states are complete by then.
void Automaton::link() {
  std::vector<State> shorter(nodes_.size(), 0);
  std::deque<State> waiting{0};
  for (; !waiting.empty(); waiting.pop_front()) {
    const State state = waiting.front();
    const std::vector<uint16_t>& inherited = nodes_[shorter[state]].words;
    if (state != 0) {
      nodes_[state].words.insert(nodes_[state].words.end(), inherited.begin(), inherited.end());
    }
    for (size_t column = 0; column < columns_; ++column) {
      State& target = next_[state * columns_ + column];
      const State other = next_[shorter[state] * columns_ + column];
      if (target == 0) {
        target = state == 0 ? 0 : other;
        continue;
      }
      shorter[target] = state == 0 ? 0 : other;
      waiting.push_back(target);
    }
  }
}

}  // namespace orch::mask
