#pragma once

#include <string>
#include <string_view>

#include "agent/line.h"
#include "agent/news.h"
#include "base/result.h"
#include "run/fences.h"

namespace orch::run {

// Has the agent said that all is done? The one place that decides what counts: the keyword on a
// line of its own, the last words of the turn, the agent's own, after all of its tools, in no
// fence, quotation or list and not the end of a sentence that goes on from the row before. Bold or
// code marks around it do no harm.
//
// What the agent itself wrote down of the turn decides where it keeps such a record and has come so
// far: a screen does not show where a fence begins. Otherwise the lines of the transcript do.
class Completion {
 public:
  explicit Completion(std::string keyword) : keyword_(std::move(keyword)) {}

  void begin_turn();
  void on_line(const agent::Line& line);  // a message's echo begins a turn, too
  void on_record(const agent::Recorded& recorded);

  bool said() const { return verdict_ == Verdict::kSaid; }
  std::string why() const;  // what the verdict rests on, one line for people
  const std::string& keyword() const { return keyword_; }

 private:
  enum class Verdict : uint8_t { kNot, kSaid, kFollowed, kContinued, kFenced, kSetApart };
  Verdict verdict_of(std::string_view markdown) const;

  std::string keyword_;
  Verdict verdict_ = Verdict::kNot;
  Fences fences_;          // of the lines so far
  bool recorded_ = false;  // the verdict is that of the agent's own record
};

// What can be no keyword, for an agent that says it would be taken to mean something else: a usage
// error that says why.
base::Status check_keyword(std::string_view keyword);

// The instruction that goes with a prompt so that the agent knows the keyword. It never holds the
// keyword on a line of its own.
std::string completion_instruction(std::string_view keyword);

// What an agent is told that stopped without saying the keyword.
std::string continue_message(std::string_view keyword);

}  // namespace orch::run
