// Dialogs whose bodies hold whatever makes them look like something else: the words of every kind of
// dialog, rules, bullets, prompts, whole dialogs, forty rows. dialog_bodies.jsonl says for each
// recording and each of its marks "case NAME" what the agent really asked.

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

namespace orch::driver {
namespace {

using agent::DialogRequest;
using nlohmann::json;

const std::filesystem::path kFolder = std::filesystem::path(ORCH_SOURCE_DIR) / "tests" / "driver";

// Plays a recording and keeps what a desk sees at each of its marks.
std::map<std::string, DialogLook> looks_at_marks(const adapters::Manifest& manifest,
                                                 const std::filesystem::path& path) {
  constexpr std::string_view kMark = "note=case ";
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
    case DialogRequest::Action::kOther:
      return "other";
    case DialogRequest::Action::kUnknown:
      break;
  }
  return "unknown";
}

json told(const DialogLook& look) {
  const DialogRequest request = request_of(look.dialog, look.cause);
  json out{{"waiting", look.waiting},
           {"kind", event::name(look.cause)},
           {"tool", request.tool},
           {"action", name(request.action)},
           {"complete", request.complete}};
  if (!request.likely.empty()) out["command"] = request.likely.front();
  if (!request.paths.empty()) out["path"] = request.paths.front();
  return out;
}

}  // namespace

TEST_CASE("dump", "[.]") {
  const base::Result<adapters::Registry> registry = adapters::Registry::load({});
  const char* file = std::getenv("CAST");
  const std::string agent = std::filesystem::path(file).parent_path().filename();
  for (const auto& [mark, look] : looks_at_marks(*registry->find(agent), file)) {
    json out = told(look);
    out["case"] = mark;
    out["options"] = look.dialog.options;
    out["title"] = look.dialog.title;
    std::cout << out.dump() << "\n";
  }
}

}  // namespace orch::driver
