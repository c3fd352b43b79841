#include "store/cast_writer.h"

#include <catch2/catch.hpp>
#include <ctime>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "scratch.h"
#include "store/cast_reader.h"

using namespace orch::store;
using namespace std::string_view_literals;

namespace {

CastHeader header_80x24() {
  CastHeader header;
  header.cols = 80;
  header.rows = 24;
  return header;
}

std::unique_ptr<Recording> create(const std::string& path, int64_t limit = kDefaultRecordLimit) {
  auto recording = Recording::create(path, header_80x24(), limit);
  REQUIRE(recording);
  return std::move(recording).value();
}

Cast read(const std::string& path) {
  auto cast = read_cast(path);
  REQUIRE(cast);
  CHECK(cast->malformed_lines == 0);
  return std::move(cast).value();
}

std::string joined(const Cast& cast, CastKind kind) {
  std::string out;
  for (const CastEvent& event : cast.events) {
    if (event.kind == kind) out += event.data;
  }
  return out;
}

}  // namespace

TEST_CASE("a recording's text is asciicast v2") {
  const ScratchFolder folder;
  const std::string path = folder.file("output.cast");
  CastHeader header = header_80x24();
  header.timestamp = 1795295448;
  header.title = "orch-42 \"x\"";
  header.agent = "claude";
  header.agent_version = "2.1.197";
  header.resumed = true;
  header.env = {{"TERM", "xterm-256color"}};
  auto recording = std::move(Recording::create(path, header)).value();
  REQUIRE(recording->output(7, "\x1b[1m✳\r\n"));
  REQUIRE(recording->input(1007, "y\""));
  REQUIRE(recording->resize(61'000, 100, 30));
  REQUIRE(recording->marker(61'001, "status=idle"));
  REQUIRE(recording->finish(61'500));
  CHECK(content_of(path) ==
        R"({"version":2,"width":80,"height":24,"timestamp":1795295448,"title":"orch-42 \"x\"",)"
        R"("env":{"TERM":"xterm-256color"},)"
        R"("orch":{"agent":"claude","version":"2.1.197","resumed":true}})"
        "\n"
        "[0.007, \"o\", \"\\u001b[1m✳\\r\\n\"]\n"
        "[1.007, \"i\", \"y\\\"\"]\n"
        "[61.000, \"r\", \"100x30\"]\n"
        "[61.001, \"m\", \"status=idle\"]\n"
        "[61.500, \"m\", \"note=end\"]\n");
  CHECK(mode_of(path) == 0600);
  CHECK(read(path).header == header);
  CHECK(read(path).end_us == 61'500'000);
}

TEST_CASE("valid UTF-8 comes back byte for byte, however the reads cut it") {
  const ScratchFolder folder;
  std::string text;
  for (char32_t c = 0; c < 0x3000; ++c) orch::base::append_utf8(text, c);
  for (char32_t c = 0x1F300; c < 0x1F700; ++c) orch::base::append_utf8(text, c);
  std::minstd_rand random(3);
  for (const size_t longest : {1U, 2U, 3U, 7U, 4096U}) {
    const std::string path = folder.file(std::to_string(longest));
    auto recording = create(path);
    for (size_t at = 0; at < text.size();) {
      const size_t length = random() % longest + 1;
      REQUIRE(recording->output(static_cast<int64_t>(at), text.substr(at, length)));
      at += length;
    }
    REQUIRE(recording->finish(1));
    CHECK(recording->invalid_bytes() == 0);
    CHECK(joined(read(path), CastKind::kOutput) == text);
  }
}

TEST_CASE("a cut character waits for its rest, each stream for its own") {
  const ScratchFolder folder;
  auto recording = create(folder.file("c"));
  REQUIRE(recording->output(1, "a\xE2\x9C"sv));
  REQUIRE(recording->input(2, "\xC3"sv));
  REQUIRE(recording->marker(3, "between"));
  REQUIRE(recording->output(4, "\xB3z"sv));
  REQUIRE(recording->input(5, "\xA9"sv));
  REQUIRE(recording->finish(6));
  CHECK(recording->invalid_bytes() == 0);
  CHECK(read(folder.file("c")).events ==
        std::vector<CastEvent>{{1'000, CastKind::kOutput, "a"},
                               {3'000, CastKind::kMarker, "between"},
                               {4'000, CastKind::kOutput, "✳z"},
                               {5'000, CastKind::kInput, "é"},
                               {6'000, CastKind::kMarker, "note=end"}});
}

TEST_CASE("a character whose rest never comes is U+FFFD at the end") {
  const ScratchFolder folder;
  auto recording = create(folder.file("c"));
  REQUIRE(recording->output(1, "\xF0\x9F\x98"sv));
  REQUIRE(recording->finish(2));
  CHECK(recording->invalid_bytes() == 3);
  CHECK(joined(read(folder.file("c")), CastKind::kOutput) == "�");
}

TEST_CASE("malformed bytes are replaced and counted, whole or cut") {
  const ScratchFolder folder;
  auto recording = create(folder.file("c"));
  REQUIRE(recording->output(1,
                            "a\xFF\xFE"
                            "b"sv));
  CHECK(recording->invalid_bytes() == 2);
  REQUIRE(recording->output(2, "\xE2\x9C"sv));
  REQUIRE(recording->output(3, "A"sv));
  CHECK(recording->invalid_bytes() == 4);
  REQUIRE(recording->finish(4));
  CHECK(joined(read(folder.file("c")), CastKind::kOutput) == "a��b�A");
}

TEST_CASE("times never go backwards in the file") {
  const ScratchFolder folder;
  auto recording = create(folder.file("c"));
  REQUIRE(recording->output(-5, "a"));
  REQUIRE(recording->output(50, "b"));
  REQUIRE(recording->output(49, "c"));
  REQUIRE(recording->finish(0));
  CHECK(content_of(folder.file("c")).find("[0.050, \"o\", \"c\"]\n[0.050, \"m\"") !=
        std::string::npos);
}

TEST_CASE("events are kept until flush, the header and a full buffer are not") {
  const ScratchFolder folder;
  auto recording = create(folder.file("c"));
  CHECK(read(folder.file("c")).events.empty());
  REQUIRE(recording->output(1, "a"));
  CHECK(read(folder.file("c")).events.empty());
  REQUIRE(recording->flush());
  CHECK(read(folder.file("c")).events.size() == 1);
  REQUIRE(recording->output(2, std::string(100'000, 'x')));
  CHECK(read(folder.file("c")).events.size() == 2);
}

TEST_CASE("a recording that is dropped without its end keeps what it had") {
  const ScratchFolder folder;
  REQUIRE(create(folder.file("c"))->output(1, "a"));
  CHECK(joined(read(folder.file("c")), CastKind::kOutput) == "a");
}

TEST_CASE("the limit ends the recording with a marker, later calls succeed and write nothing") {
  const ScratchFolder folder;
  constexpr int64_t kLimit = 10'000;
  auto recording = create(folder.file("c"), kLimit);
  for (int i = 0; i < 1000; ++i) REQUIRE(recording->output(i, "0123456789"));
  CHECK_FALSE(recording->active());
  REQUIRE(recording->marker(2000, "late"));
  REQUIRE(recording->flush());
  REQUIRE(recording->finish(3000));
  const std::string content = content_of(folder.file("c"));
  CHECK(content.size() <= kLimit);
  CHECK(content.size() > kLimit - 200);
  const Cast cast = read(folder.file("c"));
  CHECK(cast.events.back().kind == CastKind::kMarker);
  CHECK(cast.events.back().data == "note=end, record limit of 10000 bytes");
  CHECK(cast.end_us < 1'000'000);
}

TEST_CASE("a full disk is reported once and leaves whole lines") {
  const ScratchFolder folder;
  const std::string path = folder.file("c");
  auto recording = create(path);
  int errors = 0;
  {
    const FileSizeLimit full(100'000);
    for (int i = 0; i < 5000; ++i) {
      const auto status = recording->output(i, "some words of output, \x1b[1mbold\x1b[m\r\n");
      if (status) continue;
      ++errors;
      CHECK(status.error().text == "write " + path + ": File too large");
    }
    CHECK(recording->finish(9999));
  }
  CHECK(errors == 1);
  CHECK_FALSE(recording->active());
  const std::string content = content_of(path);
  CHECK(content.size() <= 100'000);
  CHECK(content.size() > 99'900);
  CHECK(content.ends_with("\"]\n"));
  CHECK(read(path).events.size() > 1000);
}

TEST_CASE("a disk that is full at the end is reported by finish") {
  const ScratchFolder folder;
  auto recording = create(folder.file("c"));
  REQUIRE(recording->output(1, std::string(1000, 'x')));
  const FileSizeLimit full(500);
  CHECK_FALSE(recording->finish(2));
  CHECK(recording->finish(3));
  CHECK(read(folder.file("c")).events.empty());
}

TEST_CASE("a recording that cannot be created or take its header is an error with its path") {
  const ScratchFolder folder;
  const std::string path = folder.file("none/c");
  CHECK(Recording::create(path, header_80x24()).error().text ==
        "create " + path + ": No such file or directory");
  CHECK(Recording::create("/dev/full", header_80x24()).error().text ==
        "write /dev/full: No space left on device");
}

TEST_CASE("when the disk cannot take the header there is no file") {
  const ScratchFolder folder;
  const FileSizeLimit full(10);
  CHECK_FALSE(Recording::create(folder.file("c"), header_80x24()));
  CHECK(folder.entries().empty());
}

TEST_CASE("any bytes in, readable lines out") {
  const ScratchFolder folder;
  std::minstd_rand random(5);
  auto recording = create(folder.file("c"));
  std::string all;
  for (int round = 0; round < 3000; ++round) {
    std::string bytes;
    for (size_t i = random() % 20; i > 0; --i) bytes.push_back(static_cast<char>(random() % 256));
    REQUIRE(recording->output(round, bytes));
    all += bytes;
  }
  REQUIRE(recording->finish(3000));
  CHECK(joined(read(folder.file("c")), CastKind::kOutput) == orch::base::to_valid_utf8(all));
}

TEST_CASE("writing is fast enough to stand on every read's way") {
  const ScratchFolder folder;
  auto recording = create(folder.file("c"));
  const std::string chunk = "\x1b[38;2;215;119;87m words and words ▛███▜\r\n";
  const std::clock_t start = std::clock();
  for (int i = 0; i < 100'000; ++i) REQUIRE(recording->output(i, chunk));
  // About 50 ms in an optimised build; the bound leaves room for sanitizers.
  CHECK(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC < 3.0);
}
