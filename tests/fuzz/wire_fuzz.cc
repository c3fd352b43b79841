// Reads any bytes as a peer's input: however it is split, the frames and the error are the same;
// frames are encoded to the bytes that they came from; and a message that can be read is written to
// one that reads the same.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "wire/frame.h"
#include "wire/message.h"

namespace {

using namespace orch::wire;

struct Decoded {
  std::vector<Frame> frames;
  std::string error;
  bool operator==(const Decoded&) const = default;
};

// Decodes the bytes in pieces of first, first + step, ... bytes.
Decoded decode(std::string_view bytes, size_t first, size_t step) {
  Decoder decoder;
  Decoded decoded;
  for (size_t size = first; !bytes.empty(); size += step) {
    decoder.feed(bytes.substr(0, size));
    bytes.remove_prefix(std::min(size, bytes.size()));
    while (decoded.error.empty()) {
      auto frame = decoder.next();
      if (!frame) {
        decoded.error = frame.error().text;
      } else if (*frame) {
        decoded.frames.push_back(**std::move(frame));
      } else {
        break;
      }
    }
  }
  return decoded;
}

void read_messages(std::string_view json) {
  if (const auto incoming = read_request(json)) {
    if (const auto* request = std::get_if<Request>(&*incoming)) {
      const auto again = read_request(to_json(*request));
      ORCH_CHECK(again.ok() && *again == *incoming);
    } else {
      const auto& refused = std::get<Answer>(*incoming);
      const auto again = read_answer(to_json(refused));
      ORCH_CHECK(again.ok() && *again == refused);
    }
  }
  if (const auto answer = read_answer(json)) {
    const auto again = read_answer(to_json(*answer));
    ORCH_CHECK(again.ok() && *again == *answer);
  }
  if (const auto lagged = read_lagged(json)) {
    const auto again = read_lagged(to_json(*lagged));
    ORCH_CHECK(again.ok() && *again == *lagged);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const Decoded whole = decode(bytes, std::max<size_t>(bytes.size(), 1), 0);
  ORCH_CHECK(decode(bytes, 1, 0) == whole);
  ORCH_CHECK(decode(bytes, 1 + data[0], data[1]) == whole);

  std::string encoded;
  for (const Frame& frame : whole.frames) {
    encoded += encode(frame.type, frame.payload);
    read_messages(frame.payload);
  }
  ORCH_CHECK(bytes.starts_with(encoded));
  read_messages(bytes);
  return 0;
}
