#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sandbox/engine.h"

namespace orch::sandbox {

// A file or folder of this machine that is to be seen in a container.
struct Mount {
  std::string source;  // absolute, without links, and there
  std::string target;  // absolute, without ".."
  bool read_only = false;
  bool operator==(const Mount&) const = default;
};

// What a container may take; "" and 0: no limit of orch's.
struct Limits {
  std::string memory;  // as the client reads it: 512m, 4g
  std::string cpus;    // 1.5
  int pids = 2048;
};

// A container as it is to be made.
struct ContainerWish {
  std::string image;
  std::string network = "bridge";  // bridge, none, host, or a network of the engine's
  std::string work;                // the folder that becomes kWorkspace; absolute, without links
  std::vector<Mount> mounts;       // beside it
  std::vector<Mount> logins;       // files in an agent's home, which is kHome; read-only
  Limits limits;
  unsigned user = 0, group = 0;               // whose its processes are
  std::map<std::string, std::string> labels;  // beside those that orch adds
};

// Of "SRC:DST", "SRC:DST:ro": SRC as it is written; "" where there is none.
std::string source_of_mount(std::string text);
// "SRC:DST", "SRC:DST:ro". Errors name the word: there is no such file, a place that is orch's or
// the system's, a socket of the engine's daemon, or a folder with one: whoever has that is root.
base::Result<Mount> parse_mount(const std::string& text);

// The container's limits are given to the client as they are, so they are checked here.
base::Status check_limits(const Limits& limits);
base::Status check_image_name(const std::string& image);
base::Status check_container_name(const std::string& name);
base::Status check_network(const std::string& network);

// Whether a work directory may be mounted: not the root, a home, or what holds a daemon's socket.
base::Status check_work(const std::string& work);

// The words that start a container, whose first process is the leash (leash.h): it waits for
// `program` to be found, and ends with its standard input.
struct Start {
  std::string name;
  std::string owner;  // pty::identity_text()
  std::string program;
};
std::vector<std::string> run_words(const Engine& engine, const ContainerWish& wish,
                                   const Start& start);

// The words that hold on to a container that another one owns, in the same way. `mark` is that of
// the run (exec_words.h), or what its marks begin with, and no other run's do.
std::vector<std::string> join_words(const Engine& engine, const std::string& name,
                                    const std::string& program, const std::string& mark);

// The words that kill what a run has in a container that it joined, its leash with it.
std::vector<std::string> end_own_words(const Engine& engine, const std::string& name,
                                       const std::string& mark);

// One field of a --mount, which the clients read as CSV.
std::string csv_field(std::string_view text);

}  // namespace orch::sandbox
