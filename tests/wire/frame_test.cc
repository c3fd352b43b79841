#include "wire/frame.h"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

using namespace orch::wire;

namespace {

struct Decoded {
  std::vector<Frame> frames;
  std::string error;
  bool mid_frame = false;
  bool operator==(const Decoded&) const = default;
};

void take_all(Decoder& decoder, Decoded& decoded) {
  while (decoded.error.empty()) {
    auto frame = decoder.next();
    if (!frame) {
      decoded.error = frame.error().text;
      decoded.mid_frame = false;
    } else if (*frame) {
      decoded.frames.push_back(**std::move(frame));
    } else {
      decoded.mid_frame = decoder.mid_frame();
      return;
    }
  }
}

Decoded decode(std::string_view bytes) {
  Decoder decoder;
  Decoded decoded;
  decoder.feed(bytes);
  take_all(decoder, decoded);
  return decoded;
}

const std::vector<Frame> kFrames{
    {FrameType::kRequest, R"({"v":1,"id":1,"verb":"status"})"},
    {FrameType::kAnswer, R"({"id":1,"ok":true})"},
    {FrameType::kEvent, R"({"ms":7,"event":"turn","n":3})"},
    {FrameType::kRaw, std::string("\x1b[2J\0\xff\xfe", 7)},
    {FrameType::kRaw, ""},
    {FrameType::kLagged, R"({"events_from":3,"events_offset":7,"dropped_bytes":0})"},
    {FrameType::kRaw, std::string(kMaxPayloadBytes, 'x')},
    {FrameType::kEnd, "{\n  \"code\": 0\n}\n"},
};

std::string encoded(const std::vector<Frame>& frames) {
  std::string bytes;
  for (const Frame& frame : frames) bytes += encode(frame.type, frame.payload);
  return bytes;
}

}  // namespace

TEST_CASE("a frame is its length, its type and its payload") {
  CHECK(encode(FrameType::kRaw, "abc") == std::string("\3\0\0\0rabc", 8));
  CHECK(encode(FrameType::kEvent, std::string(0x1234, '1')).substr(0, 5) ==
        std::string("\x34\x12\0\0e", 5));
}

TEST_CASE("what was encoded is decoded, whole and byte by byte") {
  const std::string bytes = encoded(kFrames);
  CHECK(decode(bytes) == Decoded{kFrames, "", false});
  Decoder decoder;
  Decoded decoded;
  for (const char byte : bytes) {
    decoder.feed({&byte, 1});
    take_all(decoder, decoded);
  }
  CHECK(decoded == Decoded{kFrames, "", false});
}

TEST_CASE("any split gives the same frames and the same error") {
  std::mt19937 random(42);
  std::vector<std::string> streams{encoded(kFrames), encoded(kFrames) + std::string("\1\0\0\0r", 5),
                                   encoded(kFrames) + std::string("\1\0\0\0?x", 6)};
  for (const std::string& bytes : streams) {
    const Decoded whole = decode(bytes);
    for (int round = 0; round < 20; ++round) {
      Decoder decoder;
      Decoded decoded;
      for (size_t at = 0; at < bytes.size();) {
        const size_t size = 1 + random() % (round % 2 == 0 ? 7 : 300'000);
        decoder.feed(std::string_view(bytes).substr(at, size));
        take_all(decoder, decoded);
        at += size;
      }
      CHECK(decoded == whole);
    }
  }
}

TEST_CASE("a frame that is not whole is waited for") {
  const std::string bytes = encode(FrameType::kRaw, "abc");
  for (size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    CHECK(decode(std::string_view(bytes).substr(0, size)) == Decoded{{}, "", size > 0});
  }
  CHECK(decode(bytes) == Decoded{{{FrameType::kRaw, "abc"}}, "", false});
}

TEST_CASE("a payload that is too long is refused before it comes") {
  // 1 MiB, the greatest length.
  CHECK(decode(std::string("\0\0\x10\0r", 5)) == Decoded{{}, "", true});
  const Decoded decoded = decode(std::string("\1\0\x10\0", 4));
  CHECK(decoded.error == "a frame of 1048577 bytes; at most 1048576 are allowed");
  CHECK_THAT(decode("\xff\xff\xff\xff").error, Catch::StartsWith("a frame of 4294967295 bytes"));
}

TEST_CASE("an unknown type is refused, with or without payload") {
  CHECK(decode(std::string("\0\0\0\0Q", 5)).error == "a frame of the unknown type 81");
  CHECK(decode(std::string("\4\0\0\0\xff", 5)).error == "a frame of the unknown type 255");
  CHECK_THAT(decode("GET / HTTP/1.1\r\n").error, Catch::StartsWith("a frame of 542393671 bytes"));
}

TEST_CASE("a payload that should be JSON and is not is refused") {
  for (const FrameType type : {FrameType::kRequest, FrameType::kAnswer, FrameType::kEvent,
                               FrameType::kLagged, FrameType::kEnd}) {
    CAPTURE(static_cast<char>(type));
    for (const std::string_view payload : {"", "{", "{} {}", "\"\xff\"", "{\"a\":}"}) {
      CAPTURE(payload);
      CHECK_THAT(decode(encode(type, payload)).error, Catch::EndsWith("is not JSON"));
    }
  }
  const std::string deep =
      std::string(kMaxPayloadBytes / 2, '[') + std::string(kMaxPayloadBytes / 2, ']');
  CHECK(decode(encode(FrameType::kEvent, deep)).frames.size() == 1);
}

TEST_CASE("after an error nothing is decoded any more") {
  Decoder decoder;
  decoder.feed(encode(FrameType::kRaw, "first") + encode(FrameType::kEvent, "nonsense"));
  REQUIRE(decoder.next().ok());
  const std::string error = decoder.next().error().text;
  decoder.feed(encode(FrameType::kRaw, "second"));
  CHECK(decoder.next().error().text == error);
}
