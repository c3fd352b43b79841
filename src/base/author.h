#pragma once

#include <cstdint>
#include <string>

// Who may have written a file: the one question before orch, outside of the fence, obeys a file,
// starts a program, or writes to a place that a person has named.
namespace orch::base {

enum class Author : uint8_t {
  kUser,     // this process's user alone, or the system
  kOrch,     // orch alone: it lies in the state directory
  kAgent,    // an agent, or the author of a repository
  kUnknown,  // another user of this machine
};

struct Authorship {
  Author author = Author::kUser;
  std::string folder;  // of kAgent the folder where agents may write; of kUnknown what others may
};

// Who may have written, made or replaced the file, folder or link at `path`, which is absolute and
// has no link above its last name; a link there is not followed. It need not exist.
//
// Agents may write in the folder of the repository around the working directory, wherever an agent
// was ever sent or allowed to write (the state directory remembers that), by whatever name such a
// folder is mounted; and a folder .orch is written by the author of its repository.
Authorship who_may_have_written(const std::string& path);
// The folder around `path` in which agents may write, of the same answer; "" if there is none.
std::string folder_of_agents(const std::string& path);

// What the answer is made of. Before these are called nothing is an agent's.
void know_state_dir(const std::string& state_dir);      // replaces the one known before
void know_folder_of_agents(const std::string& folder);  // one more in which an agent works
void know_nothing();                                    // for tests

// The file in which the state directory remembers a folder where agents may write, as JSON with
// its "path" (fence/work_places.h writes it).
std::string record_of_place(const std::string& state_dir, const std::string& folder);
// The remembered folder that is or contains `path`, by its name or by its identity; "" if none.
std::string remembered_place_around(const std::string& state_dir, const std::string& path);

}  // namespace orch::base
