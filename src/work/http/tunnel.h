#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace orch::http {

class Multi;

// A TCP connection to a host by its name, through the user's proxy if the environment names one.
// No address of this machine itself is connected to, whatever the name stands for: neither its
// loopback nor its links (127.0.0.0/8, ::1, 169.254.0.0/16, fe80::/10).
class Tunnel {
 public:
  // Called once, from the loop, with a descriptor for the connection; it may destroy the tunnel.
  // The connection is to be used only as long as the tunnel lives.
  using OnOpen = std::function<void(base::Result<base::Fd>)>;
  static base::Result<std::unique_ptr<Tunnel>> open(Multi& multi, const std::string& host,
                                                    uint16_t port, OnOpen on_open);
  ~Tunnel();
  Tunnel(const Tunnel&) = delete;
  Tunnel& operator=(const Tunnel&) = delete;

 private:
  Tunnel(Multi& multi, std::string told, void* easy, OnOpen on_open);
  base::Status start(const std::string& url, const std::string& proxy);
  void on_ended(int code);

  Multi& multi_;
  std::string told_;  // "host:port", for errors
  void* easy_;        // libcurl's CURL
  OnOpen on_open_;
};

// Whether an address (of AF_INET or AF_INET6) is this machine's own, or only valid on a link.
bool is_own_address(const void* sockaddr_bytes);

}  // namespace orch::http
