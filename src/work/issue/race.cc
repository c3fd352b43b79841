#include "issue/race.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <string_view>
#include <tuple>

#include "base/json_writer.h"
#include "base/name.h"
#include "base/text.h"
#include "store/atomic_file.h"
#include "store/folder.h"
#include "store/state_file.h"

namespace orch::issue {
namespace {

constexpr size_t kMostRaceBytes = 4 << 20;

constexpr auto kRacerFields = [](auto& in, auto& racer) {
  in.required("name", racer.name);
  in.required("agent", racer.agent);
  in.nullable("model", racer.model);
  in.nullable("run", racer.run);
  in.nullable("reason", racer.reason);
  in.optional("completed", racer.is_completed);
  in.nullable("began", racer.began);
  in.nullable("trouble", racer.trouble);
  in.optional("files", racer.files);
  in.optional("lines", racer.lines);
  in.nullable("gate_code", racer.gates);
  in.nullable("cost_usd", racer.cost_usd);
  in.optional("ms", racer.ms);
  in.nullable("left", racer.left);
};

constexpr auto kRaceFields = [](auto& in, auto& race) {
  in.required("issue", race.issue);
  in.required("repository", race.repository);
  in.nullable("issue_repository", race.issue_repository);
  in.required("commit", race.commit);
  in.optional("protect", race.protect);
  in.required("began", race.began);
  in.nullable("ended", race.ended);
  in.list("racers", race.racers, kRacerFields);
  in.nullable("winner", race.winner);
};

// A part of a name; the characters of a model's name that a name cannot have become dashes.
std::string name_part(std::string_view text) {
  std::string part;
  for (const unsigned char c : text) part += std::isalnum(c) != 0 || c == '_' ? char(c) : '-';
  return part;
}

}  // namespace

std::string why_not(const Racer& racer, const RaceRecord& race) {
  if (racer.run.empty()) return "it did not begin";
  if (!racer.is_completed) return "it did not complete (" + racer.reason + ")";
  if (racer.began != race.commit) return "it began from another commit";
  if (!racer.trouble.empty()) return racer.trouble;
  if (racer.files == 0) {
    return race.protect.empty() ? "it changed nothing" : "it changed only protected paths, or none";
  }
  if (!racer.gates) return "its gates did not run again";
  if (*racer.gates != 0) {
    return "its gates did not pass on a clean checkout (exit " + std::to_string(*racer.gates) + ")";
  }
  return "";
}

const Racer* winner_of(const RaceRecord& race) {
  const auto rank = [](const Racer& racer) {
    return std::tuple(racer.files, racer.lines,
                      racer.cost_usd.value_or(std::numeric_limits<double>::infinity()), racer.ms);
  };
  const Racer* best = nullptr;
  for (const Racer& racer : race.racers) {
    if (!why_not(racer, race).empty()) continue;
    if (best == nullptr || rank(racer) < rank(*best)) best = &racer;
  }
  return best;
}

base::Result<std::vector<Racer>> racers_of(const std::string& issue,
                                           const std::vector<std::string>& agents) {
  std::vector<Racer> racers;
  for (const std::string& word : agents) {
    Racer racer;
    racer.agent = word.substr(0, word.find(':'));
    if (racer.agent.size() < word.size()) racer.model = word.substr(racer.agent.size() + 1);
    if (!base::is_name(racer.agent) || word.ends_with(':')) {
      return base::usage_error("--agents: \"" + base::printable(word) +
                               "\" is no agent; write claude, or claude:MODEL");
    }
    const std::string ending =
        "-" + name_part(racer.agent) + (racer.model.empty() ? "" : "-" + name_part(racer.model));
    const auto is_taken = [&racers](const std::string& name) {
      return std::any_of(racers.begin(), racers.end(),
                         [&name](const Racer& other) { return other.name == name; });
    };
    for (int number = 1; racer.name.empty() || is_taken(racer.name); ++number) {
      const std::string end = ending + (number == 1 ? "" : "-" + std::to_string(number));
      if (end.size() >= base::kMaxName) {
        return base::usage_error("--agents: \"" + base::printable(word) + "\" is too long a name");
      }
      racer.name = issue.substr(0, base::kMaxName - end.size()) + end;
    }
    racers.push_back(std::move(racer));
  }
  return racers;
}

std::string to_json(const RaceRecord& race) {
  return base::json_text(base::object_of(race, kRaceFields));
}

RaceFiles race_files(const std::string& state_dir, const std::string& key) {
  const std::string start = state_dir + "/races/" + key;
  return {start + ".json", start + ".lock", start + ".git"};
}

store::Found<RaceRecord> read_race(const std::string& path) {
  const store::Found<std::string> text = store::read_state(path, kMostRaceBytes);
  if (text.is_absent()) return store::Found<RaceRecord>::absent();
  if (text.is_unknown()) return text.error();
  base::Result<RaceRecord> race = base::record_of<RaceRecord>(path, *text, kRaceFields);
  if (!race) return race.error();
  return std::move(race).value();
}

base::Status write_race(const std::string& path, const RaceRecord& race) {
  base::Status made = store::create_folder_of(path);
  if (!made) return made;
  return store::write_file(path, to_json(race));
}

}  // namespace orch::issue
