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
  std::string text;  // for kText: markdown, as the model wrote it; for kTool: the tool's name

  friend bool operator==(const RecordedPiece&, const RecordedPiece&) = default;
};

// The last turn as the agent wrote it into its own session file.
struct RecordedTurn {
  // The user's message; nullopt if it stands before the part of the file that was read.
  std::optional<std::string> message;
  std::string time;                   // when the message was written, as the file has it
  std::string cwd;                    // the agent's working directory; "" if the file has none
  std::vector<RecordedPiece> pieces;  // the agent's words and actions since the message, in order
};

// The facts about a session in its file.
struct RecordedSession {
  std::string id;       // "" if the file has none
  std::string version;  // the agent's version, from the last line that has one; otherwise ""
  std::string time;     // when that line was written, as the file has it
};
// `jsonl` is a part of the file and may begin and end in the middle of a line.
RecordedSession read_session(const adapters::RecordSpec& spec, std::string_view jsonl);

// Reads the last turn of a session file: all that follows the last message of the user, without
// results of tools, words of sub-agents, thoughts, summaries and lines of the program itself.
// `jsonl` is the end of the file and may begin and end in the middle of a line. Lines of a kind
// that the manifest does not describe are skipped. It reads from the end, so the time that it takes
// depends on the length of the turn and not on that of the file.
RecordedTurn read_last_turn(const adapters::RecordSpec& spec, std::string_view jsonl);

// Whether two texts are equal apart from white space: agents wrap, indent and trim messages.
bool same_words(std::string_view a, std::string_view b);

}  // namespace orch::driver
