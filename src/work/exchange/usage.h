#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/line_cutter.h"
#include "exchange/protocol.h"

namespace orch::exchange {

// The tokens of one request, as the model reported them.
struct Counts {
  int64_t in = 0;          // all of the input, `cached` and `written` included
  int64_t cached = 0;      // read from the cache
  int64_t written = 0;     // written into the cache
  int64_t out = 0;         // thinking included
  std::string model = {};  // the model that answered; "" if it did not say
  bool any() const { return in > 0 || out > 0; }
  bool operator==(const Counts&) const = default;
};

// Reads the tokens from the body of an answer, whole or as events (text/event-stream). Bytes that
// are neither count as nothing. What came before a break counts: at a break Anthropic has reported
// the input alone, Gemini all so far, and OpenAI nothing.
class UsageReader {
 public:
  static constexpr size_t kMostBytes = 16 << 20;  // of one event, or of a whole body

  UsageReader(Protocol protocol, bool events) : protocol_(protocol), events_(events) {}
  void feed(std::string_view bytes);
  void end();  // the body is over
  const Counts& counts() const { return counts_; }

 private:
  void read_line(std::string_view line);
  void read_json(std::string_view json);

  Protocol protocol_;
  bool events_;
  base::LineCutter lines_{kMostBytes};
  std::string body_;  // of an answer that does not come as events
  bool too_large_ = false;
  Counts counts_;
};

}  // namespace orch::exchange
