// What counts as a change of git's configuration. The agent that changed it must not be able to
// make the change look harmless.
#include "session/git_config.h"

#include <catch2/catch.hpp>

using orch::session::GitConfig;
using orch::session::read_git_config;
using orch::session::settings_that_count;

namespace {

using Lines = std::vector<std::string>;

const std::string kUsual =
    "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
    "\tlogallrefupdates = true\n"
    "# a comment\n"
    "[remote \"origin\"]\n\turl = git@github.com:you/it.git\n"
    "\tfetch = +refs/heads/*:refs/remotes/origin/*\n"
    "[branch \"fix #12\"]\n\tremote = origin\n\tmerge = refs/heads/main\n"
    "[user]\n\tname = J\xC3\xBCrgen\n\temail = j@example.org\n";

bool counts(const std::string& text) { return !settings_that_count(text).empty(); }

}  // namespace

TEST_CASE("what git writes for branches and remotes does not count") {
  CHECK(settings_that_count("").empty());
  CHECK(settings_that_count(kUsual).empty());
  CHECK_FALSE(counts("[CORE]\r\n  Bare = true\r\n"));
  CHECK_FALSE(counts("[branch \"b\"]\n\tremote = .\n"));
  CHECK_FALSE(counts("[remote \"r\"]\nurl = https://host/it\npushurl = ssh://host/it\n"));
}

TEST_CASE("a setting counts however it is written") {
  for (const char* text : {
           "[core] fsmonitor = ./evil.sh #]",
           "[core]fsmonitor=./evil.sh",
           "[core]\nfsmonitor",
           "[core] [core]\nfsmonitor = x",
           "  [core]\n\t  FSMonitor =x",
           "[core]\r\nfsmonitor = x\r\n",
           "[core]\nfsmonitor = \\\n./evil.sh\n",
           "\xEF\xBB\xBF[core]\nfsmonitor = x\n",
           "[core]# comment ]\nfsmonitor = x",
           "[core]bare = false #]\n[alias]name = !x",
           "[core \"x\"]\nbare = true",
           "[core.x]\nbare = true",
           "[core]\nname = x",
           "[core]\nworktree = /home/you",
           "[include]\npath = evil",
           "[includeIf \"gitdir:/\"]\npath = evil",
           "[alias]\nmerge = !x",
           "[init]\ntemplatedir = x",
           "bare = true",
       }) {
    INFO(text);
    CHECK(counts(text));
    CHECK(counts(kUsual + text));
  }
}

TEST_CASE("what is written in any but the plain way counts, whatever it sets") {
  for (const char* text : {
           "[core] bare = true",
           "[core]\nbare = \"true\"",
           "[core]\nbare = true ; or not",
           "[core]\nbare = true \\\n",
           "[core] # and\nbare = true",
           "[user]\nname = a\x01",
           "[branch \"a\\\\b\"]\nmerge = x",
           "[branch   \"b\"] ;\nmerge = x",
       }) {
    INFO(text);
    CHECK(counts(text));
  }
  CHECK(counts(std::string("[user]\nname = a\0b\n", 18)));
}

TEST_CASE("a harmless looking line counts where it belongs to something else") {
  const std::string alias = "[alias]\n\tx = !make \\\n\t\tit\n";
  const std::string more = "[alias]\n\tx = !make \\\n[core \"; evil\"]\n\t\tit\n";
  CHECK(settings_that_count(alias) == Lines{"alias.0..x=!make   it"});
  CHECK(settings_that_count(more) != settings_that_count(alias));
  CHECK(counts("[alias]\n# not the end \\\n[core]\nbare = x\n[alias]\nbare = !x\n"));
  // A text that git would refuse is compared as a whole.
  for (const char* broken : {"[core", "[]", "[core]\n=", "[core]\nbare = \"", "[a \"b]\nbare = x",
                             "[core]\nbare = \\x", "[core \"a\nb\"]", "[core]\n?", "[co_re]\n"}) {
    INFO(broken);
    CHECK_FALSE(read_git_config(broken).understood);
    CHECK(counts(broken));
    CHECK(settings_that_count(broken) != settings_that_count(broken + std::string("#")));
  }
}

TEST_CASE("a remote that is no other machine's counts: its hooks run, or a program of its name") {
  for (const char* address : {"./evil.git", "evil", "/srv/evil", "file:///srv/evil", "../x:y",
                              "ext::sh -c x", "evil::x", "evil://x", "~/x", "-x:y", "C\\x"}) {
    INFO(address);
    CHECK(counts("[remote \"r\"]\nurl = " + std::string(address)));
    CHECK(counts("[branch \"b\"]\nremote = " + std::string(address)));
  }
  CHECK(counts("[remote \"r\"]\nurl = https://host/it\nuploadpack = x"));
  CHECK(counts("[branch \"b\"]\nremote = r\n[remote \"r\"]\nfetch = x\n"));
}

TEST_CASE("values are read as git reads them") {
  const GitConfig config = read_git_config(
      "[Core]\n\thooksPath = \"a \\\"b\\\\\" c \\\n d # e\n[includeIf \"x\\\"Y\"]Path=~/p ; "
      "q\nz\n");
  REQUIRE(config.understood);
  REQUIRE(config.settings.size() == 3);
  CHECK(config.settings[0].key == "hookspath");
  CHECK(config.settings[0].value == "a \"b\\ c  d");
  CHECK(config.settings[1].section == "includeif");
  CHECK(config.settings[1].name == "x\"Y");
  CHECK(config.settings[1].value == "~/p");
  CHECK(config.settings[2].key == "z");
}
