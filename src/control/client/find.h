#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "store/runs.h"
#include "store/session_file.h"

// Finds the session or the run that a user's word means. The word is an issue, a session's name
// ("orch-42"), its full name, which is its key ("orch-42@1a2b3c4d"), or a run's id.
namespace orch::client {

// The place where the user runs a command.
struct Place {
  std::string state_dir;
  std::string folder;      // the working folder, as a canonical path; "" if there is none
  std::string repository;  // the repository that the folder is in
};

// Whether something in this repository or folder belongs to the user's place.
bool is_here(const Place& place, const std::string& repository, const std::string& folder);

// The repositories to search for an issue when nothing in this repository fits. A full name is
// found everywhere.
enum class Reach : uint8_t {
  kHere,        // nowhere else: for commands that change something
  kEverywhere,  // in other repositories, if only one fits: for commands that only look
};

// Words are written as users do: an issue ("42" or "#42"), a session's name or a run's id. These
// functions return kNotFound if nothing fits, and kUsage if something in another repository fits
// and has to be named in full; the error says how.
base::Result<store::SessionRecord> find_session(const Place& place, const std::string& word,
                                                Reach reach);
// The same, but a session whose host is gone is kNotFound, too.
base::Result<store::SessionRecord> find_running(const Place& place, const std::string& word,
                                                Reach reach);

struct Found {
  store::RunFolder run;
  std::optional<store::SessionRecord> session;  // of this run; absent if the session has ended
};
// The run of the session that is running, otherwise the newest run. A run whose record cannot be
// read is found only by its id: if it may be the newest one that the word means, the error is
// kUsage.
base::Result<Found> find_run(const Place& place, const std::string& word, Reach reach);
// The same for commands that only look: of an empty word it is the newest run of this repository.
// Others must not take an empty variable of a script for a run.
base::Result<Found> find_shown(const Place& place, const std::string& word);

// The newest run of this repository or folder that satisfies `fits`, whatever its issue. kNotFound
// if there is none, another error if a newer run's record, or the files that `fits` reads, cannot
// be read.
base::Result<store::RunFolder> newest_run_here(
    const Place& place, const std::function<store::Presence(const store::RunFolder&)>& fits);

}  // namespace orch::client
