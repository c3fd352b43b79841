#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace orch::pty {

// A process as it can be told from everywhere that its files are seen: a pid alone names nothing on
// another machine, in another container, or after the next boot.
struct ProcessIdentity {
  pid_t pid = 0;               // in its own pid namespace
  uint64_t start = 0;          // as ProcessEntry::start; 0: it could not tell
  uint64_t pid_namespace = 0;  // the inode of /proc/self/ns/pid
  std::string boot_id;         // /proc/sys/kernel/random/boot_id, random(4)
  std::string hostname;        // uname(2)
  std::string machine;         // digits of a hash of /etc/machine-id, which is nobody's business
  bool operator==(const ProcessIdentity&) const = default;
};
ProcessIdentity own_identity();

// "PID:START:NAMESPACE:BOOT:HOSTNAME:MACHINE": for what is to be known by its owner when that is
// gone. Of any other text nothing is read.
std::string identity_text(const ProcessIdentity& process);
std::optional<ProcessIdentity> identity_from(std::string_view text);

enum class Whereabouts : uint8_t {
  kHere,            // it lives, and its pid is its own in our pid namespace
  kEnded,           // it was here, or on this machine before it booted
  kOtherNamespace,  // of pids on this kernel: a container. Whether it lives cannot be seen
  kOtherMachine,    // the same
  kUnknown,         // the identity is not complete, or our /proc is that of another namespace
};
// As seen from this process. A look is not a moment: signal with signal_process().
Whereabouts whereabouts(const ProcessIdentity& process);

}  // namespace orch::pty
