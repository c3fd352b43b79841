#pragma once

#include <string>
#include <string_view>

#include "agent/line.h"
#include "agent/news.h"
#include "base/result.h"
#include "run/fences.h"

namespace orch::run {

// Decides whether the agent has said that all is done. No other code decides this. The agent must
// say the keyword on a line of its own, as the last words of the turn and after all of its tools.
// The keyword does not count in a fenced block, a quotation or a list, nor as the end of a sentence
// that was wrapped. Bold or code marks around it are allowed.
//
// If the agent keeps a record of its own and has written the turn down, that record decides,
// because a screen does not show where a fenced block begins. Otherwise the lines of the transcript
// decide.
class Completion {
 public:
  explicit Completion(std::string keyword) : keyword_(std::move(keyword)) {}

  void begin_turn();
  void on_line(const agent::Line& line);  // the echo of a message also begins a turn
  void on_record(const agent::Recorded& recorded);

  bool said() const { return verdict_ == Verdict::kSaid; }
  std::string why() const;  // the reason for the verdict, in one line for people
  const std::string& keyword() const { return keyword_; }

 private:
  enum class Verdict : uint8_t { kNot, kSaid, kFollowed, kContinued, kFenced, kSetApart };
  Verdict verdict_of(std::string_view markdown) const;

  std::string keyword_;
  Verdict verdict_ = Verdict::kNot;
  Fences fences_;          // fenced blocks in the lines of this turn so far
  bool recorded_ = false;  // the verdict comes from the agent's own record
};

// Whether the line holds only the keyword, apart from bold or code marks around it.
bool is_keyword(std::string_view line, std::string_view keyword);

// Checks that the text can be a keyword: it must be printable and must have no other meaning in
// Markdown. The usage error says why it cannot.
base::Status check_keyword(std::string_view keyword);

// The instruction that is added to a prompt to announce the keyword to the agent. It never has the
// keyword on a line of its own.
std::string completion_instruction(std::string_view keyword);

// The message to an agent that stopped without saying the keyword.
std::string continue_message(std::string_view keyword);

}  // namespace orch::run
