#include "session/git_files.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "session/git_config.h"
#include "watched_folder.h"

namespace orch::session {
namespace {

GitFiles files_of(const WatchedFolder& home) {
  return git_files_of(
      [&home](std::string_view name) { return name == "HOME" ? home.path() : std::string(); },
      [](const std::string& folder) { return folder.ends_with("/written"); });
}

bool shows(const GitFiles& files, const std::string& path) {
  return std::find(files.shown.begin(), files.shown.end(), path) != files.shown.end();
}

TEST_CASE("git's configuration is shown, with the files that it names, and no others") {
  const WatchedFolder home;
  home.write(".gitconfig",
             "[user]\n\tname = me\n[include]\n\tpath = more/config\n"
             "[safe]\n\tdirectory = ~/project\n[core]\n\texcludesFile = ~/.gitignore_global\n"
             "[credential]\n\thelper = store --file ~/keys\n[http]\n\tcookieFile = ~/cookies\n");
  home.write("more/config", "[init]\n\ttemplateDir = ~/templates\n");
  const GitFiles files = files_of(home);
  CHECK(files.clean.empty());
  for (const char* name : {".gitconfig", "more/config", ".gitignore_global", "templates"}) {
    INFO(name);
    CHECK(shows(files, home / name));
  }
  for (const char* name : {"project", "keys", "cookies"}) {
    INFO(name);
    CHECK_FALSE(shows(files, home / name));
  }
}

TEST_CASE("a configuration that an agent may have written names nothing") {
  const WatchedFolder home;
  home.write(".gitconfig", "[include]\n\tpath = written/config\n[user]\n\tname = me\n");
  home.write("written/config", "[core]\n\texcludesFile = ~/private\n");
  const GitFiles files = files_of(home);
  CHECK(shows(files, home / ".gitconfig"));
  CHECK_FALSE(shows(files, home / "private"));
}

TEST_CASE("a configuration with a key in it is replaced by what it says without the key") {
  for (const char* secret :
       {"[github]\n\ttoken = TOKEN\n", "[http]\n\textraHeader = Authorization: TOKEN\n",
        "[url \"https://me:TOKEN@host/\"]\n\tinsteadOf = https://host/\n",
        "[remote \"r\"]\n\turl = https://TOKEN@host/x\n", "[sendemail]\n\tsmtpPass = TOKEN\n",
        "[credential]\n\thelper = \"!echo password=TOKEN\"\n", "[include]\n\tpath = keys\n"}) {
    INFO(secret);
    const WatchedFolder home;
    home.write(".config/git/config", "[alias]\n\tst = status\n");
    home.write("keys", "[github]\n\ttoken = TOKEN\n");
    home.write(".gitconfig", std::string("[user]\n\tname = \"a \\\"b\\\"\"\n") + secret);
    const GitFiles files = files_of(home);
    CHECK_FALSE(shows(files, home / ".gitconfig"));
    CHECK_FALSE(shows(files, home / "keys"));
    CHECK(files.clean.find("TOKEN") == std::string::npos);
    const GitConfig config = read_git_config(files.clean);
    CHECK(config.understood);
    REQUIRE(config.settings.size() == 2);
    CHECK(config.settings[0].value == "status");
    CHECK(config.settings[1].value == "a \"b\"");
  }
}

}  // namespace
}  // namespace orch::session
