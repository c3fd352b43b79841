#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orch::fence {

// The paths that sockets are bound to, from the text of /proc/net/unix. Without those of the
// abstract name space.
std::vector<std::string> bound_sockets(std::string_view proc_net_unix);

}  // namespace orch::fence
