#include "term/screen.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "described.h"

namespace orch::term {
namespace {

// What a terminal of 10x4 shows after `input`; `rows` is in the format of rows_text().
struct Script {
  const char* behaviour;
  const char* input;
  const char* rows;
  int cursor_row, cursor_col;
};

const Script kTextScripts[] = {
    {"text goes left to right", "abc", "abc", 0, 3},
    {"CR and LF", "abc\r\ndef", "abc|def", 1, 3},
    {"LF keeps the column", "abc\ndef", "abc|   def", 1, 6},
    {"VT and FF are line feeds", "a\vb\fc", "a| b|  c", 2, 3},
    {"BS moves left and stops at the margin", "ab\b\b\b\bx", "xb", 0, 1},
    {"DEL and NUL are nothing",
     "a\x7f"
     "b",
     "ab", 0, 2},
    {"the last column leaves the cursor there", "0123456789", "0123456789", 0, 9},
    {"the next character wraps", "0123456789a", "0123456789|a", 1, 1},
    {"CR takes back a pending wrap", "0123456789\rx", "x123456789", 0, 1},
    {"a cursor movement takes back a pending wrap", "0123456789\033[10Gx", "012345678x", 0, 9},
    {"SGR leaves a pending wrap", "0123456789\033[1mx", "0123456789|x", 1, 1},
    {"LF takes back a pending wrap", "0123456789\nx", "0123456789|         x", 1, 9},
    {"without autowrap the last column is overwritten", "\033[?7l0123456789abc", "012345678c", 0,
     9},
    {"wrapping at the bottom scrolls", "\033[4;1H0123456789ab", "||0123456789|ab", 3, 2},
    {"UTF-8 of two, three and four bytes", "é─😀x", "é─😀x", 0, 5},
    {"a wide character takes two cells", "中x", "中x", 0, 3},
    {"a wide character does not fit the last column", "012345678中", "012345678|中", 1, 2},
    {"overwriting the left half of a wide character", "中\rx", "x", 0, 1},
    {"overwriting the right half of a wide character", "中\033[2Gx", " x", 0, 2},
    {"a wide character over the halves of two", "中文\033[2G界", " 界", 0, 3},
    {"without autowrap a wide character takes the last two columns", "\033[?7l0123456789中",
     "01234567中", 0, 9},
    {"a combining mark joins the character before", "e\u0301x", "e\u0301x", 0, 2},
    {"a combining mark in the last column", "012345678e\u0301x", "012345678e\u0301|x", 1, 1},
    {"a combining mark after a wide character", "中\u0301x", "中\u0301x", 0, 3},
    {"a combining mark with nothing before it is dropped", "\u0301x", "x", 0, 1},
    {"VS15 is kept and takes no cell", "✳\uFE0Ex", "✳\uFE0Ex", 0, 2},
    {"a no-break space stays one", "a\u00A0", "a\u00A0", 0, 2},
    {"malformed bytes are U+FFFD",
     "a\xff"
     "b\xe2\x82"
     "c",
     "a\uFFFDb\uFFFDc", 0, 5},
    {"malformed bytes that repeat and become a character", "\xf0\x9f\x98\xf0\x9f\x98\x80x",
     "\uFFFD😀x", 0, 4},
    {"a rule wraps", "────────────", "──────────|──", 1, 2},
    {"raw C1 bytes are not controls",
     "a\x9b"
     "1mb",
     "a\uFFFD1mb", 0, 5},
    {"C1 controls in UTF-8 are nothing", "a\u009b1mb", "a1mb", 0, 4},
    {"IRM shifts to the right", "abc\033[1G\033[4hXY\033[4lZ", "XYZbc", 0, 3},
    {"IRM pushes characters off the end", "0123456789\033[1G\033[4hab", "ab01234567", 0, 2},
    {"REP repeats the last character", "ab\033[3b", "abbbb", 0, 5},
    {"REP repeats a wide character and wraps", "中\033[5b", "中中中中中|中", 1, 2},
    {"REP with nothing before it", "\033[3bx", "x", 0, 1},
    {"REP repeats only what comes directly before it", "ab\033[m\033[3bc\r\033[bd", "dbc", 0, 1},
    {"REP repeats once", "ab\033[2b\033[2b", "abbb", 0, 4},
    {"REP scrolls the screen as the characters would", "\033[4;1Ha\033[21b",
     "|aaaaaaaaaa|aaaaaaaaaa|aa", 3, 2},
    {"DEC graphics by SO and SI", "\033)0q\016qx\017q", "q─│q", 0, 4},
    {"DEC graphics in G0", "\033(0lk\033(Bl", "┌┐l", 0, 3},
};

const Script kCursorScripts[] = {
    {"CUP and HVP", "\033[2;3Hx\033[3;1fy", "|  x|y", 2, 1},
    {"CUP clamps", "\033[99;99Hx", "|||         x", 3, 9},
    {"CUP without parameters", "abc\033[Hx", "xbc", 0, 1},
    {"CUU CUD CUF CUB", "\033[2;2H\033[A\033[3C\033[2B\033[2Dx", "||  x", 2, 3},
    {"CUU stops at the top, CUD at the bottom", "\033[9Aa\033[9Bb", "a||| b", 3, 2},
    {"CNL and CPL", "abc\033[2Ex\033[Fy", "abc|y|x", 1, 1},
    {"CHA, HPA, VPA", "\033[4Ga\033[2`b\033[3dc", " b a||  c", 2, 3},
    {"HPR and VPR", "\033[3ax\033[2ey", "   x||    y", 2, 5},
    {"DECSC and DECRC", "ab\0337\033[3;3Hx\0338c", "abc||  x", 0, 3},
    {"CSI s and CSI u", "ab\033[s\033[3;3Hx\033[uc", "abc||  x", 0, 3},
    {"DECRC without DECSC goes home", "ab\033[2;2H\0338c", "cb", 0, 1},
    {"DECSC keeps a pending wrap", "0123456789\0337\033[3;3H\0338x", "0123456789|x", 1, 1},
    {"tabs every eight columns", "\tx", "        x", 0, 9},
    {"a tab stops at the last column", "\t\t\tx", "         x", 0, 9},
    {"HTS and TBC", "\033[3G\033H\033[1G\tx\033[3G\033[g\r\ty", "  x     y", 0, 9},
    {"TBC 3 clears all", "\033[3g\tx", "         x", 0, 9},
    {"CHT and CBT", "\033[3G\033H\033[1G\033[2Ia\033[2Zb", "  b     a", 0, 3},
    {"IND, NEL and RI", "a\033Db\033Ec\033Md", "a| d|c", 1, 2},
    {"DECOM counts from the region", "\033[2;3r\033[?6h\033[1;1Ha\033[9;1Hb\033[?6l\033[1;1Hc",
     "c|a|b", 0, 1},
    {"DECSTBM goes home", "abc\033[2;3rx", "xbc", 0, 1},
    {"DECSTBM of one row is refused", "abc\033[2;2rx", "abcx", 0, 4},
    {"CUD stops at the region's bottom when above it", "\033[1;2r\033[9Bx", "|x", 1, 1},
    {"VPR passes the region's bottom", "\033[1;2r\033[2ex", "||x", 2, 1},
    {"LNM", "\033[20hab\ncd", "ab|cd", 1, 2},
};

const Script kEditScripts[] = {
    {"EL to the end", "abcdef\033[3G\033[K", "ab", 0, 2},
    {"EL to the start", "abcdef\033[3G\033[1K", "   def", 0, 2},
    {"EL of the line", "abcdef\033[3G\033[2K", "", 0, 2},
    {"EL splits a wide character", "a中b\033[3G\033[K", "a", 0, 2},
    {"ED below", "ab\r\ncd\r\nef\033[2;2H\033[J", "ab|c", 1, 1},
    {"ED above", "ab\r\ncd\r\nef\033[2;1H\033[1J", "| d|ef", 1, 0},
    {"ED of the screen keeps the cursor", "ab\r\ncd\033[2Jx", "|  x", 1, 3},
    {"ED 3 leaves the screen", "ab\033[3J", "ab", 0, 2},
    {"ICH", "abcdef\033[2G\033[2@", "a  bcdef", 0, 1},
    {"ICH of more than the line", "abcdef\033[2G\033[99@", "a", 0, 1},
    {"ICH splits the wide character at the end", "abcdefgh中\033[1G\033[@", " abcdefgh", 0, 0},
    {"ICH within a wide character", "a中b\033[3G\033[@", "a   b", 0, 2},
    {"DCH", "abcdef\033[2G\033[2P", "adef", 0, 1},
    {"DCH of half a wide character", "a中b\033[2G\033[P", "a b", 0, 1},
    {"ECH", "abcdef\033[2G\033[2X", "a  def", 0, 1},
    {"IL", "a\r\nb\r\nc\033[2;3H\033[L", "a||b|c", 1, 0},
    {"IL within a region", "\033[1;3ra\r\nb\r\nc\033[4;1Hd\033[1;1H\033[2L", "||a|d", 0, 0},
    {"IL outside the region does nothing", "\033[2;3r\033[1;1Ha\033[L", "a", 0, 1},
    {"DL", "a\r\nb\r\nc\033[1;3H\033[M", "b|c", 0, 0},
    {"DL of more than there is", "a\r\nb\r\nc\033[2;1H\033[99M", "a", 1, 0},
    {"SU and SD", "a\r\nb\r\nc\r\nd\033[2S", "c|d", 3, 1},
    {"SD", "a\r\nb\r\nc\033[T", "|a|b|c", 2, 1},
    {"LF at the region's bottom scrolls the region", "a\r\nb\r\nc\r\nd\033[2;3r\033[3;1H\nx",
     "a|c|x|d", 2, 1},
    {"LF below the region stops at the bottom", "\033[1;2r\033[4;1Ha\nb", "|||ab", 3, 2},
    {"RI at the region's top scrolls it down", "a\r\nb\r\nc\r\nd\033[2;3r\033[2;1H\033Mx",
     "a|x|b|d", 1, 1},
    {"DECALN", "\033[2;3r\033#8", "EEEEEEEEEE|EEEEEEEEEE|EEEEEEEEEE|EEEEEEEEEE", 0, 0},
    {"RIS", "abc\033[?7l\033[2;3r\033cx", "x", 0, 1},
    {"DECSTR keeps the screen", "abc\033[4h\033[2;3r\033[!p\033[1;1Hx", "xbc", 0, 1},
};

const Script kSequenceScripts[] = {
    {"CAN ends a sequence",
     "a\033[3\x18"
     "b",
     "ab", 0, 2},
    {"SUB ends a sequence",
     "a\033[3\x1a"
     "b",
     "ab", 0, 2},
    {"ESC within a sequence begins another", "abc\033[1\033[2Gx", "axc", 0, 2},
    {"controls within a sequence are obeyed", "ab\033[\r3Gx", "abx", 0, 3},
    {"text from 0x80 ends a sequence", "a\033[3é", "aé", 0, 2},
    {"unknown sequences are consumed", "a\033[5;6wb\033[?9999hc\033[>1;2$zd", "abcd", 0, 4},
    {"intermediates in the wrong place", "a\033[1 2Gb", "ab", 0, 2},
    {"a DCS string is consumed", "a\033Pq#0;2;0;0;0~-\033\\b", "ab", 0, 2},
    {"APC, PM and SOS strings are consumed", "a\033_x\033\\\033^y\033\\\033Xz\033\\b", "ab", 0, 2},
    {"BEL does not end a DCS string", "a\033Px\ay\033\\b", "ab", 0, 2},
    {"CAN ends a DCS string",
     "a\033Px\x18"
     "b",
     "ab", 0, 2},
    {"ESC ends an OSC string", "a\033]0;t\033[2Cb", "a  b", 0, 4},
    {"an OSC string may hold UTF-8 with the byte 0x9C", "a\033]0;\u271C\ab", "ab", 0, 2},
    {"a sequence of a hundred parameters",
     "\033[1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1mx",
     "x", 0, 1},
    {"emoji that a joiner binds together are one character", "👩\u200D💻x", "👩\u200D💻x", 0, 3},
    {"a family of four is one character", "👩\u200D👩\u200D👧\u200D👦x", "👩\u200D👩\u200D👧\u200D👦x", 0,
     3},
    {"emoji without a joiner are two characters", "👩💻x", "👩💻x", 0, 5},
    {"a joiner binds no letter", "👩\u200Dax", "👩\u200Dax", 0, 4},
    {"a joiner behind a letter binds no emoji", "a\u200D💻x", "a\u200D💻x", 0, 4},
    {"a joiner binds no wide letter", "中\u200D💻x", "中\u200D💻x", 0, 5},
    {"bound emoji in the last columns leave the cursor there", "01234567👩\u200D💻",
     "01234567👩\u200D💻", 0, 9},
    {"the next character after them wraps", "01234567👩\u200D💻x", "01234567👩\u200D💻|x", 1, 1},
    {"bound emoji that do not fit the last column wrap as one", "012345678👩\u200D💻x",
     "012345678|👩\u200D💻x", 1, 3},
    {"an emoji binds to none that the cursor has left", "👩\u200D\r\n💻", "👩\u200D|💻", 1, 2},
    {"a movement and back binds all the same", "👩\u200D\033[H\033[2C💻", "👩\u200D💻", 0, 2},
    {"bound emoji that scrolled are one character", "\033[4;1H01234567👩\u200D💻x",
     "||01234567👩\u200D💻|x", 3, 1},
    {"overwriting the left half of bound emoji", "👩\u200D💻\rx", "x", 0, 1},
    {"overwriting the right half of bound emoji", "👩\u200D💻\033[2Gx", " x", 0, 2},
    {"a joiner binds narrow emoji too", "👩\u200D⚕\uFE0Fx", "👩\u200D⚕\uFE0Fx", 0, 3},
    {"a joined narrow emoji becomes wide", "🕵\u200D♂x", "🕵\u200D♂x", 0, 3},
    {"a skin tone makes a narrow emoji wide", "☝🏻x", "☝🏻x", 0, 3},
    {"a skin tone behind a letter is a character of its own", "a🏻x", "a🏻x", 0, 4},
    {"U+FE0F makes a narrow emoji wide", "❤\uFE0Fx", "❤\uFE0Fx", 0, 3},
    {"a narrow emoji without it is narrow", "❤x", "❤x", 0, 2},
    {"U+FE0F leaves a letter and a wide emoji as they are", "a\uFE0F✨\uFE0Fx", "a\uFE0F✨\uFE0Fx", 0,
     4},
    {"a second U+FE0F changes nothing", "❤\uFE0F\uFE0Fx", "❤\uFE0F\uFE0Fx", 0, 3},
    {"a keycap", "1\uFE0F\u20E3x", "1\uFE0F\u20E3x", 0, 3},
    {"two letters of a flag are one character", "🇩🇪🇫x", "🇩🇪🇫x", 0, 4},
    {"overwriting the right half of a flag", "🇩🇪\033[2Gx", " x", 0, 2},
    {"U+FE0F behind a movement and back", "❤\033[5G\033[2G\uFE0Fx", "❤\uFE0Fx", 0, 3},
    {"it takes the next cell", "❤bc\033[2G\uFE0F", "❤\uFE0Fc", 0, 2},
    {"it takes half of a wide character, and the other half is blank", "❤中c\033[2G\uFE0F",
     "❤\uFE0F c", 0, 2},
    {"in insert mode it moves the next cell", "❤bc\033[2G\033[4h\uFE0F", "❤\uFE0Fbc", 0, 2},
    {"in the last column it wraps", "012345678❤\uFE0Fx", "012345678|❤\uFE0Fx", 1, 3},
    {"without autowrap it moves to the left", "\033[?7l012345678❤\uFE0F", "01234567❤\uFE0F", 0, 9},
    {"in the last column of the last row it scrolls", "a\033[4;1H012345678❤\uFE0Fx",
     "||012345678|❤\uFE0Fx", 3, 3},
    {"in the last two columns it fits", "01234567❤\uFE0Fx", "01234567❤\uFE0F|x", 1, 1},
    {"erasing half of it erases both", "a❤\uFE0Fb\033[3G\033[X", "a  b", 0, 2},
    {"deleting half of it leaves a blank", "a❤\uFE0Fb\033[2G\033[P", "a b", 0, 1},
    {"a mark stays behind its letter", "e\u0301\u0323x", "e\u0301\u0323x", 0, 2},
    {"a mark in the last column without autowrap joins the last cell", "\033[?7l0123456789e\u0301",
     "012345678e\u0301", 0, 9},
    {"a mark behind a wide character there too", "\033[?7l01234567中\u0301", "01234567中\u0301", 0,
     9},
    {"without mode 2027 each code point counts for itself", "\033[?2027l❤\uFE0Fx👩\u200D💻x",
     "❤\uFE0Fx👩\u200D💻x", 0, 7},
    {"mode 2027 again", "\033[?2027l\033[?2027h❤\uFE0Fx", "❤\uFE0Fx", 0, 3},
    {"the longest sequence is one character", "👨🏻\u200D❤\uFE0F\u200D💋\u200D👨🏼x",
     "👨🏻\u200D❤\uFE0F\u200D💋\u200D👨🏼x", 0, 3},
    {"a sequence over the most marks goes on in another cell",
     "👩\u200D👩\u200D👩\u200D👩\u200D👩\u200D👩\u200D👩\u200D👩\u200D👩\u200D👧x",
     "👩\u200D👩\u200D👩\u200D👩\u200D👩\u200D👩\u200D👩\u200D👩\u200D👩👧x", 0, 5},
    {"a mark over the most is dropped, an emoji bound by the last is too",
     "👩\u200D👩\u200D👩\u200D👩\u200D👩\u200D👩\u200D👩\u200D👩\uFE0F\u200D👧x",
     "👩\u200D👩\u200D👩\u200D👩\u200D👩\u200D👩\u200D👩\u200D👩\uFE0F\u200Dx", 0, 3},
    {"SU within margins", "a\r\nb\r\nc\r\nd\033[2;3r\033[S", "a|c||d", 0, 0},
    {"SD within margins, the cursor outside", "a\r\nb\r\nc\r\nd\033[2;3r\033[4;1H\033[T", "a||b|d",
     3, 0},
    {"SU of more than the margins", "a\r\nb\r\nc\r\nd\033[2;3r\033[99S", "a|||d", 0, 0},
    {"REP wraps and scrolls within margins", "a\r\nb\r\nc\r\nd\033[2;3r\033[3;9Hx\033[3b",
     "a|c       xx|xx|d", 2, 2},
    {"REP above the margins stops at none", "\033[2;3r\033[1;9Hx\033[3b", "        xx|xx", 1, 2},
    {"REP in the last row below the margins does not scroll", "a\033[2;3r\033[4;9Hx\033[3b",
     "a|||xx      xx", 3, 2},
    {"a huge parameter is capped", "\033[99999999999999999999Cx", "         x", 0, 9},
};

void check(const Script& script) {
  INFO(script.behaviour);
  const std::string input(script.input);
  Screen whole({10, 4});
  whole.feed(input);
  CHECK(rows_text(whole) == script.rows);
  CHECK(whole.cursor_row() == script.cursor_row);
  CHECK(whole.cursor_col() == script.cursor_col);
  // If enough text follows, the parser takes its fast path for the plain sequences in it.
  Screen padded({10, 4}), bytewise({10, 4});
  padded.feed("\033[0m" + input + "\033]2;" + std::string(64, '-') + "\a");
  CHECK(rows_text(padded) == script.rows);
  for (const char c : input) bytewise.feed({&c, 1});
  CHECK(describe(bytewise) == describe(whole));
}

TEST_CASE("text") {
  for (const Script& script : kTextScripts) check(script);
}
TEST_CASE("cursor movement") {
  for (const Script& script : kCursorScripts) check(script);
}
TEST_CASE("erasing, inserting, deleting, scrolling") {
  for (const Script& script : kEditScripts) check(script);
}
TEST_CASE("the shape of sequences") {
  for (const Script& script : kSequenceScripts) check(script);
}

TEST_CASE("the alternate screen keeps the main one") {
  Screen screen({10, 4});
  screen.feed("main\033[?1049h");
  CHECK(screen.modes().alternate);
  CHECK(rows_text(screen) == "");
  CHECK(screen.cursor_col() == 4);
  screen.feed("\033[2;2Halt\033[?1049l");
  CHECK_FALSE(screen.modes().alternate);
  CHECK(rows_text(screen) == "main");
  CHECK(screen.cursor_row() == 0);
  CHECK(screen.cursor_col() == 4);
  screen.feed("\033[?47h");
  CHECK(rows_text(screen) == "| alt");
  screen.feed("\033[?47l\033[?1047h\033[?1047l\033[?47h");
  CHECK(rows_text(screen) == "");
}

TEST_CASE("a row that runs on into the next is marked wrapped") {
  Screen screen({4, 3});
  screen.feed("abcdef\r\ngh");
  CHECK(screen.row(0).wrapped);
  CHECK_FALSE(screen.row(1).wrapped);
  screen.feed("\033[1;2H\033[K");
  CHECK_FALSE(screen.row(0).wrapped);
}

TEST_CASE("a row runs on into nothing once the next one is erased from its beginning") {
  for (const char* erase : {"\033[2K", "\r\033[K", "\033[1K", "\r\033[J"}) {
    Screen screen({4, 3});
    screen.feed("abcdef");
    CHECK(screen.row(0).wrapped);
    screen.feed("\033[K");
    CHECK(screen.row(0).wrapped);
    screen.feed(erase);
    CHECK_FALSE(screen.row(0).wrapped);
  }
}

TEST_CASE("stamps change with a row's cells and scroll with it") {
  Screen screen({10, 3});
  screen.feed("a\r\nb\r\nc");
  const uint64_t b = screen.stamp(1), c = screen.stamp(2);
  CHECK(b != 0);
  CHECK(b != c);
  screen.feed("\033[1;1H\033[31m\033[2C");
  CHECK(screen.stamp(1) == b);
  screen.feed("\033[3;1H\n");
  CHECK(screen.stamp(0) == b);
  CHECK(screen.stamp(1) == c);
  screen.feed("\033[1;1Hx");
  CHECK(screen.stamp(0) != b);
  CHECK(screen.stamp(1) == c);
}

TEST_CASE("a row that is drawn again as it was keeps its key, and another text has another") {
  Screen screen({20, 4});
  screen.feed("one\r\ntwo\r\n\xE7\x8A\xB6\xE6\x85\x8B");
  const uint64_t one = screen.key(0), two = screen.key(1), wide = screen.key(2);
  CHECK(one != two);
  CHECK(one != 0);
  CHECK(wide != 0);
  const uint64_t stamp = screen.stamp(0);
  screen.feed("\x1b[1;1H\x1b[31mone");
  CHECK(screen.stamp(0) != stamp);
  CHECK(screen.key(0) == one);
  for (const int column : {1, 2, 3, 4, 9, 17, 20}) {
    const std::string place = "\x1b[1;" + std::to_string(column) + "H";
    screen.feed(place + "x");
    CHECK(screen.key(0) != one);
    screen.feed("\x1b[1;1H\x1b[0m\x1b[Kone");
    CHECK(screen.key(0) == one);
  }
  screen.feed("\x1b[1;1He\xCC\x81");  // a cluster, whose code may come to mean another
  CHECK(screen.key(0) == 0);
}

struct RecordingSink final : ScrollSink {
  void on_scrolled_off(const Screen& screen, const RowView& row) override {
    screen.append_text(row, rows);
    rows += row.wrapped ? "+" : "|";
  }
  void on_scrollback_cleared() override { rows += "cleared|"; }
  std::string rows;
};

TEST_CASE("rows that leave the top of the main screen are told") {
  Screen screen({4, 2});
  RecordingSink sink;
  screen.set_scroll_sink(&sink);
  screen.feed("a\r\nb\r\nc");
  CHECK(sink.rows == "a|");
  screen.feed("\033[2J\033[Habcdef\r\nx");
  CHECK(sink.rows == "a|abcd+");
  sink.rows.clear();
  screen.feed("\033[?1049h1\r\n2\r\n3\033[?1049l");
  CHECK(sink.rows == "");
  screen.feed("\033[3J\033c");
  CHECK(sink.rows == "cleared|cleared|");
}

TEST_CASE("rows that leave a region are told only when it begins at the top") {
  Screen screen({4, 4});
  RecordingSink sink;
  screen.set_scroll_sink(&sink);
  screen.feed("a\r\nb\r\nc\r\nd\033[2;3r\033[3;1H\n\033[S");
  CHECK(sink.rows == "");
  screen.feed("\033[1;3r\033[3;1H\n");
  CHECK(sink.rows == "a|");
}

TEST_CASE("a smaller window keeps the cursor, rows leave at the top") {
  Screen screen({6, 4});
  RecordingSink sink;
  screen.set_scroll_sink(&sink);
  screen.feed("a\r\nb\r\nc\r\nabcdef");
  screen.resize({4, 2});
  CHECK(rows_text(screen) == "c|abcd");
  CHECK(sink.rows == "a|b|");
  CHECK(screen.cursor_row() == 1);
  CHECK(screen.cursor_col() == 3);
  screen.resize({8, 4});
  CHECK(rows_text(screen) == "c|abcd");
  screen.feed("\033[1;1H");
  screen.resize({8, 1});
  CHECK(rows_text(screen) == "c");
  CHECK(sink.rows == "a|b|");
}

TEST_CASE("a wide character cut by a smaller window is blank") {
  Screen screen({4, 1});
  screen.feed("ab中");
  screen.resize({3, 1});
  CHECK(rows_text(screen) == "ab");
}

TEST_CASE("a resize on the alternate screen keeps the main screen's cursor line") {
  Screen screen({6, 4});
  screen.feed("a\r\nb\r\nc\r\nd\033[?1049h");
  screen.resize({6, 2});
  screen.feed("\033[?1049l");
  CHECK(rows_text(screen) == "c|d");
  CHECK(screen.cursor_row() == 1);
}

TEST_CASE("sizes are clamped") {
  Screen screen({0, -3});
  CHECK(screen.size() == Size{1, 1});
  screen.feed("中ab\r\n\t\033[5b\033[@\033[P\033[L\033[M");
  screen.resize({100000, 100000});
  CHECK(screen.size() == Size{kMaxCols, kMaxRows});
}

TEST_CASE("modes") {
  Screen screen({10, 4});
  screen.feed("\033[?1;25;1004;2004;2031h\033[?25l\033[?1000;1002;1003;1006h");
  CHECK(screen.modes().application_cursor);
  CHECK_FALSE(screen.modes().cursor_visible);
  CHECK(screen.modes().focus_reports);
  CHECK(screen.modes().bracketed_paste);
  CHECK(screen.modes().color_scheme_reports);
  CHECK(screen.modes().mouse == 15);
  screen.feed("\033[?1003l");
  CHECK(screen.modes().mouse == 11);
  screen.feed("\033c");
  CHECK(screen.modes().mouse == 0);
  CHECK(screen.modes().cursor_visible);
}

TEST_CASE("synchronised frames are counted when they end") {
  Screen screen({10, 4});
  screen.feed("\033[?2026l");
  CHECK(screen.synchronized_frames() == 0);
  screen.feed("\033[?2026hx");
  CHECK(screen.modes().synchronized);
  screen.feed("\033[?2026l\033[?2026h\033[?2026l");
  CHECK(screen.synchronized_frames() == 2);
  CHECK_FALSE(screen.modes().synchronized);
}

TEST_CASE("kitty keyboard flags, for each screen its own") {
  Screen screen({10, 4});
  screen.feed("\033[>1u\033[>7u");
  CHECK(screen.modes().kitty_keyboard == 7);
  screen.feed("\033[=8;2u");
  CHECK(screen.modes().kitty_keyboard == 15);
  screen.feed("\033[=1;3u");
  CHECK(screen.modes().kitty_keyboard == 14);
  screen.feed("\033[?1049h");
  CHECK(screen.modes().kitty_keyboard == 0);
  screen.feed("\033[=5u\033[?1049l");
  CHECK(screen.modes().kitty_keyboard == 14);
  screen.feed("\033[<u");
  CHECK(screen.modes().kitty_keyboard == 1);
  screen.feed("\033[<9u");
  CHECK(screen.modes().kitty_keyboard == 0);
}

TEST_CASE("titles, progress, states, notifications") {
  Screen screen({10, 4});
  screen.feed("\033]0;one\a\033]2;✳ two\033\\\033]1;icon\a");
  CHECK(screen.title() == "✳ two");
  screen.feed("\033]9;4;1;42\a");
  CHECK(screen.progress() == Progress{Progress::State::kNormal, 42});
  screen.feed("\033]9;4;3\a");
  CHECK(screen.progress().state == Progress::State::kIndeterminate);
  screen.feed("\033]9;4;0\a");
  CHECK(screen.progress() == Progress{});
  screen.feed("\033]9;4;9;1\a\033]9;4;x\a");
  CHECK(screen.progress() == Progress{});
  CHECK(screen.take_notifications().empty());
  screen.feed("\033]9;Approval requested: ls\a");
  screen.feed("\033]9;second\a");
  CHECK(screen.take_notifications() ==
        std::vector<std::string>{"Approval requested: ls", "second"});
  CHECK(screen.take_notifications().empty());
  for (int i = 0; i < 100; ++i) screen.feed("\033]9;" + std::to_string(i) + "\a");
  const std::vector<std::string> last = screen.take_notifications();
  CHECK(last.size() == 64);
  CHECK(last.back() == "99");
  screen.feed("\033]7501;state=working:app=codex\033\\");
  CHECK(screen.report_of("").text == "working");
  screen.feed("\033]7501;state=blocked:app=codex:kind=permission\033\\");
  CHECK(screen.report_of("").text == "blocked:permission");
}

TEST_CASE("an agent that asks whether its reports are read is answered with its question") {
  Screen screen({10, 4});
  screen.feed("\033]7501;?\033\\");
  CHECK(screen.take_replies() == "\033]7501;?\033\\");
  screen.feed("\033]7501;?\a");
  CHECK(screen.take_replies() == "\033]7501;?\a");
  screen.feed("\033]7501;??\a\033]7501;\a\033]7501\a\033]7501;state=idle\a");
  CHECK(screen.take_replies().empty());
  CHECK(screen.report_of("").text == "idle");
}

TEST_CASE("each application has a report of its own, which no other one changes") {
  Screen screen({10, 4});
  screen.feed("\033]7501;state=working:app=claude-code:msg=YnVpbGRpbmc=:progress=40\a");
  CHECK(screen.report_of("claude-code").text == "working");
  CHECK(screen.report_of("claude-code").number == 1);
  screen.feed("\033]7501;app=cargo:state=done\a\033]7501;state=error\a");
  CHECK(screen.report_of("claude-code").text == "working");
  CHECK(screen.report_of("claude-code").number == 1);
  CHECK(screen.report_of("cargo").text == "done");
  CHECK(screen.report_of("").text == "error");
  CHECK(screen.report_of("codex").number == 0);
  screen.feed("\033]7501;state=clear\a");
  CHECK(screen.report_of("claude-code").text == "clear");
  for (int i = 0; i < 20; ++i) screen.feed("\033]7501;state=idle:app=a" + std::to_string(i) + "\a");
  CHECK(screen.report_of("claude-code").number == 0);
  CHECK(screen.report_of("a12").text == "idle");
  CHECK(screen.report_of("a11").number == 0);
}

TEST_CASE("a report of a part of the application, or one that is not understood, changes nothing") {
  Screen screen({10, 4});
  screen.feed("\033]7501;state=working:app=x\a");
  for (const std::string text :
       {"state=done:app=x:id=b8mtz02bt", "state=clear:id=b8mtz02bt", "state=paused:app=x", "app=x",
        "kind=permission:app=x", "state=:app=x", "", ";", "STATE=done:app=x"}) {
    screen.feed("\033]7501;" + text + "\a");
  }
  screen.feed("\033]7501;state=done:app=x:msg=" + std::string(4096, 'a') + "\a");
  CHECK(screen.report_of("x").text == "working");
  CHECK(screen.report_of("x").number == 1);
  // A kind belongs to "blocked" alone, and neither it nor an application has other characters.
  screen.feed("\033]7501;state=done:app=x:kind=permission\a");
  CHECK(screen.report_of("x").text == "done");
  screen.feed("\033]7501;state=blocked:app=x:kind=\xc3\xa4\a");
  CHECK(screen.report_of("x").text == "blocked");
  screen.feed("\033]7501;state=error:app=a b\a");
  CHECK(screen.report_of("").app == "");
}

TEST_CASE("RIS clears title, progress and reported state, and no notification that waits") {
  Screen screen({10, 4});
  screen.feed("\033]2;one\a\033]9;4;1;42\a\033]7501;state=working:app=codex\a\033]9;note\a");
  screen.feed("\033c");
  CHECK(screen.title().empty());
  CHECK(screen.progress() == Progress{});
  CHECK(screen.report_of("").number == 0);
  CHECK(screen.take_notifications() == std::vector<std::string>{"note"});
}

TEST_CASE("a cancelled OSC string sets nothing") {
  Screen screen({10, 4});
  screen.feed("\033]2;bad\x18\033]2;worse\x1a");
  CHECK(screen.title() == "");
}

}  // namespace
}  // namespace orch::term
