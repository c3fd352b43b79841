#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace orch::pty {

// Identifies a process for everybody who can see its files: a pid alone means nothing on another
// machine, in another container, or after a reboot.
struct ProcessIdentity {
  pid_t pid = 0;               // in its own pid namespace
  uint64_t start = 0;          // as ProcessEntry::start; 0: not known
  uint64_t pid_namespace = 0;  // the inode of /proc/self/ns/pid
  std::string boot_id;         // /proc/sys/kernel/random/boot_id, random(4)
  std::string hostname;        // uname(2)
  std::string machine;         // digits of a hash of /etc/machine-id, which itself is kept secret
  bool operator==(const ProcessIdentity&) const = default;
};
ProcessIdentity own_identity();
// Whether it is this process, as far as its identity is known.
bool is_own(const ProcessIdentity& process);

// "PID:START:NAMESPACE:BOOT:HOSTNAME:MACHINE", for a file that names its owner even after the owner
// is gone. Any other text is rejected.
std::string identity_text(const ProcessIdentity& process);
std::optional<ProcessIdentity> identity_from(std::string_view text);

enum class Whereabouts : uint8_t {
  kHere,            // it lives, and has this pid in our pid namespace
  kEnded,           // it was here and has ended, or was on this machine before its last boot
  kOtherNamespace,  // another pid namespace of this kernel (a container): cannot be seen
  kOtherMachine,    // cannot be seen either
  kUnknown,  // the identity is incomplete, or /proc cannot be read or shows another namespace
};
// As seen from this process. It may have changed when this returns: signal with signal_process().
Whereabouts whereabouts(const ProcessIdentity& process);

}  // namespace orch::pty
