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

// Replaces secrets in the lines of an agent by stars. A line whose end may begin a secret is held
// back until the next line decides it, or another event follows.
class MaskedWords {
 public:
  explicit MaskedWords(const std::shared_ptr<const mask::Secrets>& secrets) : masker_(secrets) {}

  std::vector<agent::Line> pass(base::TimeMs at, std::vector<agent::Line> lines);
  std::vector<agent::Line> release();
  // When the last lines came, while any are held back; nullopt: none are.
  std::optional<base::TimeMs> held_since() const;

 private:
  std::vector<agent::Line> take(std::vector<std::string> texts);

  mask::LinesMasker masker_;
  std::deque<agent::Line> held_;  // the lines that are held back, without their texts
  base::TimeMs last_ = 0;         // when the last lines came
};

// Replaces secrets in the events of a recorded or stored run by stars, in order, also secrets that
// go on in the next line. For commands that print a run's events again (replay, report), whatever
// was masked when the run was recorded.
class MaskedEvents {
 public:
  explicit MaskedEvents(const std::shared_ptr<const mask::Secrets>& secrets)
      : secrets_(secrets), words_(secrets) {}

  // pass() returns the events that are decided by now, rest() all that are held back, when no
  // further line can come.
  std::vector<event::Record> pass(event::Record record);
  std::vector<event::Record> rest();

 private:
  std::vector<event::Record> told(std::vector<agent::Line> lines);

  std::shared_ptr<const mask::Secrets> secrets_;
  MaskedWords words_;
  std::deque<int64_t> times_;  // of the lines that are held back, in milliseconds
};

// The event, and its record (event::to_json), with the secrets in all their texts replaced by
// stars.
std::pair<event::Event, std::string> masked_event(
    const std::shared_ptr<const mask::Secrets>& secrets, base::TimeMs at,
    const event::Event& event);

}  // namespace orch::session
