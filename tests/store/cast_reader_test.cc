#include "store/cast_reader.h"

#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <ctime>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "scratch.h"

using namespace orch::store;
using namespace std::string_view_literals;

namespace {

const std::string kHeader = R"({"version": 2, "width": 80, "height": 24})"
                            "\n";
const std::string kHeader3 = R"({"version": 3, "term": {"cols": 120, "rows": 40}})"
                             "\n";

Cast parsed(const std::string& bytes) {
  auto cast = parse_cast(bytes);
  INFO((cast ? std::string() : cast.error().text));
  REQUIRE(cast);
  return std::move(cast).value();
}

std::vector<CastEvent> events_of(const std::string& lines) {
  return parsed(kHeader + lines).events;
}

std::string header_error(std::string_view bytes) {
  const auto cast = parse_cast(bytes);
  REQUIRE_FALSE(cast);
  CHECK(cast.error().code == orch::base::ErrorCode::kUsage);
  return cast.error().text;
}

}  // namespace

TEST_CASE("a v2 recording is read with all its kinds of events") {
  const Cast cast = parsed(
      R"({"version": 2, "width": 120, "height": 40, "timestamp": 1795295448, "title": "t ✳",)"
      R"( "env": {"TERM": "xterm"}, "duration": 10.592, "orch": {"agent": "claude", "version": "2.1"}})"
      "\n"
      "[0.0, \"m\", \"state=starting\"]\n"
      "[0.8193, \"o\", \"\\u001b[?25h✳\"]\n"
      "[1, \"i\", \"h\"]\n"
      "[1.5e0, \"r\", \"100x30\"]\n"
      "[2.25,\"x\",\"0\"]\n");
  CastHeader header;
  header.cols = 120;
  header.rows = 40;
  header.timestamp = 1795295448;
  header.title = "t ✳";
  header.env = {{"TERM", "xterm"}};
  header.duration_us = 10'592'000;
  header.agent = "claude";
  header.agent_version = "2.1";
  CHECK(cast.header == header);
  CHECK(cast.events == std::vector<CastEvent>{{0, CastKind::kMarker, "state=starting"},
                                              {819'300, CastKind::kOutput, "\x1b[?25h✳"},
                                              {1'000'000, CastKind::kInput, "h"},
                                              {1'500'000, CastKind::kResize, "100x30"},
                                              {2'250'000, CastKind::kExit, "0"}});
  CHECK(cast.end_us == 10'592'000);
  CHECK(cast.malformed_lines == 0);
}

TEST_CASE("a v3 recording has relative times, comments and its size under term") {
  const Cast cast = parsed(kHeader3 +
                           "# a comment\n[0.5, \"o\", \"a\"]\n[0.25, \"z\", \"?\"]\n[1.0, \"o\", "
                           "\"b\"]\n[0.0, \"x\", \"0\"]\n");
  CHECK(cast.header.version == 3);
  CHECK(cast.header.cols == 120);
  CHECK(cast.header.rows == 40);
  CHECK(cast.events == std::vector<CastEvent>{{500'000, CastKind::kOutput, "a"},
                                              {1'750'000, CastKind::kOutput, "b"},
                                              {1'750'000, CastKind::kExit, "0"}});
  CHECK(cast.end_us == 1'750'000);
}

TEST_CASE("the end is the header's duration, but never before the last event") {
  CHECK(parsed(kHeader).end_us == 0);
  CHECK(parsed(kHeader + "[2, \"o\", \"x\"]\n").end_us == 2'000'000);
  const std::string header = R"({"version":2,"width":1,"height":1,"duration":1.5})";
  CHECK(parsed(header).end_us == 1'500'000);
  CHECK(parsed(header + "\n[2, \"o\", \"x\"]\n").end_us == 2'000'000);
}

TEST_CASE("escapes are decoded, surrogate pairs joined, lone surrogates replaced") {
  CHECK(events_of(R"([0, "o", "\"\\\/\b\f\n\r\t\u0041\u001B\u00e9\u2733"])").at(0).data ==
        "\"\\/\b\f\n\r\tA\x1bé✳");
  CHECK(events_of(R"([0, "o", "\ud83d\ude00"])").at(0).data == "😀");
  CHECK(events_of(R"([0, "o", "\ud83dx"])").at(0).data == "�x");
  CHECK(events_of(R"([0, "o", "\ude00\ud83d"])").at(0).data == "��");
  CHECK(events_of(R"([0, "o", "\ud83d\u0041"])").at(0).data == "�A");
  CHECK(events_of(R"([0, "o", "\ud83d\ud83d\ude00"])").at(0).data == "�😀");
  CHECK(events_of(R"([0, "o", "a\u0000b"])").at(0).data == std::string("a\0b", 3));
  CHECK(events_of(R"([0, "\u006f", "x"])").at(0).kind == CastKind::kOutput);
}

TEST_CASE("a torn last line is dropped, a whole one without its line feed is not") {
  const std::string line = R"([1.5, "o", "a\u001b\"z"])";
  CHECK(events_of(line).size() == 1);
  for (size_t length = 0; length < line.size(); ++length) {
    INFO(line.substr(0, length));
    const Cast cast = parsed(kHeader + "[1, \"o\", \"x\"]\n" + line.substr(0, length));
    CHECK(cast.events.size() == 1);
    CHECK(cast.malformed_lines == 0);
  }
}

TEST_CASE("blank lines, CR LF and unknown kinds are passed over") {
  const Cast cast =
      parsed("\n" + kHeader + "\n  \r\n[1, \"o\", \"x\"]\r\n[2, \"q\", {\"a\": []}]\n");
  CHECK(cast.events == std::vector<CastEvent>{{1'000'000, CastKind::kOutput, "x"}});
  CHECK(cast.malformed_lines == 0);
}

TEST_CASE("malformed lines are skipped and counted") {
  const std::vector<std::string> malformed = {"garbage",
                                              "[]",
                                              "{}",
                                              "[1, \"o\"]",
                                              "[1, \"o\", 7]",
                                              "[1, \"o\", \"x\"",
                                              "[1, \"o\", \"x]",
                                              "[\"1\", \"o\", \"x\"]",
                                              "[nan, \"o\", \"x\"]",
                                              "[inf, \"o\", \"x\"]",
                                              "[-inf, \"o\", \"x\"]",
                                              "[1e999, \"o\", \"x\"]",
                                              "[1, \"o\", \"\\x\"]",
                                              "[1, \"o\", \"\\u00g0\"]",
                                              "[1, \"o\", \"\\u12",
                                              "[1, \"o\", \"x\"] more",
                                              "[1, \"o\", \"x\", 2]",
                                              "[1, \"r\", \"80\"]",
                                              "[1, \"r\", \"0x24\"]",
                                              "[1, \"r\", \"80x24x\"]",
                                              "[1, \"r\", \"65536x24\"]",
                                              "[1, \"r\", \"-80x24\"]"};
  for (const std::string& line : malformed) {
    INFO(line);
    const Cast cast = parsed(kHeader + line + "\n[2, \"o\", \"after\"]\n");
    CHECK(cast.malformed_lines == 1);
    REQUIRE(cast.events.size() == 1);
    CHECK(cast.events[0].data == "after");
  }
}

TEST_CASE("times that go backwards or out of bounds are clamped") {
  const auto events = events_of(
      "[-1, \"o\", \"a\"]\n[5, \"o\", \"b\"]\n[3, \"o\", \"c\"]\n[1e300, \"o\", \"d\"]\n"
      "[6, \"o\", \"e\"]\n");
  std::vector<int64_t> times;
  for (const CastEvent& event : events) times.push_back(event.us);
  CHECK(times == std::vector<int64_t>{0, 5'000'000, 5'000'000, kMaxCastUs, kMaxCastUs});
  const Cast relative = parsed(kHeader3 + "[1e15, \"o\", \"\"]\n[1e15, \"o\", \"\"]\n");
  CHECK(relative.end_us == kMaxCastUs);
}

TEST_CASE("small times in exponent form are exact to the microsecond") {
  CHECK(events_of("[5e-05, \"o\", \"\"]\n").at(0).us == 50);
  CHECK(events_of("[86399.999999, \"o\", \"\"]\n").at(0).us == 86'399'999'999);
}

TEST_CASE("bytes inside a string that are not UTF-8 stay as they are") {
  CHECK(events_of("[0, \"o\", \"a\xFF\x80z\"]\n").at(0).data == "a\xFF\x80z");
}

TEST_CASE("a bad header is one clear error") {
  CHECK(header_error("") == "not an asciicast: it is empty");
  CHECK(header_error("\n\n") == "not an asciicast: it is empty");
  const std::string no_header = "not an asciicast: the first line is no header with a version";
  for (const auto bytes : {"hello\n"sv, "[1, \"o\", \"x\"]\n"sv, "{\"width\": 80}\n"sv, "{\n"sv,
                           "\x7f"
                           "ELF\0\0"sv,
                           "{\"version\": \"2\"}\n"sv, "null"sv}) {
    CHECK(header_error(bytes) == no_header);
  }
  CHECK(header_error(R"({"version": 1, "width": 80, "height": 24})") ==
        "asciicast version 1 is not supported (2 and 3 are)");
  for (const auto size :
       {R"("width": 80)"sv, R"("width": 0, "height": 24)"sv, R"("width": -1, "height": 24)"sv,
        R"("width": 80, "height": 65536)"sv, R"("width": "80", "height": 24)"sv,
        R"("width": 80.5, "height": 24)"sv, R"("width": 1e30, "height": 24)"sv}) {
    CHECK(header_error("{\"version\": 2, " + std::string(size) + "}") ==
          "the asciicast header has no valid terminal size (1 to 65535)");
  }
}

TEST_CASE("a first line without end or of deep nesting is refused, not followed") {
  CHECK(header_error(std::string(10 << 20, '[')) == "not an asciicast: no header line");
  CHECK_FALSE(parse_cast(std::string(200'000, '[')));
  CHECK_FALSE(parse_cast("{\"version\":" + std::string(200'000, '[')));
}

TEST_CASE("members of the header of another type are as if absent") {
  const Cast cast = parsed(
      R"({"version":2,"width":80,"height":24,"title":7,"env":[],"orch":"x","timestamp":null,)"
      R"("duration":"long"})");
  CHECK(cast.header.title.empty());
  CHECK(cast.header.agent.empty());
  CHECK(cast.header.env.empty());
  CHECK_FALSE(cast.header.duration_us);
}

TEST_CASE("any damage to a recording still gives a recording or one error") {
  const std::string good = kHeader +
                           "[0.5, \"o\", \"\\u001b[1m\\ud83d\\ude00✳\"]\n[1.0, \"r\", "
                           "\"90x30\"]\n[2.0, \"m\", \"note=end\"]\n";
  std::minstd_rand random(11);
  size_t read = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = good;
    for (size_t i = random() % 4 + 1; i > 0; --i) {
      bytes[random() % bytes.size()] = static_cast<char>(random() % 256);
    }
    bytes.resize(bytes.size() - random() % 8);
    const auto cast = parse_cast(bytes);
    if (!cast) continue;
    ++read;
    int64_t last = 0;
    for (const CastEvent& event : cast->events) {
      REQUIRE(event.us >= last);
      last = event.us;
    }
    REQUIRE(cast->end_us >= last);
  }
  CHECK(read > 5'000);
}

TEST_CASE("a 5 MB recording is parsed fast") {
  std::string bytes = kHeader;
  while (bytes.size() < 5'000'000) {
    bytes += "[1.115, \"o\", \"\\u001b[38;2;215;119;87m words and words ▛███▜\\r\\n\"]\n";
  }
  const std::clock_t start = std::clock();
  const Cast cast = parsed(bytes);
  const double took = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  CHECK(cast.events.size() > 60'000);
  CHECK(cast.malformed_lines == 0);
  // About 30 ms in an optimised build; the bound leaves room for sanitizers.
  CHECK(took < 2.0);
}

TEST_CASE("read_cast names the file in its errors") {
  const ScratchFolder folder;
  const std::string path = folder.file("x.cast");
  CHECK(read_cast(path).error().text == "open " + path + ": No such file or directory");
  CHECK(read_cast(folder.path()).error().text == "read " + folder.path() + ": Is a directory");
  put_content(path, "hello");
  CHECK(read_cast(path).error().text.find(path + ": not an asciicast") == 0);
  put_content(path, kHeader + "[1, \"o\", \"x\"]\n");
  CHECK(read_cast(path)->events.size() == 1);
}

TEST_CASE("sizes of resize events") {
  CHECK(parse_cast_size("80x24") == CastSize{80, 24});
  CHECK(parse_cast_size("65535x1") == CastSize{65535, 1});
  for (const auto wrong :
       {"", "x", "80", "80x", "x24", "80X24", "80x24 ", "+80x24", "0x0", "99999999999999x1"}) {
    INFO(wrong);
    CHECK_FALSE(parse_cast_size(wrong));
  }
}

namespace {

std::string written(const ScratchFolder& scratch, const std::string& bytes) {
  const std::string path = scratch.file("read.cast");
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

// Reads a whole file event by event.
Cast streamed(const std::string& path) {
  auto reader = CastReader::open(path);
  REQUIRE(reader);
  Cast cast;
  cast.header = reader->header();
  while (const CastEvent* event = reader->next()) cast.events.push_back(*event);
  CHECK(reader->next() == nullptr);
  CHECK(reader->trouble());
  cast.end_us = reader->end_us();
  cast.malformed_lines = reader->malformed_lines();
  return cast;
}

}  // namespace

TEST_CASE("event by event a recording is read as it is at once") {
  const ScratchFolder scratch;
  std::mt19937 random(11);
  const std::vector<std::string> lines{"[0.5, \"o\", \"a\\u001b[1m\"]",
                                       "",
                                       "# comment",
                                       "not an event",
                                       "[1, \"i\", \"k\"]",
                                       "[1.25, \"m\", \"status=idle\"]",
                                       "[2, \"z\", 1]",
                                       "[0.1, \"o\", \"back\"]",
                                       "[3, \"o\", \"" + std::string(300'000, 'x') + "\"]",
                                       "[3.5, \"r\", \"90x20\"]"};
  for (int round = 0; round < 60; ++round) {
    std::string bytes = round % 3 == 0 ? "\n\n" : "";
    bytes += round % 2 == 0 ? kHeader : kHeader3;
    for (int n = static_cast<int>(random() % 12); n > 0; --n) {
      bytes += lines[random() % lines.size()] + (random() % 5 == 0 ? "\r\n" : "\n");
    }
    if (round % 4 == 0) bytes.resize(bytes.size() - std::min<size_t>(bytes.size(), random() % 9));
    const auto whole = parse_cast(bytes);
    const std::string path = written(scratch, bytes);
    if (!whole) {
      const auto refused = CastReader::open(path);
      REQUIRE_FALSE(refused);
      CHECK(refused.error().text == path + ": " + whole.error().text);
      continue;
    }
    const Cast read = streamed(path);
    CHECK(read.header == whole->header);
    CHECK(read.events == whole->events);
    CHECK(read.end_us == whole->end_us);
    CHECK(read.malformed_lines == whole->malformed_lines);
  }
}

TEST_CASE("a line that is longer than any event is malformed, and not kept") {
  const ScratchFolder scratch;
  const std::string path =
      written(scratch, kHeader + "[1, \"o\", \"" + std::string(kMaxCastLineBytes + 1'000'000, 'x') +
                           "\"]\n[2, \"o\", \"y\"]\n");
  const Cast cast = streamed(path);
  CHECK(cast.events == std::vector<CastEvent>{{2'000'000, CastKind::kOutput, "y"}});
  CHECK(cast.malformed_lines == 1);
}

TEST_CASE("an endless line ends the reading with an error, in the header and behind it") {
  const ScratchFolder scratch;
  for (const std::string& begin : {std::string(), kHeader + "[1, \"o\", \"x\"]\n"}) {
    const std::string path = written(scratch, begin);
    REQUIRE(::truncate(path.c_str(), off_t{10} << 30) == 0);
    auto reader = CastReader::open(path);
    CHECK(reader.ok() == !begin.empty());
    if (reader) {
      CHECK(reader->next() != nullptr);
      CHECK(reader->next() == nullptr);
      REQUIRE_FALSE(reader->trouble());
    }
    const orch::base::Error error = reader ? reader->trouble().error() : reader.error();
    CHECK(error.text == path + ": not an asciicast: a line has more than 1 GB");
  }
}

TEST_CASE("a run's recording that is a pipe keeps nobody waiting") {
  const ScratchFolder scratch;
  const std::string path = scratch.file("output.cast");
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  const auto refused = CastReader::open_regular(path);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().text == "open " + path + ": no regular file");
}
