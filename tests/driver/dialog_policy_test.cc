// How the policies answer dialogs of real agents. dialog_policies.jsonl names a recording and the
// time `ms` of each dialog, and for the policies `all` and `rules` (dialog_policy.json) the option
// that is chosen, what decides (`by`) and, for `all`, the first key that is typed. The policy
// `none` answers nothing.

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "adapters/registry.h"
#include "base/text.h"
#include "driver/dialog_desk.h"
#include "driver/dialog_keys.h"
#include "driver/dialog_request.h"
#include "policy/dialog_answer.h"
#include "policy/policy.h"
#include "session/replay.h"
#include "store/cast_reader.h"

namespace orch::driver {
namespace {

using nlohmann::json;

const std::filesystem::path kFolder = std::filesystem::path(ORCH_SOURCE_DIR) / "tests" / "driver";

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  REQUIRE(file);
  return (std::stringstream() << file.rdbuf()).str();
}

std::vector<json> rows() {
  const std::string text = text_of(kFolder / "dialog_policies.jsonl");
  std::vector<json> all;
  for (const std::string_view line : base::split_lines(text)) all.push_back(json::parse(line));
  return all;
}

// What a desk sees in a recording at `ms`.
DialogLook look_at(const adapters::Manifest& manifest, const std::string& recording,
                   base::TimeMs ms) {
  const base::Result<store::Cast> cast =
      store::read_cast(std::filesystem::path(ORCH_RECORDINGS) / recording);
  REQUIRE(cast.ok());
  REQUIRE(ms < cast->end_us / 1000);
  const base::Result<detect::RuleSet> rules = detect::RuleSet::compile(manifest.rules);
  session::Replay replay(*cast, manifest, rules.value());
  replay.run_to(ms - 1);
  return dialog_look(replay.view().detector(), replay.view().screen());
}

// The text of the option, "none" where no tick box is to be ticked, null without an answer.
json text_or_null(const DialogLook& look, const std::optional<std::vector<size_t>>& options) {
  if (!options) return nullptr;
  return options->empty() ? "none" : look.dialog.options[options->front()];
}

std::string key_name(const DialogLook& look, const std::optional<std::vector<size_t>>& options) {
  if (!options) return "";
  switch (options->empty() ? next_key_in_set(look.dialog, {})
                           : next_key(look.dialog, options->front())) {
    case DialogKey::kDigit:
      return std::to_string(options->front() + 1);
    case DialogKey::kSpace:
      return "Space";
    case DialogKey::kOwn:
      return look.dialog.keys[options->front()];
    case DialogKey::kEnter:
      return "Enter";
    case DialogKey::kUp:
    case DialogKey::kDown:
    case DialogKey::kLeft:
    case DialogKey::kRight:
      return "an arrow";
    case DialogKey::kUnknown:
      break;
  }
  return "unknown";
}

}  // namespace

TEST_CASE("The dialogs of real agents are answered as the policies say") {
  const base::Result<adapters::Registry> registry = adapters::Registry::load({});
  const policy::Policy none = policy::Policy::none();
  const policy::Policy all = policy::Policy::all();
  const base::Result<policy::Policy> rules =
      policy::Policy::parse(text_of(kFolder / "dialog_policy.json"), "dialog_policy.json");
  REQUIRE(rules.ok());
  const std::vector<json> table = rows();
  CHECK(table.size() >= 40);
  for (const json& row : table) {
    INFO(row.dump());
    const std::string recording = row["recording"];
    const std::string agent = std::filesystem::path(recording).parent_path().filename();
    const DialogLook look = look_at(*registry->find(agent), recording, row["ms"]);
    INFO(look.dialog.title + "\n" + look.dialog.body);
    REQUIRE(look.waiting);
    CHECK(event::name(look.cause) == row["cause"].get<std::string>());
    const policy::DialogFacts facts{agent, request_of(look.dialog, look.cause), row["work_dir"]};

    CHECK(none.decide(facts) == policy::Decision{policy::Answer::kNone, "policy:none"});
    for (const auto& [policy, expected] :
         {std::pair(&all, row["all"]), std::pair(&*rules, row["rules"])}) {
      const policy::Decision decision = policy->decide(facts);
      const auto options = policy::options_for(facts.request, decision.answer);
      CHECK(text_or_null(look, options) == expected["answer"]);
      CHECK(decision.rule == expected["by"].get<std::string>());
      if (expected.contains("key")) CHECK(key_name(look, options) == expected["key"]);
    }
  }
}

}  // namespace orch::driver
