#include "http/request.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/check.h"
#include "base/limit_text.h"
#include "base/text.h"
#include "http/curl.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "loop/watched_fd.h"

namespace orch::http {
namespace {

using base::Result;
using base::Status;
using base::usage_error;

constexpr size_t kMostHeaderBytes = 256 << 10;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// The method and the URL for messages, without the query, which may contain secrets.
std::string told(const RequestPlan& plan) {
  return plan.method + " " + base::printable(plan.url.substr(0, plan.url.find_first_of("?#")));
}

Status check_address(const std::string& address) {
  const std::string url = lower(address);
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

// Owns the handles of libcurl and watches the sockets and the timer that libcurl asks for. It
// reports ready sockets and the timer to libcurl, which calls back from inside these calls.
class Request::Transfer {
 public:
  Transfer(loop::Loop& loop, const Curl& curl, RequestPlan plan, OnDone on_done)
      : loop_(loop),
        curl_(curl),
        plan_(std::move(plan)),
        on_done_(std::move(on_done)),
        its_timer_(loop),
        total_(loop),
        silence_(loop),
        last_byte_ms_(loop.now_ms()) {}

  ~Transfer() { end(); }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  Status start() {
    easy_ = curl_.easy_init();
    multi_ = curl_.multi_init();
    if (easy_ == nullptr || multi_ == nullptr) {
      return base::Error{base::ErrorCode::kSystem, told(plan_) + ": out of memory"};
    }
    set_request();
    set_limits();
    set_callbacks();
    if (refused_) {
      return base::Error{base::ErrorCode::kSystem, told(plan_) + ": libcurl refuses an option: " +
                                                       curl_.easy_strerror(*refused_)};
    }
    total_.start(plan_.limits.total_ms, [this] {
      fail(Failure::Kind::kTimeout, "no answer within " + base::limit_text(plan_.limits.total_ms));
    });
    watch_silence(plan_.limits.silence_ms);
    // The transfer begins with libcurl's timer.
    ORCH_CHECK(curl_.multi_add_handle(multi_, easy_) == CURLM_OK);
    return base::Ok{};
  }

 private:
  template <typename Value>
  void set(CURLoption option, Value value) {
    const CURLcode code = curl_.easy_setopt(easy_, option, value);
    if (code != CURLE_OK) refused_ = code;
  }

  void set_request() {
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
    set(CURLOPT_USERAGENT, "orch");
    if (plan_.method == "POST") {
      set(CURLOPT_POST, 1L);
      set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(plan_.body.size()));
      set(CURLOPT_POSTFIELDS, plan_.body.data());
      plan_.headers.emplace_back("Expect:");  // no "Expect: 100-continue" before a long body
    } else {
      set(CURLOPT_CUSTOMREQUEST, plan_.method.c_str());
    }
    for (const std::string& header : plan_.headers) {
      curl_slist* longer = curl_.slist_append(headers_, header.c_str());
      ORCH_CHECK(longer != nullptr);
      headers_ = longer;
    }
    set(CURLOPT_HTTPHEADER, headers_);
  }

  void set_limits() {
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(plan_.limits.connect_ms));
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
    curl_.multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &Transfer::on_socket);
    curl_.multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
    curl_.multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &Transfer::on_timer);
    curl_.multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  }

  static size_t on_body(char* bytes, size_t one, size_t count, void* self) noexcept {
    auto* transfer = static_cast<Transfer*>(self);
    transfer->last_byte_ms_ = transfer->loop_.now_ms();
    std::string& body = transfer->response_.body;
    const size_t size = one * count;
    if (body.size() + size > transfer->plan_.limits.response_bytes) {
      transfer->too_large_ = true;
      return 0;  // this ends the transfer
    }
    body.append(bytes, size);
    return size;
  }

  static size_t on_header(char* bytes, size_t one, size_t count, void* self) noexcept {
    auto* transfer = static_cast<Transfer*>(self);
    transfer->last_byte_ms_ = transfer->loop_.now_ms();
    const std::string_view line(bytes, one * count);
    Response& response = transfer->response_;
    // The earlier headers belonged to a 100, or to a proxy.
    if (line.starts_with("HTTP/")) response.headers.clear();
    transfer->header_bytes_ += line.size();
    if (transfer->header_bytes_ > kMostHeaderBytes) {
      transfer->too_large_ = true;
      return 0;
    }
    if (const size_t colon = line.find(':'); colon != std::string_view::npos) {
      response.headers.emplace_back(lower(line.substr(0, colon)),
                                    base::trim(line.substr(colon + 1)));
    }
    return line.size();
  }

  static int on_progress(void* self, curl_off_t, curl_off_t received, curl_off_t,
                         curl_off_t sent) noexcept {
    auto* transfer = static_cast<Transfer*>(self);
    if (received + sent != transfer->moved_) transfer->last_byte_ms_ = transfer->loop_.now_ms();
    transfer->moved_ = received + sent;
    return 0;
  }

  static int on_socket(CURL*, curl_socket_t fd, int what, void* self, void*) noexcept {
    return static_cast<Transfer*>(self)->watch_socket(fd, what) ? 0 : -1;
  }

  static int on_timer(CURLM*, long delay_ms, void* self) noexcept {
    auto* transfer = static_cast<Transfer*>(self);
    if (delay_ms < 0) {
      transfer->its_timer_.stop();
    } else {
      transfer->its_timer_.start(delay_ms, [transfer] { transfer->act(CURL_SOCKET_TIMEOUT, 0); });
    }
    return 0;
  }

  // False if no descriptor is left to watch the socket; that ends the transfer.
  bool watch_socket(curl_socket_t fd, int what) {
    if (what == CURL_POLL_REMOVE) {
      sockets_.erase(fd);
      return true;
    }
    std::unique_ptr<loop::WatchedFd>& watch = sockets_[fd];
    if (watch == nullptr) {
      base::Fd own = base::duplicate(fd);
      if (!own.valid()) return false;
      watch = std::make_unique<loop::WatchedFd>(loop_, std::move(own));
    }
    const int wanted =
        (what & CURL_POLL_IN ? loop::kReadable : 0) | (what & CURL_POLL_OUT ? loop::kWritable : 0);
    watch->start(wanted, [this, fd](int ready) {
      act(fd, (ready & loop::kReadable ? CURL_CSELECT_IN : 0) |
                  (ready & loop::kWritable ? CURL_CSELECT_OUT : 0));
    });
    return true;
  }

  // Reports an event to libcurl. May destroy this.
  void act(curl_socket_t fd, int events) {
    int running = 0;
    curl_.multi_socket_action(multi_, fd, events, &running);
    int left = 0;
    while (const CURLMsg* message = curl_.multi_info_read(multi_, &left)) {
      if (message->msg == CURLMSG_DONE) return on_ended(message->data.result);
    }
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
      const int64_t left = last_byte_ms_ + plan_.limits.silence_ms - loop_.now_ms();
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
    its_timer_.stop();
    total_.stop();
    silence_.stop();
    if (multi_ != nullptr && easy_ != nullptr) curl_.multi_remove_handle(multi_, easy_);
    if (easy_ != nullptr) curl_.easy_cleanup(std::exchange(easy_, nullptr));
    // Calls on_socket().
    if (multi_ != nullptr) curl_.multi_cleanup(std::exchange(multi_, nullptr));
    sockets_.clear();
    its_timer_.stop();
    if (headers_ != nullptr) curl_.slist_free_all(std::exchange(headers_, nullptr));
  }

  loop::Loop& loop_;
  const Curl& curl_;
  RequestPlan plan_;
  OnDone on_done_;
  loop::Timer its_timer_;  // the timer that libcurl asks for
  loop::Timer total_, silence_;
  int64_t last_byte_ms_;
  std::map<curl_socket_t, std::unique_ptr<loop::WatchedFd>> sockets_;  // by libcurl's descriptor
  CURL* easy_ = nullptr;
  CURLM* multi_ = nullptr;
  curl_slist* headers_ = nullptr;
  std::optional<CURLcode> refused_;
  std::array<char, CURL_ERROR_SIZE> error_{};
  Response response_;
  size_t header_bytes_ = 0;
  curl_off_t moved_ = 0;
  bool too_large_ = false;
};

Request::Request(std::unique_ptr<Transfer> transfer) : transfer_(std::move(transfer)) {}
Request::~Request() = default;

Result<std::unique_ptr<Request>> Request::start(loop::Loop& loop, RequestPlan plan,
                                                OnDone on_done) {
  if (Status s = check(plan); !s) return s.error();
  const Result<const Curl*> curl = load_curl();
  if (!curl) return curl.error();
  auto transfer = std::make_unique<Transfer>(loop, **curl, std::move(plan), std::move(on_done));
  if (Status s = transfer->start(); !s) return s.error();
  return std::unique_ptr<Request>(new Request(std::move(transfer)));
}

}  // namespace orch::http
