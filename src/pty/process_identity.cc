#include "pty/process_identity.h"

#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstddef>
#include <fstream>
#include <mutex>
#include <optional>

#include "base/sha256.h"
#include "pty/process_table.h"

namespace orch::pty {
namespace {

constexpr size_t kMachineDigits = 16;

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string machine_digits() {
  const std::string id = first_line("/etc/machine-id");  // machine-id(5)
  return id.empty() ? "" : base::sha256_hex("orch " + id).substr(0, kMachineDigits);
}

std::string own_hostname() {
  utsname names{};
  return ::uname(&names) == 0 ? names.nodename : "";
}

template <typename Number>
bool read_number(std::string_view text, Number& number) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && rest == text.data() + text.size();
}

}  // namespace

std::string identity_text(const ProcessIdentity& process) {
  return std::to_string(process.pid) + ":" + std::to_string(process.start) + ":" +
         std::to_string(process.pid_namespace) + ":" + process.boot_id + ":" + process.hostname +
         ":" + process.machine;
}

std::optional<ProcessIdentity> identity_from(std::string_view text) {
  std::array<std::string_view, 6> parts;
  for (size_t i = 0; i < parts.size(); ++i) {
    const size_t colon = text.find(':');
    if ((colon == std::string_view::npos) != (i + 1 == parts.size())) return std::nullopt;
    parts[i] = text.substr(0, colon);
    text.remove_prefix(i + 1 == parts.size() ? text.size() : colon + 1);
  }
  ProcessIdentity process;
  if (!read_number(parts[0], process.pid) || !read_number(parts[1], process.start) ||
      !read_number(parts[2], process.pid_namespace) || process.pid <= 0) {
    return std::nullopt;
  }
  process.boot_id = parts[3];
  process.hostname = parts[4];
  process.machine = parts[5];
  return process;
}

namespace {

ProcessIdentity look_at_self() {
  ProcessIdentity own;
  own.pid = ::getpid();
  if (proc_is_ours()) {
    if (const std::optional<ProcessEntry> entry = read_process(own.pid)) own.start = entry->start;
  }
  struct stat space {};
  if (::stat("/proc/self/ns/pid", &space) == 0) own.pid_namespace = space.st_ino;
  own.boot_id = first_line("/proc/sys/kernel/random/boot_id");
  own.hostname = own_hostname();
  own.machine = machine_digits();
  return own;
}

// Whether a process is proven to be gone. One that cannot be read, say because descriptors ran out,
// may live.
bool is_gone(pid_t pid) { return ::kill(pid, 0) != 0 && errno == ESRCH; }

}  // namespace

// Kept from the first time that all of it could be read, since descriptors may run out later.
ProcessIdentity own_identity() {
  static std::mutex guard;
  static ProcessIdentity known;
  const std::lock_guard<std::mutex> locked(guard);
  if (known.pid == ::getpid()) return known;
  ProcessIdentity own = look_at_self();
  const bool is_whole = own.start != 0 && own.pid_namespace != 0 && !own.boot_id.empty();
  if (is_whole) known = own;
  return own;
}

bool is_own(const ProcessIdentity& process) {
  const ProcessIdentity own = own_identity();
  const auto fit = [](const auto& one, const auto& other, const auto& unknown) {
    return one == other || one == unknown || other == unknown;
  };
  return process.pid == own.pid && fit(process.start, own.start, uint64_t{0}) &&
         fit(process.pid_namespace, own.pid_namespace, uint64_t{0}) &&
         fit(process.boot_id, own.boot_id, std::string());
}

Whereabouts whereabouts(const ProcessIdentity& process) {
  const ProcessIdentity own = own_identity();
  if (process.boot_id.empty() || own.boot_id.empty()) return Whereabouts::kUnknown;
  if (process.boot_id != own.boot_id) {
    const bool same_machine = process.hostname == own.hostname && process.machine == own.machine;
    return same_machine ? Whereabouts::kEnded : Whereabouts::kOtherMachine;
  }
  if (process.pid_namespace == 0 || own.pid_namespace == 0) return Whereabouts::kUnknown;
  if (process.pid_namespace != own.pid_namespace) return Whereabouts::kOtherNamespace;
  if (process.start == 0 || !proc_is_ours()) return Whereabouts::kUnknown;
  const std::optional<ProcessEntry> now = read_process(process.pid);
  if (!now && !is_gone(process.pid)) return Whereabouts::kUnknown;
  const bool lives = now && now->start == process.start && !now->ended;
  return lives ? Whereabouts::kHere : Whereabouts::kEnded;
}

}  // namespace orch::pty
