// No secret is in anything that a run keeps or prints.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "workspace.h"

using namespace orch::e2e;

namespace {

const std::string kGiven = "pl4nted-s3cret-0123456789";
const std::string kToken = "t0ken+of/the-environment";
const std::string kShaped = "ghp_0a1B2c3D4e5F6a7B8c9D0a1B2c3D4e5F6a7B";
const std::string kKeyLine = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC";

// Parts of the secrets, which are not part of any other text here.
const std::vector<std::string> kParts{"pl4nted", "s3cret",     "0123456789",
                                      "t0ken",   "of/the-env", "0a1B2c",
                                      "6a7B",    "MIIEvQ",     "cGw0bnRlZC1zM2Ny"};

// A script that prints the secrets in every possible way, on a terminal of 40 columns.
constexpr std::string_view kLeaks = R"(
a=$(printf %s "$GIVEN" | cut -c1-11); b=$(printf %s "$GIVEN" | cut -c12-)
printf 'plain %s %s\n' "$GIVEN" "$SOME_TOKEN"
printf 'in pieces %s' "$a"; read word < GATE; printf '%s.\n' "$b"
printf 'colours %s\033[1m%s\033[0m.\n' "$a" "$b"
printf 'long enough to be broken %s %s\n' "$GIVEN" "$GIVEN"
printf '%s\n' "$SHAPED" | fold -w 30
printf '│ framed %s │\n│ %s │\n' "$a" "$b"
printf 'encoded '; printf %s "$GIVEN" | base64
printf '\033]0;%s\a' "$GIVEN"
printf '%s\n' "$SHAPED"
printf -- '-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----\n' "$KEYLINE"
printf 'to stderr %s\n' "$GIVEN" >&2
printf 'last %s' "$GIVEN"
exit 3
)";

Launch leaking(const Workspace& workspace, const std::string& gate, Words words) {
  std::string script(kLeaks);
  script.replace(script.find("GATE"), 4, gate);
  words.insert(words.end(), {"--size", "40x30", "--env", "GIVEN"});
  Launch launch = workspace.shell(script, std::move(words));
  for (const std::string& variable :
       {"GIVEN=" + kGiven, "SOME_TOKEN=" + kToken, "SHAPED=" + kShaped, "KEYLINE=" + kKeyLine}) {
    launch.env.push_back(variable);
  }
  return launch;
}

void check_clean(const std::string& what, std::string_view text) {
  for (const std::string& part : kParts) {
    INFO(what << " holds " << part << ":\n" << text);
    CHECK(text.find(part) == std::string_view::npos);
  }
}

size_t check_folder(const std::string& folder) {
  size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    ++files;
    check_clean(entry.path().string(), content_of(entry.path().string()));
  }
  return files;
}

}  // namespace

TEST_CASE("a planted secret is in no file of a run, in no artifact and not in the output") {
  for (const char* mode : {"text", "json", "raw"}) {
    INFO(mode);
    const Workspace workspace;
    const std::string artifacts = workspace.file("artifacts");
    const Gate gate(workspace.file("gate"));
    Program program(
        leaking(workspace, workspace.file("gate"), {"--output", mode, "--artifacts", artifacts}));
    gate.let_through();
    const Outcome outcome = program.finish();
    CHECK(outcome.code == 1);
    check_clean("standard output", outcome.out);
    check_clean("standard error", outcome.err);
    CHECK(check_folder(workspace.state()) >= 6);
    CHECK(check_folder(artifacts) >= 8);
    const std::string words = workspace.run_of().transcript;
    CHECK(words.find("plain ***\n") != std::string::npos);
    CHECK(words.find("in pieces ***.") != std::string::npos);
    CHECK(words.find("colours ***.") != std::string::npos);
  }
}

TEST_CASE("a secret that is drawn out of order is in no picture of it, in no words and no page") {
  // The right half first; in the middle of the screen; over other letters; inserted.
  constexpr std::string_view kDraws = R"SH(
a=$(printf %s "$GIVEN" | cut -c1-11); b=$(printf %s "$GIVEN" | cut -c12-)
c=$(printf %s "$SHAPED" | cut -c1-9); d=$(printf %s "$SHAPED" | cut -c10-)
printf '\033[2J\033[2;12H%s\033[2;1H%s' "$b" "$a"
printf '\033[4;1H%s\033[4;1H\033[11@%s' "$b" "$a"
printf '\033[6;10H%s\033[6;1HXXXXXXXXX\033[6;1H%s' "$d" "$c"
printf '\033[8;2H%s\r%s' "$(printf %s "$GIVEN" | cut -c2-)" "$(printf %s "$GIVEN" | cut -c1)"
printf '\033[10;1Hdone\n'; exit 3
)SH";
  const Workspace workspace;
  Launch launch = workspace.shell(std::string(kDraws), {"--size", "60x20", "--env", "GIVEN"});
  launch.env.insert(launch.env.end(), {"GIVEN=" + kGiven, "SHAPED=" + kShaped});
  const Outcome outcome = Program(launch).finish();
  CHECK(outcome.code == 1);
  check_clean("standard output", outcome.out);
  const RunFolder run = workspace.run_of();
  check_clean("transcript", run.transcript);
  check_clean("events", content_of(run.path + "/events.jsonl"));
  for (const Words& words :
       {Words{"shot", "7"}, Words{"shot", "7", "--format", "svg"},
        Words{"shot", "7", "--format", "ansi"}, Words{"report", "7", "-o", "-"},
        Words{"replay", "7", "--json"}, Words{"explain", "7"}, Words{"logs", "7"},
        Words{"logs", "7", "--json"}}) {
    const Outcome shown = Program(workspace.orch(words)).finish();
    INFO(words.front());
    CHECK(shown.code == 0);
    check_clean(words.front(), shown.out);
  }
  CHECK(Program(workspace.orch({"shot", "7"})).finish().out.find("done") != std::string::npos);
}

TEST_CASE("of a secret that comes in parts no picture shows one, whenever it is taken") {
  constexpr std::string_view kDraws = R"SH(
printf '\033[2J\033[2;12H%s' "$(printf %s "$GIVEN" | cut -c12-)"; sleep 0.4
printf '\033[2;1H%s' "$(printf %s "$GIVEN" | cut -c1-11)"; sleep 0.4
printf '\033[4;10H%s' "$(printf %s "$SHAPED" | cut -c10-)"; sleep 0.4
printf '\033[4;1H%s' "$(printf %s "$SHAPED" | cut -c1-9)"; sleep 0.4
)SH";
  const Workspace workspace;
  Launch launch = workspace.shell(std::string(kDraws), {"--size", "60x20", "--env", "GIVEN"});
  launch.env.insert(launch.env.end(), {"GIVEN=" + kGiven, "SHAPED=" + kShaped});
  CHECK(Program(launch).finish().code == 0);
  for (int tenths = 1; tenths < 20; tenths += 2) {
    const Outcome shot =
        Program(workspace.orch({"shot", "7", "--at", std::to_string(tenths / 10.0)})).finish();
    CHECK(shot.code == 0);
    check_clean("shot", shot.out);
  }
  const std::string page = Program(workspace.orch({"report", "7", "-o", "-"})).finish().out;
  check_clean("report", page.substr(page.find("\"styles\"")));
}

TEST_CASE(
    "a key in a recording that nobody masked is in no picture of it, in no words and no page") {
  const Workspace workspace;
  const std::string cast = workspace.write(
      "other.cast",
      "{\"version\": 2, \"width\": 60, \"height\": 10, \"orch\": {\"agent\": \"demo\"}}\n"
      "[0.1, \"o\", \"say " +
          kShaped +
          "\\r\\n\"]\n"
          "[0.2, \"o\", \"\\u001b[5;10H" +
          kShaped.substr(9) + "\\u001b[5;1H" + kShaped.substr(0, 9) + "\"]\n");
  for (const Words& words :
       {Words{"shot", cast}, Words{"shot", cast, "--format", "svg"},
        Words{"shot", cast, "--format", "ansi"}, Words{"report", cast, "-o", "-"},
        Words{"replay", cast, "--json"}, Words{"explain", cast}}) {
    const Outcome shown = Program(workspace.orch(words)).finish();
    INFO(words.front() << shown.err);
    CHECK(shown.code == 0);
    check_clean(words.front(), shown.out);
  }
}

TEST_CASE("a secret in the name of a file is in no list of files") {
  const Workspace workspace;
  Launch launch = workspace.shell(
      "echo 1 > \"x$GIVEN\"; echo 2 > \"$SHAPED.txt\"; mkdir \"d-$SHAPED\"; echo 3 > "
      "\"d-$SHAPED/a\"; "
      "rm -r \"old-$SHAPED\" gone",
      {"--env", "GIVEN", "--require-changes", "--approve", "all", "--sandbox", "landlock"});
  launch.env.insert(launch.env.end(), {"GIVEN=" + kGiven, "SHAPED=" + kShaped});
  for (const std::string& name : {"project/old-" + kShaped, std::string("project/gone")}) {
    workspace.write(name + "/b", "b");
  }
  const Outcome outcome = Program(launch).finish();
  check_clean("standard output", outcome.out);
  check_clean("standard error", outcome.err);
  const RunFolder run = workspace.run_of();
  for (const char* name : {"result.json", "run.json", "changes.json", "events.jsonl"}) {
    check_clean(name, content_of(run.path + "/" + name));
  }
  CHECK(content_of(run.path + "/changes.json").find("***") != std::string::npos);
  for (const Words& words :
       {Words{"undo", "7", "--list"}, Words{"undo", "7", "--list", "--json"}, Words{"show", "7"},
        Words{"show", "7", "--json"}, Words{"report", "7", "-o", "-"},
        Words{"undo", "7", "--yes", "--json"}}) {
    Launch list = workspace.orch(words);
    list.env.push_back("GIVEN_TOKEN=" + kGiven);
    const Outcome shown = Program(list).finish();
    INFO(words.front());
    CHECK(shown.code == 0);
    check_clean(words.front(), shown.out);
    check_clean(words.front(), shown.err);
  }
  CHECK(std::filesystem::exists(workspace.project() + "/old-" + kShaped + "/b"));
}

TEST_CASE("the agent gets what is masked for everybody else") {
  const Workspace workspace;
  Launch launch = workspace.demo(
      "echo", {"-p", "use " + kGiven + " here", "--until", "idle", "--env", "GIVEN=" + kGiven});
  CHECK(Program(launch).finish().code == 0);
  REQUIRE(workspace.messages().size() == 1);
  CHECK(workspace.messages().front().find("use " + kGiven + " here") != std::string::npos);
  check_folder(workspace.state());
  const Outcome again = Program(workspace.orch({"retry", "7"})).finish();
  CHECK(again.code == 2);
  CHECK(again.err.find("secret") != std::string::npos);
}

TEST_CASE("a runner of GitHub is told what to mask before anything else, and only what is secret") {
  const Workspace workspace;
  Launch launch = workspace.shell("printf '%s\\n' \"$GIVEN\"",
                                  {"--env", "GIVEN=" + kGiven, "--env", "LEVEL=debug"});
  launch.env.push_back("GITHUB_ACTIONS=true");
  const Outcome outcome = Program(launch).finish();
  CHECK(outcome.code == 0);
  const std::string told = "::add-mask::" + kGiven + "\n";
  REQUIRE(outcome.out.starts_with(told));
  CHECK(outcome.out.find("add-mask", told.size()) == std::string::npos);
  check_clean("the rest", std::string_view(outcome.out).substr(told.size()));
}

TEST_CASE("what may be the beginning of a secret is not kept from a reader for long") {
  const Workspace workspace;
  const Gate go(workspace.project() + "/go");
  Program program(
      workspace.shell("printf 'the first words, sk-'; read word < go", {"--output", "raw"}));
  program.wait_for_output("sk-");
  go.let_through();
  CHECK(program.finish().code == 0);
}
