// Reads any bytes as a client's requests: however they are split, the requests and the refusal are
// the same. Reads the same bytes as an answer's body in each protocol: the counts do not depend on
// the pieces either, and none is negative.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "exchange/canned.h"
#include "exchange/message.h"
#include "exchange/usage.h"

namespace {

using namespace orch::exchange;

struct Read {
  std::vector<std::string> requests;
  int refusal = 0;
  bool operator==(const Read&) const = default;
};

template <typename Feed>
void feed_in_pieces(std::string_view bytes, size_t step, const Feed& feed) {
  while (!bytes.empty()) {
    feed(bytes.substr(0, step));
    bytes.remove_prefix(std::min(step, bytes.size()));
  }
}

Read read(std::string_view bytes, size_t step) {
  RequestReader reader({.head_bytes = 512, .headers = 8, .body_bytes = 4096});
  Read out;
  feed_in_pieces(bytes, step, [&](std::string_view piece) {
    reader.feed(piece);
    while (auto request = reader.next()) {
      ORCH_CHECK(request->body.size() <= 4096);
      out.requests.push_back(request->method + request->target + request->body);
      (void)canned_end(asked(*request), "end", "1");
    }
  });
  if (reader.refusal()) out.refusal = reader.refusal()->status;
  return out;
}

Counts count(Protocol protocol, bool events, std::string_view bytes, size_t step) {
  UsageReader reader(protocol, events);
  feed_in_pieces(bytes, step, [&](std::string_view piece) { reader.feed(piece); });
  reader.end();
  return reader.counts();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const size_t step = 1 + data[0];
  // A refusal ends the reading, at a piece that depends on the split: the requests before it do
  // not.
  ORCH_CHECK(read(bytes, 1) == read(bytes, step));
  for (const Protocol protocol :
       {Protocol::kAnthropic, Protocol::kResponses, Protocol::kChat, Protocol::kGemini}) {
    for (const bool events : {false, true}) {
      const Counts counts = count(protocol, events, bytes, step);
      ORCH_CHECK(counts == count(protocol, events, bytes, bytes.size() + 1));
      ORCH_CHECK(counts.in >= 0 && counts.out >= 0 && counts.cached >= 0 && counts.written >= 0);
    }
  }
  return 0;
}
