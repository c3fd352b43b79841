#include "mux/zellij/command.h"

#include <catch2/catch.hpp>

using namespace orch::mux::zellij;

TEST_CASE("zellij is told by words, each of which is one") {
  CHECK(create_session("orch-7@1", "/tmp/s", {"orch", "pane", "$(x)"}) ==
        Words{"zellij", "--config", "/tmp/s", "--layout-string", "layout { pane; }", "attach",
              "--create-background", "orch-7@1", "--", "orch", "pane", "$(x)"});
  CHECK(subscribe("s", "terminal_0") == Words{"zellij", "--session", "s", "subscribe", "--pane-id",
                                              "terminal_0", "--format", "json", "--ansi"});
  CHECK(type_bytes("s", "terminal_1", std::string_view("a\0\xff", 3)) ==
        Words{"zellij", "--session", "s", "action", "write", "--pane-id", "terminal_1", "97", "0",
              "255"});
  CHECK(dump_screen("s", "terminal_1") == Words{"zellij", "--session", "s", "action", "dump-screen",
                                                "--pane-id", "terminal_1", "--ansi"});
  CHECK(delete_session("s") == Words{"zellij", "delete-session", "--force", "s"});
  CHECK(watch("s") == Words{"zellij", "watch", "s"});
}
