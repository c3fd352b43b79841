// Runs that are recorded on a tape, and played from it.
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "gateway_scene.h"
#include "workspace.h"

using namespace orch::e2e;

namespace {

// A scene with a tape of one of its runs, whose records are out of the way.
struct Taped : GatewayScene {
  explicit Taped(const Words& more = {}, const std::vector<std::string>& env = {}) {
    Words words{"--sandbox", "none", "--gateway", url(), "--record-wire", tape};
    words.insert(words.end(), more.begin(), more.end());
    recorded = run(words, env);
    INFO(recorded.out << recorded.err);
    CHECK(recorded.code == 0);
    std::filesystem::remove_all(workspace.state());
    asked = requests().size();
  }
  // Plays the tape in another folder, without a key.
  Outcome play(const Words& more = {}, const std::vector<std::string>& env = {}) const {
    Words words{"--sandbox", "none", "--replay-wire", tape};
    words.insert(words.end(), more.begin(), more.end());
    Launch played = launch(words, env);
    played.cwd = workspace.file("elsewhere");
    std::filesystem::create_directories(played.cwd);
    return Program(played).finish();
  }

  std::string tape = workspace.file("run.tape");
  Outcome recorded;
  size_t asked = 0;
};

}  // namespace

TEST_CASE("a run is the same when it is played from its tape, in another folder, without a model") {
  const Taped scene({}, {"OWN_KEY=own-key-7654321"});
  CHECK(holds(scene.recorded.err, "8 requests are on tape"));
  struct stat info {};
  REQUIRE(::stat(scene.tape.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  const std::string tape = content_of(scene.tape);
  CHECK(holds(tape, "{orch:folder}"));
  CHECK_FALSE(holds(tape, "own-key"));
  CHECK_FALSE(holds(tape, scene.workspace.project()));
  const Outcome played = scene.play();
  INFO(played.out << played.err);
  const RunFolder folder = check_ending(scene.workspace, played, "complete", 0);
  CHECK(holds(played.err,
              "8 requests answered from the tape: 8 exactly, 0 by order; 0 on it not asked for"));
  CHECK(holds(played.out, "go on"));
  CHECK(scene.requests().size() == scene.asked);  // no further one
  CHECK(folder.result.at("usage").at("in") == 800);
  CHECK(folder.record.at("request").at("replay_wire") == scene.tape);
}

TEST_CASE("a request that is not on the tape ends the run, and the difference is told") {
  const Taped scene;
  const Outcome played = scene.play({}, {"OWN_WORD=other"});
  INFO(played.out << played.err);
  const RunFolder folder = check_ending(scene.workspace, played, "off_tape", 1);
  CHECK(holds(folder.result.at("detail"),
              "request 1 (turn, POST /v1/messages) is not on the tape; request 1 there was next"));
  CHECK(holds(played.err, R"(tape: /word: expected "", actual "other")"));
  CHECK(scene.requests().size() == scene.asked);
}

TEST_CASE("loosely, a request that is not on the tape gets the next answer of its kind") {
  const Taped scene;
  const Outcome played = scene.play({"--replay-loose"}, {"OWN_WORD=other"});
  INFO(played.out << played.err);
  check_ending(scene.workspace, played, "complete", 0);
  CHECK(holds(played.err, "0 exactly, 8 by order; 0 on it"));
}

TEST_CASE("a secret is masked on the tape, and such a run plays") {
  const std::vector<std::string> secret{"OWN_WORD=hunter2-and-more"};
  const Taped scene({"--env", "OWN_WORD"}, secret);
  CHECK_FALSE(holds(content_of(scene.tape), "hunter2"));
  CHECK(holds(content_of(scene.tape), R"("word":"***")"));
  const Outcome played = scene.play({"--env", "OWN_WORD"}, secret);
  INFO(played.out << played.err);
  check_ending(scene.workspace, played, "complete", 0);
}

TEST_CASE("tapes are shown and compared") {
  const Taped scene;
  const auto orch = [&scene](Words words) {
    return Program(scene.workspace.orch(std::move(words))).finish();
  };
  const Outcome shown = orch({"tape", "show", scene.tape});
  CHECK(shown.code == 0);
  CHECK(holds(shown.out, "go on"));
  const Json json = Json::parse(orch({"tape", "show", scene.tape, "--json"}).out);
  CHECK(json.at("agent") == "own");
  REQUIRE(json.at("requests").size() == 8);
  CHECK(json.at("requests").at(0).at("kind") == "turn");
  CHECK(json.at("requests").at(0).at("text") == "go on");

  const std::string other = scene.workspace.file("other.tape");
  CHECK(scene.play({"--replay-loose", "--record-wire", other}, {"OWN_WORD=other"}).code == 0);
  CHECK(orch({"tape", "diff", scene.tape, scene.tape}).code == 0);
  const Outcome different = orch({"tape", "diff", scene.tape, other});
  CHECK(different.code == 1);
  CHECK(holds(different.out, "  asks /word\n    - \n    + other\n"));
  CHECK(holds(different.out, "8 requests, 8 different"));
  const Json pairs = Json::parse(orch({"tape", "diff", scene.tape, other, "--json"}).out);
  CHECK(pairs.at("same") == false);
  CHECK(pairs.at("requests").at(0).at("request").at(0).at("path") == "/word");
  CHECK(orch({"tape", "show", scene.workspace.write("no.tape", "x")}).code == 2);
}

TEST_CASE("a tape that cannot be written ends the run, and holds whole lines") {
  GatewayScene scene;
  const std::string tape = scene.workspace.file("run.tape");
  // Files may not grow beyond some 32 or 64 KB: that is like a full disk.
  const Launch launch =
      by_shell(scene.launch({"--sandbox", "none", "--gateway", scene.url(), "--record-wire", tape},
                            {"OWN_PAD=6000"}),
               "trap '' XFSZ; ulimit -f 64; exec \"$@\"");
  const Outcome outcome = Program(launch).finish();
  INFO(outcome.out << outcome.err);
  const RunFolder folder = check_ending(scene.workspace, outcome, "internal", 125);
  CHECK(holds(folder.result.at("detail"), "run.tape: File too large"));
  const std::string text = content_of(tape);
  CHECK(text.ends_with("}\n"));
  CHECK(text.size() <= 64 << 10);
  const auto lines = std::count(text.begin(), text.end(), '\n');
  CHECK((lines == 3 || lines == 6));  // the header, and requests of some 12 KB
  const Words show{"tape", "show", tape, "--json"};
  CHECK(Json::parse(Program(scene.workspace.orch(show)).finish().out).at("requests").size() ==
        static_cast<size_t>(lines - 1));
}

TEST_CASE("tapes that make no sense are refused before anything runs") {
  const Taped scene;
  const auto refused = [&scene](Words words, const std::string& why) {
    const Outcome outcome = scene.run(std::move(words));
    INFO(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(holds(outcome.err, why));
  };
  refused({"--replay-loose"}, "--replay-loose goes with --replay-wire");
  refused({"8", "--replay-wire", scene.tape}, "a tape is of one issue");
  refused({"--replay-wire", scene.tape, "--gateway", "auto"}, "leave out --gateway");
  refused({"--replay-wire", scene.tape, "--keys", "outside"}, "leave out --keys");
  refused({"--record-wire", scene.tape, "--fallback", "demo"}, "leave out --fallback");
  refused({"--replay-wire", scene.workspace.file("none.tape")}, "none.tape");
  refused({"--replay-wire", scene.workspace.write("bad.tape", "{}\n")},
          "line 1: it does not begin as a tape");
  std::string tape = content_of(scene.tape);
  refused({"--replay-wire", scene.workspace.write("cut.tape", tape.substr(0, tape.size() - 9))},
          "line 9: it breaks off");
  tape.replace(tape.find("\"own\""), 5, "\"other\"");
  refused({"--replay-wire", scene.workspace.write("other.tape", tape)}, "it is of agent other");
  const std::string precious = scene.workspace.write("main.cc", "int main() {}\n");
  const Outcome outcome = scene.run({"--gateway", "auto", "--record-wire", precious});
  CHECK(outcome.code != 0);
  CHECK(holds(outcome.err, "there is a file that is not a tape"));
  CHECK(content_of(precious) == "int main() {}\n");
}
