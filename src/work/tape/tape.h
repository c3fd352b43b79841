#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "exchange/message.h"

// Tapes: what an agent and its model said to each other over HTTP, so that a run can be played
// again without the model. Pure.
namespace orch::tape {

inline constexpr size_t kMostTapeBytes = 256 << 20;  // of a tape; a longer one is neither written
                                                     // nor read
inline constexpr size_t kMostAnswerBytes = 16 << 20;
// A longer request is on the tape as its length alone.
inline constexpr size_t kMostRequestBytes = 16 << 20;
inline constexpr size_t kMostEntries = 20'000;

// Bytes of an answer's body, and when they came, in milliseconds since the request.
struct Piece {
  int64_t ms = 0;
  std::string bytes;
  bool operator==(const Piece&) const = default;
};

struct Answer {
  enum class End : uint8_t {
    kWhole,
    kCut,   // the model broke it off, or could not be reached (then `status` is 0)
    kLeft,  // the agent hung up before it was whole
  };
  int status = 0;
  exchange::Headers headers;  // those that agents obey
  std::vector<Piece> body;
  End end = End::kWhole;
  bool operator==(const Answer&) const = default;
};

// A request and its answer.
struct Entry {
  int64_t n = 0;         // counts the requests from 1, in the order of their arrival
  int64_t ms = 0;        // since the tape began
  std::string kind;      // turn, subagent, title, compact, side
  std::string protocol;  // anthropic, responses, chat, gemini; "" if it does not ask a model
  std::string method, path, model;
  std::string request;  // the normalised body, as a JSON text (normal.h)
  Answer answer;
  bool operator==(const Entry&) const = default;
};

struct Header {
  std::string agent;
  std::string provider;  // of the user's configuration; "": the agent's own
  bool operator==(const Header&) const = default;
};

struct Tape {
  Header header;
  std::vector<Entry> entries;  // by n
};

// Lines of a tape, with their line feeds.
std::string line_of(const Header& header);
std::string line_of(const Entry& entry);

// Whether a file that begins so is a tape.
bool begins_tape(std::string_view bytes);

// Reads a whole tape. `name` is its name in errors, which are usage errors and name the line.
base::Result<Tape> parse(const std::string& name, std::string_view text);

// The path without its query.
std::string_view plain_path(const Entry& entry);

// Whether the headers of an answer change what an agent does: its type, when to try again, limits.
bool matters(std::string_view header);

// The bytes as a JSON text: a string, or an object with bytes that are not UTF-8.
std::string json_of_bytes(std::string_view bytes);

}  // namespace orch::tape
