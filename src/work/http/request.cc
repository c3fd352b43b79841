#include "http/request.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "base/check.h"
#include "base/limit_text.h"
#include "base/text.h"
#include "http/curl.h"
#include "http/curl_program.h"
#include "http/multi.h"
#include "loop/loop.h"
#include "loop/timer.h"

namespace orch::http {
namespace {

using base::Result;
using base::Status;
using base::usage_error;

constexpr size_t kMostHeaderBytes = 256 << 10;

// The method and the URL for messages, without the query, which may contain secrets.
std::string told(const RequestPlan& plan) {
  return plan.method + " " + base::printable(plan.url.substr(0, plan.url.find_first_of("?#")));
}

// The status in a status line; 0 if there is none.
int status_in(std::string_view line) {
  const size_t blank = std::min(line.find(' '), line.size());
  int status = 0;
  std::from_chars(line.data() + std::min(blank + 1, line.size()), line.data() + line.size(),
                  status);
  return status;
}

Status check_address(const std::string& address) {
  const std::string url = base::lower(address);
  const size_t host = url.starts_with("https://") ? 8 : url.starts_with("http://") ? 7 : 0;
  const std::string_view authority =
      std::string_view(url).substr(host, url.find_first_of("/?#", host) - host);
  if (host == 0 || authority.empty()) {
    return usage_error("\"" + base::printable(address) + "\" is not an address of http or https");
  }
  if (authority.find('@') == std::string_view::npos) return base::Ok{};
  return usage_error("the address may not hold a name or a password");
}

Status check(const RequestPlan& plan) {
  if (Status s = check_address(plan.url); !s) return s;
  const auto breaks = [](std::string_view text) {
    return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos;
  };
  if (breaks(plan.url) || breaks(plan.method) ||
      std::any_of(plan.headers.begin(), plan.headers.end(), breaks)) {
    return usage_error(told(plan) + ": the address or a header holds an end of line");
  }
  return base::Ok{};
}

Failure::Kind kind_of(CURLcode code) {
  switch (static_cast<int>(code)) {
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT:  // of the connection: the other limits are kept here
      return Failure::Kind::kConnect;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
      return Failure::Kind::kTls;
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return Failure::Kind::kCut;
    case CURLE_FILESIZE_EXCEEDED:
      return Failure::Kind::kTooLarge;
    default:
      return Failure::Kind::kOther;
  }
}

}  // namespace

Status check_url(const std::string& url) {
  if (Status s = check_address(url); !s) return s;
  const Result<const Curl*> curl = load_curl();
  if (!curl) return curl.error();
  return base::Ok{};
}

std::string_view Response::header(std::string_view name) const {
  const auto found = std::find_if(headers.rbegin(), headers.rend(),
                                  [name](const auto& header) { return header.first == name; });
  return found == headers.rend() ? std::string_view() : std::string_view(found->second);
}

// Owns a transfer of libcurl, and the Multi that carries it out if nobody else does.
class Request::Transfer {
 public:
  Transfer(std::unique_ptr<Multi> own, Multi& multi, RequestPlan plan, std::optional<Taker> taker,
           OnDone on_done)
      : own_(std::move(own)),
        multi_(multi),
        curl_(multi.curl()),
        plan_(std::move(plan)),
        taker_(std::move(taker)),
        on_done_(std::move(on_done)),
        total_(multi.loop()),
        silence_(multi.loop()),
        last_byte_ms_(multi.loop().now_ms()) {}

  ~Transfer() { end(); }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  Status start() {
    easy_ = curl_.easy_init();
    if (easy_ == nullptr) {
      return base::Error{base::ErrorCode::kSystem, told(plan_) + ": out of memory"};
    }
    taker_ ? set_passed_request() : set_request();
    set_limits();
    set_callbacks();
    if (refused_) {
      return base::Error{base::ErrorCode::kSystem, told(plan_) + ": libcurl refuses an option: " +
                                                       curl_.easy_strerror(*refused_)};
    }
    if (plan_.limits.total_ms > 0) {
      total_.start(plan_.limits.total_ms, [this] {
        fail(Failure::Kind::kTimeout,
             "no answer within " + base::limit_text(plan_.limits.total_ms));
      });
    }
    if (plan_.limits.silence_ms > 0) watch_silence(plan_.limits.silence_ms);
    multi_.add(easy_, [this](CURLcode code) { on_ended(code); });
    return base::Ok{};
  }

  void pause() { paused_ = true; }

  void resume() {
    if (std::exchange(paused_, false) && easy_ != nullptr) {
      curl_.easy_pause(easy_, CURLPAUSE_CONT);
    }
  }

 private:
  template <typename Value>
  void set(CURLoption option, Value value) {
    const CURLcode code = curl_.easy_setopt(easy_, option, value);
    if (code != CURLE_OK) refused_ = code;
  }

  void set_common() {
    set(CURLOPT_URL, plan_.url.c_str());
    set(CURLOPT_PROTOCOLS, static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS));
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_SSL_VERIFYPEER, 1L);
    set(CURLOPT_SSL_VERIFYHOST, 2L);
    if (!plan_.ca_file.empty()) set(CURLOPT_CAINFO, plan_.ca_file.c_str());
    // Otherwise cancelling would wait for a name that is being resolved. Older versions refuse the
    // option, and wait.
    curl_.easy_setopt(easy_, CURLOPT_QUICK_EXIT, 1L);
  }

  void set_body() {
    set(CURLOPT_POST, 1L);
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(plan_.body.size()));
    set(CURLOPT_POSTFIELDS, plan_.body.data());
    plan_.headers.emplace_back("Expect:");  // no "Expect: 100-continue" before a long body
  }

  void set_request() {
    set_common();
    set(CURLOPT_USERAGENT, "orch");
    if (plan_.method == "POST") {
      set_body();
    } else {
      set(CURLOPT_CUSTOMREQUEST, plan_.method.c_str());
    }
    set_headers();
  }

  // libcurl's own headers are left out, unless the request has them.
  void set_passed_request() {
    set_common();
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(CURLOPT_PATH_AS_IS, 1L);
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    const bool has_no_body = plan_.method == "GET" || plan_.method == "HEAD";
    if (!plan_.body.empty() || !has_no_body) set_body();
    if (plan_.method == "HEAD") set(CURLOPT_NOBODY, 1L);
    if (plan_.method != "HEAD") set(CURLOPT_CUSTOMREQUEST, plan_.method.c_str());
    for (const char* name : {"accept", "user-agent", "content-type"}) {
      const bool is_there = std::any_of(
          plan_.headers.begin(), plan_.headers.end(), [name](const std::string& header) {
            return base::lower(header.substr(0, header.find_first_of(":;"))) == name;
          });
      if (!is_there) plan_.headers.push_back(std::string(name) + ":");
    }
    set_headers();
  }

  void set_headers() {
    for (const std::string& header : plan_.headers) {
      curl_slist* longer = curl_.slist_append(headers_, header.c_str());
      ORCH_CHECK(longer != nullptr);
      headers_ = longer;
    }
    set(CURLOPT_HTTPHEADER, headers_);
  }

  void set_limits() {
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(plan_.limits.connect_ms));
    if (taker_) return;
    set(CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(plan_.limits.response_bytes));
  }

  void set_callbacks() {
    set(CURLOPT_ERRORBUFFER, error_.data());
    set(CURLOPT_WRITEFUNCTION, &Transfer::on_body);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_HEADERFUNCTION, &Transfer::on_header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_XFERINFOFUNCTION, &Transfer::on_progress);
    set(CURLOPT_XFERINFODATA, this);
    set(CURLOPT_NOPROGRESS, 0L);
  }

  static size_t on_body(char* bytes, size_t one, size_t count, void* self) noexcept {
    auto* transfer = static_cast<Transfer*>(self);
    const size_t size = one * count;
    if (transfer->paused_) return CURL_WRITEFUNC_PAUSE;
    transfer->last_byte_ms_ = transfer->multi_.loop().now_ms();
    if (transfer->taker_) {
      transfer->taker_->on_body({bytes, size});
      return size;
    }
    std::string& body = transfer->response_.body;
    if (body.size() + size > transfer->plan_.limits.response_bytes) {
      transfer->too_large_ = true;
      return 0;  // this ends the transfer
    }
    body.append(bytes, size);
    return size;
  }

  static size_t on_header(char* bytes, size_t one, size_t count, void* self) noexcept {
    auto* transfer = static_cast<Transfer*>(self);
    transfer->last_byte_ms_ = transfer->multi_.loop().now_ms();
    const std::string_view line(bytes, one * count);
    Response& response = transfer->response_;
    if (transfer->has_head_) return line.size();  // a trailer
    if (line.starts_with("HTTP/")) {
      response.headers.clear();  // the earlier ones belonged to a 100, or to a proxy
      response.status = status_in(line);
    }
    transfer->header_bytes_ += line.size();
    if (transfer->header_bytes_ > kMostHeaderBytes) {
      transfer->too_large_ = true;
      return 0;
    }
    if (const size_t colon = line.find(':'); colon != std::string_view::npos) {
      response.headers.emplace_back(base::lower(line.substr(0, colon)),
                                    base::trim(line.substr(colon + 1)));
    }
    constexpr int kLastInterim = 199;
    if (transfer->taker_ && base::trim(line).empty() && response.status > kLastInterim) {
      transfer->has_head_ = true;
      transfer->taker_->on_head(response);
    }
    return line.size();
  }

  static int on_progress(void* self, curl_off_t, curl_off_t received, curl_off_t,
                         curl_off_t sent) noexcept {
    auto* transfer = static_cast<Transfer*>(self);
    if (received + sent != transfer->moved_) {
      transfer->last_byte_ms_ = transfer->multi_.loop().now_ms();
    }
    transfer->moved_ = received + sent;
    return 0;
  }

  void on_ended(CURLcode code) {
    if (too_large_ || code == CURLE_FILESIZE_EXCEEDED) {
      return fail(
          Failure::Kind::kTooLarge,
          "the response is larger than " + std::to_string(plan_.limits.response_bytes) + " bytes");
    }
    if (code != CURLE_OK) {
      return fail(kind_of(code), error_[0] != '\0' ? error_.data() : curl_.easy_strerror(code));
    }
    long status = 0;
    curl_.easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
    response_.status = static_cast<int>(status);
    finish(std::move(response_));
  }

  void watch_silence(int64_t delay_ms) {
    silence_.start(delay_ms, [this] {
      const int64_t left = last_byte_ms_ + plan_.limits.silence_ms - multi_.loop().now_ms();
      if (left > 0) return watch_silence(left);
      fail(Failure::Kind::kTimeout, "no byte for " + base::limit_text(plan_.limits.silence_ms));
    });
  }

  void fail(Failure::Kind kind, const std::string& why) {
    finish(Failure{kind, told(plan_) + ": " + base::printable(why)});
  }

  void finish(std::variant<Response, Failure> outcome) {
    end();
    const OnDone on_done = std::move(on_done_);
    on_done(std::move(outcome));
  }

  void end() {
    total_.stop();
    silence_.stop();
    if (easy_ != nullptr) {
      multi_.remove(easy_);
      curl_.easy_cleanup(std::exchange(easy_, nullptr));
    }
    own_.reset();
    if (headers_ != nullptr) curl_.slist_free_all(std::exchange(headers_, nullptr));
  }

  std::unique_ptr<Multi> own_;
  Multi& multi_;
  const Curl& curl_;
  RequestPlan plan_;
  std::optional<Taker> taker_;
  OnDone on_done_;
  loop::Timer total_, silence_;
  int64_t last_byte_ms_;
  CURL* easy_ = nullptr;
  curl_slist* headers_ = nullptr;
  std::optional<CURLcode> refused_;
  std::array<char, CURL_ERROR_SIZE> error_{};
  Response response_;
  size_t header_bytes_ = 0;
  curl_off_t moved_ = 0;
  bool too_large_ = false;
  bool paused_ = false;
  bool has_head_ = false;  // on_head was called
};

Request::Request(std::unique_ptr<Transfer> transfer) : transfer_(std::move(transfer)) {}
Request::Request(std::unique_ptr<CurlProgram> program) : program_(std::move(program)) {}
Request::~Request() = default;

void Request::pause() { transfer_->pause(); }
void Request::resume() { transfer_->resume(); }

Result<std::unique_ptr<Request>> Request::start(loop::Loop& loop, RequestPlan plan,
                                                OnDone on_done) {
  if (Status s = check(plan); !s) return s.error();
  Result<std::unique_ptr<Multi>> own = Multi::make(loop);
  if (!own) {
    std::string name = told(plan);
    auto program = CurlProgram::start(loop, std::move(plan), std::move(name), std::move(on_done));
    if (program) return std::unique_ptr<Request>(new Request(std::move(program).value()));
    return base::Error{own.error().code,
                       own.error().text + "; the program curl would do: " + program.error().text};
  }
  Multi& multi = **own;
  auto transfer = std::make_unique<Transfer>(std::move(own).value(), multi, std::move(plan),
                                             std::nullopt, std::move(on_done));
  if (Status s = transfer->start(); !s) return s.error();
  return std::unique_ptr<Request>(new Request(std::move(transfer)));
}

Result<std::unique_ptr<Request>> Request::pass(Multi& multi, RequestPlan plan, Taker taker,
                                               OnDone on_done) {
  if (Status s = check(plan); !s) return s.error();
  auto transfer = std::make_unique<Transfer>(nullptr, multi, std::move(plan), std::move(taker),
                                             std::move(on_done));
  if (Status s = transfer->start(); !s) return s.error();
  return std::unique_ptr<Request>(new Request(std::move(transfer)));
}

}  // namespace orch::http
