#include <catch2/catch.hpp>
#include <string>

#include "term/screen.h"

namespace orch::term {
namespace {

std::string replies_to(const std::string& bytes) {
  Screen screen({80, 24});
  screen.feed(bytes);
  return screen.take_replies();
}

TEST_CASE("who the terminal is") {
  CHECK(replies_to("\033[c") == "\033[?62;22c");
  CHECK(replies_to("\033[0c") == "\033[?62;22c");
  CHECK(replies_to("\033Z") == "\033[?62;22c");
  CHECK(replies_to("\033[>c") == "\033[>0;100;0c");
  CHECK(replies_to("\033[>q").starts_with("\033P>|orch("));
  CHECK(replies_to("\033[>0q").ends_with(")\033\\"));
  CHECK(replies_to("\033[=c") == "");
}

TEST_CASE("where the cursor is") {
  CHECK(replies_to("\033[5n") == "\033[0n");
  CHECK(replies_to("\033[3;7H\033[6n") == "\033[3;7R");
  CHECK(replies_to("\033[3;7H\033[?6n") == "\033[?3;7R");
  CHECK(replies_to("\033[5;10r\033[?6h\033[2;3H\033[6n") == "\033[2;3R");
  CHECK(replies_to("\033[18t") == "\033[8;24;80t");
  CHECK(replies_to("\033[14t") == "\033[4;480;800t");
  CHECK(replies_to("\033[16t") == "\033[6;20;10t");
}

TEST_CASE("DECRQM") {
  CHECK(replies_to("\033[?2026$p") == "\033[?2026;2$y");
  CHECK(replies_to("\033[?2026h\033[?2026$p") == "\033[?2026;1$y");
  CHECK(replies_to("\033[?25$p") == "\033[?25;1$y");
  CHECK(replies_to("\033[?1049h\033[?1049$p") == "\033[?1049;1$y");
  CHECK(replies_to("\033[?1006h\033[?1006$p\033[?1000$p") == "\033[?1006;1$y\033[?1000;2$y");
  CHECK(replies_to("\033[?8$p") == "\033[?8;3$y");
  CHECK(replies_to("\033[?1016$p") == "\033[?1016;4$y");
  CHECK(replies_to("\033[?12345$p") == "\033[?12345;0$y");
  CHECK(replies_to("\033[4h\033[4$p") == "\033[4;1$y");
  CHECK(replies_to("\033[20$p\033[3$p") == "\033[20;2$y\033[3;0$y");
  CHECK(replies_to("\033[1$p\033[19$p") == "\033[1;4$y\033[19;4$y");
  CHECK(replies_to("\033[?2027$p") == "\033[?2027;1$y");
  CHECK(replies_to("\033[?2027l\033[?2027$p\033[?2027h\033[?2027$p") ==
        "\033[?2027;2$y\033[?2027;1$y");
}

TEST_CASE("DECRQSS") {
  CHECK(replies_to("\033P$qm\033\\") == "\033P1$r0m\033\\");
  CHECK(replies_to("\033[1;31;48;2;1;2;3m\033P$qm\033\\") ==
        "\033P1$r0;1;38;5;1;48;2;1;2;3m\033\\");
  CHECK(replies_to("\033P$qr\033\\") == "\033P1$r1;24r\033\\");
  CHECK(replies_to("\033[3;7r\033P$qr\033\\") == "\033P1$r3;7r\033\\");
  CHECK(replies_to("\033P$q\"p\033\\") == "\033P1$r62;1\"p\033\\");
  CHECK(replies_to("\033P$qx\033\\") == "\033P0$r\033\\");
}

TEST_CASE("XTGETTCAP") {
  CHECK(replies_to("\033P+q436f\033\\") == "\033P1+r436F=323536\033\\");
  CHECK(replies_to("\033P+q524742;544E\033\\") ==
        "\033P1+r524742=382F382F38;544E=787465726D2D323536636F6C6F72\033\\");
  CHECK(replies_to("\033P+q436f;7878;436f\033\\") == "\033P1+r436F=323536\033\\");
  CHECK(replies_to("\033P+q7878\033\\") == "\033P0+r\033\\");
  CHECK(replies_to("\033P+q\033\\") == "\033P0+r\033\\");
  CHECK(replies_to("\033P+q436f\x18") == "");
}

TEST_CASE("colours, with the terminator of the question") {
  CHECK(replies_to("\033]10;?\a") == "\033]10;rgb:d0d0/d0d0/d0d0\a");
  CHECK(replies_to("\033]11;?\033\\") == "\033]11;rgb:0000/0000/0000\033\\");
  CHECK(replies_to("\033]4;1;?\a") == "\033]4;1;rgb:cdcd/0000/0000\a");
  CHECK(replies_to("\033]4;196;?;255;?\033\\") ==
        "\033]4;196;rgb:ffff/0000/0000\033\\\033]4;255;rgb:eeee/eeee/eeee\033\\");
  CHECK(replies_to("\033]4;1;red;256;?;x;?;-1;?\a\033]4;?\a\033]4;\a") == "");
  CHECK(replies_to("\033]11;red\a\033]12;?\a") == "");
  CHECK(replies_to("\033[?996n") == "\033[?997;1n");
}

TEST_CASE("kitty keyboard") {
  CHECK(replies_to("\033[?u") == "\033[?0u");
  CHECK(replies_to("\033[>7u\033[?u") == "\033[?7u");
}

TEST_CASE("nothing else is answered, and no byte of the application comes back") {
  CHECK(replies_to("\033[21t\033[20t\033P1$qm\033\\\033Pq\033\\\033]52;c;?\a\033]50;?\a"
                   "\033[>4;?m\033[?4m\033[>1;2;3s") == "");
}

TEST_CASE("a flood of questions is answered in bounded memory") {
  Screen screen({80, 24});
  for (int i = 0; i < 10000; ++i) screen.feed("\033[c\033[6n\033]11;?\a");
  const std::string replies = screen.take_replies();
  CHECK(replies.size() <= 4096);
  CHECK(replies.size() > 4000);
  CHECK(screen.take_replies() == "");
  screen.feed("\033[5n");
  CHECK(screen.take_replies() == "\033[0n");
}

}  // namespace
}  // namespace orch::term
