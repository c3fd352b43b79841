#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace orch::mask {

// Finds which of many words end at each byte of a stream, and looks at each byte only once (Aho and
// Corasick, 1975). It keeps no position itself: the caller keeps a state, which is 0 at the
// beginning. Immutable once built.
class Automaton {
 public:
  // Words must not be empty; words that no longer fit into kMaxStates are left out.
  explicit Automaton(const std::vector<std::string>& words);

  using State = uint16_t;
  static constexpr size_t kMaxStates = 60'000;

  State next(State state, char byte) const {
    return next_[state * columns_ + column_of_[static_cast<unsigned char>(byte)]];
  }
  // How many of the last bytes are the beginning of some word, at most.
  size_t depth(State state) const { return depth_[state]; }
  bool ends_word(State state) const { return ends_word_[state] != 0; }
  // The indices of the words that end at this state, longest first.
  const std::vector<uint16_t>& words(State state) const { return nodes_[state].words; }

 private:
  struct Node {
    uint16_t depth = 0;
    std::vector<uint16_t> words;
  };
  bool add(const std::string& word, uint16_t number);
  State child(State state, char byte);
  void link();

  std::array<uint8_t, 256> column_of_{};  // 0: a byte that is in no word
  size_t columns_ = 1;
  std::vector<Node> nodes_;
  // Copies of the nodes' members, because these are read for every byte
  std::vector<uint16_t> depth_;
  std::vector<uint8_t> ends_word_;
  std::vector<State> next_;  // by state and column
};

}  // namespace orch::mask
