#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace orch::store {

// An undo that is at work, as runs that begin see it: undos/<run id> names the folder that it
// changes, and is locked for as long as it does. Whoever begins to work in a folder makes itself
// seen first and looks then, an undo and a run alike: of two at once at least one sees the other.
class UndoClaim {
 public:
  // kUsage while another undo is at work in that folder, in one above or below it.
  static base::Result<std::unique_ptr<UndoClaim>> make(const std::string& state_dir,
                                                       const std::string& run,
                                                       const std::string& work_dir);
  ~UndoClaim();
  UndoClaim(const UndoClaim&) = delete;
  UndoClaim& operator=(const UndoClaim&) = delete;

 private:
  UndoClaim(std::string path, base::Fd lock) : path_(std::move(path)), lock_(std::move(lock)) {}

  std::string path_;
  base::Fd lock_;
};

// kUsage, with the remedy, while an undo is at work in `folder`, in one above or below it.
base::Status check_no_undo(const std::string& state_dir, const std::string& folder);

// The runs whose undo was cut off: its files may be half of the one state, half of the other.
std::vector<std::string> undos_cut_off(const std::string& state_dir);

}  // namespace orch::store
