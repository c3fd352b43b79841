#include "exchange/message.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace orch::exchange {
namespace {

constexpr std::string_view kEndOfHead = "\r\n\r\n";
constexpr size_t kMostMethodBytes = 32;
constexpr size_t kMostChunkLineBytes = 4 << 10;  // a size, and extensions, which mean nothing here

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// A character of a token (RFC 9110, 5.6.2).
bool is_token(char c) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         kMarks.find(c) != std::string_view::npos;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return is_token(c); });
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t') || byte == 0x7f;
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), is_control);
}

std::string_view without_blanks(std::string_view text) {
  const size_t from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

std::optional<size_t> number(std::string_view text, int base) {
  size_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value, base);
  if (text.empty() || error != std::errc() || rest != end) return std::nullopt;
  return value;
}

// Headers that concern one connection (RFC 9110, 7.6.1), or say how a body is framed.
constexpr std::array<std::string_view, 11> kOfConnection{"connection",
                                                         "keep-alive",
                                                         "proxy-connection",
                                                         "proxy-authorization",
                                                         "proxy-authenticate",
                                                         "te",
                                                         "trailer",
                                                         "upgrade",
                                                         "transfer-encoding",
                                                         "content-length",
                                                         "http2-settings"};

template <size_t Count>
bool is_one_of(std::string_view name, const std::array<std::string_view, Count>& names) {
  return std::any_of(names.begin(), names.end(),
                     [name](std::string_view one) { return same_name(name, one); });
}

// Whether a Connection header lists the name.
bool is_listed(std::string_view name, const Headers& headers) {
  for (const auto& [header, value] : headers) {
    if (!same_name(header, "connection")) continue;
    std::string_view rest = value;
    while (!rest.empty()) {
      const size_t comma = rest.find(',');
      if (same_name(without_blanks(rest.substr(0, comma)), name)) return true;
      rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    }
  }
  return false;
}

bool closes(const Headers& headers, bool is_old) {
  return is_listed("close", headers) || (is_old && !is_listed("keep-alive", headers));
}

std::string_view reason_phrase(int status) {
  struct Phrase {
    int status;
    std::string_view text;
  };
  constexpr std::array<Phrase, 16> kPhrases{{{200, "OK"},
                                             {400, "Bad Request"},
                                             {401, "Unauthorized"},
                                             {403, "Forbidden"},
                                             {404, "Not Found"},
                                             {405, "Method Not Allowed"},
                                             {413, "Content Too Large"},
                                             {426, "Upgrade Required"},
                                             {429, "Too Many Requests"},
                                             {431, "Request Header Fields Too Large"},
                                             {500, "Internal Server Error"},
                                             {501, "Not Implemented"},
                                             {502, "Bad Gateway"},
                                             {503, "Service Unavailable"},
                                             {504, "Gateway Timeout"},
                                             {505, "HTTP Version Not Supported"}}};
  const auto* found = std::find_if(kPhrases.begin(), kPhrases.end(),
                                   [status](const Phrase& one) { return one.status == status; });
  return found == kPhrases.end() ? std::string_view("Status") : found->text;
}

}  // namespace

bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(),
                                            [](char x, char y) { return lower(x) == lower(y); });
}

const std::string* find_header(const Headers& headers, std::string_view name) {
  const auto found = std::find_if(headers.rbegin(), headers.rend(), [name](const auto& header) {
    return same_name(header.first, name);
  });
  return found == headers.rend() ? nullptr : &found->second;
}

void RequestReader::feed(std::string_view bytes) {
  if (!refusal_) buffer_ += bytes;
}

std::optional<Request> RequestReader::next() {
  bool more = true;
  while (more && !refusal_ && !is_whole_) {
    switch (state_) {
      case State::kHead:
        more = read_head();
        break;
      case State::kBody:
      case State::kChunk:
        more = read_body();
        break;
      case State::kChunkSize:
        more = read_chunk_size();
        break;
      case State::kChunkEnd:
        more = read_chunk_end();
        break;
      case State::kTrailers:
        more = read_trailers();
        break;
    }
  }
  if (refusal_ || !std::exchange(is_whole_, false)) return std::nullopt;
  state_ = State::kHead;
  continues_ = false;
  return std::exchange(request_, {});
}

bool RequestReader::read_head() {
  const size_t from = searched_ < kEndOfHead.size() ? 0 : searched_ - kEndOfHead.size();
  const size_t end = buffer_.find(kEndOfHead, from);
  searched_ = buffer_.size();
  const bool found = end != std::string::npos;
  // Without an end, its last bytes may have begun.
  if (found ? end > limits_.head_bytes : buffer_.size() >= limits_.head_bytes + kEndOfHead.size()) {
    refuse(431, "the head of the request is too large");
    return false;
  }
  if (!found) return false;
  const std::string head = buffer_.substr(0, end + 2);
  drop(end + kEndOfHead.size());
  searched_ = 0;
  return parse_head(head) && decide_framing();
}

bool RequestReader::parse_head(std::string_view head) {
  request_ = {};
  trailer_bytes_ = 0;
  for (bool first = true; !head.empty(); first = false) {
    const size_t end = head.find("\r\n");
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(end + 2);
    if (has_control(line)) {
      refuse(400, "the head of the request holds a control character");
      return false;
    }
    if (!(first ? parse_request_line(line) : parse_header(line))) return false;
  }
  return true;
}

bool RequestReader::parse_request_line(std::string_view line) {
  const size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) {
    refuse(400, "the request line is not METHOD TARGET VERSION");
    return false;
  }
  const std::string_view method = line.substr(0, first), version = line.substr(last + 1);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const bool plain = std::all_of(target.begin(), target.end(),
                                 [](char c) { return c > ' ' && c < 0x7f && c != '#'; });
  if (method.size() > kMostMethodBytes || !is_token(method) || target.empty() || !plain) {
    refuse(400, "the method or the target of the request is malformed");
    return false;
  }
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    refuse(version.starts_with("HTTP/") ? 505 : 400, "the request is not HTTP/1.1");
    return false;
  }
  request_.method = method;
  request_.target = target;
  request_.is_old = version == "HTTP/1.0";
  return true;
}

bool RequestReader::parse_header(std::string_view line) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
    refuse(400, "a header is malformed");
    return false;
  }
  if (request_.headers.size() == limits_.headers) {
    refuse(431, "the request has too many headers");
    return false;
  }
  request_.headers.emplace_back(line.substr(0, colon), without_blanks(line.substr(colon + 1)));
  return true;
}

// Finds how long the body is. Two lengths in one request are how a second request is smuggled past
// a reader that believes the other one.
bool RequestReader::decide_framing() {
  size_t lengths = 0, codings = 0, hosts = 0;
  std::optional<size_t> length = 0;
  bool chunked = false;
  for (const auto& [name, value] : request_.headers) {
    if (same_name(name, "content-length")) {
      ++lengths;
      const bool digits = value.find_first_not_of("0123456789") == std::string::npos;
      length = digits ? number(value, 10) : std::nullopt;
    } else if (same_name(name, "transfer-encoding")) {
      ++codings;
      chunked = same_name(value, "chunked");
    } else if (same_name(name, "host")) {
      ++hosts;
    }
  }
  if (lengths + codings > 1 || !length || hosts > 1 || (codings > 0 && request_.is_old)) {
    refuse(400, "the request has no single length, or more than one Host");
    return false;
  }
  if (codings > 0 && !chunked) {
    refuse(501, "the transfer coding is not chunked");
    return false;
  }
  if (*length > limits_.body_bytes) {
    refuse(413, "the body is too large");
    return false;
  }
  request_.keeps_alive = !closes(request_.headers, request_.is_old);
  const std::string* expected = find_header(request_.headers, "expect");
  continues_ = expected != nullptr && same_name(*expected, "100-continue") && !request_.is_old;
  left_ = *length;
  is_whole_ = !chunked && left_ == 0;
  state_ = chunked ? State::kChunkSize : State::kBody;
  return true;
}

bool RequestReader::read_body() {
  const size_t count = std::min(left_, buffer_.size());
  if (request_.body.empty() && count == buffer_.size() && count == left_) {
    request_.body = std::exchange(buffer_, {});
  } else {
    request_.body.append(buffer_, 0, count);
    drop(count);
  }
  left_ -= count;
  if (left_ > 0) return false;
  is_whole_ = state_ == State::kBody;
  if (!is_whole_) state_ = State::kChunkEnd;
  return true;
}

// The next line of the buffer without its end; nullopt if it is not whole yet, or refused.
std::optional<std::string_view> RequestReader::line(size_t most, const char* too_long) {
  const size_t end = buffer_.find("\r\n");
  const bool found = end != std::string::npos;
  if (found ? end > most : buffer_.size() > most + 1) refuse(400, too_long);
  if (!found || refusal_) return std::nullopt;
  return std::string_view(buffer_).substr(0, end);
}

bool RequestReader::read_chunk_size() {
  const auto text = line(kMostChunkLineBytes, "the size of a chunk is too long");
  if (!text) return false;
  const auto size = number(without_blanks(text->substr(0, text->find(';'))), 16);
  if (!size || has_control(*text)) {
    refuse(400, "the size of a chunk is malformed");
    return false;
  }
  if (*size > limits_.body_bytes - request_.body.size()) {
    refuse(413, "the body is too large");
    return false;
  }
  drop(text->size() + 2);
  left_ = *size;
  state_ = left_ == 0 ? State::kTrailers : State::kChunk;
  return true;
}

bool RequestReader::read_chunk_end() {
  if (buffer_.size() < 2) return false;
  if (!buffer_.starts_with("\r\n")) {
    refuse(400, "a chunk is longer than its size");
    return false;
  }
  drop(2);
  state_ = State::kChunkSize;
  return true;
}

// Trailers are read and left out.
bool RequestReader::read_trailers() {
  const auto text = line(limits_.head_bytes - trailer_bytes_, "the trailers are too large");
  if (!text) return false;
  trailer_bytes_ += std::min(text->size() + 2, limits_.head_bytes - trailer_bytes_);
  is_whole_ = text->empty();
  drop(text->size() + 2);
  return true;
}

Headers forwarded_request_headers(const Headers& headers) {
  constexpr std::array<std::string_view, 3> kReplaced{"host", "accept-encoding", "expect"};
  Headers out;
  for (const auto& header : headers) {
    if (is_one_of(header.first, kOfConnection) || is_one_of(header.first, kReplaced)) continue;
    if (!is_listed(header.first, headers)) out.push_back(header);
  }
  return out;
}

Headers forwarded_answer_headers(const Headers& headers) {
  Headers out;
  for (const auto& header : headers) {
    if (is_one_of(header.first, kOfConnection) || is_listed(header.first, headers)) continue;
    if (is_token(header.first) && !has_control(header.second)) out.push_back(header);
  }
  return out;
}

std::string answer_head(int status, const Headers& headers, Framing framing, size_t length,
                        bool keeps_alive) {
  std::string out =
      "HTTP/1.1 " + std::to_string(status) + " " + std::string(reason_phrase(status)) + "\r\n";
  for (const auto& [name, value] : headers) out += name + ": " + value + "\r\n";
  if (framing == Framing::kLength) out += "Content-Length: " + std::to_string(length) + "\r\n";
  if (framing == Framing::kChunks) out += "Transfer-Encoding: chunked\r\n";
  if (!keeps_alive || framing == Framing::kClose) out += "Connection: close\r\n";
  return out + "\r\n";
}

std::string chunk(std::string_view bytes) {
  if (bytes.empty()) return "";
  std::array<char, 20> size;
  const auto end = std::to_chars(size.data(), size.data() + size.size(), bytes.size(), 16).ptr;
  std::string out;
  out.reserve(bytes.size() + size.size() + 4);
  out.append(size.data(), end).append("\r\n").append(bytes).append("\r\n");
  return out;
}

std::string json_answer(int status, std::string_view json, bool keeps_alive, const Headers& more) {
  Headers headers = more;
  headers.emplace_back("Content-Type", "application/json");
  return answer_head(status, headers, Framing::kLength, json.size(), keeps_alive) +
         std::string(json);
}

bool equal_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference = static_cast<unsigned char>(difference | (a[i] ^ b[i]));
  }
  return difference == 0;
}

}  // namespace orch::exchange
