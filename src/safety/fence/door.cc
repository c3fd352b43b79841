#include "fence/door.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace orch::fence {
namespace {

using base::Result;
using base::Status;

constexpr const char* kName = "exit";
constexpr int kWaiting = 64;

base::Error door_error(const char* what) {
  return base::system_error(std::string("the exit of the fence: ") + what, errno);
}

// The address of the socket in an open folder: the path of a run's folder may be too long for one.
sockaddr_un address_in(const base::Fd& folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", folder.get(),
                kName);
  return address;
}

Result<base::Fd> open_folder(const std::string& path) {
  base::Fd folder(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid()) return door_error("open the run's folder");
  return folder;
}

bool is_listening_on_loopback(int fd) {
  const auto option = [fd](int name) {
    int value = 0;
    socklen_t size = sizeof value;
    return ::getsockopt(fd, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
  };
  sockaddr_in address{};
  socklen_t size = sizeof address;
  return option(SO_ACCEPTCONN) == 1 && option(SO_DOMAIN) == AF_INET &&
         option(SO_PROTOCOL) == IPPROTO_TCP &&
         ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0 &&
         address.sin_addr.s_addr == htonl(INADDR_LOOPBACK);
}

// One byte, and room for a descriptor.
struct Parcel {
  Parcel() {
    piece = {&byte, 1};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = room.data();
    message.msg_controllen = room.size();
  }
  char byte = 'x';
  iovec piece{};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
  msghdr message{};
};

}  // namespace

Result<base::Fd> open_door(const std::string& folder) {
  const Result<base::Fd> place = open_folder(folder);
  if (!place) return place.error();
  base::Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const sockaddr_un address = address_in(*place);
  ::unlinkat(place->get(), kName, 0);
  if (!socket.valid() ||
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket.get(), kWaiting) != 0) {
    return door_error("listen");
  }
  return socket;
}

Result<base::Fd> take_exit(int connection) {
  Parcel parcel;
  if (::recvmsg(connection, &parcel.message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) != 1) {
    return door_error("receive a socket");
  }
  const cmsghdr* header = CMSG_FIRSTHDR(&parcel.message);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS) {
    return base::usage_error("the exit of the fence: no socket came");
  }
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
  base::Fd exit(fd);
  if (!is_listening_on_loopback(fd) || ::fcntl(fd, F_SETFL, O_NONBLOCK) != 0) {
    return base::usage_error("the exit of the fence: not a socket that listens on 127.0.0.1");
  }
  return exit;
}

Status hand_out_exit(const std::string& folder, uint16_t port) {
  base::Fd exit(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(port);
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int on = 1;
  ::setsockopt(exit.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (!exit.valid() ||
      ::bind(exit.get(), reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0 ||
      ::listen(exit.get(), kWaiting) != 0) {
    return door_error("listen in it");
  }
  const Result<base::Fd> opened = open_folder(folder);
  if (!opened) return opened.error();
  base::Fd door(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_un address = address_in(*opened);
  if (!door.valid() ||
      ::connect(door.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return door_error("reach orch");
  }
  Parcel parcel;
  cmsghdr* header = CMSG_FIRSTHDR(&parcel.message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  const int fd = exit.get();
  std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  if (::sendmsg(door.get(), &parcel.message, MSG_NOSIGNAL) != 1) return door_error("hand it out");
  return base::Ok{};
}

}  // namespace orch::fence
