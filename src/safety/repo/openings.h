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

// Opens up files and folders whose mode keeps us from reading or changing them. At the end they get
// their final mode: the original one unless another was settled. A journal records the original
// modes, so that they are known even if the process is killed before. Paths are absolute.
class Openings {
 public:
  // `journal` is the path of a file that need not exist; "" keeps none. Takes over the entries that
  // a killed process has left in it, unless the file or folder was changed since.
  static base::Result<Openings> begin(std::string journal);
  ~Openings();
  Openings(Openings&& other) noexcept;
  Openings& operator=(Openings&&) = delete;
  Openings(const Openings&) = delete;
  Openings& operator=(const Openings&) = delete;

  // Adds these permission bits to the file or folder `name` in the open folder; `path` is its path.
  // Does nothing for a link, or if the bits are set already, unless it was opened up by another
  // name (hard link).
  base::Status open_up(const base::Fd& folder, const std::string& name, const std::string& path,
                       mode_t bits);
  // The same for an open folder that we may not write to.
  base::Status make_writable(const base::Fd& folder, const std::string& path);

  // Sets the mode that the path is to have in the end.
  void settle(const std::string& path, mode_t mode);
  // The path has its final mode already.
  void forget(const std::string& path) { all_.erase(path); }

  std::map<std::string, mode_t> modes_before() const;  // of everything opened up
  std::map<std::string, mode_t> modes_after() const;   // of everything opened up or settled

  // Sets the final modes and removes the journal. Returns a line for each mode that could not be
  // set.
  std::vector<std::string> close();

 private:
  struct Opened {
    mode_t before = 0, after = 0;
    bool opened = false, settled = false;
    uint64_t inode = 0;  // of the file or folder that was opened up
  };

  explicit Openings(std::string journal) : journal_(std::move(journal)) {}
  base::Status take_over();
  base::Status note(const std::string& path, const Opened& opened, mode_t given);

  std::string journal_;
  base::Fd file_;
  std::map<std::string, Opened> all_;                       // a folder sorts before its content
  std::map<std::pair<uint64_t, uint64_t>, mode_t> before_;  // original modes by device and inode
};

}  // namespace orch::repo
