#include "fence/landlock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "base/fd.h"
#include "fence/mounts.h"
#include "fence/places.h"

namespace orch::fence {

namespace fs = std::filesystem;

namespace {

// The kernel's interface (include/uapi/linux/landlock.h); the headers of Debian 12 have its first
// version only.
// The same on all architectures.
constexpr long kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;
constexpr unsigned kAskVersion = 1;
constexpr int kRulePathBeneath = 1, kRuleNetPort = 2;

constexpr uint64_t bit(int n) { return uint64_t{1} << n; }
constexpr uint64_t kExecute = bit(0), kWriteFile = bit(1), kReadFile = bit(2), kReadDir = bit(3),
                   kRefer = bit(13), kTruncate = bit(14), kIoctlDev = bit(15);
// Making and removing entries of every kind, devices too: a process could make those only with
// capabilities that are dropped.
constexpr uint64_t kChangeFolder =
    bit(4) | bit(5) | bit(6) | bit(7) | bit(8) | bit(9) | bit(10) | bit(11) | bit(12);
constexpr uint64_t kRead = kExecute | kReadFile | kReadDir;
constexpr uint64_t kChange = kWriteFile | kChangeFolder | kRefer | kTruncate;
constexpr uint64_t kBindTcp = bit(0), kConnectTcp = bit(1);
constexpr uint64_t kScopes = bit(0) | bit(1);  // abstract sockets, signals

struct Attributes {
  uint64_t files;
  uint64_t network;
  uint64_t scopes;
};
struct [[gnu::packed]] PathRule {
  uint64_t rights;
  int32_t fd;
};
struct PortRule {
  uint64_t rights;
  uint64_t port;
};

uint64_t file_rights(int version) {
  uint64_t rights = kRead | kWriteFile | kChangeFolder;
  if (version >= 2) rights |= kRefer;
  if (version >= 3) rights |= kTruncate;
  if (version >= 5) rights |= kIoctlDev;
  return rights;
}

// Opens the file that has this path now, step by step. A rule applies to the opened file, and where
// an agent may write, a folder of the plan may have been replaced by a link to something that
// nobody grants. O_PATH opens a link itself, so no step leads through one; the caller checks
// whether the last one is a link.
base::Fd open_as_named(const std::string& path) {
  base::Fd at(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (const fs::path& name : fs::path(path).relative_path()) {
    at = base::Fd(::openat(at.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  }
  return at;
}

class Ruleset {
 public:
  Ruleset(int version, bool ports)
      : attributes_{file_rights(version), ports ? kBindTcp | kConnectTcp : 0,
                    version >= 6 ? kScopes : 0} {
    // Older kernels refuse a size that they do not know, unless the bytes beyond theirs are zero.
    const size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    fd_.reset(static_cast<int>(::syscall(kCreateRuleset, &attributes_, size, 0)));
    if (!fd_.valid()) error_ = errno;
  }

  // Allows a path. One that is gone needs no rule; one that has become a link, or leads through
  // one, gets none.
  void allow(const std::string& path, uint64_t rights) { allow(open_as_named(path), rights); }
  // For paths of the system, where agents cannot put links: on some systems /dev/shm and /tmp are
  // links.
  void allow_of_system(const std::string& path, uint64_t rights) {
    if (const std::optional<std::string> real = resolved(path)) allow(*real, rights);
  }
  void allow(const base::Fd& at, uint64_t rights) {
    struct stat info {};
    if (!at.valid() || ::fstat(at.get(), &info) != 0 || S_ISLNK(info.st_mode)) return;
    if (!S_ISDIR(info.st_mode)) rights &= kExecute | kReadFile | kWriteFile | kTruncate | kIoctlDev;
    const PathRule rule{rights & attributes_.files, at.get()};
    add(kRulePathBeneath, &rule);
  }
  void allow_port(uint16_t port) {
    const PortRule rule{kConnectTcp, port};
    add(kRuleNetPort, &rule);
  }

  base::Status enforce() {
    if (error_ == 0 && ::syscall(kRestrictSelf, fd_.get(), 0) != 0) error_ = errno;
    if (error_ != 0) return base::system_error("fence: landlock", error_);
    return base::Ok{};
  }

 private:
  void add(int kind, const void* rule) {
    if (error_ == 0 && ::syscall(kAddRule, fd_.get(), kind, rule, 0) != 0) error_ = errno;
  }

  Attributes attributes_;
  base::Fd fd_;
  int error_ = 0;  // errno of the first failure
};

// The kernel looks for rules in all folders on a secret's path, including folders that contain
// mount points. If one of these has another name in another mount, that name must have no rule
// either.
std::vector<std::string> other_names_of_ways(const std::vector<std::string>& secrets) {
  const std::vector<Mount> mounts = mounts_of_this_process();
  std::vector<std::string> ways;
  for (const Mount& mount : mounts) {
    const auto leads_there = [&mount](const std::string& one) {
      return is_within(one, mount.point);
    };
    if (std::none_of(secrets.begin(), secrets.end(), leads_there)) continue;
    for (std::string& name : other_names(mounts, mount.point)) ways.push_back(std::move(name));
  }
  return ways;
}

}  // namespace

int landlock_version() {
  const long version = ::syscall(kCreateRuleset, nullptr, 0, kAskVersion);
  return version < 0 ? 0 : static_cast<int>(version);
}

base::Status restrict_with_landlock(const Plan& plan) {
  const int version = landlock_version();
  // A network namespace of its own holds more than a limit of ports, and has the agent's servers.
  const bool limited =
      plan.network.kind == Network::Kind::kPorts || plan.network.kind == Network::Kind::kNone;
  const bool ports = limited && version >= 4;
  Ruleset rules(version, ports);
  // A rule applies to a whole tree, so all neighbours of a secret are granted one by one, and files
  // that appear there later are not granted. Names may be listed everywhere, because a folder that
  // cannot be listed looks broken. In namespaces the machine's own secrets are covered by mounts
  // instead, so that new files in /etc can be read.
  std::vector<std::string> secret = plan.secrets.closed;
  if (!plan.layers.namespaces) {
    secret.insert(secret.end(), plan.secrets.of_machine.begin(), plan.secrets.of_machine.end());
  }
  rules.allow("/", kReadDir);
  std::vector<std::string> closed = secret;
  closed.insert(closed.end(), plan.homes.emptied.begin(), plan.homes.emptied.end());
  const std::vector<std::string> ways = other_names_of_ways(closed);
  for (const std::string& path : all_but(closed, "/", ways).kept) rules.allow(path, kRead);
  for (const std::string& shown : plan.homes.shown) {
    for (const std::string& path : all_but(secret, shown, ways).kept) rules.allow(path, kRead);
  }
  for (const std::string& path : plan.secrets.open) rules.allow(path, kRead);
  rules.allow_of_system("/dev/shm", kRead | kChange);
  if (plan.layers.namespaces) {
    rules.allow_of_system("/tmp", kRead | kChange);
  } else {
    rules.allow(plan.scratch, kRead | kChange);
  }
  for (const Grant& grant : plan.write) {
    const base::Result<base::Fd> granted = open_granted(grant);
    if (granted) rules.allow(*granted, kRead | kChange);
    if (!granted && granted.error().code != base::ErrorCode::kNotFound) return granted.error();
  }
  for (const std::string& path : plan.devices) {
    rules.allow(path, kReadFile | kReadDir | kWriteFile | kTruncate | kIoctlDev);
  }
  for (const uint16_t port : plan.network.ports) rules.allow_port(port);
  return rules.enforce();
}

}  // namespace orch::fence
