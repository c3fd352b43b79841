#pragma once

#include <memory>

#include "base/fd.h"

namespace orch::base {

// Takes a folder's descriptor, and returns one of the same folder that all its holders in this
// process share: a thousand sessions hold the same few. An invalid one is returned as it is.
std::shared_ptr<const Fd> share_folder(Fd folder);

}  // namespace orch::base
