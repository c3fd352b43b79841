// Dialogs whose bodies look like something else: they contain the words of other kinds of dialogs,
// rules, bullets, prompts, whole dialogs, or forty rows. dialog_bodies.jsonl says for each mark
// "case NAME" of each recording what the agent really asked.

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "adapters/registry.h"
#include "base/text.h"
#include "driver/dialog_desk.h"
#include "driver/dialog_request.h"
#include "policy/dialog_answer.h"
#include "policy/policy.h"
#include "store/cast_reader.h"
#include "term/render.h"

namespace orch::driver {
namespace {

using agent::DialogRequest;
using nlohmann::json;

const std::filesystem::path kFolder = std::filesystem::path(ORCH_SOURCE_DIR) / "tests" / "driver";

constexpr std::string_view kMark = "note=case ";

// Plays a recording and returns what a desk sees at each of its marks.
std::map<std::string, DialogLook> looks_at_marks(const adapters::Manifest& manifest,
                                                 const std::filesystem::path& path) {
  std::map<std::string, DialogLook> looks;
  const base::Result<store::Cast> cast = store::read_cast(path);
  REQUIRE(cast.ok());
  const base::Result<detect::RuleSet> rules = detect::RuleSet::compile(manifest.rules);
  REQUIRE(rules.ok());
  term::Screen screen({cast->header.cols, cast->header.rows});
  detect::Detector detector(rules.value(), 0);
  const auto run_timers = [&](base::TimeMs until) {
    for (auto due = detector.next_deadline(); due < until; due = detector.next_deadline()) {
      detector.on_timer(due, screen);
    }
  };
  for (const store::CastEvent& event : cast->events) {
    const base::TimeMs now = event.us / 1000;
    run_timers(now);
    switch (event.kind) {
      case store::CastKind::kOutput:
        screen.feed(event.data);
        screen.take_replies();
        detector.on_output(now, screen);
        break;
      case store::CastKind::kInput:
        detector.on_input(now, event.data);
        break;
      case store::CastKind::kMarker:
        if (event.data.starts_with(kMark)) {
          looks[event.data.substr(kMark.size())] = dialog_look(detector, screen);
        }
        break;
      default:
        break;
    }
  }
  return looks;
}

std::string_view name(DialogRequest::Action action) {
  switch (action) {
    case DialogRequest::Action::kCommand:
      return "command";
    case DialogRequest::Action::kWrite:
      return "write";
    case DialogRequest::Action::kRead:
      return "read";
    case DialogRequest::Action::kOther:
      return "other";
    case DialogRequest::Action::kBypass:
      return "bypass";
    case DialogRequest::Action::kUnknown:
      break;
  }
  return "unknown";
}

// Reduces a recording to the screens at its marks, each drawn at once. How a dialog was drawn does
// not matter once it stands still.
void pack(const std::filesystem::path& from, const std::filesystem::path& to) {
  const base::Result<store::Cast> cast = store::read_cast(from);
  REQUIRE(cast.ok());
  std::ofstream out(to);
  out << json{{"version", 2}, {"width", cast->header.cols}, {"height", cast->header.rows}}.dump()
      << "\n";
  term::Screen screen({cast->header.cols, cast->header.rows});
  int at = 0;
  for (const store::CastEvent& event : cast->events) {
    if (event.kind == store::CastKind::kOutput) {
      screen.feed(event.data);
      screen.take_replies();
    }
    if (event.kind != store::CastKind::kMarker || !event.data.starts_with(kMark)) continue;
    at += 2;
    const std::string drawn =
        "\x1b]2;" + screen.title() + "\a\x1b[0m\x1b[H\x1b[2J" + term::render_ansi(screen);
    out << json::array({at, "o", drawn}).dump() << "\n";
    out << json::array({at + 1, "m", event.data}).dump() << "\n";
  }
}

std::vector<json> table() {
  std::ifstream file(kFolder / "dialog_bodies.jsonl");
  REQUIRE(file);
  std::vector<json> rows;
  for (std::string line; std::getline(file, line);) rows.push_back(json::parse(line));
  return rows;
}

}  // namespace

TEST_CASE("What stands in a dialog's body changes neither its kind nor where it begins and ends") {
  const base::Result<adapters::Registry> registry = adapters::Registry::load({});
  const policy::Policy all = policy::Policy::all();
  std::map<std::string, std::map<std::string, DialogLook>> recordings;
  size_t complete = 0;
  const std::vector<json> rows = table();
  for (const json& row : rows) {
    INFO(row.dump());
    const std::string recording = row["recording"];
    const std::string agent = std::filesystem::path(recording).parent_path().filename();
    auto& looks = recordings[recording];
    if (looks.empty()) {
      looks = looks_at_marks(*registry->find(agent),
                             std::filesystem::path(ORCH_RECORDINGS) / recording);
    }
    const auto found = looks.find(row["case"].get<std::string>());
    REQUIRE(found != looks.end());
    const DialogLook& look = found->second;
    const DialogRequest request = request_of(look.dialog, look.cause);
    INFO(agent::describe(request));
    CHECK(look.waiting);
    CHECK(event::name(look.cause) == row["kind"].get<std::string>());
    CHECK(event::name(request.kind) == row["kind"].get<std::string>());
    CHECK(name(request.action) == row["action"].get<std::string>());
    CHECK(request.complete == row["complete"].get<bool>());
    if (row.contains("tool")) CHECK(request.tool == row["tool"].get<std::string>());
    CHECK((request.likely.empty() ? json() : json(request.likely.front())) ==
          row.value("command", json()));
    CHECK((request.paths.empty() ? json() : json(request.paths.front())) ==
          row.value("path", json()));

    const policy::Decision decision = all.decide({agent, request, "/work"});
    if (!request.complete || name(request.action) == "unknown") {
      CHECK(decision.answer == policy::Answer::kNone);
    }
    if (row.contains("all")) CHECK(decision.rule == row["all"].get<std::string>());
    complete += request.complete ? 1 : 0;
  }
  std::cout << rows.size() << " dialogs of " << recordings.size() << " recordings, " << complete
            << " of them complete\n";
  CHECK(rows.size() >= 150);
}

// A tool for developers of orch, hidden from plain runs: PACK_FROM and PACK_TO name the recordings.
TEST_CASE("A recording is cut down to what stands at its marks", "[.pack]") {
  pack(std::getenv("PACK_FROM"), std::getenv("PACK_TO"));
}

}  // namespace orch::driver
