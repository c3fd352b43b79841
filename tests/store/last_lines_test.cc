#include "store/last_lines.h"

#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <string>
#include <vector>

#include "scratch.h"

using namespace orch::store;

namespace {

constexpr uint64_t kToTheEnd = std::numeric_limits<uint64_t>::max();

std::vector<std::string> lines_of(const std::string& path, uint64_t from = 0,
                                  uint64_t to = kToTheEnd,
                                  size_t most = std::numeric_limits<size_t>::max()) {
  std::vector<std::string> lines;
  REQUIRE(each_line_from_end(path, from, to, [&](std::string_view line) {
            lines.emplace_back(line);
            return lines.size() < most;
          }).ok());
  return lines;
}

}  // namespace

TEST_CASE("lines come from the end of a file, whole, and no more than are wanted") {
  const ScratchFolder scratch;
  const std::string path = scratch.file("log");
  using Lines = std::vector<std::string>;
  put_content(path, "");
  CHECK(lines_of(path).empty());
  put_content(path, "begun");
  CHECK(lines_of(path).empty());
  put_content(path, "\n");
  CHECK(lines_of(path) == Lines{""});
  put_content(path, "one\n\nthree\nbegun");
  CHECK(lines_of(path) == Lines{"three", "", "one"});
  CHECK(lines_of(path, 0, kToTheEnd, 1) == Lines{"three"});
  CHECK(lines_of(path, 4) == Lines{"three", ""});
  CHECK(lines_of(path, 0, 4) == Lines{"one"});
  CHECK(lines_of(path, 0, 3).empty());
}

TEST_CASE("lines of every length come whole, wherever blocks end") {
  const ScratchFolder scratch;
  const std::string path = scratch.file("log");
  std::vector<std::string> lines;
  std::string text;
  for (size_t i = 0; i < 60; ++i) {
    lines.push_back(std::to_string(i) +
                    std::string(i * 997 % 70'000, static_cast<char>('a' + i % 26)));
    text += lines.back() + "\n";
  }
  lines.emplace_back(200'000, 'x');
  text += lines.back() + "\n";
  put_content(path, text);
  std::reverse(lines.begin(), lines.end());
  CHECK(lines_of(path) == lines);
}

TEST_CASE("what is no regular file is told, and keeps nobody waiting") {
  const ScratchFolder scratch;
  const auto take = [](std::string_view) { return true; };
  CHECK_FALSE(each_line_from_end(scratch.file("none"), 0, 9, take).ok());
  REQUIRE(::mkfifo(scratch.file("pipe").c_str(), 0600) == 0);
  CHECK_FALSE(each_line_from_end(scratch.file("pipe"), 0, 9, take).ok());
}
