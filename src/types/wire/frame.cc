#include "wire/frame.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/check.h"

namespace orch::wire {
namespace {

constexpr size_t kLengthBytes = 4;

uint32_t length_in(std::string_view header) {
  uint32_t length = 0;
  for (size_t i = kLengthBytes; i-- > 0;) {
    length = (length << 8U) | static_cast<uint8_t>(header[i]);
  }
  return length;
}

std::optional<FrameType> type_of(char byte) {
  const auto type = static_cast<FrameType>(byte);
  switch (type) {
    case FrameType::kRequest:
    case FrameType::kAnswer:
    case FrameType::kEvent:
    case FrameType::kRaw:
    case FrameType::kLagged:
    case FrameType::kEnd:
    case FrameType::kSnapshot:
    case FrameType::kInput:
      return type;
  }
  return std::nullopt;
}

base::Error protocol_error(std::string text) { return base::usage_error(std::move(text)); }

// Checks the header as soon as its bytes are there, so that nobody waits for a frame of a gigabyte.
std::optional<base::Error> header_error(std::string_view header) {
  if (header.size() < kLengthBytes) return std::nullopt;
  if (const uint32_t length = length_in(header); length > kMaxPayloadBytes) {
    return protocol_error("a frame of " + std::to_string(length) + " bytes; at most " +
                          std::to_string(kMaxPayloadBytes) + " are allowed");
  }
  if (header.size() == kLengthBytes || type_of(header[kLengthBytes])) return std::nullopt;
  return protocol_error("a frame of the unknown type " +
                        std::to_string(static_cast<uint8_t>(header[kLengthBytes])));
}

}  // namespace

bool is_json(FrameType type) {
  return type != FrameType::kRaw && type != FrameType::kSnapshot && type != FrameType::kInput;
}

std::string encode(FrameType type, std::string_view payload) {
  ORCH_CHECK(payload.size() <= kMaxPayloadBytes);
  std::string frame;
  frame.reserve(kFrameHeaderBytes + payload.size());
  for (size_t i = 0; i < kLengthBytes; ++i) {
    frame.push_back(static_cast<char>(payload.size() >> (8 * i) & 0xFFU));
  }
  frame.push_back(static_cast<char>(type));
  frame += payload;
  return frame;
}

void Decoder::feed(std::string_view bytes) {
  if (error_) return;
  if (start_ > buffer_.size() / 2) {  // so each byte is moved once on average
    buffer_.erase(0, start_);
    start_ = 0;
  }
  buffer_ += bytes;
}

base::Result<std::optional<Frame>> Decoder::next() {
  const std::string_view rest = std::string_view(buffer_).substr(start_);
  if (!error_) error_ = header_error(rest.substr(0, kFrameHeaderBytes));
  if (error_) return *error_;
  if (rest.size() < kFrameHeaderBytes) return std::optional<Frame>();
  const size_t length = length_in(rest);
  if (rest.size() < kFrameHeaderBytes + length) return std::optional<Frame>();
  Frame frame{static_cast<FrameType>(rest[kLengthBytes]),
              std::string(rest.substr(kFrameHeaderBytes, length))};
  if (is_json(frame.type) && !nlohmann::json::accept(frame.payload)) {
    error_ = protocol_error(std::string("the payload of a frame of type '") +
                            static_cast<char>(frame.type) + "' is not JSON");
    return *error_;
  }
  start_ += kFrameHeaderBytes + length;
  return std::optional<Frame>(std::move(frame));
}

}  // namespace orch::wire
