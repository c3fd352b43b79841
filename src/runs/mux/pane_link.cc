#include "mux/pane_link.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "base/random.h"

namespace orch::mux {
namespace {

constexpr int kKind = SOCK_SEQPACKET | SOCK_CLOEXEC;
constexpr int kFirstWordMs = 1000;

struct Address {
  sockaddr_un name{};
  socklen_t size = 0;
};

// In the abstract namespace, where no file is left behind. nullopt, with errno, if the name is too
// long.
std::optional<Address> address_of(const std::string& name) {
  Address address;
  address.name.sun_family = AF_UNIX;
  if (name.size() + 1 > sizeof address.name.sun_path) {
    errno = ENAMETOOLONG;
    return std::nullopt;
  }
  std::memcpy(address.name.sun_path + 1, name.data(), name.size());
  address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

std::optional<ucred> peer_of(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  if (peer.uid != ::geteuid()) return std::nullopt;
  return peer;
}

// The first packet, and the first descriptor that came with it.
struct First {
  std::optional<Hello> hello;
  base::Fd terminal;
};

First read_first(int socket) {
  First first;
  std::array<char, kMaxPacket> packet;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  iovec part{packet.data(), packet.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t size = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  if (size < 0) return first;
  // Every descriptor that came is ours by now, whatever the packet says.
  for (cmsghdr* at = CMSG_FIRSTHDR(&message); at != nullptr; at = CMSG_NXTHDR(&message, at)) {
    if (at->cmsg_level != SOL_SOCKET || at->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (at->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(at) + i * sizeof number, sizeof number);
      base::Fd came(number);
      if (!first.terminal.valid()) first.terminal = std::move(came);
    }
  }
  first.hello = hello_in({packet.data(), static_cast<size_t>(size)});
  return first;
}

}  // namespace

void PaneLink::order(const Order& order) const {
  const std::string packet = to_packet(order);
  ::send(socket.get(), packet.data(), packet.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

base::Result<PaneDoor> PaneDoor::open() {
  const std::string name = "orch-pane-" + base::random_hex();
  base::Fd socket(::socket(AF_UNIX, kKind | SOCK_NONBLOCK, 0));
  const std::optional<Address> address = address_of(name);
  if (!socket.valid() || !address ||
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address->name), address->size) != 0 ||
      ::listen(socket.get(), 4) != 0) {
    return base::system_error("wait for a pane: socket", errno);
  }
  return PaneDoor(name, std::move(socket));
}

std::unique_ptr<PaneLink> PaneDoor::let_in() {
  base::Fd socket(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!socket.valid()) return nullptr;
  const std::optional<ucred> peer = peer_of(socket.get());
  pollfd ready{socket.get(), POLLIN, 0};
  if (!peer || ::poll(&ready, 1, kFirstWordMs) != 1) return nullptr;
  First first = read_first(socket.get());
  if (!first.hello || ::isatty(first.terminal.get()) == 0) return nullptr;
  return std::make_unique<PaneLink>(
      PaneLink{std::move(socket), std::move(first.terminal), std::move(*first.hello), peer->pid});
}

base::Fd knock(const std::string& door) {
  base::Fd socket(::socket(AF_UNIX, kKind, 0));
  const std::optional<Address> address = address_of(door);
  if (!socket.valid() || !address) return {};
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address->name), address->size) !=
      0) {
    return {};
  }
  if (!peer_of(socket.get())) {
    errno = EACCES;
    return {};
  }
  return socket;
}

bool hand_over(const base::Fd& host, const Hello& hello, int terminal) {
  std::string packet = to_packet(hello);
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  iovec part{packet.data(), packet.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(head), &terminal, sizeof terminal);
  return ::sendmsg(host.get(), &message, MSG_NOSIGNAL) == static_cast<ssize_t>(packet.size());
}

}  // namespace orch::mux
