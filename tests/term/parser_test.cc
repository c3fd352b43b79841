#include "term/parser.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "base/text.h"

namespace orch::term {
namespace {

// Records what the parser hands over; adjacent runs of text are joined.
struct Recorder {
  std::string log;
  bool in_text = false;

  void note(const std::string& entry) {
    log += (in_text ? "' " : "") + entry + " ";
    in_text = false;
  }
  void ascii(Portable, const char* at, size_t length) { add_text({at, length}); }
  const char* unicode(Portable, const char* at, const char* end) {
    const size_t length = base::decode_utf8({at, end}).length;
    add_text({at, length});
    return at + length;
  }
  void add_text(std::string_view text) {
    REQUIRE(!text.empty());
    if (!in_text) log += "'";
    in_text = true;
    log += text;
  }
  void control(uint8_t c0) { note(fmt::format("<{:02x}>", c0)); }
  void escape(char intermediate, char final) {
    note(fmt::format("ESC{}{}", intermediate == 0 ? "" : std::string(1, intermediate), final));
  }
  bool plain(Portable, const char*, size_t) { return false; }
  bool plain_dec(const char*, size_t) { return false; }
  void plain_sequence(const ControlSequence& s) {
    REQUIRE(s.prefix == 0);
    REQUIRE(s.intermediate == 0);
    marked_sequence(s);
  }
  void marked_sequence(const ControlSequence& s) {
    std::string out = "CSI";
    if (s.prefix != 0) out += s.prefix;
    for (int i = 0; i < s.count; ++i) {
      out += fmt::format("{}{}", i == 0 ? "" : s.is_sub(i) ? ":" : ";", s.at(i, 0));
    }
    if (s.intermediate != 0) out += s.intermediate;
    note(out + s.final);
  }
  void osc(std::string_view payload, StringEnd end) {
    note(fmt::format("OSC({}){}", payload, end == StringEnd::kBell ? "BEL" : "ST"));
  }
  void dcs(std::string_view payload) { note(fmt::format("DCS({})", payload)); }
};

std::string parsed(std::string_view bytes) {
  Recorder recorder;
  Parser<Recorder> parser(recorder);
  parser.feed(bytes);
  recorder.note("");
  return recorder.log.substr(0, recorder.log.find_last_not_of(' ') + 1);
}

TEST_CASE("text, controls and sequences are told apart") {
  CHECK(parsed("ab\r\n\033[1;31mc") == "'ab' <0d> <0a> CSI1;31m 'c'");
  CHECK(parsed("\033[m\033[;m\033[?25h\033[>4;1m") == "CSIm CSI0;0m CSI?25h CSI>4;1m");
  CHECK(parsed("\033(0\0337\033#8") == "ESC(0 ESC7 ESC#8");
  CHECK(parsed("\033[4:3;38:2::1:2:3m") == "CSI4:3;38:2:0:1:2:3m");
  CHECK(parsed("\033[?2026$p\033[!p") == "CSI?2026$p CSI!p");
  CHECK(parsed("\033P$q\r\"p\033\\a\033Pb\x18\033_c\033\\") == "DCS($q\"p) ESC\\ 'a' ESC\\");
}

TEST_CASE("ESC inside an OSC string ends the string") {
  CHECK(parsed("\033]0;t\033\\x") == "OSC(0;t)ST ESC\\ 'x'");
  CHECK(parsed("\033]0;t\033[1mx") == "OSC(0;t)ST CSI1m 'x'");
  CHECK(parsed("\033]0;t\ax") == "OSC(0;t)BEL 'x'");
  CHECK(parsed("\033]0;a\r\nb\x7f\x01"
               "c\a") == "OSC(0;abc)BEL");
}

TEST_CASE("parameters are capped in number and value") {
  CHECK(parsed("\033[65534;65535;65536;99999999999A") == "CSI65534;65535;65535;65535A");
  std::string many = "\033[1";
  for (int i = 0; i < 99; ++i) many += ";1";
  CHECK(parsed(many + "A").size() == std::string("CSIA").size() + 2 * 32 - 1);
}

TEST_CASE("every kind of unfinished thing goes on in the next write") {
  for (const char* bytes :
       {"a\033[12;34mb", "\033]2;t\u271C\a", "\033Pdata\033\\x", "é中😀", "\033(0q", "\xf0\x9fx",
        "\xe2\x82\033[m", "\xf0\x9f\x98", "\xc3\xc3\xa9", "\033[1;2\xc3\xa9"}) {
    const std::string_view whole(bytes);
    const std::string expected = parsed(std::string(whole) + ".");
    for (size_t cut = 0; cut <= whole.size(); ++cut) {
      for (size_t second = cut; second <= whole.size(); ++second) {
        Recorder recorder;
        Parser<Recorder> parser(recorder);
        parser.feed(whole.substr(0, cut));
        parser.feed(whole.substr(cut, second - cut));
        parser.feed(whole.substr(second));
        parser.feed(".");
        recorder.note("");
        CHECK(recorder.log.substr(0, recorder.log.find_last_not_of(' ') + 1) == expected);
      }
    }
  }
}

TEST_CASE("sequences read at once and byte by byte are the same") {
  std::mt19937 random(11);
  constexpr std::string_view kAlphabet = "0123456789;;;;:?>$ m\x1b\x18HhJK\x80\x7f\r";
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = "\033[";
    for (auto n = random() % 40; n > 0; --n) bytes += kAlphabet[random() % kAlphabet.size()];
    bytes += "m" + std::string(40, '.');
    Recorder bytewise;
    Parser<Recorder> parser(bytewise);
    for (const char c : bytes) parser.feed({&c, 1});
    bytewise.note("");
    REQUIRE(bytewise.log.substr(0, bytewise.log.find_last_not_of(' ') + 1) == parsed(bytes));
  }
}

}  // namespace
}  // namespace orch::term
