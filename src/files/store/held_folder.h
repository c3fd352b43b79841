#pragma once

#include <memory>
#include <string>

#include "base/fd.h"

namespace orch::store {

// A folder that is still found after somebody has moved it, or a folder above it. All holders of
// the same one share a descriptor.
class HeldFolder {
 public:
  // A folder that cannot be opened is assumed to stay at `path`.
  explicit HeldFolder(std::string path);

  // The present path of the folder, or the original one if it is nowhere any more. Takes one or two
  // system calls.
  std::string path() const;

 private:
  std::string path_;
  std::shared_ptr<const base::Fd> folder_;
};

}  // namespace orch::store
