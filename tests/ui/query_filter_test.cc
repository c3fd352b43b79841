#include "ui/query_filter.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using orch::ui::QueryFilter;

namespace {

std::string in_pieces(const std::string& bytes, size_t size) {
  QueryFilter filter;
  std::string passed;
  for (size_t at = 0; at < bytes.size(); at += size) passed += filter.pass(bytes.substr(at, size));
  return passed;
}

const std::vector<std::string> kQuestions{"\x05",
                                          "\x1b[c",
                                          "\x1b[0c",
                                          "\x1b[>c",
                                          "\x1b[>0c",
                                          "\x1b[=c",
                                          "\x1bZ",
                                          "\x1b[5n",
                                          "\x1b[6n",
                                          "\x1b[?6n",
                                          "\x1b[?996n",
                                          "\x1b[>q",
                                          "\x1b[>0q",
                                          "\x1b[?2026$p",
                                          "\x1b[4$p",
                                          "\x1b[?u",
                                          "\x1b[14t",
                                          "\x1b[16t",
                                          "\x1b[18t",
                                          "\x1b[19t",
                                          "\x1b[20t",
                                          "\x1b[21t",
                                          "\x1b[14;2t",
                                          "\x1b[x",
                                          "\x1b[1;1;1;1;1;1*y",
                                          "\x1b[?1;1;0S",
                                          "\x1b[?4m",
                                          "\x1b]10;?\a",
                                          "\x1b]11;?\x1b\\",
                                          "\x1b]12;?\x1b\\",
                                          "\x1b]4;1;?\a",
                                          "\x1b]4;0;?;1;?\x1b\\",
                                          "\x1b]52;c;?\a",
                                          "\x1bP$qm\x1b\\",
                                          "\x1bP+q544e\x1b\\",
                                          "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\",
                                          "\xc2\x9b"
                                          "6n",
                                          "\xc2\x9d"
                                          "11;?\xc2\x9c",
                                          "\x1b]21;foreground=?\x1b\\",
                                          "\x1b]1337;ReportCellSize\a",
                                          "\x1bP@kitty-cmd{\"cmd\":\"ls\"}\x1b\\"};

const std::vector<std::string> kOthers{"words\r\n",
                                       "\x1b[31mred\x1b[m",
                                       "\x1b[2J\x1b[H",
                                       "\x1b[?25l",
                                       "\x1b[?2026h",
                                       "\x1b[?1;2c",
                                       "\x1b[u",
                                       "\x1b[>1u",
                                       "\x1b[<u",
                                       "\x1b[=1;1u",
                                       "\x1b[22;0t",
                                       "\x1b[23;0t",
                                       "\x1b[8;24;80t",
                                       "\x1b[2 q",
                                       "\x1b[>4;2m",
                                       "\x1b[3S",
                                       "\x1b[!p",
                                       "\x1b]0;title?\a",
                                       "\x1b]2;a;?;b\x1b\\",
                                       "\x1b]8;;https://example.org/?\x1b\\link\x1b]8;;\x1b\\",
                                       "\x1b]11;#102030\a",
                                       "\x1b]4;1;red\a",
                                       "\x1b]52;c;d29yZHM=\a",
                                       "\x1bPq#0;2;0;0;0#0~~@@\x1b\\",
                                       "\x1b_Ga=T,f=24;AAAA\x1b\\",
                                       "\x1b]9;told\a",
                                       "\x1b]133;A\a",
                                       "\x1b(B",
                                       "\x1b"
                                       "7\x1b"
                                       "8",
                                       "\u00c2\u00a0\u4e00\U0001f600",
                                       "\x1b[1\x1b[2m",
                                       "\x1b[12\x18plain",
                                       "\x1b]0;cut\x1b[1mbold",
                                       "\xc3\xa9\xff\xc2"};

}  // namespace

TEST_CASE("what asks the terminal is taken out, whatever stands around it") {
  for (const std::string& question : kQuestions) {
    INFO(question.substr(1));
    for (const std::string& other : kOthers) {
      if (other.ends_with('\xc2')) continue;
      const std::string bytes = other + question + "end";
      for (const size_t size : {size_t{1}, size_t{2}, size_t{3}, size_t{7}, bytes.size()}) {
        CHECK(in_pieces(bytes, size) == other + "end");
      }
    }
  }
}

TEST_CASE("all else passes as it is") {
  std::string all;
  for (const std::string& other : kOthers) all += other + ".";
  for (size_t size = 1; size < 20; ++size) CHECK(in_pieces(all, size) == all);
}

TEST_CASE("controls inside of a question do not hide it") {
  CHECK(in_pieces("\x1b[\n6\tn", 1).empty());
  CHECK(in_pieces("\x1b[6\x05"
                  "m",
                  1) == "\x1b[6m");
}

TEST_CASE("a long string is not held back, and a question that is padded does not pass") {
  const std::string clipboard = "\x1b]52;c;" + std::string(1 << 20, 'A');
  QueryFilter filter;
  CHECK(filter.pass(clipboard) == clipboard);
  const std::string padded = "\x1b]4;" + std::string(100'000, '0') + "1;?\a";
  CHECK(in_pieces(padded + "end", 1000) == "end");
}
