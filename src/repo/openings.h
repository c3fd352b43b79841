#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace orch::repo {

// Files and folders that are closed to us and must be looked into, or changed, are opened up for as
// long as this lives, and get the mode then that they are to have: their own, where nothing else is
// said. A journal tells of them, so that what a killed process left open is known for what it was.
// Paths are absolute.
class Openings {
 public:
  // `journal` is a file that need not be there; "" keeps none. Takes over what one that was killed
  // has left in it, as far as nobody has changed that since.
  static base::Result<Openings> begin(std::string journal);
  ~Openings();
  Openings(Openings&& other) noexcept;
  Openings& operator=(Openings&&) = delete;
  Openings(const Openings&) = delete;
  Openings& operator=(const Openings&) = delete;

  // Adds these permission bits to what `name` is in the open folder; `path` is the same. Nothing
  // happens when it has them, or is a link; but another name of what was opened up is known, too.
  base::Status open_up(const base::Fd& folder, const std::string& name, const std::string& path,
                       mode_t bits);
  // The same for an open folder in which we may not write.
  base::Status make_writable(const base::Fd& folder, const std::string& path);

  // What is to be its mode in the end.
  void settle(const std::string& path, mode_t mode);
  // It has its mode already.
  void forget(const std::string& path) { all_.erase(path); }

  std::map<std::string, mode_t> modes_before() const;  // of what was opened up
  std::map<std::string, mode_t> modes_after() const;   // of that, and of what was settled

  // Gives the modes; a line for each that could not be given. The journal is removed.
  std::vector<std::string> close();

 private:
  struct Opened {
    mode_t before = 0, after = 0;
    bool opened = false, settled = false;
    uint64_t inode = 0;  // of what was opened
  };

  explicit Openings(std::string journal) : journal_(std::move(journal)) {}
  base::Status take_over();
  base::Status note(const std::string& path, const Opened& opened, mode_t given);

  std::string journal_;
  base::Fd file_;
  std::map<std::string, Opened> all_;  // what lies in a folder stands behind it
  std::map<std::pair<uint64_t, uint64_t>, mode_t> before_;  // by device and inode
};

}  // namespace orch::repo
