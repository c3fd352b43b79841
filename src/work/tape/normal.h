#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mask/secrets.h"
#include "tape/tape.h"

namespace orch::tape {

// Where a run works: absolute paths. A place may have several spellings, by links; the first is the
// one that a replay writes.
struct Places {
  std::vector<std::string> folder, home;
};

// Makes the requests of two runs of the same conversation equal, and their answers fit for another
// place. What it replaces:
// - secrets, by stars;
// - the folder and the home directory, also with "-" in place of "/" and other signs, with "\/",
// and
//   with "%2F";
// - what with_replaced_words() replaces (words.h), in requests;
// - members that only name the session, the device or the cache, which are left out of requests.
class Normaliser {
 public:
  Normaliser(const Places& places, std::shared_ptr<const mask::Secrets> secrets);

  std::string text(std::string_view text) const;
  // The body of a request as a JSON text, with the members of objects in the order of the alphabet.
  std::string request(std::string_view body) const;
  // A request's path, without a key in its query.
  std::string path(std::string_view target) const;
  // An answer for the tape: secrets and places are replaced, and its pieces are events.
  void answer(Answer& answer) const;
  // The pieces of an answer from the tape, with this run's places.
  std::vector<Piece> played(const Answer& answer) const;

 private:
  std::string masked(std::string_view text) const;
  std::string placed(std::string_view text) const;

  std::shared_ptr<const mask::Secrets> secrets_;
  std::vector<std::pair<std::string, std::string>> names_;  // path, placeholder: longest first
};

// Whether the answer is a row of events.
bool has_events(const Answer& answer);

}  // namespace orch::tape
