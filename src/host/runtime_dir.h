#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

// Where the sockets of sessions are, and how they are reached. Only their user's: folder 0700,
// sockets 0600, both owned by the effective user. Whatever else is found in their place is refused
// by name and left alone. Sockets are reached through their folder's descriptor, so that the folder
// cannot be exchanged meanwhile and a path may be longer than the 108 bytes of unix(7).
namespace orch::host {

struct SocketPlaces {
  std::string xdg_runtime_dir;  // $XDG_RUNTIME_DIR, "" when unset
  std::string state_dir;        // absolute
};
// orch/ in $XDG_RUNTIME_DIR where that is an absolute path to a directory of ours, else sockets/ in
// the state directory. Not created yet.
std::string socket_folder(const SocketPlaces& places);

// What a session's socket is called, but for its end ".sock": "orch-42@0badcafe01". The digits are
// of a hash of its repository and of the state directory, by whatever path that is reached: two of
// them share a folder of sockets. The state directory exists.
base::Result<std::string> socket_name(std::string_view issue, std::string_view repository,
                                      const std::string& state_dir);

// The name of a listening socket in its folder. Its end removes the name, unless that leads to
// another socket by now; it must come before the socket is closed, which keeps the inode's number
// from being given away.
class SocketName {
 public:
  SocketName(base::Fd folder, std::string folder_path, std::string name);
  SocketName(SocketName&&) = default;
  SocketName& operator=(SocketName&&) = delete;
  ~SocketName();

  std::string path() const { return folder_path_ + "/" + name_; }

 private:
  base::Fd folder_;
  std::string folder_path_, name_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

struct ListeningSocket {
  base::Fd socket;  // non-blocking
  SocketName name;
};
// Listens on <name>.sock in `folder`, which is created where missing. Whoever calls this holds the
// session's lock: a socket of ours that is there already is what a dead host left, and is replaced.
// One on which somebody listens all the same is an error, and is left alone.
base::Result<ListeningSocket> listen_on(const std::string& folder, std::string_view name);

// Removes a socket of ours on which nobody listens. Anything else stays.
void remove_dead_socket(const std::string& path);

// A connection to the socket at `path`, non-blocking. kNotFound: nobody listens there (any more).
base::Result<base::Fd> connect_to(const std::string& path);

// The process at the other end of a connection; nothing when it is another user's.
std::optional<pid_t> our_peer(const base::Fd& connection);

}  // namespace orch::host
