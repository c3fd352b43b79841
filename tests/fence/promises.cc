// Each attempt returns true if it succeeds, which it does if no layer prevents it. It leaves
// everything as it was, unless the change is its purpose.
#include "promises.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <mqueue.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/timex.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <thread>

#include "base/fd.h"

using orch::base::Fd;
using orch::fence::Network;

namespace {

bool opens(const std::string& path, int flags) {
  return Fd(::open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY, 0600)).valid();
}
bool reads(const std::string& path) { return opens(path, O_RDONLY); }
const char* kept() {
  static const std::string path = fact("kept");
  return path.c_str();
}
std::string beside_kept() { return fact("kept") + ".new"; }
int number(std::string_view name) { return std::atoi(fact(name).c_str()); }

sockaddr_in server() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(number("port")));
  return address;
}
bool connects(const Fd& socket) {
  const sockaddr_in to = server();
  return socket.valid() &&
         ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
}
bool connects_to_unix(const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (name.size() >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, name.data(), name.size());
  if (address.sun_path[0] == '@') address.sun_path[0] = '\0';
  const Fd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0;
}
bool makes_socket(int family, int type, int protocol) {
  return Fd(::socket(family, type, protocol)).valid();
}

bool types_into_its_terminal() {
  ::setsid();
  ::signal(SIGHUP, SIG_IGN);  // sent when the terminal is closed
  const Fd terminal(::posix_openpt(O_RDWR | O_NOCTTY));
  std::array<char, 64> name{};
  if (!terminal.valid() || ::grantpt(terminal.get()) != 0 || ::unlockpt(terminal.get()) != 0 ||
      ::ptsname_r(terminal.get(), name.data(), name.size()) != 0) {
    return false;
  }
  const Fd shell(::open(name.data(), O_RDWR | O_CLOEXEC));
  const char typed = 'x';
  return ::ioctl(shell.get(), TIOCSTI, &typed) == 0;
}

bool sends_with_connection() {
  const Fd socket(::socket(AF_INET, SOCK_STREAM, 0));
  const sockaddr_in to = server();
  return ::sendto(socket.get(), "x", 1, MSG_FASTOPEN, reinterpret_cast<const sockaddr*>(&to),
                  sizeof to) == 1;
}

// Reads a login file that a process outside of the fence creates when it sees work/now.
bool reads_what_appeared() {
  if (!opens(fact("work") + "/now", O_WRONLY | O_CREAT)) return false;
  const std::string login = fact("later");
  struct stat info {};
  for (int tries = 0; tries < 2000 && ::lstat(login.c_str(), &info) != 0; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return reads(login);
}

// A file handle in the kernel's format (name_to_handle_at(2)).
class Handle {
 public:
  Handle() { get()->handle_bytes = MAX_HANDLE_SZ; }
  file_handle* get() { return reinterpret_cast<file_handle*>(bytes_.data()); }
  bool of(const std::string& path) {
    int mount = 0;
    return ::name_to_handle_at(AT_FDCWD, path.c_str(), get(), &mount, 0) == 0;
  }
  std::string to_text() const {
    std::string text;
    for (const unsigned char byte : bytes_) text += std::to_string(byte) + ' ';
    return text;
  }
  void read(const std::string& text) {
    std::istringstream in(text);
    unsigned value = 0;
    for (unsigned char& byte : bytes_) {
      if (in >> value) byte = static_cast<unsigned char>(value);
    }
  }

 private:
  alignas(file_handle) std::array<unsigned char, sizeof(file_handle) + MAX_HANDLE_SZ> bytes_{};
};

// Opens a file by a handle that another process got, or that was guessed.
bool opens_by_handle() {
  Handle handle;
  handle.read(fact("handle"));
  const Fd here(::open(fact("work").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return Fd(::open_by_handle_at(here.get(), handle.get(), O_RDONLY | O_CLOEXEC)).valid();
}

// Makes a system call as 32-bit programs do, by int 0x80; number 20 is getpid there.
bool calls_as_another_architecture() {
#if defined(__x86_64__)
  long result = 20;
  asm volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
  return result > 0;
#else
  return false;
#endif
}

// Sets the clock's frequency to its present value, which needs the same permission as a change.
bool sets_the_clock() {
  timex clock{};
  if (::adjtimex(&clock) < 0) return false;
  clock.modes = ADJ_FREQUENCY;
  return ::adjtimex(&clock) >= 0;
}

bool makes_a_disk() {
  const std::string disk = fact("work") + "/disk";
  const bool made = ::mknod(disk.c_str(), S_IFBLK | 0600, makedev(7, 0)) == 0;
  ::unlink(disk.c_str());
  return made;
}

Network one_port() { return {Network::Kind::kPorts, {1}, false, {}}; }
Network no_network() { return {Network::Kind::kNone, {}, false, {}}; }

constexpr std::string_view kFiles = "modes, owners, times and attributes of files outside";
constexpr std::string_view kPlaces = "`/tmp`, `/run`, `/dev/shm` of others";
constexpr std::string_view kQueues = "System V and POSIX queues";
constexpr std::string_view kWriting = "writing, making, removing, moving files outside";
constexpr std::string_view kSecrets = "reading secrets, also those that appear later";
constexpr std::string_view kNewer = "from version 4 TCP ports, from 6 signals and abstract sockets";
constexpr std::string_view kLimits = "limits, priorities and processors of other processes";
constexpr std::string_view kSockets =
    "with `--net` multipath TCP, Fast Open, UDP, raw and other sockets";
constexpr std::string_view kRaw = "raw devices and packets";

constexpr int kPorts = 4, kScopes = 6;  // the versions of Landlock that have them
constexpr int kMultipathTcp = 262;

}  // namespace

const std::vector<Attempt>& attempts() {
  static const std::vector<Attempt> all{
      {"namespaces", kFiles, "chmod", [] { return ::chmod(kept(), 0600) == 0; }},
      {"namespaces", kFiles, "chown",
       [] { return ::chown(kept(), ::geteuid(), static_cast<gid_t>(-1)) == 0; }},
      {"namespaces", kFiles, "utimes",
       [] { return ::utimensat(AT_FDCWD, kept(), nullptr, 0) == 0; }},
      {"namespaces", kFiles, "setxattr",
       [] { return ::setxattr(kept(), "user.orch", "x", 1, 0) == 0; }},
      {"namespaces", "sockets by path (docker, dbus, tmux, agents of keys)", "connect",
       [] { return connects_to_unix(fact("socket")); }},
      {"namespaces", kPlaces, "/tmp", [] { return reads(fact("tmp")); }},
      {"namespaces", kPlaces, "/run", [] { return ::access(fact("run").c_str(), F_OK) == 0; }},
      {"namespaces", kPlaces, "/dev/shm", [] { return reads(fact("shm")); }},
      {"namespaces", "names of other processes", "/proc",
       [] { return reads("/proc/" + fact("process") + "/stat"); }},
      {"namespaces", "names of other processes", "kill",
       [] { return ::kill(number("process"), 0) == 0; }},
      {"namespaces", kQueues, "msgctl",
       [] {
         msqid_ds info{};
         return ::msgctl(number("queue"), IPC_STAT, &info) == 0;
       }},
      {"namespaces", kQueues, "mq_open",
       [] { return ::mq_open(fact("mqueue").c_str(), O_RDONLY | O_CLOEXEC) >= 0; }},
      {"namespaces", "other terminals", "open", [] { return opens(fact("terminal"), O_WRONLY); }},
      {"namespaces", "`--net none` whole", "TCP",
       [] { return connects(Fd(::socket(AF_INET, SOCK_STREAM, 0))); }, 0, no_network()},
      {"namespaces", "`--net none` whole", "abstract socket",
       [] { return connects_to_unix(fact("abstract")); }, 0, no_network()},

      {"Landlock", kWriting, "open", [] { return opens(fact("kept"), O_WRONLY); }, 1},
      {"Landlock", kWriting, "truncate", [] { return ::truncate(kept(), 4) == 0; }, 3},
      {"Landlock", kWriting, "create", [] { return opens(beside_kept(), O_WRONLY | O_CREAT); }, 1},
      {"Landlock", kWriting, "mkdir",
       [] { return ::mkdir((beside_kept() + ".d").c_str(), 0700) == 0; }, 1},
      {"Landlock", kWriting, "symlink",
       [] { return ::symlink("/", (beside_kept() + ".l").c_str()) == 0; }, 1},
      {"Landlock", kWriting, "unlink", [] { return ::unlink(fact("removed").c_str()) == 0; }, 1},
      {"Landlock", kWriting, "rename out",
       [] { return ::rename(fact("mine").c_str(), beside_kept().c_str()) == 0; }, 1},
      {"Landlock", kWriting, "rename in",
       [] { return ::rename(fact("moved").c_str(), (fact("work") + "/in").c_str()) == 0; }, 1},
      {"Landlock", kSecrets, "a key", [] { return reads(fact("key")); }, 1},
      {"Landlock", kSecrets, "a new login", reads_what_appeared, 1},
      {"Landlock", kNewer, "TCP", [] { return connects(Fd(::socket(AF_INET, SOCK_STREAM, 0))); },
       kPorts, one_port()},
      {"Landlock", kNewer, "kill", [] { return ::kill(number("process"), 0) == 0; }, kScopes},
      {"Landlock", kNewer, "abstract socket", [] { return connects_to_unix(fact("abstract")); },
       kScopes},

      {"seccomp", kLimits, "prlimit",
       [] {
         const rlimit64 cores{0, 0};
         return ::syscall(SYS_prlimit64, number("process"), RLIMIT_CORE, &cores, nullptr) == 0;
       }},
      {"seccomp", kLimits, "setpriority",
       [] { return ::setpriority(PRIO_PROCESS, static_cast<id_t>(number("process")), 19) == 0; }},
      {"seccomp", kLimits, "sched_setaffinity",
       [] {
         cpu_set_t one;
         CPU_ZERO(&one);
         CPU_SET(static_cast<size_t>(std::max(::sched_getcpu(), 0)), &one);
         return ::sched_setaffinity(number("process"), sizeof one, &one) == 0;
       }},
      {"seccomp", "kernel keys", "keyctl",
       [] {
         constexpr long kGetKeyringId = 0, kUserKeyring = -4;
         return ::syscall(SYS_keyctl, kGetKeyringId, kUserKeyring, 1) > 0;
       }},
      {"seccomp", "io_uring", "io_uring_setup",
       [] {
         io_uring_params parameters{};
         return Fd(static_cast<int>(::syscall(SYS_io_uring_setup, 1, &parameters))).valid();
       }},
      {"seccomp", "files by handle", "name_to_handle_at", [] { return Handle().of(fact("kept")); }},
      {"seccomp", "files by handle", "open_by_handle_at", opens_by_handle},
      {"seccomp", "typing into a terminal (TIOCSTI)", "ioctl", types_into_its_terminal},
      {"seccomp", kSockets, "multipath TCP",
       [] { return makes_socket(AF_INET, SOCK_STREAM, kMultipathTcp); }, 0, one_port()},
      {"seccomp", kSockets, "Fast Open", sends_with_connection, 0, one_port()},
      {"seccomp", kSockets, "UDP", [] { return makes_socket(AF_INET, SOCK_DGRAM, 0); }, 0,
       one_port()},
      {"seccomp", kSockets, "UDP over IPv6", [] { return makes_socket(AF_INET6, SOCK_DGRAM, 0); },
       0, one_port()},
      {"seccomp", kSockets, "raw", [] { return makes_socket(AF_INET, SOCK_RAW, IPPROTO_TCP); }, 0,
       one_port()},
      {"seccomp", kSockets, "packets", [] { return makes_socket(AF_PACKET, SOCK_RAW, 0); }, 0,
       one_port()},
      {"seccomp", kSockets, "vsock", [] { return makes_socket(AF_VSOCK, SOCK_STREAM, 0); }, 0,
       one_port()},
      {"seccomp", "programs of another architecture", "int 0x80", calls_as_another_architecture},

      {"capabilities", "clock", "adjtimex", sets_the_clock},
      // These three change nothing: the kernel checks the permission before the arguments.
      {"capabilities", "reboot", "no command",
       [] { return ::syscall(SYS_reboot, 0, 0, 0, nullptr) != 0 && errno == EINVAL; }},
      {"capabilities", "modules", "no module",
       [] {
         return ::syscall(SYS_delete_module, "orch-none", O_NONBLOCK) != 0 && errno == ENOENT;
       }},
      {"capabilities", "mounts", "no mount",
       [] { return ::umount2(fact("work").c_str(), 0) != 0 && errno == EINVAL; }},
      {"capabilities", kRaw, "a disk", makes_a_disk},
      {"capabilities", kRaw, "packets", [] { return makes_socket(AF_PACKET, SOCK_RAW, 0); }},
      {"capabilities", "other users' processes", "kill",
       [] { return ::kill(number("stranger"), 0) == 0; }},
      {"capabilities", "files by handle", "open_by_handle_at", opens_by_handle},
  };
  return all;
}

std::string handle_of(const std::string& path) {
  Handle handle;
  return handle.of(path) ? handle.to_text() : "";
}

std::string fact(std::string_view name) {
  const char* value = ::getenv(("ORCH_FACT_" + std::string(name)).c_str());
  return value == nullptr ? std::string() : value;
}
void set_fact(std::string_view name, const std::string& value) {
  ::setenv(("ORCH_FACT_" + std::string(name)).c_str(), value.c_str(), 1);
}
