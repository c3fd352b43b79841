#pragma once

#include <string>
#include <vector>

#include "tape/tape.h"

namespace orch::tape {

// What an answer says, of any protocol.
struct Said {
  std::string text;                // of an error its message
  std::vector<std::string> calls;  // "Read {"file_path":"/x"}"
  bool operator==(const Said&) const = default;
};
Said said(const Entry& entry);

// A normalised comparison of two entries' answers: the fields that differ between two runs of the
// same conversation are left out (ids, times, usage).
std::string answer_json(const Entry& entry);

}  // namespace orch::tape
