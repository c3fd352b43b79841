#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace orch::loop {
class Loop;
}

namespace orch::http {

// Milliseconds.
struct Limits {
  int64_t connect_ms = 15'000;   // names, connection and TLS
  int64_t silence_ms = 600'000;  // without a byte in either direction
  int64_t total_ms = 900'000;
  size_t response_bytes = 8 << 20;  // of the body; more of it is not even read
};

struct RequestPlan {
  std::string method = "GET";
  std::string url;                   // http or https, without a name or a password
  std::vector<std::string> headers;  // "Name: value"
  std::string body;                  // of a POST
  std::string ca_file;               // what certificates are checked by; "": the system's
  Limits limits;
};

struct Response {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // names are in lower case
  std::string body;
  std::string_view header(std::string_view name) const;  // its last value; "" when there is none
};

// Why there is no response. The text is one line: "POST https://host/path: Connection refused".
struct Failure {
  enum class Kind : uint8_t {
    kConnect,   // nobody answered
    kTls,       // somebody else did
    kCut,       // the connection broke
    kTimeout,   // the silence or the whole was too long
    kTooLarge,  // the response is
    kOther,
  };
  Kind kind = Kind::kOther;
  std::string text;
};

// What a request to this address would be refused for before it is made: the address is none of
// http or https, or there is no libcurl.
base::Status check_url(const std::string& url);

// One HTTP request, by libcurl on the loop. Certificates are always checked, redirects never
// followed (a 302 is a response like any other, and no other host gets the headers); proxies are
// those of the environment, as curl takes them. Destroyed early it is cancelled.
class Request {
 public:
  using OnDone = std::function<void(std::variant<Response, Failure>)>;
  // `on_done` is called once, from the loop, and may destroy this. An error: what is wrong with the
  // plan, or that there is no libcurl.
  static base::Result<std::unique_ptr<Request>> start(loop::Loop& loop, RequestPlan plan,
                                                      OnDone on_done);
  ~Request();
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

 private:
  class Transfer;
  explicit Request(std::unique_ptr<Transfer> transfer);
  std::unique_ptr<Transfer> transfer_;
};

}  // namespace orch::http
