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

class CurlProgram;
class Multi;

// All times are in milliseconds.
struct Limits {
  int64_t connect_ms = 15'000;      // name resolution, connection and TLS
  int64_t silence_ms = 600'000;     // without a byte in either direction; 0: no limit
  int64_t total_ms = 900'000;       // 0: no limit
  size_t response_bytes = 8 << 20;  // of the body; if it is larger, the rest is not read
};

struct RequestPlan {
  std::string method = "GET";
  std::string url;                   // http or https, without a user name or password
  std::vector<std::string> headers;  // "Name: value"
  std::string body;                  // for a POST, or a passed request
  std::string ca_file;               // the certificates to trust; "": the system's
  Limits limits;
};

struct Response {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // names are in lower case
  std::string body;
  std::string_view header(std::string_view name) const;  // the last value; "" without one
};

// Why a request failed. The text is one line: "POST https://host/path: Connection refused".
struct Failure {
  enum class Kind : uint8_t {
    kConnect,   // no connection could be made
    kTls,       // the TLS handshake or the certificate failed
    kCut,       // the connection broke
    kTimeout,   // the time limit, or the limit of silence, has passed
    kTooLarge,  // the response is larger than the limit
    kOther,
  };
  Kind kind = Kind::kOther;
  std::string text;
};

// Why a request to this address would be refused before it is made: the address is not http or
// https, or libcurl is missing.
base::Status check_url(const std::string& url);

// Takes an answer as it comes. Both are called from inside of libcurl: they may not destroy the
// request.
struct Taker {
  std::function<void(const Response& head)> on_head;  // status and headers; the body is empty
  std::function<void(std::string_view bytes)> on_body;
};

// One HTTP request, by libcurl on the loop, or by the program curl where that library cannot be
// loaded (start() alone). Certificates are always checked, redirects never
// followed (a 302 is a response like any other, and no other host gets the headers); proxies are
// taken from the environment, as by curl. The destructor cancels the request.
class Request {
 public:
  using OnDone = std::function<void(std::variant<Response, Failure>)>;
  // `on_done` is called once, from the loop, and may destroy this. An error: the plan is wrong, or
  // both libcurl and curl are missing.
  static base::Result<std::unique_ptr<Request>> start(loop::Loop& loop, RequestPlan plan,
                                                      OnDone on_done);
  // Passes somebody else's request on as it is: with any method, no header of orch's own, the path
  // unchanged, by HTTP/1.1. The answer goes to `taker`; the Response of `on_done` has no body.
  // `multi` outlives this.
  static base::Result<std::unique_ptr<Request>> pass(Multi& multi, RequestPlan plan, Taker taker,
                                                     OnDone on_done);
  // While paused no body is read (pass() only). resume() may call on_body.
  void pause();
  void resume();
  ~Request();
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

 private:
  class Transfer;
  explicit Request(std::unique_ptr<Transfer> transfer);
  explicit Request(std::unique_ptr<CurlProgram> program);
  std::unique_ptr<Transfer> transfer_;
  std::unique_ptr<CurlProgram> program_;  // in place of it
};

}  // namespace orch::http
