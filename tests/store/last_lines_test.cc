#include "store/last_lines.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <string>
#include <vector>

#include "scratch.h"

using namespace orch::store;

namespace {

constexpr uint64_t kToTheEnd = std::numeric_limits<uint64_t>::max();

// The lines of a file, read from its end; checks that reading from the beginning gives the same.
std::vector<std::string> lines_of(const std::string& path, uint64_t from = 0,
                                  uint64_t to = kToTheEnd,
                                  size_t most = std::numeric_limits<size_t>::max()) {
  std::vector<std::string> lines;
  REQUIRE(each_line_from_end(path, from, to, [&](std::string_view line) {
            lines.emplace_back(line);
            return lines.size() < most;
          }).ok());
  if (most < std::numeric_limits<size_t>::max()) return lines;
  std::vector<std::string> forwards;
  uint64_t place = from;
  REQUIRE(each_line(path, from, to, [&](std::string_view line, uint64_t next) {
            place += line.size() + 1;
            CHECK(next == place);
            forwards.emplace_back(line);
            return true;
          }).ok());
  std::reverse(forwards.begin(), forwards.end());
  CHECK(forwards == lines);
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

TEST_CASE("a line that is longer than any record is read past and counted, and takes no memory") {
  const ScratchFolder scratch;
  const std::string path = scratch.file("log");
  const std::string longest(kLongestLineBytes, 'x');
  std::string text = "one\n" + longest + "\n" + longest + "y\n" + "four\n";
  SECTION("in the middle") { put_content(path, text); }
  SECTION("at the end, unfinished and of some gigabytes") {
    put_content(path, "one\n" + longest + "\nfour\n");
    REQUIRE(::truncate(path.c_str(), off_t{4} << 30) == 0);
  }
  std::vector<size_t> sizes;
  const auto too_long = each_line(path, 0, kToTheEnd, [&](std::string_view line, uint64_t) {
    sizes.push_back(line.size());
    return true;
  });
  REQUIRE(too_long.ok());
  CHECK(*too_long == 1);
  CHECK(sizes == std::vector<size_t>{3, kLongestLineBytes, 4});
  sizes.clear();
  const auto from_end = each_line_from_end(path, 0, kToTheEnd, [&](std::string_view line) {
    sizes.push_back(line.size());
    return true;
  });
  REQUIRE(from_end.ok());
  CHECK(*from_end == 1);
  CHECK(sizes == std::vector<size_t>{4, kLongestLineBytes, 3});
  struct rusage usage {};
  REQUIRE(::getrusage(RUSAGE_SELF, &usage) == 0);
  CHECK(usage.ru_maxrss < 1'000'000);  // KB
}

TEST_CASE("what is not a regular file is told, and keeps nobody waiting") {
  const ScratchFolder scratch;
  const auto take = [](std::string_view) { return true; };
  CHECK_FALSE(each_line_from_end(scratch.file("none"), 0, 9, take).ok());
  REQUIRE(::mkfifo(scratch.file("pipe").c_str(), 0600) == 0);
  CHECK_FALSE(each_line_from_end(scratch.file("pipe"), 0, 9, take).ok());
  CHECK_FALSE(
      each_line(scratch.file("pipe"), 0, 9, [](std::string_view, uint64_t) { return true; }).ok());
}
