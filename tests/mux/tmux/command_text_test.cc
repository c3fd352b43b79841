#include "mux/tmux/command_text.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace orch::mux::tmux;

TEST_CASE("a quoted word means itself") {
  CHECK(quoted_word("abc 1.2,_/-") == "\"abc 1.2,_/-\"");
  CHECK(quoted_word("") == "\"\"");
  // Characters that would end the word, expand, run a shell, start a comment or split the command.
  CHECK(quoted_word("\"$HOME`'~#;{}\\") ==
        "\"\\042\\044HOME\\140\\047\\176\\043\\073\\173\\175\\134\"");
  CHECK(quoted_word("\n\x7f\xff\x01") == "\"\\012\\177\\377\\001\"");
  CHECK(command_line({"kill-session", "-t", "=a;b"}) == "\"kill-session\" \"-t\" \"\\075a\\073b\"");
}

TEST_CASE("bytes are typed by a buffer, and a NUL by its key") {
  CHECK(typing_commands("%0", "", RawPaste::kAsItIs).empty());
  CHECK(typing_commands("%0", "a\r", RawPaste::kAsItIs) ==
        std::vector<std::string>{"set-buffer -b orch-keys -- \"a\\015\"",
                                 "paste-buffer -d -r -b orch-keys -t \"\\0450\""});
  CHECK(typing_commands("%0", "a", RawPaste::kByFlag).back() ==
        "paste-buffer -d -r -S -b orch-keys -t \"\\0450\"");
  const auto with_nul = typing_commands("%0", std::string_view("\0a\0", 3), RawPaste::kAsItIs);
  CHECK(with_nul == std::vector<std::string>{
                        "send-keys -X -t \"\\0450\" cancel", "send-keys -t \"\\0450\" -H 00",
                        "set-buffer -b orch-keys -- \"a\"",
                        "paste-buffer -d -r -b orch-keys -t \"\\0450\"",
                        "send-keys -X -t \"\\0450\" cancel", "send-keys -t \"\\0450\" -H 00"});
}

TEST_CASE("a long text is typed in pieces, in its order") {
  const std::string text(200'000, 'x');
  const auto commands = typing_commands("%0", text, RawPaste::kAsItIs);
  size_t typed = 0;
  for (const std::string& command : commands) {
    CHECK(command.size() < 300'000);
    if (command.starts_with("set-buffer")) {
      typed += command.size() - std::string("set-buffer -b orch-keys -- \"\"").size();
    }
  }
  CHECK(typed == text.size());
  CHECK(commands.size() == 8);
}

TEST_CASE("from which version on a paste is cleaned") {
  for (const char* old : {"3.3a", "3.4", "3.6b", "2.9", "next-3.6"}) {
    INFO(old);
    CHECK(raw_paste_of(old) == RawPaste::kAsItIs);
  }
  for (const char* recent : {"3.7", "3.7c", "next-3.8", "3.10", "4.0", "master", ""}) {
    INFO(recent);
    CHECK(raw_paste_of(recent) == RawPaste::kByFlag);
  }
}
