#pragma once

#include <memory>
#include <string>

#include "base/fd.h"

namespace orch::store {

// A folder that is found again when somebody has moved it, or what it lies in, meanwhile. Copies
// are of the same folder.
class HeldFolder {
 public:
  // One that cannot be opened stays where it was said to be.
  explicit HeldFolder(std::string path);

  // Where the folder is now; where it was, when it is nowhere any more. A call to the system or
  // two.
  std::string path() const;

 private:
  std::string path_;
  std::shared_ptr<const base::Fd> folder_;
};

}  // namespace orch::store
