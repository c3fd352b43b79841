#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "store/runs.h"
#include "store/session_file.h"

// Which session, and which run, a user's word means. The word is an issue, a session's name
// ("orch-42"), a session named in full by its key ("orch-42@1a2b3c4d"), or a run's id.
namespace orch::client {

// Where the user speaks from.
struct Place {
  std::string state_dir;
  std::string folder;      // the working folder, canonical; "" when there is none
  std::string repository;  // of it
};

// Whether what belongs to this repository or folder belongs to the user's.
bool is_here(const Place& place, const std::string& repository, const std::string& folder);

// Where an issue may be looked for when none of this repository fits. What is named in full is
// found everywhere.
enum class Reach : uint8_t {
  kHere,        // nowhere: for what changes something
  kEverywhere,  // in other repositories, when only one fits: for what looks
};

// In all of these an error is kNotFound when nothing fits, and kUsage when something of another
// repository must be named in full; it says how.
base::Result<store::SessionRecord> find_session(const Place& place, const std::string& word,
                                                Reach reach);
// The same, but one whose host is gone is kNotFound, too.
base::Result<store::SessionRecord> find_running(const Place& place, const std::string& word,
                                                Reach reach);

struct Found {
  store::RunFolder run;
  std::optional<store::SessionRecord> session;  // of this run; absent when it has ended
};
// The run of the session, where one runs, else the newest run. A run whose record cannot be read is
// found by its id alone: where it may be the newest that the word means nobody knows which is, and
// that is kUsage.
base::Result<Found> find_run(const Place& place, const std::string& word, Reach reach);

// The newest run of this repository or folder that `fits`, whatever its issue. kNotFound when there
// is none, kUsage when a record that cannot be read may be of a newer one.
base::Result<store::RunFolder> newest_run_here(
    const Place& place, const std::function<bool(const store::RunFolder&)>& fits);

}  // namespace orch::client
