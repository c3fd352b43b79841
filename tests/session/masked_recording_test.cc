#include "session/masked_recording.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "live_run.h"
#include "mask/screen.h"
#include "mask/secrets.h"
#include "session/masked_words.h"
#include "store/cast_writer.h"
#include "term/render.h"

using namespace orch;
using session::MaskedRecording;

namespace {

const std::string kMasked = "pl4nted-s3cret-0123456789";

std::shared_ptr<const mask::Secrets> masked_secrets() {
  return std::make_shared<const mask::Secrets>(std::vector{kMasked});
}

// The lines of the recording after its header.
std::vector<std::string> recorded(const std::function<void(MaskedRecording&)>& act) {
  const session::StateDir folder;
  const std::string path = folder.parent() + "/output.cast";
  store::CastHeader header;
  header.cols = 80;
  header.rows = 24;
  auto file = store::Recording::create(path, header);
  REQUIRE(file.ok());
  MaskedRecording recording(std::move(file).value(), {80, 24}, masked_secrets());
  act(recording);
  REQUIRE(recording.finish(9000).ok());
  std::vector<std::string> lines;
  const std::string text = session::content_of(path);
  for (size_t at = text.find('\n') + 1; at < text.size();) {
    const size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

}  // namespace

TEST_CASE("each piece of a split secret keeps its time and length, what is between its place") {
  const auto lines = recorded([](MaskedRecording& recording) {
    REQUIRE(recording.output(100, "is pl4nted").ok());
    REQUIRE(recording.marker(150, "status=idle").ok());
    REQUIRE(recording.input(160, "x").ok());
    REQUIRE(recording.resize(170, 90, 30).ok());
    REQUIRE(recording.output(200, "-s3cret-0123456789 so").ok());
  });
  CHECK(lines == std::vector<std::string>{
                     R"([0.100, "o", "is *******"])", R"([0.150, "m", "status=idle"])",
                     R"([0.160, "i", "x"])", R"([0.170, "r", "90x30"])",
                     R"([0.200, "o", "****************** so"])", R"([9.000, "m", "note=end"])"});
}

TEST_CASE("what only begins like a secret is written after half a second, as it came") {
  recorded([](MaskedRecording& recording) {
    REQUIRE(recording.output(100, "is pl4nted").ok());
    REQUIRE(recording.flush(100 + MaskedRecording::kMostHeldMs - 1).ok());
    CHECK(recording.next_flush() == 100 + MaskedRecording::kMostHeldMs);
    REQUIRE(recording.flush(100 + MaskedRecording::kMostHeldMs).ok());
    CHECK(recording.next_flush() == 100 + MaskedRecording::kRestMs);
  });
}

TEST_CASE("what was typed long ago does not let out a secret that is being drawn") {
  const auto lines = recorded([](MaskedRecording& recording) {
    REQUIRE(recording.input(100, "ask pl").ok());
    REQUIRE(recording.output(590, "is pl4nted").ok());
    REQUIRE(recording.flush(600).ok());
    REQUIRE(recording.output(610, "-s3cret-0123456789 so").ok());
  });
  CHECK(lines == std::vector<std::string>{
                     R"([0.100, "i", "ask pl"])", R"([0.590, "o", "is *******"])",
                     R"([0.610, "o", "****************** so"])", R"([9.000, "m", "note=end"])"});
}

TEST_CASE("the first part of a secret that was let out is covered once the rest has come") {
  const auto lines = recorded([](MaskedRecording& recording) {
    REQUIRE(recording.output(100, "is pl4nted").ok());
    REQUIRE(recording.flush(100 + MaskedRecording::kMostHeldMs).ok());
    REQUIRE(recording.output(1600, "-s3cret-0").ok());
    REQUIRE(recording.output(1700, "123456789 so\r\n").ok());
  });
  CHECK(lines ==
        std::vector<std::string>{R"([0.100, "o", "is pl4nted"])", R"([1.600, "o", "*********"])",
                                 R"([1.700, "o", "********* so\r\n"])",
                                 R"([1.700, "m", "cover=0:3-28"])", R"([9.000, "m", "note=end"])"});
}

TEST_CASE("a flush is wanted until all is written and the screen is put away, and not again") {
  recorded([](MaskedRecording& recording) {
    CHECK(recording.next_flush() == base::kNever);
    REQUIRE(recording.output(100, "\x1b[2;11Hs3cret-0123456789").ok());
    CHECK(recording.next_flush() == 101);
    REQUIRE(recording.flush(101).ok());
    REQUIRE(recording.output(150, "!").ok());
    CHECK(recording.next_flush() == 101 + MaskedRecording::kMostUnwrittenMs);
    REQUIRE(recording.flush(101 + MaskedRecording::kMostUnwrittenMs).ok());
    CHECK(recording.next_flush() == 150 + MaskedRecording::kRestMs);
    REQUIRE(recording.flush(150 + MaskedRecording::kRestMs).ok());
    CHECK(recording.next_flush() == base::kNever);
    REQUIRE(recording.marker(2000, "status=idle").ok());
    REQUIRE(recording.flush(2000).ok());
    CHECK(recording.next_flush() == base::kNever);
  });
}

TEST_CASE("a secret that is drawn out of order is covered behind the bytes that complete it") {
  const auto lines = recorded([](MaskedRecording& recording) {
    REQUIRE(recording.output(100, "\x1b[2;11Hs3cret-0123456789").ok());
    REQUIRE(recording.output(200, "\x1b[2;3Hpl4nted-").ok());
    REQUIRE(recording.output(300, "\x1b[5;1Hon").ok());
    REQUIRE(recording.output(400, "\x1b[2;3HPl\x1b[2;3Hpl4nted-").ok());
  });
  // The secret is covered again when a part of it is redrawn, but not when something else is.
  const auto covers = [&lines](const char* at) {
    return std::ranges::count(lines, "[" + std::string(at) + R"(, "m", "cover=1:2-27"])");
  };
  CHECK(covers("0.100") == 0);
  CHECK(covers("0.200") == 1);
  CHECK(covers("0.300") == 0);
  CHECK(covers("0.400") == 1);
}

TEST_CASE("a secret that a later write completes is covered however the cursor came there") {
  const std::string left = "pl4nted-s3c", right = "ret-0123456789";
  for (const std::string& drawing :
       {"\x1b[1;12H" + right + "\r" + left, "xx4nted-s3c" + right + "\rpl",
        right + "\r\x1b[11@" + left, left + "XX" + right + "\x1b[1;12H\x1b[2P",
        left + "X\b" + right, "X" + left + right.substr(1) + "\x1b[1;13H\x1b[@r",
        "\x1b[?1049h\x1b[3;15H" + right + "\x1b[3;4H" + left,
        "\x1b[?2026h\x1b[4;12H" + right + "\x1b[4;1H" + left + "\x1b[?2026l",
        "\x1b[2;1H" + right + "\x1b[1;70H" + left,
        "\x1b[1;12H" + right + "\x1b[1;1H" + "pl4nte\x1b[1;7H\xCC\x81" + "d-s3c",
        "\x1b"
        "7" +
            std::string("\x1b[1;12H") + right +
            "\x1b"
            "8" +
            left}) {
    // Rests between the bytes, long enough for the screen to be put away.
    for (const bool rests : {false, true}) {
      INFO(drawing << (rests ? ", with rests" : ""));
      term::Screen screen({80, 24});
      const auto lines = recorded([&](MaskedRecording& recording) {
        base::TimeMs at = 1;
        for (const char byte : drawing) {
          REQUIRE(recording.output(at, {&byte, 1}).ok());
          if (!rests) continue;
          at += MaskedRecording::kRestMs;
          REQUIRE(recording.flush(at).ok());
        }
      });
      for (const std::string& line : lines) {
        const auto event = base::Json::parse(line);
        const std::string text = event.at(2);
        if (event.at(1) == "o") screen.feed(text);
        if (event.at(1) == "m") mask::cover(screen, mask::read_cover_marker(text));
      }
      CHECK(mask::find_on(masked_secrets(), screen).empty());
      CHECK(term::render_text(screen).find("3456789") == std::string::npos);
    }
  }
}

TEST_CASE("a key that is drawn letter by letter stays covered when it goes on") {
  const std::string key = "sk-0a1B2c3D4e5F6a7B8c9D0a1B2c3D4e5F6a7B8c9D";
  term::Screen screen({80, 24});
  const auto lines = recorded([&](MaskedRecording& recording) {
    for (size_t i = 0; i < key.size(); ++i) {
      const std::string there = "\x1b[3;" + std::to_string(i + 1) + "H";
      REQUIRE(recording.output(static_cast<int64_t>(i), there + key[i]).ok());
    }
  });
  for (const std::string& line : lines) {
    const auto event = base::Json::parse(line);
    const std::string text = event.at(2);
    if (event.at(1) == "o") screen.feed(text);
    if (event.at(1) == "m") mask::cover(screen, mask::read_cover_marker(text));
  }
  CHECK(term::render_text(screen).find_first_not_of("*\n") == std::string::npos);
}

TEST_CASE("what is typed is masked like what is drawn") {
  const auto lines = recorded([](MaskedRecording& recording) {
    REQUIRE(recording.input(1, "\x1b[200~use " + kMasked + "\x1b[201~").ok());
  });
  CHECK(lines.front().find("*************************") != std::string::npos);
}

TEST_CASE("every text of an event is masked, also where it is broken over rows") {
  event::Dialog dialog;
  dialog.body = "run it with pl4nted-s3\n│ cret-0123456789 │";
  dialog.options = {"yes", "no, use " + kMasked};
  const auto [event, json] = session::masked_event(masked_secrets(), 5, dialog);
  CHECK(std::get<event::Dialog>(event).body == "run it with ***\n│ *** │");
  CHECK(std::get<event::Dialog>(event).options == std::vector<std::string>{"yes", "no, use ***"});
  CHECK(json == event::to_json(5, event));
  const event::Event plain = event::Turn{1, true};
  CHECK(session::masked_event(masked_secrets(), 5, plain).first == plain);
}
