#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/manifest.h"

namespace orch::driver {

// One thing that an agent said or did.
struct RecordedPiece {
  enum class Kind : uint8_t { kText, kTool };
  Kind kind = Kind::kText;
  std::string text;  // markdown, as the model wrote it; of a tool its name

  friend bool operator==(const RecordedPiece&, const RecordedPiece&) = default;
};

// What an agent's own session file says of its last turn.
struct RecordedTurn {
  std::optional<std::string> message;  // the user's; nothing: further back than the file was read
  std::string time;                    // when that was written, as the file says it
  std::string cwd;                     // where the agent worked; "" where the file does not say it
  std::vector<RecordedPiece> pieces;   // what the agent said and did since, in order
};

// What a session file says of itself.
struct RecordedSession {
  std::string id;       // "" where it does not say one
  std::string version;  // of the agent that wrote the last line that says one; ""
  std::string time;     // when that was written, as the file says it
};
// `jsonl` is a part of the file and may begin and end in the middle of a line.
RecordedSession read_session(const adapters::RecordSpec& spec, std::string_view jsonl);

// Reads the last turn of a session file: what stands after the last message of the user. Results of
// tools, what sub-agents say, thoughts, summaries and lines of the program itself do not count.
// `jsonl` is the end of the file and may begin and end in the middle of a line. Lines that are not
// what the manifest says are passed over. Takes time for the turn, not for what is before it.
RecordedTurn read_last_turn(const adapters::RecordSpec& spec, std::string_view jsonl);

// Whether two texts are the same, white space aside: agents wrap, indent and trim what they get.
bool same_words(std::string_view a, std::string_view b);

}  // namespace orch::driver
