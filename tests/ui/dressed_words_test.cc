#include "ui/dressed_words.h"

#include <catch2/catch.hpp>

namespace orch::ui {

TEST_CASE("A line is printed as it stands on the agent's screen") {
  term::Screen screen({40, 5});
  screen.feed("\x1b[32m●\x1b[m I use \x1b[1mbold\x1b[m and \x1b[36mcode\x1b[m 好\r\n");
  CHECK(dressed("I use bold and code 好", screen, Ink::kColors) ==
        "I use \x1b[0;1mbold \x1b[0mand \x1b[0;38;5;6mcode \x1b[0m好");
}

TEST_CASE("Words that stand nowhere as a row of their own stay plain") {
  term::Screen screen({40, 5});
  screen.feed("\x1b[31mall of it is done\x1b[m\r\n");
  CHECK(dressed("it is done", screen, Ink::kColors) == "it is done");
  CHECK(dressed("it is d***", screen, Ink::kColors) == "it is d***");
  CHECK(dressed("", screen, Ink::kColors).empty());
}

TEST_CASE("Words are readable on a light terminal as on a dark one") {
  term::Screen screen({40, 5});
  screen.feed(
      "\x1b[38;2;255;255;255;48;2;40;40;40mwhite \x1b[38;2;215;95;0mhue\x1b[97;40m "
      "bright\x1b[m\r\n");
  CHECK(dressed("white hue bright", screen, Ink::kColors) ==
        "white \x1b[0;38;2;215;95;0mhue \x1b[0mbright");
}

TEST_CASE("Of like rows the last one counts, and without colours attributes are kept") {
  term::Screen screen({40, 5});
  screen.feed("\x1b[31mdone\x1b[m\r\n\x1b[1;32mdone\x1b[m\r\n");
  CHECK(dressed("done", screen, Ink::kColors).find("31") == std::string::npos);
  CHECK(dressed("done", screen, Ink::kMonochrome) == "\x1b[0;1mdone\x1b[m");
}

}  // namespace orch::ui
