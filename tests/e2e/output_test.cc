// What stdout has in each output mode.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <set>

#include "workspace.h"

using namespace orch::e2e;

namespace {

// Checks the fields that all records have, and those that the schema requires of this kind.
void check_against_schema(const Json& record) {
  static const Json kSchema = Json::parse(content_of(ORCH_SOURCE_DIR "/docs/events.schema.json"));
  INFO(record.dump());
  const std::string kind = record.value("event", "");
  REQUIRE(kSchema.at("$defs").contains(kind));
  const Json& described = kSchema.at("$defs").at(kind);
  for (const Json& part : {kSchema, described}) {
    for (const Json& field : part.at("required")) CHECK(record.contains(field.get<std::string>()));
  }
  for (const auto& [field, value] : record.items()) {
    CHECK((kSchema.at("properties").contains(field) || described.at("properties").contains(field)));
  }
}

std::vector<std::string> numbered(int count) {
  std::vector<std::string> lines;
  for (int n = 1; n <= count; ++n) {
    lines.push_back("line " + std::to_string(n) + " of " + std::to_string(count));
  }
  return lines;
}

std::vector<std::string> numbered_in(const std::string& text) {
  std::vector<std::string> lines = lines_of(text);
  std::erase_if(lines, [](const std::string& line) { return !line.starts_with("line "); });
  return lines;
}

// Removes consecutive repetitions.
std::vector<std::string> distinct(std::vector<std::string> texts) {
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  return texts;
}

std::string before_slash(const std::string& status) { return status.substr(0, status.find('/')); }

}  // namespace

TEST_CASE("text has each of 300 lines once and in order at every size") {
  const std::vector<std::string> sizes{"80x24", "120x40", "40x10"};
  std::vector<Workspace> workspaces(sizes.size());
  std::vector<std::unique_ptr<Program>> programs;
  for (size_t i = 0; i < sizes.size(); ++i) {
    programs.push_back(
        std::make_unique<Program>(workspaces[i].demo("long", {"--size", sizes[i], "-p", "count"})));
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    INFO(sizes[i]);
    const Outcome outcome = programs[i]->finish();
    const RunFolder run = check_ending(workspaces[i], outcome, "complete", 0);
    CHECK(numbered_in(outcome.out) == numbered(300));
    CHECK_FALSE(holds(outcome.out, "LOOP_COMPLETE"));
    CHECK(run.words() == outcome.out);
  }
}

TEST_CASE("text has every line of a flood") {
  const Workspace workspace;
  const Outcome outcome = Program(workspace.demo("flood", {"-p", "count"})).finish();
  check_ending(workspace, outcome, "complete", 0);
  CHECK(numbered_in(outcome.out) == numbered(20000));
}

TEST_CASE("a plain program's lines are all there, whole, long ones too") {
  const Workspace workspace;
  const std::string wide = std::string(300, 'w');
  const Outcome outcome =
      Program(workspace.shell("seq 1 3000; printf '%300s\\n' | tr ' ' w; printf last")).finish();
  check_ending(workspace, outcome, "exit", 0);
  std::vector<std::string> expected;
  for (int n = 1; n <= 3000; ++n) expected.push_back(std::to_string(n));
  expected.push_back(wide);
  expected.emplace_back("last");
  CHECK(lines_of(outcome.out) == expected);
}

TEST_CASE("text has the agent's words without its chrome") {
  const Workspace workspace;
  const Outcome outcome = Program(workspace.demo("default", {"-p", "look"})).finish();
  check_ending(workspace, outcome, "complete", 0);
  for (const char* chrome : {"───", "esc to stop", "» look", "Thinking", "\x1b", "ctrl-c"}) {
    INFO(chrome);
    CHECK(outcome.out.find(chrome) == std::string::npos);
  }
  CHECK(lines_of(std::string(outcome.out.substr(outcome.out.find_first_not_of('\n')))).front() ==
        "I will look at the project first – naïve guesses cost more than “reading”:");
  CHECK(outcome.out.find("\n- the greeting: 日本語 “こんにちは”, 한국어 “안녕하세요”\n") !=
        std::string::npos);
}

TEST_CASE("json is a stream of valid records from starting to exit") {
  const Workspace workspace;
  const Outcome outcome =
      Program(workspace.demo("default", {"--output", "json", "-p", "look"})).finish();
  const RunFolder run = check_ending(workspace, outcome, "complete", 0);
  const std::vector<Json> records = json_lines(outcome.out);
  CHECK(records == run.events);
  int64_t ms = 0;
  std::vector<std::string> statuses;
  CHECK(records.front().at("event") == "session");
  CHECK(records.front().at("session") == "orch-7");
  CHECK(records.front().at("run") == run.id());
  CHECK(records.front().at("started") == run.record.at("started"));
  for (const Json& record : records) {
    check_against_schema(record);
    CHECK(record.contains("session") == (record.at("event") == "session"));
    CHECK(record.at("ms").get<int64_t>() >= ms);
    ms = record.at("ms");
  }
  for (const std::string& status : statuses_of(records)) statuses.push_back(before_slash(status));
  CHECK(distinct(statuses) == Words{"starting", "idle", "working", "idle", "exited"});
  CHECK(records.back().at("event") == "exit");
  std::string text;
  for (const Json& record : records) {
    if (record.at("event") != "output" || record.at("speaker") == "user") continue;
    text += record.at("text").get<std::string>() + "\n";
  }
  CHECK(text == run.words() + "LOOP_COMPLETE\n");
}

TEST_CASE("raw is the agent's output as it came and as it was recorded") {
  const Workspace workspace;
  const Outcome outcome =
      Program(workspace.demo("unicode", {"--output", "raw", "-p", "show"})).finish();
  const RunFolder run = check_ending(workspace, outcome, "complete", 0);
  std::string recorded;
  for (const Json& line : json_lines(content_of(run.recording()))) {
    if (line.is_array() && line.at(1) == "o") recorded += line.at(2).get<std::string>();
  }
  CHECK(outcome.out == recorded);
}

TEST_CASE("raw passes on bytes that are not UTF-8, which the recording counts") {
  const Workspace workspace;
  const Outcome outcome =
      Program(workspace.shell("printf 'a\\377b\\303'", {"--output", "raw"})).finish();
  const RunFolder run = check_ending(workspace, outcome, "exit", 0);
  CHECK(outcome.out ==
        "a\xff"
        "b\xc3");
  CHECK(run.result.at("invalid_bytes") == 2);
}

TEST_CASE("quiet says nothing but how it ended") {
  const Workspace workspace;
  const Outcome outcome = Program(workspace.shell("echo words", {"--output", "quiet"})).finish();
  const RunFolder run = check_ending(workspace, outcome, "exit", 0);
  CHECK(outcome.out.empty());
  CHECK(lines_of(outcome.err).size() == 1);
  CHECK(run.transcript == "words\n");
}

TEST_CASE("text of a program cannot smuggle control characters to our terminal") {
  const Workspace workspace;
  const Outcome outcome =
      Program(workspace.shell("printf 'a\\033]0;title\\007b\\033[31mred\\033[0m\\n\\302\\233c\\n'"))
          .finish();
  check_ending(workspace, outcome, "exit", 0);
  CHECK(outcome.out.find('\x1b') == std::string::npos);
  CHECK(outcome.out.find("\xc2\x9b") == std::string::npos);
  CHECK(lines_of(outcome.out).front() == "abred");
}

TEST_CASE("three issues run at once and their records interleave") {
  const Workspace workspace;
  Launch launch =
      workspace.orch({"run", "1", "2", "3", "--agent", "demo", "--output", "json", "-p", "look"});
  const Outcome outcome = Program(launch).finish();
  CHECK(outcome.code == 0);
  // The first and the last record of each session.
  std::map<std::string, std::pair<size_t, size_t>> spans;
  const std::vector<Json> records = json_lines(outcome.out);
  for (size_t i = 0; i < records.size(); ++i) {
    check_against_schema(records[i]);
    auto [at, added] = spans.try_emplace(records[i].at("session"), i, i);
    at->second.second = i;
  }
  REQUIRE(spans.size() == 3);
  for (const auto& [session, span] : spans) {
    INFO(session);
    CHECK(records[span.second].at("event") == "exit");
    for (const auto& [other, others_span] : spans) CHECK(span.first < others_span.second);
  }
  CHECK(workspace.messages().size() == 3);
  for (const char* issue : {"1", "2", "3"}) CHECK(workspace.run_of(issue).result.at("code") == 0);
}

TEST_CASE("text of several issues says whose each line is") {
  const Workspace workspace;
  const Outcome outcome =
      Program(
          workspace.orch({"run", "a", "b", "--", "sh", "-c",
                          "case $ORCH_RUN in *-a-*) echo from a;; *) echo from b; exit 4;; esac"}))
          .finish();
  CHECK(outcome.code == 1);
  const std::vector<std::string> lines = lines_of(outcome.out);
  CHECK(std::set<std::string>(lines.begin(), lines.end()) ==
        std::set<std::string>{"a | from a", "b | from b"});
  CHECK(outcome.err.find("orch: orch-a: exit (exit 0)\n") != std::string::npos);
  CHECK(outcome.err.find(
            "orch: orch-b: agent_failed (exit 1): the program exited with 4: from b\n") !=
        std::string::npos);
}

TEST_CASE("on GitHub's runner an agent's words are no commands, and a failure is annotated") {
  const Workspace workspace;
  Launch launch = workspace.shell("echo ::error::forged; exit 3");
  launch.env.emplace_back("GITHUB_ACTIONS=true");
  const Outcome outcome = Program(launch).finish();
  CHECK(outcome.code == 1);
  const std::vector<std::string> lines = lines_of(outcome.out);
  REQUIRE(lines.size() == 6);
  const std::string stop = "::stop-commands::";
  CHECK(lines[0] == "::group::orch run");
  REQUIRE(lines[1].starts_with(stop));
  CHECK(lines[2] == ": :error::forged");
  CHECK(lines[3] == "::" + lines[1].substr(stop.size()) + "::");
  CHECK(lines[4] == "::endgroup::");
  CHECK(lines[5] ==
        "::error title=orch-7::agent_failed (exit 1): the program exited with 3: ::error::forged");
}

TEST_CASE("on GitHub's runner an annotation has the lines of what ended a run") {
  const Workspace workspace;
  Launch launch = workspace.demo("permission", {"-p", "run it"});
  launch.env.emplace_back("GITHUB_ACTIONS=true");
  const Outcome outcome = Program(launch).finish();
  CHECK(outcome.code == 10);
  const std::string detail = workspace.run_of().result.at("detail");
  REQUIRE(lines_of(detail).size() > 1);
  std::string annotation = last_line(outcome.out);
  INFO(annotation);
  CHECK(annotation.starts_with("::warning title=orch-7::needs_human (exit 10): "));
  CHECK(annotation.find("\xef\xbf\xbd") == std::string::npos);
  size_t line_ends = 0;
  for (size_t at = 0; (at = annotation.find("%0A", at)) != std::string::npos; ++at) ++line_ends;
  CHECK(line_ends == static_cast<size_t>(std::count(detail.begin(), detail.end(), '\n')));
}

TEST_CASE("on a CI runner no command and no mode passes on what the runner would obey") {
  const std::string said =
      R"(printf '::error::one\n \t::add-mask::two\nthree ##[error]four\n'; exit 3)";
  const auto obeyed = [](const std::string& text) {
    for (const std::string& line : lines_of(text)) {
      const size_t first = line.find_first_not_of(" \t");
      const bool ours = line.starts_with("::group::") || line.starts_with("::endgroup::") ||
                        line.starts_with("::stop-commands::") || line.starts_with("::orch-") ||
                        line.starts_with("::error title=orch-7::") ||
                        line.starts_with("::error title=orch::");
      if (line.find("##[") != std::string::npos) return line;
      if (first != std::string::npos && line.substr(first, 2) == "::" && !ours) return line;
    }
    return std::string();
  };
  const auto check = [&](const Workspace& workspace, Words words) {
    Launch launch = workspace.orch(std::move(words));
    launch.env.emplace_back("GITHUB_ACTIONS=true");
    const Outcome outcome = Program(launch).finish();
    INFO(outcome.out << outcome.err);
    CHECK(obeyed(outcome.out + "\n" + outcome.err).empty());
    return outcome.out;
  };
  for (const char* mode : {"text", "raw", "json", "quiet"}) {
    const Workspace workspace;
    CAPTURE(mode);
    const std::string out =
        check(workspace, {"run", "7", "--output", mode, "--", "sh", "-c", said});
    CHECK((out.find("four") != std::string::npos) == (std::string(mode) != "quiet"));
    for (const Words& words : std::vector<Words>{{"logs", "7"},
                                                 {"logs", "7", "--json"},
                                                 {"logs", "7", "--raw"},
                                                 {"status", "7"},
                                                 {"replay", "7"},
                                                 {"explain", "7", "--at", "0.1"},
                                                 {"shot", "7"},
                                                 {"shot", "7", "--format", "svg"},
                                                 {"run", "##[error]"},
                                                 {"replay", "\n::error::x"}}) {
      CAPTURE(words);
      check(workspace, words);
    }
  }
}

TEST_CASE("a prompt is in no command line that others can read, nor is a system prompt recorded") {
  const Workspace workspace;
  for (const Words& words :
       std::vector<Words>{{"-p", "a secret"}, {"--prompt=a secret"}, {"-pa secret"}}) {
    Words all{"run", "7", "--agent", "demo", "--until", "exit", "--output", "text"};
    all.insert(all.end(), words.begin(), words.end());
    Program program(workspace.orch(all));
    program.wait_for_output("a");
    const std::string line = content_of("/proc/" + std::to_string(program.pid()) + "/cmdline");
    CHECK(line.find("secret") == std::string::npos);
    CHECK(line.find("…") != std::string::npos);
    CHECK(line.find("--agent") != std::string::npos);
  }
  Json manifest = Json::parse(content_of(ORCH_SOURCE_DIR "/src/adapters/manifests/demo.json"));
  manifest["name"] = "told";
  manifest["program"] = {"sh", "-c", "true"};
  manifest["options"]["system_prompt"] = {"-c", "instructions={}"};
  workspace.write("home/.config/orch/adapters/told.json", manifest.dump());
  const Outcome outcome =
      Program(workspace.orch({"run", "8", "--agent", "told", "--until", "exit", "--system-prompt",
                              workspace.write("system.md", "a secret")}))
          .finish();
  CHECK(outcome.code == 0);
  const RunFolder run = workspace.run_of("8");
  const Json& argv = run.record.at("argv");
  CHECK(std::count(argv.begin(), argv.end(), Json("instructions=…")) == 1);
  CHECK(argv.dump().find("secret") == std::string::npos);
}

TEST_CASE("what nobody would see in an agent's words is written out, and kept as it is in JSON") {
  const Workspace workspace;
  const std::string hidden = "a\u202eb\u200bc\u2028d";
  const Outcome outcome =
      Program(workspace.shell("printf '" + hidden + "\n'", {"--output", "text"})).finish();
  const std::string shown = "a\\u{202e}b\\u{200b}c\\u{2028}d\n";
  CHECK(outcome.out == shown);
  const RunFolder run = workspace.run_of();
  CHECK(run.transcript == shown);
  CHECK(output_of(run.events) == Words{hidden});
  CHECK(content_of(run.path + "/events.jsonl").find("a\\u202eb\\u200bc\\u2028d") !=
        std::string::npos);
  CHECK(Program(workspace.orch({"logs", "7"})).finish().out == shown);
}
