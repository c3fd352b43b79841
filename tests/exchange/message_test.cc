#include "exchange/message.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace {

using namespace orch::exchange;

// All requests in the bytes, which come in pieces of `step` bytes; a refusal is the last "request".
std::vector<std::string> read(std::string_view bytes, size_t step) {
  RequestReader reader;
  std::vector<std::string> out;
  const auto take = [&] {
    while (auto request = reader.next()) {
      out.push_back(request->method + " " + request->target + " " + request->body);
    }
  };
  while (!bytes.empty()) {
    reader.feed(bytes.substr(0, step));
    bytes.remove_prefix(std::min(step, bytes.size()));
    take();
  }
  if (reader.refusal()) out.push_back(std::to_string(reader.refusal()->status));
  return out;
}

int refusal(const std::string& bytes) {
  RequestReader reader;
  reader.feed(bytes);
  CHECK_FALSE(reader.next());
  return reader.refusal() ? reader.refusal()->status : 0;
}

TEST_CASE("requests are the same however their bytes are split") {
  const std::string bytes =
      "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"
      "POST /b HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nT: "
      "1\r\n\r\n"
      "HEAD / HTTP/1.1\r\n\r\n";
  const std::vector<std::string> expected{"POST /a hello", "POST /b abcde", "HEAD / "};
  for (const size_t step : {1, 2, 3, 7, 1000}) CHECK(read(bytes, step) == expected);
}

TEST_CASE("a request with two lengths is refused, whichever they are") {
  const std::string post = "POST / HTTP/1.1\r\n";
  CHECK(refusal(post + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc") == 400);
  CHECK(refusal(post + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc") == 400);
  CHECK(refusal(post + "Content-Length: 3, 3\r\n\r\nabc") == 400);
  CHECK(refusal(post + "Content-Length: +3\r\n\r\nabc") == 400);
  CHECK(refusal(post + "Content-Length: \r\n\r\nabc") == 400);
  CHECK(refusal(post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n") == 400);
  CHECK(refusal(post + "Transfer-Encoding: gzip, chunked\r\n\r\n") == 501);
  CHECK(refusal("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n") == 400);
}

TEST_CASE("a head that two readers could take differently is refused") {
  CHECK(refusal("GET / HTTP/1.1\nHost: x\r\n\r\n") == 400);
  CHECK(refusal("GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n") == 400);
  CHECK(refusal("GET / HTTP/1.1\r\nA : b\r\n\r\n") == 400);
  CHECK(refusal("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n") == 400);
  CHECK(refusal(std::string("GET / HTTP/1.1\r\nA: b\0c\r\n\r\n", 28)) == 400);
  CHECK(refusal("GET /a b HTTP/1.1\r\n\r\n") == 400);
  CHECK(refusal("GET /#x HTTP/1.1\r\n\r\n") == 400);
  CHECK(refusal("GET / HTTP/2.0\r\n\r\n") == 505);
  CHECK(refusal("\x16\x03\x01 hello\r\n\r\n") == 400);
}

TEST_CASE("a malformed chunk is refused") {
  const std::string head = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  CHECK(refusal(head + "xyz\r\n") == 400);
  CHECK(refusal(head + "3\r\nabcd\r\n") == 400);
  CHECK(refusal(head + "-1\r\n") == 400);
  CHECK(refusal(head + "ffffffffffffffff\r\n") == 413);
  CHECK(refusal(head + "fffffffffffffffff\r\n") == 400);
}

TEST_CASE("a head of 64 KB is read, a larger one is not") {
  const std::string line = "GET / HTTP/1.1\r\nA: ";
  const size_t most = MessageLimits{}.head_bytes;
  RequestReader fits;
  fits.feed(line + std::string(most - line.size(), 'x') + "\r\n\r\n");
  CHECK(fits.next());
  CHECK(refusal(line + std::string(most, 'x') + "\r\n\r\n") == 431);
  CHECK(refusal(line + std::string(most, 'x')) == 431);  // it never ends
  std::string many = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 300; ++i) many += "A: b\r\n";
  CHECK(refusal(many + "\r\n") == 431);
}

TEST_CASE("a body beyond the limit is refused before it is read") {
  RequestReader reader({.body_bytes = 10});
  reader.feed("POST / HTTP/1.1\r\nContent-Length: 11\r\n\r\n");
  CHECK_FALSE(reader.next());
  CHECK(reader.refusal()->status == 413);
}

TEST_CASE("a client that waits for 100 Continue is noticed once") {
  RequestReader reader;
  reader.feed("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  CHECK_FALSE(reader.next());
  CHECK(reader.take_continue());
  CHECK_FALSE(reader.take_continue());
  reader.feed("ok");
  CHECK(reader.next()->body == "ok");
}

TEST_CASE("headers about the connection stay on the connection") {
  const Headers headers{{"Host", "127.0.0.1"},   {"Connection", "close, X-Hop"},
                        {"x-hop", "1"},          {"Accept-Encoding", "gzip"},
                        {"anthropic-beta", "b"}, {"Upgrade", "h2c"}};
  CHECK(forwarded_request_headers(headers) == Headers{{"anthropic-beta", "b"}});
  const Headers answer{
      {"Transfer-Encoding", "chunked"}, {"retry-after", "3"}, {"x", "a\r\nSet-Cookie: b"}};
  CHECK(forwarded_answer_headers(answer) == Headers{{"retry-after", "3"}});
}

TEST_CASE("an answer says how its body ends") {
  CHECK(answer_head(200, {{"A", "b"}}, Framing::kChunks, 0, true) ==
        "HTTP/1.1 200 OK\r\nA: b\r\nTransfer-Encoding: chunked\r\n\r\n");
  CHECK(answer_head(502, {}, Framing::kLength, 7, false) ==
        "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 7\r\nConnection: close\r\n\r\n");
  CHECK(chunk("hello") == "5\r\nhello\r\n");
  CHECK(chunk("").empty());
}

TEST_CASE("secrets are equal only if all of them is") {
  CHECK(equal_secret("abc", "abc"));
  CHECK_FALSE(equal_secret("abc", "abd"));
  CHECK_FALSE(equal_secret("abc", "abcd"));
}

}  // namespace
