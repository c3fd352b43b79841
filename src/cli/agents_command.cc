#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "adapters/lint.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/new_command.h"
#include "setup/agents.h"
#include "setup/paths.h"
#include "setup/recordings.h"
#include "setup/repository.h"
#include "setup/versions.h"

namespace orch::cli {
namespace {

using Versions = std::map<std::string, std::string>;

std::string version_of(const Versions& versions, const adapters::Manifest& agent) {
  const auto found = versions.find(agent.name);
  return found == versions.end() ? std::string() : found->second;
}

bool is_untested(const Versions& versions, const adapters::Manifest& agent) {
  return !setup::newer_note(agent, version_of(versions, agent)).empty();
}

void print_json(const adapters::Registry& agents, const Versions& versions,
                const std::vector<setup::BroughtFile>& left_out) {
  base::Json list = base::Json::array();
  for (const adapters::Manifest& agent : agents.all()) {
    list.push_back({{"agent", agent.name},
                    {"title", agent.title},
                    {"installed", setup::is_installed(agent)},
                    {"version", base::or_null(version_of(versions, agent))},
                    {"tested", base::or_null(agent.tested)},
                    {"newer_than_tested", is_untested(versions, agent)},
                    {"verified", agent.verified},
                    {"program", agent.program},
                    {"trusted", true}});
  }
  for (const setup::BroughtFile& file : left_out) {
    list.push_back({{"agent", nullptr},
                    {"file", file.relative},
                    {"installed", false},
                    {"trusted", false},
                    {"detail", file.trouble.empty() ? setup::why_not(file) : file.trouble}});
  }
  for (const adapters::BadManifest& bad : agents.bad()) {
    list.push_back({{"agent", bad.agent},
                    {"file", bad.path},
                    {"installed", false},
                    {"trusted", true},
                    {"detail", bad.why}});
  }
  std::fputs(base::json_text(list).c_str(), stdout);
}

void print_table(const adapters::Registry& agents, const Versions& versions,
                 const std::vector<setup::BroughtFile>& left_out) {
  std::printf("%-10s %-20s %-10s %s\n", "AGENT", "NAME", "INSTALLED", "TESTED WITH");
  for (const adapters::Manifest& agent : agents.all()) {
    const std::string tested = !agent.verified        ? "never run: written from documentation"
                               : agent.tested.empty() ? "-"
                                                      : agent.tested;
    const std::string version = version_of(versions, agent);
    const std::string installed = !setup::is_installed(agent) ? "no"
                                  : version.empty()           ? "yes"
                                                              : version;
    std::printf("%-10s %-20s %-10s %s\n", base::printable(agent.name).c_str(),
                base::printable(agent.title).c_str(), installed.c_str(), tested.c_str());
  }
  for (const setup::BroughtFile& file : left_out) {
    std::printf("%-10s %-20s %-10s %s\n", "-", "-", "untrusted",
                base::printable(file.relative).c_str());
  }
  for (const adapters::BadManifest& bad : agents.bad()) {
    std::printf("%-10s %-20s %-10s %s\n", base::printable(bad.agent).c_str(), "-", "wrong",
                bad.why.c_str());
  }
  for (const adapters::Manifest& agent : agents.all()) {
    const std::string note = setup::newer_note(agent, version_of(versions, agent));
    if (!note.empty()) std::fprintf(stderr, "orch: %s\n", note.c_str());
  }
}

int list_agents(bool json) {
  base::Result<std::string> here = setup::resolve_folder(".");
  if (!here) return report(here.error());
  base::Result<setup::UserManifests> manifests = setup::user_manifests(setup::repository_of(*here));
  if (!manifests) return report(manifests.error());
  base::Result<adapters::Registry> agents = setup::load_agents(*manifests);
  if (!agents) return report(agents.error());
  const Versions versions = setup::installed_versions(*agents);
  json ? print_json(*agents, versions, manifests->left_out)
       : print_table(*agents, versions, manifests->left_out);
  return 0;
}

double seconds(int64_t ms) { return static_cast<double>(ms) / 1000; }

// The part that each rule of a manifest has in the statuses of recordings.
class Coverage {
 public:
  explicit Coverage(const adapters::Manifest& manifest) : manifest_(manifest) {}

  void take(const session::ReplayedEvent& replayed) {
    const auto* change = std::get_if<event::StatusChange>(&replayed.event);
    if (change == nullptr) return;
    pass_to(replayed.ms);
    const bool ruled = change->status == event::AgentStatus::kStarting ||
                       change->status == event::AgentStatus::kExited || !change->rule.empty();
    without_since_ = ruled ? -1 : replayed.ms;
    ++decided_[change->rule];
  }
  // Ends a recording, and returns how long none of the rules decided, in milliseconds.
  int64_t end(int64_t ms) {
    pass_to(ms);
    without_since_ = -1;
    all_ += ms;
    without_ += recording_without_;
    return std::exchange(recording_without_, 0);
  }
  void print() const {
    std::printf("%-24s %s\n", "RULE", "DECIDED");
    for (const detect::RuleSpec& rule : manifest_.rules.rules) {
      const auto times = decided_.find(manifest_.rules.agent + "/" + rule.id);
      std::printf("%-24s %s\n", base::printable(rule.id).c_str(),
                  times == decided_.end() ? "never" : std::to_string(times->second).c_str());
    }
    std::printf("without a rule: %.1f s of %.1f s\n", seconds(without_), seconds(all_));
  }

 private:
  void pass_to(int64_t ms) {
    if (without_since_ >= 0) recording_without_ += ms - without_since_;
  }

  const adapters::Manifest& manifest_;
  std::map<std::string, int> decided_;
  int64_t without_since_ = -1;  // -1: a rule has decided, or none has to
  int64_t recording_without_ = 0, without_ = 0, all_ = 0;
};

// Prints the statuses that the rules find in a recording, if it is the only one; of several, the
// time that no rule decided.
base::Status cover(const std::string& recording, const adapters::Manifest& manifest,
                   const detect::RuleSet& rules, bool only, Coverage& coverage) {
  base::Result<store::CastReader> cast = setup::open_recording(recording);
  if (!cast) return cast.error();
  session::Replay replay(*cast, manifest, rules);
  replay.run([&](const session::ReplayedEvent& replayed) {
    if (only) setup::print_status(replayed);
    coverage.take(replayed);
  });
  const int64_t without = coverage.end(replay.now_ms());
  if (!only) {
    std::printf("%s: without a rule: %.1f s of %.1f s\n", base::printable(recording).c_str(),
                seconds(without), seconds(replay.now_ms()));
  }
  return cast->trouble();
}

int cover_all(const std::vector<std::string>& recordings, const adapters::Manifest& manifest) {
  base::Result<detect::RuleSet> rules = detect::RuleSet::compile(manifest.rules);
  if (!rules) return report(rules.error());
  Coverage coverage(manifest);
  for (const std::string& recording : recordings) {
    const base::Status whole = cover(recording, manifest, *rules, recordings.size() == 1, coverage);
    if (!whole) return report(whole.error());
  }
  coverage.print();
  return 0;
}

// Checks a manifest file: one line for each mistake. If recordings are named, also prints what the
// manifest's rules find in them.
int check_manifest(const std::string& path, const std::vector<std::string>& recordings) {
  base::Result<std::string> text = setup::read_text(path);
  if (!text) return report(text.error());
  int code = 0;
  for (const std::string& mistake : adapters::lint_manifest(*text, path)) {
    code = report(base::usage_error(mistake));
  }
  base::Result<adapters::Manifest> manifest = adapters::parse_manifest(*text, path);
  if (!manifest) return code;
  if (code == 0) {
    std::printf("%s: agent %s, %zu rules: well formed\n", base::printable(path).c_str(),
                manifest->name.c_str(), manifest->rules.rules.size());
  }
  const int covered = recordings.empty() ? 0 : cover_all(recordings, *manifest);
  return code != 0 ? code : covered;
}

int print_schema() {
  std::fputs(base::json_text(adapters::manifest_schema()).c_str(), stdout);
  return 0;
}

}  // namespace

void add_agents_command(CLI::App& app, Chosen& chosen) {
  struct Options {
    bool json = false, schema = false;
    std::string check;
    std::vector<std::string> recordings;
  };
  CommandWith<Options> command(
      app, chosen, "agents", "the agents that are known, and which are installed",
      [](const Options& options) {
        if (options.schema) return print_schema();
        return options.check.empty() ? list_agents(options.json)
                                     : check_manifest(options.check, options.recordings);
      });
  command.takes_subcommand(false);
  add_show_agent(command.app(), chosen);
  command.flag("--json", command->json, "as JSON");
  command.flag("--schema", command->schema,
               "the JSON Schema of a manifest, for completion in an editor");
  command.option("--check", command->check, "check a manifest instead");
  command
      .option("--on", command->recordings,
              "with --check: print the statuses in a recording and the rules that decide; several "
              "times")
      .one_word();
  command.footer(
      "An agent is data: put a manifest into $XDG_CONFIG_HOME/orch/adapters or\n"
      "<repository>/.orch/adapters to add one or to replace one of these: docs/manifest.md.");
}

}  // namespace orch::cli
