#include "peer/session_socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "base/sha256.h"
#include "base/shared_folder.h"
#include "store/folder.h"
#include "store/issue_name.h"
#include "store/named_place.h"

namespace orch::peer {
namespace {

using base::Result;
using base::Status;

constexpr int kBacklog = 128;
// How often, and after which pauses, to look again whether a host that is about to part still
// listens.
constexpr int kPartingLooks = 50;
constexpr timespec kPartingPause{0, 10'000'000};
// The room in sun_path after "/proc/self/fd/<n>/"; descriptors are below 2^20 (fs.nr_open).
constexpr size_t kMaxName = sizeof(sockaddr_un::sun_path) - sizeof("/proc/self/fd/1048575/");  // 85
constexpr size_t kNameDigits = 10;  // the socket's name of an issue of 64 characters has 85

base::Error refusal(const std::string& path, std::string_view reason, std::string_view remedy) {
  return base::usage_error("socket " + path + ": " + std::string(reason) + "; " +
                           std::string(remedy));
}

std::string another_user(uid_t user) {
  return "it belongs to another user (uid " + std::to_string(user) + ")";
}

std::string_view kind_of(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFLNK:
      return "a symbolic link";
    case S_IFREG:
      return "a file";
    case S_IFDIR:
      return "a folder";
    default:
      return "something else";
  }
}

Result<base::Fd> open_folder(const std::string& path) {
  constexpr std::string_view kRemedy = "remove it, or set XDG_RUNTIME_DIR to a folder of your own";
  base::Fd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.valid() && (errno == ENOTDIR || errno == ELOOP)) {
    return refusal("folder " + path, "it is a symbolic link or not a folder", kRemedy);
  }
  if (!folder.valid() && errno == ENOENT) {
    return base::Error{base::ErrorCode::kNotFound, "no socket folder " + path};
  }
  if (!folder.valid()) return base::system_error("open socket folder " + path, errno);
  struct stat info {};
  if (::fstat(folder.get(), &info) != 0) return base::system_error("stat " + path, errno);
  if (info.st_uid != ::geteuid()) {
    return refusal("folder " + path, another_user(info.st_uid), kRemedy);
  }
  const bool open_to_others = (info.st_mode & 077) != 0;
  if (open_to_others && ::fchmod(folder.get(), 0700) != 0) {
    return base::system_error("chmod 0700 " + path, errno);
  }
  return folder;
}

// Whether there is a socket of ours with this name; false if nothing is there, an error if it is
// anything else.
Result<bool> is_our_socket(const base::Fd& folder, const std::string& name,
                           const std::string& path) {
  struct stat info {};
  if (::fstatat(folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return false;
    return base::system_error("stat " + path, errno);
  }
  if (info.st_uid != ::geteuid()) {
    return refusal(path, another_user(info.st_uid), "have it removed");
  }
  if (!S_ISSOCK(info.st_mode)) {
    return refusal(path, std::string(kind_of(info.st_mode)) + " is in its place", "remove it");
  }
  return true;
}

sockaddr_un address_in(const base::Fd& folder, const std::string& name) {
  const std::string path = "/proc/self/fd/" + std::to_string(folder.get()) + "/" + name;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

base::Fd new_socket() {
  return base::Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

// A connection to the socket, or the errno that says why there is none.
struct Attempt {
  base::Fd socket;
  int error = 0;
};
Attempt attempt(const base::Fd& folder, const std::string& name) {
  Attempt made{new_socket()};
  const sockaddr_un address = address_in(folder, name);
  const bool connected = made.socket.valid() &&
                         ::connect(made.socket.get(), reinterpret_cast<const sockaddr*>(&address),
                                   sizeof address) == 0;
  if (!connected) made.error = errno;
  return made;
}

bool is_dead(const base::Fd& folder, const std::string& name) {
  return attempt(folder, name).error == ECONNREFUSED;
}

bool is_folder_of_ours(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid();
}

// The name must be free.
Result<ListeningSocket> listen_in(base::Fd folder, const std::string& folder_path,
                                  const std::string& name, mode_t mode) {
  const std::string path = folder_path + "/" + name;
  base::Fd socket = new_socket();
  if (!socket.valid()) return base::system_error("create socket " + path, errno);
  const sockaddr_un address = address_in(folder, name);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return base::system_error("create socket " + path, errno);
  }
  ListeningSocket listening{std::move(socket), SocketName(std::move(folder), folder_path, name)};
  // Nobody can connect before listen(), so nobody has connected before the mode was set.
  if (::fchmodat(listening.name.folder(), name.c_str(), mode, 0) != 0 ||
      ::listen(listening.socket.get(), kBacklog) != 0) {
    return base::system_error("listen on socket " + path, errno);
  }
  return listening;
}

base::Error nobody_listens(const std::string& path) {
  return {base::ErrorCode::kNotFound, "nobody listens on " + path};
}

std::optional<ucred> peer_of(const base::Fd& connection) {
  ucred peer{};
  socklen_t size = sizeof peer;
  const bool known = ::getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
  return known ? std::optional(peer) : std::nullopt;
}

}  // namespace

std::string socket_folder(const SocketPlaces& places) {
  const std::string& runtime = places.xdg_runtime_dir;
  const bool is_reached =
      runtime.starts_with('/') &&
      store::find_named_place(runtime, store::Missing::kError, store::AgentsLinks::kRefused).ok();
  if (is_reached && is_folder_of_ours(runtime)) return runtime + "/orch";
  return places.state_dir + "/sockets";
}

SocketName::SocketName(base::Fd folder, std::string folder_path, std::string name)
    : folder_(base::share_folder(std::move(folder))),
      folder_path_(std::move(folder_path)),
      name_(std::move(name)) {
  struct stat info {};
  if (::fstatat(folder_->get(), name_.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return;
  device_ = info.st_dev;
  inode_ = info.st_ino;
}

SocketName::~SocketName() {
  struct stat info {};
  const bool still_ours =
      folder_ && ::fstatat(folder_->get(), name_.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
      info.st_dev == device_ && info.st_ino == inode_;
  if (still_ours) ::unlinkat(folder_->get(), name_.c_str(), 0);
}

Result<std::string> socket_name(std::string_view issue, std::string_view repository,
                                const std::string& state_dir) {
  struct stat info {};
  if (::stat(state_dir.c_str(), &info) != 0) return base::system_error("stat " + state_dir, errno);
  const std::string place = std::string(repository) + '\0' + std::to_string(info.st_dev) + ':' +
                            std::to_string(info.st_ino);
  return store::session_name(issue) + "@" + base::sha256_hex(place).substr(0, kNameDigits);
}

Result<ListeningSocket> listen_on(const std::string& folder_path, std::string_view base_name) {
  const std::string name = std::string(base_name) + ".sock";
  if (base_name.empty() || base_name.front() == '.' || base_name.find('/') != base_name.npos ||
      name.size() > kMaxName) {
    return base::usage_error("'" + std::string(base_name) + "' is not a name for a socket");
  }
  const std::string path = folder_path + "/" + name;
  if (Status s = store::create_folders(folder_path); !s) return s.error();
  Result<base::Fd> folder = open_folder(folder_path);
  if (!folder) return folder.error();
  Result<bool> is_there = is_our_socket(*folder, name, path);
  for (int looks = 0; is_there && *is_there && !is_dead(*folder, name); ++looks) {
    if (looks == kPartingLooks) {
      return refusal(path, "another host listens on it", "end that one first");
    }
    ::nanosleep(&kPartingPause, nullptr);
    is_there = is_our_socket(*folder, name, path);
  }
  if (!is_there) return is_there.error();
  if (*is_there && ::unlinkat(folder->get(), name.c_str(), 0) != 0) {
    return base::system_error("remove stale socket " + path, errno);
  }
  return listen_in(std::move(folder).value(), folder_path, name, 0600);
}

Result<ListeningSocket> listen_for_container(const std::string& path) {
  constexpr mode_t kMode = 0666;
  const size_t slash = path.rfind('/');
  const std::string folder_path = path.substr(0, slash);
  base::Fd folder(::open(folder_path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.valid()) return base::system_error("open folder " + folder_path, errno);
  return listen_in(std::move(folder), folder_path, path.substr(slash + 1), kMode);
}

Result<base::Fd> connect_to(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos || slash == 0 || path.size() - slash - 1 > kMaxName) {
    return base::usage_error("'" + path + "' is not the path of a session's socket");
  }
  const std::string name = path.substr(slash + 1);
  Result<base::Fd> folder = open_folder(path.substr(0, slash));
  if (!folder) return folder.error();
  const Result<bool> found = is_our_socket(*folder, name, path);
  if (!found) return found.error();
  if (!*found) return nobody_listens(path);

  Attempt made = attempt(*folder, name);
  if (made.error == ECONNREFUSED || made.error == ENOENT) return nobody_listens(path);
  if (made.error == EAGAIN) {
    return base::Error{base::ErrorCode::kSystem,
                       path + " takes no more connections: its host is stopped or overloaded"};
  }
  if (made.error != 0) return base::system_error("connect to " + path, made.error);
  if (!our_peer(made.socket)) {
    return refusal(path, "another user's process listens on it", "remove it");
  }
  return std::move(made.socket);
}

Result<base::Fd> connect_inside(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return base::usage_error("'" + path + "' is not the path of a session's socket");
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  base::Fd socket = new_socket();
  if (!socket.valid() ||
      ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return base::system_error("connect to " + path, errno);
  }
  return socket;
}

void remove_dead_socket(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos || path.size() - slash - 1 > kMaxName) return;
  const Result<base::Fd> folder = open_folder(path.substr(0, slash));
  if (!folder) return;
  const std::string name = path.substr(slash + 1);
  const Result<bool> is_there = is_our_socket(*folder, name, path);
  const bool dead = is_there && *is_there && is_dead(*folder, name);
  if (dead) ::unlinkat(folder->get(), name.c_str(), 0);
}

std::optional<pid_t> our_peer(const base::Fd& connection) {
  const std::optional<ucred> peer = peer_of(connection);
  return peer && peer->uid == ::geteuid() ? std::optional(peer->pid) : std::nullopt;
}

std::optional<pid_t> any_peer(const base::Fd& connection) {
  const std::optional<ucred> peer = peer_of(connection);
  return peer ? std::optional(peer->pid) : std::nullopt;
}

}  // namespace orch::peer
