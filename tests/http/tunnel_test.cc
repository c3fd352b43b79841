#include "http/tunnel.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <catch2/catch.hpp>
#include <optional>
#include <string>

#include "http/multi.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "test_server.h"

namespace orch::http {
namespace {

bool is_own(const std::string& text) {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  if (::inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1) return is_own_address(&v4);
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  REQUIRE(::inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr) == 1);
  return is_own_address(&v6);
}

TEST_CASE("addresses of this machine and of its links are its own, others are not") {
  for (const char* own : {"127.0.0.1", "127.9.9.9", "0.0.0.0", "169.254.169.254", "::1",
                          "::", "fe80::1", "::ffff:127.0.0.1", "::ffff:169.254.1.1"}) {
    INFO(own);
    CHECK(is_own(own));
  }
  for (const char* other : {"10.0.0.1", "151.101.0.223", "2606:4700::1", "::ffff:8.8.8.8"}) {
    INFO(other);
    CHECK_FALSE(is_own(other));
  }
}

TEST_CASE("a name that stands for this machine leads nowhere") {
  loop::Loop loop;
  TestServer server(loop, [](size_t, const TestServer::Exchange&) {});
  for (const char* name : {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}) {
    ::unsetenv(name);  // NOLINT(concurrency-mt-unsafe)
  }
  const std::string url = server.url();
  const auto port = static_cast<uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
  auto multi = Multi::make(loop);
  REQUIRE(multi.ok());
  std::optional<base::Result<base::Fd>> opened;
  auto tunnel = Tunnel::open(**multi, "localhost", port, [&](base::Result<base::Fd> done) {
    opened = std::move(done);
    loop.stop();
  });
  REQUIRE(tunnel.ok());
  loop::Timer deadline(loop);
  deadline.start(20'000, [] { FAIL("the tunnel did not come to its end"); });
  loop.run();
  REQUIRE(opened);
  CHECK_FALSE(opened->ok());
  CHECK(server.connections() == 0);
}

}  // namespace
}  // namespace orch::http
