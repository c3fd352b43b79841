#include <catch2/catch.hpp>
#include <string>

#include "described.h"
#include "term/cluster_table.h"
#include "term/osc.h"
#include "term/parser.h"
#include "term/screen.h"

namespace orch::term {
namespace {

TEST_CASE("titles, states and notifications are cut between characters and printable") {
  Screen screen({10, 2});
  std::string accents;
  for (int i = 0; i < 2000; ++i) accents += "é";
  screen.feed("\033]2;x" + accents + "\a");
  CHECK(screen.title().size() == Announcements::kMaxTitleBytes - 1);
  screen.feed("\033]9;" + std::string(100000, 'n') + "\a");
  CHECK(screen.take_notifications().at(0).size() == Announcements::kMaxNotificationBytes);
  screen.feed("\033]7501;state=idle:app=" + std::string(33, 's') + "\a");
  CHECK(screen.report_of("").app == "");
  screen.feed(
      "\033]2;a\u009b"
      "b\xff"
      "c\a");
  CHECK(screen.title() == "a\uFFFDb\uFFFDc");
}

TEST_CASE("OSC and DCS strings are cut at their bound and read to their end") {
  struct Sink {
    size_t osc_bytes = 0, dcs_bytes = 0, text_bytes = 0;
    void ascii(Portable, const char*, size_t length) { text_bytes += length; }
    const char* unicode(Portable, const char*, const char* end) { return end; }
    void control(uint8_t) {}
    void escape(char, char) {}
    bool plain(Portable, const char*, size_t) { return false; }
    bool plain_dec(const char*, size_t) { return false; }
    void plain_sequence(const ControlSequence&) {}
    void marked_sequence(const ControlSequence&) {}
    void osc(std::string_view payload, StringEnd) { osc_bytes += payload.size(); }
    void dcs(std::string_view payload) { dcs_bytes += payload.size(); }
  };
  Sink sink;
  Parser<Sink> parser(sink);
  parser.feed("\033]52;");
  for (int i = 0; i < 1000; ++i) parser.feed(std::string(1000, 'x'));
  parser.feed("\aabc\033Pq");
  for (int i = 0; i < 1000; ++i) parser.feed(std::string(1000, 'x'));
  parser.feed("\033\\");
  CHECK(sink.osc_bytes == Parser<Sink>::kMaxStringBytes);
  CHECK(sink.dcs_bytes == Parser<Sink>::kMaxStringBytes);
  CHECK(sink.text_bytes == 3);
}

TEST_CASE("a cell keeps so many combining marks and no more") {
  Screen screen({10, 2});
  screen.feed("e");
  for (int i = 0; i < 100; ++i) screen.feed("\u0301");
  CHECK(row_text(screen, 0).size() == 1 + 2 * kMaxMarks);
}

TEST_CASE("more clusters than the table holds do not run out while few are on the screen") {
  Screen screen({20, 2});
  for (char32_t base = 0x4E00; base < 0x4E00 + 20000; ++base) {
    std::string bytes;
    bytes += static_cast<char>(0xE0 | (base >> 12));
    bytes += static_cast<char>(0x80 | ((base >> 6) & 0x3F));
    bytes += static_cast<char>(0x80 | (base & 0x3F));
    screen.feed(bytes + "\u0301");
    REQUIRE(row_text(screen, screen.cursor_row()).ends_with(bytes + "\u0301"));
  }
}

TEST_CASE("an intern table that is full of values in use refuses the next, and recovers") {
  struct Identity {
    size_t operator()(int value) const { return static_cast<size_t>(value); }
  };
  InternTable<int, Identity> table(4, 8);
  for (int value = 1; value < 4; ++value) CHECK(table.find_or_add(value) == value);
  CHECK_FALSE(table.find_or_add(9));
  CHECK(table.compact({true, true, true, true}) == std::vector<uint32_t>{0, 1, 2, 3});
  for (int value = 4; value < 8; ++value) CHECK(table.find_or_add(value) == value);
  CHECK_FALSE(table.find_or_add(9));
  CHECK(table.find_or_add(7) == 7);
  CHECK(table.compact({true, false, false, false, false, false, false, true}) ==
        std::vector<uint32_t>{0, 0, 0, 0, 0, 0, 0, 1});
  CHECK(table[1] == 7);
  CHECK(table.size() == 2);
  CHECK(table.find_or_add(9) == 2);
}

std::string many_styles(int from, int to) {
  std::string bytes;
  for (int i = from; i < to; ++i) {
    bytes += "\033[38;2;" + std::to_string(i >> 16) + ";" + std::to_string((i >> 8) & 255) + ";" +
             std::to_string(i & 255) + "mx";
  }
  return bytes;
}

TEST_CASE("styles beyond what the table can hold are the default until room is found again") {
  Screen screen({kMaxCols, 100});
  screen.feed(many_styles(0, 100000));
  CHECK(describe(screen.style(screen.row(0).styles[5])) == "fg=0,0,5");
  CHECK(describe(screen.style(screen.row(99).styles[999])) == "");
  screen.feed("\033[2J\033[H" + many_styles(100000, 120000));
  CHECK(describe(screen.style(screen.row(19).styles[999])) == "fg=1,212,191");
}

TEST_CASE("a flood of large repetitions and scrolls is bounded work") {
  Screen screen({kMaxCols, kMaxRows});
  for (int i = 0; i < 20; ++i)
    screen.feed("x\033[65535b\033[65535S\033[65535T\033[65535L\033[65535Z");
  CHECK(screen.size() == Size{kMaxCols, kMaxRows});
  CHECK(screen.cursor_row() < kMaxRows);
}

TEST_CASE("REP scrolls no more than a screen and a row, however often it is asked to repeat") {
  struct CountingSink final : ScrollSink {
    void on_scrolled_off(const Screen&, const RowView&) override { ++rows; }
    void on_scrollback_cleared() override {}
    int rows = 0;
  };
  for (const char* text : {"x", "中", "\033[1;2rx", "\033[24Hx", "\033[23Hxxxxx"}) {
    Screen screen({80, 24});
    CountingSink sink;
    screen.set_scroll_sink(&sink);
    for (int i = 0; i < 100; ++i) screen.feed(text + std::string("\033[65535b"));
    CHECK(sink.rows >= 100);
    CHECK(sink.rows <= 100 * 26);
  }
}

}  // namespace
}  // namespace orch::term
