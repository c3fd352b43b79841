#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

// The author of a file: the one question before orch, outside of the fence, obeys a file, starts a
// program, or writes an output file.
namespace orch::base {

enum class Author : uint8_t {
  kUser,     // this process's user alone, or the system
  kOrch,     // orch alone: it lies in the state directory
  kAgent,    // an agent, or the author of a repository
  kUnknown,  // another user of this machine
};

struct Authorship {
  Author author = Author::kUser;
  std::string folder;  // kAgent: where agents may write; kUnknown: the place that others can change
};

// Says who may have written, made or replaced the file, folder or link at `path`, which is absolute
// and has no link above its last name; a link there is not followed. It need not exist.
//
// Agents may write in the folder of the repository around the working directory, and wherever an
// agent was ever sent or allowed to write (the state directory remembers that), by whatever name
// the folder is mounted. A folder .orch is written by the author of its repository.
Authorship who_may_have_written(const std::string& path);
bool is_of_user(const std::string& path);  // the author is the user, or orch
// The same answer's folder if agents may write there; "" otherwise.
std::string folder_of_agents(const std::string& path);

// The folder around `path` where an agent was ever sent or allowed to write, as the state directory
// remembers it; "" if there is none. Unlike above, the working directory alone does not count.
std::string folder_agents_worked_in(const std::string& path);
// Whether the file has a second name, by a hard link. Nobody knows where that is, so agents may
// write there.
bool has_other_names(const std::string& file);

// The facts behind the answer. Before these are called, no folder counts as an agent's.
void know_state_dir(const std::string& state_dir);      // replaces the one known before
void know_folder_of_agents(const std::string& folder);  // an agent works there, too
void know_nothing();                                    // for tests

// The state directory's record of a folder where agents may write: JSON, written by
// fence/work_places.h.
std::string record_of_place(const std::string& state_dir, const std::string& folder);
// The remembered folder that is or contains `path`, by its name or by its identity; "" if none. An
// error, which names the record, if it cannot be read whether there is one.
Result<std::string> remembered_place_around(const std::string& state_dir, const std::string& path);

}  // namespace orch::base
