#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/line.h"
#include "base/time.h"
#include "event/event.h"
#include "mask/lines_masker.h"
#include "mask/secrets.h"

namespace orch::session {

// The lines of an agent with stars in place of secrets. One whose end may begin a secret is held
// back until it is known: when the next line comes, or anything else is told.
class MaskedWords {
 public:
  explicit MaskedWords(const std::shared_ptr<const mask::Secrets>& secrets) : masker_(secrets) {}

  std::vector<agent::Line> pass(base::TimeMs at, std::vector<agent::Line> lines);
  std::vector<agent::Line> release();
  // Since when a line is held; nothing when none is.
  std::optional<base::TimeMs> held_since() const;

 private:
  std::vector<agent::Line> take(std::vector<std::string> texts);

  mask::LinesMasker masker_;
  std::deque<agent::Line> held_;  // without their texts
  base::TimeMs last_ = 0;         // when lines came
};

// The events of a run that was recorded or kept, in their order, with stars in place of secrets:
// of one that goes on in the next line, too. For who tells them again (replay, report), whatever
// the run itself has masked.
class MaskedEvents {
 public:
  explicit MaskedEvents(const std::shared_ptr<const mask::Secrets>& secrets)
      : secrets_(secrets), words_(secrets) {}

  // Those that are known by now; all of them once no line can go on any more.
  std::vector<event::Record> pass(event::Record record);
  std::vector<event::Record> rest();

 private:
  std::vector<event::Record> told(std::vector<agent::Line> lines);

  std::shared_ptr<const mask::Secrets> secrets_;
  MaskedWords words_;
  std::deque<int64_t> times_;  // of the lines that are held, in milliseconds
};

// The event and its record (event::to_json) with stars in place of secrets in every text of it.
std::pair<event::Event, std::string> masked_event(
    const std::shared_ptr<const mask::Secrets>& secrets, base::TimeMs at,
    const event::Event& event);

}  // namespace orch::session
