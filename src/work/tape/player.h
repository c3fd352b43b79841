#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tape/difference.h"
#include "tape/tape.h"

namespace orch::tape {

// How requests are found on a tape.
enum class Order : uint8_t {
  kExact,  // a request has to be on the tape, once normalised
  kLoose,  // otherwise the next one of its kind answers it
};

// Finds the answers to the requests of a run on the tape of another one. Each entry answers once.
// Requests beside the agent's turns are answered in any case: of a kind that asks for titles and
// the like by the next entry of that kind, or the last one again; what asks no model by the entry
// of the same path.
class Player {
 public:
  Player(Tape tape, Order order);

  struct Request {
    std::string kind, protocol, method, path, body;  // normalised, as in an Entry
  };
  struct Found {
    enum class How : uint8_t { kExactly, kByOrder, kAside, kNot };
    How how = How::kNot;
    const Entry* entry = nullptr;  // valid as long as this; null: there is none
    // For a turn that is not on the tape: "request 3 (turn, POST /v1/messages) is not on the tape".
    std::string why;
    std::vector<Difference> differences;  // from the entry that was next, and at most three
  };
  Found find(const Request& request);

  const Header& header() const { return tape_.header; }
  // "12 requests from the tape: 10 exactly, 2 by order; 3 on it were not asked for".
  std::string summary() const;

 private:
  const Entry* take(size_t at);
  Found find_aside(const Request& request);

  Tape tape_;
  Order order_;
  std::vector<bool> is_used_;
  size_t asked_ = 0, exactly_ = 0, by_order_ = 0;
};

// Whether the request is none of the agent's turns.
bool is_aside(std::string_view kind, std::string_view protocol);

}  // namespace orch::tape
