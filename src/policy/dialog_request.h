#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "detect/dialog.h"

namespace orch::policy {

// What a permission dialog asks for, read from its text.
struct DialogRequest {
  enum class Kind : uint8_t {
    kCommand,  // a shell command
    kWrite,    // files that are to be written
    kOther,    // anything else; the dialog is on the screen as a whole
    kUnknown,  // it cannot be read to its end
  };
  Kind kind = Kind::kUnknown;
  // Of a command: dialogs wrap it, and some put a description under it that looks the same. The
  // readings that are likely, the first the likeliest, and those that are possible too.
  std::vector<std::string> likely, possible;
  std::vector<std::string> paths;  // of kWrite
};

DialogRequest request_of(const detect::DialogView& dialog);

}  // namespace orch::policy
