#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The messages between an agent and its model, as functions of bytes. Pure.
namespace orch::exchange {

using Headers = std::vector<std::pair<std::string, std::string>>;

// The value of the last header with this name, in any case; nullptr without one.
const std::string* find_header(const Headers& headers, std::string_view name);
// Whether two names of headers are the same, in any case.
bool same_name(std::string_view a, std::string_view b);

// One HTTP/1.x request, whole.
struct Request {
  std::string method, target;
  bool keeps_alive = true;  // the client will send another one on this connection
  bool is_old = false;      // HTTP/1.0: its answer cannot be in chunks
  Headers headers;
  std::string body;  // without its framing
};

// Limits for a client's requests. The longest head that was measured has 1,573 bytes.
struct MessageLimits {
  size_t head_bytes = 64 << 10;
  size_t headers = 256;
  size_t body_bytes = 128 << 20;  // images are in the body, as Base64
};

// Cuts a client's bytes into requests (RFC 9112). It is stricter than the standard wherever two
// readers could take the same bytes for different requests: only CRLF ends a line, no header is
// folded, and a request has one length: never both Content-Length and Transfer-Encoding, and
// neither of them twice.
class RequestReader {
 public:
  explicit RequestReader(MessageLimits limits = {}) : limits_(limits) {}

  // Why nothing more is read from this client.
  struct Refusal {
    int status = 400;
    std::string reason;  // one line, without any byte of the client's
    bool operator==(const Refusal&) const = default;
  };
  void feed(std::string_view bytes);
  // The next whole request; nullopt: it has not come yet, or refusal() says that it never will.
  std::optional<Request> next();
  const std::optional<Refusal>& refusal() const { return refusal_; }
  // The head of the request that is being read, once it is whole; nullptr before.
  const Request* begun() const { return state_ == State::kHead ? nullptr : &request_; }
  // Once after the head of a request whose client waits for "100 Continue" before it sends more.
  bool take_continue() { return std::exchange(continues_, false); }
  size_t buffered_bytes() const { return buffer_.size() + request_.body.size(); }
  // The bytes after the last request: of a tunnel.
  std::string take_rest() { return std::exchange(buffer_, {}); }

 private:
  enum class State : uint8_t { kHead, kBody, kChunkSize, kChunk, kChunkEnd, kTrailers };
  void refuse(int status, std::string reason) { refusal_ = Refusal{status, std::move(reason)}; }
  bool read_head();
  bool parse_head(std::string_view head);
  bool parse_request_line(std::string_view line);
  bool parse_header(std::string_view line);
  bool decide_framing();
  bool read_body();
  bool read_chunk_size();
  bool read_chunk_end();
  bool read_trailers();
  std::optional<std::string_view> line(size_t most, const char* too_long);
  void drop(size_t count) { buffer_.erase(0, count); }

  MessageLimits limits_;
  State state_ = State::kHead;
  std::string buffer_;
  size_t searched_ = 0;  // bytes of buffer_ that do not hold the end of the head
  Request request_;
  size_t left_ = 0;           // bytes of the body, or of the chunk, that have not come yet
  size_t trailer_bytes_ = 0;  // of this request
  bool continues_ = false, is_whole_ = false;
  std::optional<Refusal> refusal_;
};

// The headers of a request that go on to the model: without those about this connection alone, and
// without Host, Content-Length, Expect and Accept-Encoding.
Headers forwarded_request_headers(const Headers& headers);
// The headers of an answer that go on to the agent: without those about the connection and its
// framing, and without any that hold a control character.
Headers forwarded_answer_headers(const Headers& headers);

// How the end of an answer's body is marked.
enum class Framing : uint8_t { kNone /* no body */, kLength, kChunks, kClose };
// An answer up to its body. `length` is for kLength.
std::string answer_head(int status, const Headers& headers, Framing framing, size_t length,
                        bool keeps_alive);
std::string chunk(std::string_view bytes);  // "" for no bytes
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";
// A whole answer with a JSON body.
std::string json_answer(int status, std::string_view json, bool keeps_alive,
                        const Headers& more = {});

// Whether two texts are equal, in a time that does not depend on where they differ.
bool equal_secret(std::string_view a, std::string_view b);

}  // namespace orch::exchange
