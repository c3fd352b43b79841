#include "ui/terminal_input.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

namespace orch::ui {
namespace {

using Kind = TerminalInput::Kind;

std::string in_words(const std::vector<TerminalInput>& inputs) {
  std::string out;
  for (const TerminalInput& input : inputs) {
    if (!out.empty()) out += ' ';
    switch (input.kind) {
      case Kind::kText:
        out += "'" + input.text + "'";
        break;
      case Kind::kPaste:
        out += "paste(" + input.text + ")";
        break;
      case Kind::kKey:
        out += input.text;
        break;
      case Kind::kClick:
        out += "click(" + std::to_string(input.row) + "," + std::to_string(input.col) + ")";
        break;
      case Kind::kWheelUp:
        out += "wheel-up";
        break;
      case Kind::kWheelDown:
        out += "wheel-down";
        break;
    }
  }
  return out;
}

struct Typed {
  const char* bytes;
  const char* inputs;
};

const Typed kTyped[] = {
    {"qy1/", "'q' 'y' '1' '/'"},
    {"é中", "'é' '中'"},
    {"\r\n\t\x7f\b\x03\x1a\x0c", "Enter Enter Tab Backspace Backspace C-c C-z C-l"},
    {"\033[A\033[B\033OA\033OB\033[1;5A\033[H\033[F", "Up Down Up Down Up Home End"},
    {"\033[5~\033[6~\033[3~\033[1~\033[4~\033[Z", "PageUp PageDown Delete Home End BTab"},
    {"\033[<0;5;3M\033[<0;5;3m\033[<64;1;1M\033[<65;1;1M", "click(2,4) wheel-up wheel-down"},
    {"\033[<2;5;3M\033[<35;5;3M", ""},  // the right button, and a motion
    {"\033[200~y\033[Ak\nq\033[201~q", "paste(y\uFFFD[Ak\uFFFDq) 'q'"},
    {"\033x\033[99;99X\033]a", "'a'"},  // Alt with a key, and an unknown sequence
    {"\xff\xc3\x28\u202E", "'('"},
    {"\033\033[A", "Escape Up"},
};

TEST_CASE("what is typed, clicked and pasted is told apart") {
  for (const Typed& typed : kTyped) {
    INFO(typed.bytes);
    InputReader reader;
    CHECK(in_words(reader.feed(typed.bytes)) == typed.inputs);
  }
}

TEST_CASE("what comes in pieces is the same") {
  for (const Typed& typed : kTyped) {
    const std::string bytes = typed.bytes;
    InputReader whole, bytewise;
    std::vector<TerminalInput> inputs;
    for (const char c : bytes) {
      for (TerminalInput& input : bytewise.feed({&c, 1})) inputs.push_back(input);
    }
    INFO(bytes);
    CHECK(in_words(inputs) == in_words(whole.feed(bytes)));
  }
}

TEST_CASE("an Escape that stays alone is the key") {
  InputReader reader;
  CHECK(reader.feed("\033").empty());
  CHECK(reader.waits());
  CHECK(in_words(reader.flush()) == "Escape");
  CHECK_FALSE(reader.waits());
  CHECK(reader.feed("\033[").empty());
  CHECK(reader.flush().empty());
  CHECK(in_words(reader.feed("q")) == "'q'");
}

TEST_CASE("any bytes are taken, and little is kept of them") {
  std::mt19937 random(7);
  InputReader reader;
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes;
    for (auto n = random() % 20; n > 0; --n) bytes += static_cast<char>(random());
    for (const TerminalInput& input : reader.feed(bytes)) {
      REQUIRE(input.text.size() <= 3 * InputReader::kMaxPasteBytes);
    }
  }
  InputReader endless;
  CHECK(endless.feed("\033[" + std::string(1 << 20, '1')).empty());
  CHECK(in_words(endless.feed("q")) == "'q'");
  CHECK(endless.feed("\033[200~" + std::string(1 << 20, 'x')).empty());
  const std::vector<TerminalInput> pasted = endless.feed("\033[201~");
  REQUIRE(pasted.size() == 1);
  CHECK(pasted.front().text.size() == InputReader::kMaxPasteBytes);
}

}  // namespace
}  // namespace orch::ui
