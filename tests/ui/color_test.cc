#include "ui/color.h"

#include <fcntl.h>
#include <stdlib.h>

#include <catch2/catch.hpp>
#include <string>

#include "base/fd.h"

using namespace orch::ui;

namespace {

void set(const char* variable, const char* value) {
  value == nullptr ? ::unsetenv(variable) : ::setenv(variable, value, 1);
}

}  // namespace

TEST_CASE("the command line decides on colour, then the environment, then the terminal") {
  const orch::base::Fd terminal(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  const orch::base::Fd file(::open("/dev/null", O_RDWR | O_CLOEXEC));
  REQUIRE(terminal.valid());
  const auto clear = [] {
    for (const char* name : {"NO_COLOR", "CLICOLOR_FORCE", "CLICOLOR"}) set(name, nullptr);
    set("TERM", "xterm");
  };
  struct Row {
    const char *variable, *value;
    bool on_terminal, in_file;
  };
  for (const Row& row :
       {Row{"TERM", "xterm", true, false}, Row{"TERM", "dumb", false, false},
        Row{"NO_COLOR", "1", false, false}, Row{"NO_COLOR", "", true, false},
        Row{"CLICOLOR_FORCE", "1", true, true}, Row{"CLICOLOR_FORCE", "0", true, false},
        Row{"CLICOLOR", "0", false, false}}) {
    INFO(row.variable << "=" << row.value);
    clear();
    set(row.variable, row.value);
    CHECK(wants_color(ColorChoice::kAuto, terminal.get()) == row.on_terminal);
    CHECK(wants_color(ColorChoice::kAuto, file.get()) == row.in_file);
    CHECK(wants_color(ColorChoice::kAlways, file.get()));
    CHECK_FALSE(wants_color(ColorChoice::kNever, terminal.get()));
  }
  clear();
  set("NO_COLOR", "1");
  set("CLICOLOR_FORCE", "1");
  CHECK_FALSE(wants_color(ColorChoice::kAuto, file.get()));
  clear();
}

TEST_CASE("a text has a colour only where one is wanted") {
  CHECK(colored("words", Color::kRed, true) == "\x1b[31mwords\x1b[m");
  CHECK(colored("words", Color::kRed, false) == "words");
  CHECK(colored("words", Color::kPlain, true) == "words");
}
