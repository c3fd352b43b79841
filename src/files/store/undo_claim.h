#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace orch::store {

// Shows new runs that an undo is at work: undos/<run id> names the folder that it changes, and is
// locked during the undo. Undo and run alike first make themselves visible and then look for each
// other, so that of two at once at least one sees the other.
class UndoClaim {
 public:
  // kUsage while another undo is at work in that folder, or in one above or below it.
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

// kUsage, with the remedy, while an undo is at work in `folder`, or in one above or below it. Also
// an error if that cannot be found out.
base::Status check_no_undo(const std::string& state_dir, const std::string& folder);

// The runs whose undo was interrupted: their files may be partly undone. An error if they cannot be
// found out.
base::Result<std::vector<std::string>> undos_cut_off(const std::string& state_dir);

}  // namespace orch::store
