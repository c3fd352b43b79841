#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "loop/listener.h"
#include "loop/loop.h"
#include "loop/stream.h"

namespace orch::http {

// An HTTP server in the loop of a test, which decides what bytes are sent back.
class TestServer {
 public:
  // One complete request, and the functions to answer it.
  struct Exchange {
    std::string request;  // head and body
    std::function<void(std::string)> write;
    std::function<void()> close;
  };
  // `number` counts requests from 0.
  using OnRequest = std::function<void(size_t number, Exchange exchange)>;

  TestServer(loop::Loop& loop, OnRequest on_request)
      : loop_(loop), on_request_(std::move(on_request)) {
    base::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* raw = reinterpret_cast<sockaddr*>(&address);
    REQUIRE(::bind(socket.get(), raw, sizeof address) == 0);
    REQUIRE(::listen(socket.get(), 16) == 0);
    socklen_t size = sizeof address;
    REQUIRE(::getsockname(socket.get(), raw, &size) == 0);
    port_ = ntohs(address.sin_port);
    listener_ = std::make_unique<loop::Listener>(loop_, std::move(socket),
                                                 [this](base::Fd fd) { accept(std::move(fd)); });
  }

  std::string url(const std::string& path = "") const {
    return "http://127.0.0.1:" + std::to_string(port_) + path;
  }
  size_t requests() const { return requests_; }
  size_t connections() const { return connections_.size(); }
  size_t open() const {
    size_t count = 0;
    for (const auto& connection : connections_) count += connection->stream != nullptr;
    return count;
  }

 private:
  struct Connection {
    std::unique_ptr<loop::Stream> stream;
    std::string received;
  };

  void accept(base::Fd fd) {
    connections_.push_back(std::make_unique<Connection>());
    Connection* connection = connections_.back().get();
    connection->stream = std::make_unique<loop::Stream>(
        loop_, std::move(fd),
        loop::Stream::Callbacks{
            .on_data = [this, connection](std::string_view bytes) { take(*connection, bytes); },
            .on_closed = [connection] { connection->stream.reset(); },
            .on_drained = nullptr});
  }

  void take(Connection& connection, std::string_view bytes) {
    connection.received += bytes;
    const size_t head = connection.received.find("\r\n\r\n");
    if (head == std::string::npos) return;
    const size_t length = connection.received.find("Content-Length: ");
    const size_t body = length < head ? std::stoul(connection.received.substr(length + 16)) : 0;
    if (connection.received.size() < head + 4 + body) return;
    Connection* back = &connection;
    on_request_(requests_++, {std::exchange(connection.received, ""),
                              [back](std::string answer) {
                                if (back->stream) back->stream->write(std::move(answer));
                              },
                              [back] { back->stream.reset(); }});
  }

  loop::Loop& loop_;
  OnRequest on_request_;
  int port_ = 0;
  size_t requests_ = 0;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::unique_ptr<loop::Listener> listener_;
};

inline std::string answer(const std::string& status, const std::string& body,
                          const std::string& headers = "") {
  return "HTTP/1.1 " + status + "\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace orch::http
