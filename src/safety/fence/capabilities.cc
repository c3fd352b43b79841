#include "fence/capabilities.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

namespace orch::fence {
namespace {

// CAP_DAC_READ_SEARCH is not kept: it can open files by handle, wherever they are.
constexpr std::array kKept{CAP_CHOWN,  CAP_DAC_OVERRIDE, CAP_FOWNER,          CAP_FSETID,
                           CAP_SETGID, CAP_SETUID,       CAP_NET_BIND_SERVICE};

bool is_kept(int capability) {
  return std::find(kKept.begin(), kKept.end(), capability) != kKept.end();
}

}  // namespace

base::Status drop_capabilities() {
  for (int capability = 0; ::prctl(PR_CAPBSET_READ, capability) >= 0; ++capability) {
    if (is_kept(capability)) continue;
    const bool dropped = ::prctl(PR_CAPBSET_DROP, capability) == 0;
    if (!dropped && errno != EPERM) return base::system_error("fence: capabilities", errno);
  }
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> sets{};
  if (::syscall(SYS_capget, &header, sets.data()) != 0) {
    return base::system_error("fence: capabilities", errno);
  }
  uint32_t kept = 0;  // all of them are below 32
  for (const int capability : kKept) kept |= uint32_t{1} << capability;
  for (size_t i = 0; i < sets.size(); ++i) {
    const uint32_t mask = i == 0 ? kept : 0;
    sets[i].permitted &= mask;
    sets[i].effective &= mask;
    sets[i].inheritable = 0;
  }
  if (::syscall(SYS_capset, &header, sets.data()) != 0) {
    return base::system_error("fence: capabilities", errno);
  }
  return base::Ok{};
}

}  // namespace orch::fence
