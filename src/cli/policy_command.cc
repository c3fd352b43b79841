#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "base/invisible.h"
#include "base/json.h"
#include "cli/new_command.h"
#include "client/find.h"
#include "client/runs.h"
#include "setup/agents.h"
#include "setup/policy_file.h"
#include "setup/recorded_calls.h"
#include "setup/sandbox_options.h"
#include "store/runs.h"

namespace orch::cli {
namespace {

constexpr int kSomeDiffer = 1;  // as of diff

struct TryOptions {
  std::string file, run;
  bool json = false;
  std::optional<std::string> state_dir;
};

// A call of the run, and the decision of the policy under test.
struct Tried {
  driver::RecordedCall call;
  std::string decided, by;

  bool differs() const { return decided != call.decided; }
};

std::string decided_as(policy::Answer answer) {
  switch (answer) {
    case policy::Answer::kAllow:
      return "allow";
    case policy::Answer::kDeny:
      return "deny";
    case policy::Answer::kNone:
      break;
  }
  return "asked";
}

std::vector<Tried> try_all(std::vector<driver::RecordedCall> calls, const policy::Policy& policy,
                           const store::RunRecord& record, policy::Held held) {
  std::vector<Tried> all;
  for (driver::RecordedCall& call : calls) {
    const policy::DialogFacts facts{record.agent, call.request, record.cwd, held};
    const policy::Decision decision =
        call.is_dialog ? policy.decide(facts) : policy.decide_call(facts);
    all.push_back({std::move(call), decided_as(decision.answer), decision.rule});
  }
  return all;
}

void print_rows(const std::vector<Tried>& all) {
  for (const Tried& tried : all) {
    std::printf("%s %s\n    %s; was %s\n", tried.differs() ? "*" : " ",
                setup::what_text(tried.call).c_str(),
                setup::decision_text(tried.decided, tried.by).c_str(),
                setup::decision_text(tried.call.decided, tried.call.by).c_str());
  }
}

base::Json json_of(const Tried& tried) {
  const driver::RecordedCall& call = tried.call;
  base::Json json{{"tool", call.request.tool},
                  {"what", call.what},
                  {"dialog", call.is_dialog},
                  {"was", {{"decided", call.decided}, {"by", call.by}}},
                  {"now", {{"decided", tried.decided}, {"by", tried.by}}},
                  {"differs", tried.differs()}};
  if (call.ms) json["was"]["ms"] = *call.ms;
  return json;
}

int try_policy(const TryOptions& options, const client::Place& place) {
  const base::Result<policy::Policy> policy = setup::read_policy(options.file, place.repository);
  if (!policy) return report(policy.error());
  const base::Result<client::Found> found = client::find_shown(place, options.run);
  if (!found) return report_no_session(found.error());
  const base::Result<client::RunView> run = client::view_run(place.state_dir, found->run);
  if (!run) return report(run.error());
  if (!run->unreadable.empty()) return report(base::usage_error(run->unreadable));
  const base::Result<adapters::Registry> agents = setup::load_agents(place.repository);
  if (!agents) return report(agents.error());
  base::Result<std::vector<driver::RecordedCall>> calls =
      setup::calls_of(run->folder.path, agents->find(run->record.agent));
  if (!calls) return report(calls.error());
  const store::Found<store::RunResult> result = store::result_of(run->folder);
  if (result.is_unknown()) return report(result.error());
  const bool is_fenced = result.is_present() && result->sandbox && !result->sandbox->layers.empty();
  const auto& request = run->record.request;
  const policy::Held held = setup::held_by(is_fenced, request ? request->sandbox : "");
  const std::vector<Tried> all = try_all(std::move(*calls), *policy, run->record, held);
  const auto differ =
      std::count_if(all.begin(), all.end(), [](const Tried& tried) { return tried.differs(); });
  if (options.json) {
    base::Json json{{"run", run->record.id}, {"calls", base::Json::array()}, {"differ", differ}};
    for (const Tried& tried : all) json["calls"].push_back(json_of(tried));
    std::fputs(base::with_visible_json(base::json_text(json)).c_str(), stdout);
  } else {
    print_rows(all);
    std::printf("%s: %zu calls, %td decided differently\n", run->record.id.c_str(), all.size(),
                differ);
  }
  return differ > 0 ? kSomeDiffer : 0;
}

void add_try(CLI::App& policy, Chosen& chosen) {
  CommandWith<TryOptions> command(policy, chosen, "try",
                                  "a policy's decisions about a recorded run's calls", try_policy);
  command.option("file", command->file, "a policy, as --approve takes it: all, none or a file")
      .required();
  command.option("run", command->run,
                 "a run's id, or an issue: its newest run (default: the newest here)");
  command.flag("--json", command->json, "as JSON");
  command.state_dir();
  command.footer(
      "Of each call and dialog in the run's events.jsonl: its effect, the new decision and its "
      "rule, then the old ones. * marks the ones that differ. Nothing is run or changed. A file "
      "that "
      "an agent could have written needs orch trust, as for a run.\n\n"
      "Exit codes: 0 all decided as before · 1 some differ · 2 wrong usage or policy · 4 the run "
      "does not exist.\n\n"
      "Examples:\n  orch policy try policy.json 42\n"
      "  orch policy try all 42 --json | jq -r '.calls[] | select(.differs).what'");
}

}  // namespace

void add_policy_command(CLI::App& app, Chosen& chosen) {
  NewCommand command(app, "policy", "try a policy on earlier decisions");
  command.takes_subcommand(true);
  command.footer("Example:\n  orch policy try policy.json 42");
  add_try(command.app(), chosen);
}

}  // namespace orch::cli
