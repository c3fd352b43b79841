#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

// The places of the sessions' sockets, and how to reach them. Only their user can: the folder has
// mode 0700, the sockets 0600, and both belong to the effective user. Anything else in their place
// is left alone, and the error names it. Sockets are opened through the descriptor of their folder,
// so that nobody can exchange the folder in between and a path may be longer than the 108 bytes of
// unix(7).
namespace orch::peer {

struct SocketPlaces {
  std::string xdg_runtime_dir;  // $XDG_RUNTIME_DIR; "" if unset
  std::string state_dir;        // absolute
};
// The folder of the sockets: orch/ in $XDG_RUNTIME_DIR if that is an absolute path to a folder of
// ours, without a link that an agent or another user may have made; otherwise sockets/ in the state
// directory. Does not create it.
std::string socket_folder(const SocketPlaces& places);

// The name of a session's socket without ".sock": "orch-42@0badcafe01". The digits come from a hash
// of the repository and of the state directory (its inode, not its path), because several of both
// may share a folder of sockets. The state directory has to exist.
base::Result<std::string> socket_name(std::string_view issue, std::string_view repository,
                                      const std::string& state_dir);

// The name of a listening socket in its folder. The destructor removes the name, unless it names
// another socket by now. That has to come before the socket is closed: until then its inode number
// cannot be reused.
class SocketName {
 public:
  SocketName(base::Fd folder, std::string folder_path, std::string name);
  SocketName(SocketName&&) = default;
  SocketName& operator=(SocketName&&) = delete;
  ~SocketName();

  std::string path() const { return folder_path_ + "/" + name_; }
  int folder() const { return folder_->get(); }

 private:
  std::shared_ptr<const base::Fd> folder_;
  std::string folder_path_, name_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

struct ListeningSocket {
  base::Fd socket;  // non-blocking
  SocketName name;
};
// Listens on <name>.sock in `folder`, which is created if missing. The caller holds the session's
// lock, so a socket of ours with that name is left over from a dead host, and is replaced. A host
// that has just given up the lock has half a second to give up the name, too. If somebody still
// listens after that, it is an error, and the socket is left alone.
base::Result<ListeningSocket> listen_on(const std::string& folder, std::string_view name);

// Listens on a path, in a folder that exists and that a container gets; its user may connect.
base::Result<ListeningSocket> listen_for_container(const std::string& path);

// Removes a socket of ours if nobody listens on it. Leaves anything else alone.
void remove_dead_socket(const std::string& path);

// A connection to the socket at `path`, non-blocking. kNotFound: nobody listens there, or no
// longer.
base::Result<base::Fd> connect_to(const std::string& path);
// The same in a container, where the socket is another user's, and nobody can put another one in
// its place. The path is short.
base::Result<base::Fd> connect_inside(const std::string& path);

// The pid of the process at the other end of a connection; nullopt if it is another user's.
std::optional<pid_t> our_peer(const base::Fd& connection);
// The same for any user; 0: it is in a pid namespace that is not below ours.
std::optional<pid_t> any_peer(const base::Fd& connection);

}  // namespace orch::peer
