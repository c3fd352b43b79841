#include "http/tunnel.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdlib>
#include <cstring>
#include <utility>

#include "http/curl.h"
#include "http/multi.h"

namespace orch::http {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;

constexpr long kConnectMs = 30'000;

// The proxy for connections by CONNECT, as curl itself would choose it for https.
std::string proxy_of_user() {
  for (const char* name : {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no thread sets any
    if (value != nullptr && *value != '\0') return value;
  }
  return "";
}

// Makes the socket for an address that the name stands for, unless it is one of our own.
curl_socket_t open_socket(void* /*own*/, curlsocktype /*purpose*/, curl_sockaddr* address) {
  if (is_own_address(&address->addr)) return CURL_SOCKET_BAD;
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

bool is_own_v4(uint32_t address) {
  constexpr uint32_t kAny = 0, kLoopback = 127, kLink = 0xa9fe;  // 169.254
  return address >> 24 == kLoopback || address >> 24 == kAny || address >> 16 == kLink;
}

}  // namespace

bool is_own_address(const void* sockaddr_bytes) {
  sockaddr_storage any{};
  std::memcpy(&any.ss_family, sockaddr_bytes, sizeof any.ss_family);
  if (any.ss_family == AF_INET) {
    sockaddr_in address{};
    std::memcpy(&address, sockaddr_bytes, sizeof address);
    return is_own_v4(ntohl(address.sin_addr.s_addr));
  }
  if (any.ss_family != AF_INET6) return true;
  sockaddr_in6 address{};
  std::memcpy(&address, sockaddr_bytes, sizeof address);
  const in6_addr& ip = address.sin6_addr;
  uint32_t last = 0;
  std::memcpy(&last, ip.s6_addr + 12, sizeof last);
  if (IN6_IS_ADDR_V4MAPPED(&ip)) return is_own_v4(ntohl(last));
  return IN6_IS_ADDR_LOOPBACK(&ip) || IN6_IS_ADDR_UNSPECIFIED(&ip) || IN6_IS_ADDR_LINKLOCAL(&ip);
}

Result<std::unique_ptr<Tunnel>> Tunnel::open(Multi& multi, const std::string& host, uint16_t port,
                                             OnOpen on_open) {
  const std::string told = host + ":" + std::to_string(port);
  CURL* easy = multi.curl().easy_init();
  if (easy == nullptr) return Error{ErrorCode::kSystem, told + ": out of memory"};
  std::unique_ptr<Tunnel> tunnel(new Tunnel(multi, told, easy, std::move(on_open)));
  if (base::Status s = tunnel->start("http://" + told, proxy_of_user()); !s) return s.error();
  return tunnel;
}

Tunnel::Tunnel(Multi& multi, std::string told, void* easy, OnOpen on_open)
    : multi_(multi), told_(std::move(told)), easy_(easy), on_open_(std::move(on_open)) {}

Tunnel::~Tunnel() {
  multi_.remove(easy_);
  multi_.curl().easy_cleanup(easy_);
}

base::Status Tunnel::start(const std::string& url, const std::string& proxy) {
  const Curl& curl = multi_.curl();
  bool taken = true;
  const auto set = [&](CURLoption option, auto value) {
    taken = taken && curl.easy_setopt(easy_, option, value) == CURLE_OK;
  };
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_CONNECT_ONLY, 1L);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_CONNECTTIMEOUT_MS, kConnectMs);
  if (proxy.empty()) {
    set(CURLOPT_NOPROXY, "*");
    set(CURLOPT_OPENSOCKETFUNCTION, &open_socket);
  } else {
    set(CURLOPT_PROXY, proxy.c_str());
    set(CURLOPT_HTTPPROXYTUNNEL, 1L);
  }
  if (!taken) return Error{ErrorCode::kSystem, told_ + ": libcurl refuses an option"};
  multi_.add(easy_, [this](CURLcode code) { on_ended(code); });
  return base::Ok{};
}

void Tunnel::on_ended(int code) {
  const OnOpen on_open = std::move(on_open_);
  curl_socket_t socket = CURL_SOCKET_BAD;
  if (code == CURLE_OK) multi_.curl().easy_getinfo(easy_, CURLINFO_ACTIVESOCKET, &socket);
  base::Fd own = socket == CURL_SOCKET_BAD ? base::Fd() : base::duplicate(socket);
  if (own.valid()) return on_open(std::move(own));
  on_open(Error{ErrorCode::kSystem,
                told_ + ": " + multi_.curl().easy_strerror(static_cast<CURLcode>(code))});
}

}  // namespace orch::http
