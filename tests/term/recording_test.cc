#include "recording.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "described.h"
#include "term/screen.h"

namespace orch::term {
namespace {

// The screen after the recording, fed in pieces of `piece()` bytes, and all replies.
template <class Piece>
std::string played(const Recording& recording, Piece piece) {
  Screen screen(recording.size);
  std::string replies;
  for (const RecordedStep& step : recording.steps) {
    if (step.output.empty()) screen.resize(step.size);
    for (size_t at = 0; at < step.output.size();) {
      const size_t length = piece();
      screen.feed(std::string_view(step.output).substr(at, length));
      replies += screen.take_replies();
      at += length;
    }
  }
  return describe(screen) + replies;
}

TEST_CASE("a recording fed whole, byte by byte and randomly split gives the same screen") {
  const auto recordings = all_recordings();
  CHECK(recordings.size() >= 6);
  std::mt19937 random(3);
  for (const Recording& recording : recordings) {
    INFO(recording.name);
    const std::string whole = played(recording, [] { return std::string::npos; });
    CHECK(whole == played(recording, [] { return size_t{1}; }));
    CHECK(whole == played(recording, [&] { return size_t{1} + random() % 64; }));
    CHECK(whole == played(recording, [&] { return size_t{1} + random() % 5000; }));
  }
}

}  // namespace
}  // namespace orch::term
