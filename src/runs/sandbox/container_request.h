#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sandbox/engine.h"

namespace orch::sandbox {

// A file or folder of this machine that is mounted into a container.
struct Mount {
  std::string source;  // absolute, without symbolic links; it exists
  std::string target;  // absolute, without ".."
  bool read_only = false;
  bool operator==(const Mount&) const = default;
};

// The limits of a container; "" and 0 mean that orch sets no limit.
struct Limits {
  std::string memory;  // in the client's notation: 512m, 4g
  std::string cpus;    // 1.5
  int pids = 2048;
};

// How a container is to be made.
struct ContainerRequest {
  std::string image;
  std::string network = "bridge";  // bridge, none, host, or the name of a network of the engine's
  std::string work;           // the folder mounted at kWorkspace; absolute, without symbolic links
  std::vector<Mount> mounts;  // besides the work folder
  std::vector<Mount> logins;  // files for an agent's home, kHome; read-only
  std::vector<Mount> shown;   // files that the agent's hooks need (program_files.h); read-only
  Limits limits;
  unsigned user = 0, group = 0;               // the owner of its processes
  std::map<std::string, std::string> labels;  // in addition to orch's own
};

// SRC of "SRC:DST" or "SRC:DST:ro", as it is written; "" if there is none.
std::string source_of_mount(std::string text);
// Parses "SRC:DST" or "SRC:DST:ro". An error names the word and the reason: SRC does not exist; DST
// belongs to orch or the system; or SRC is a socket of the engine's daemon, or a folder with one,
// and access to that would make the agent root.
base::Result<Mount> parse_mount(const std::string& text);

// Checks the limits, because they are given to the client as they are.
base::Status check_limits(const Limits& limits);
base::Status check_image_name(const std::string& image);
base::Status check_container_name(const std::string& name);
base::Status check_network(const std::string& network);

// Whether a folder may be mounted as the work directory: it must not contain a daemon's socket.
base::Status check_work(const std::string& work);

// The command that starts a container whose first process is the leash (leash.h). The leash checks
// that `program` is in the container, and ends when its standard input does.
struct Start {
  std::string name;
  std::string owner;  // the process that owns the container: pty::identity_text()
  std::string program;
  std::string id_file = {};  // where the client writes the container's id; "": nowhere
};
std::vector<std::string> run_words(const Engine& engine, const ContainerRequest& wanted,
                                   const Start& start);

// The command that starts a leash in a container that another process owns. `mark` is the mark of
// the run (exec_words.h), or a beginning that all of its marks, and no other run's, have.
std::vector<std::string> join_words(const Engine& engine, const std::string& name,
                                    const std::string& program, const std::string& mark);

// The command that kills everything that a run has in a container that it joined, including its
// leash.
std::vector<std::string> end_own_words(const Engine& engine, const std::string& name,
                                       const std::string& mark);

// One field of a --mount option, which the clients read as CSV.
std::string csv_field(std::string_view text);

}  // namespace orch::sandbox
