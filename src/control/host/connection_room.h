#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace orch::host {

// How many peers may be connected to all sessions of one host, the ones that are ending included:
// as many as leave the descriptors that the sessions need. Without this any process of the user
// could take those, and the sessions that wait could not start.
class ConnectionRoom {
 public:
  // A connection's place. The room outlives it.
  class Place {
   public:
    Place() = default;
    explicit Place(ConnectionRoom& room) : room_(&room) { ++room.taken_; }
    Place(Place&& other) noexcept : room_(std::exchange(other.room_, nullptr)) {}
    Place& operator=(Place&& other) noexcept {
      std::swap(room_, other.room_);
      return *this;
    }
    ~Place() {
      if (room_ != nullptr) --room_->taken_;
    }

   private:
    ConnectionRoom* room_ = nullptr;
  };

  // The functions of a socket that make_room() calls.
  struct Socket {
    std::function<size_t()> connections;
    std::function<bool()> close_one;  // false: none of its connections may be closed
  };

  explicit ConnectionRoom(size_t most) : most_(most) {}
  ConnectionRoom(const ConnectionRoom&) = delete;
  ConnectionRoom& operator=(const ConnectionRoom&) = delete;

  void set_most(size_t most) { most_ = most; }
  size_t most() const { return most_; }
  bool is_full() const { return taken_ >= most_; }
  // The socket that has the most connections closes one, or otherwise another socket. False: none
  // can.
  bool make_room() {
    std::vector<const Socket*> sockets;
    for (const auto& [owner, socket] : sockets_) sockets.push_back(&socket);
    std::stable_sort(sockets.begin(), sockets.end(), [](const Socket* a, const Socket* b) {
      return a->connections() > b->connections();
    });
    return std::any_of(sockets.begin(), sockets.end(),
                       [](const Socket* socket) { return socket->close_one(); });
  }

  void add(const void* owner, Socket socket) { sockets_.emplace_back(owner, std::move(socket)); }
  void remove(const void* owner) {
    std::erase_if(sockets_, [owner](const auto& each) { return each.first == owner; });
  }

 private:
  size_t most_, taken_ = 0;
  std::vector<std::pair<const void*, Socket>> sockets_;  // in the order of their sessions
};

}  // namespace orch::host
