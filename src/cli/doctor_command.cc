#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "cli/new_command.h"
#include "setup/agents.h"
#include "setup/checkup.h"
#include "setup/paths.h"
#include "setup/versions.h"

namespace orch::cli {
namespace {

const char* word_of(setup::Finding::State state) {
  switch (state) {
    case setup::Finding::State::kGood:
      return "ok";
    case setup::Finding::State::kNote:
      return "note";
    case setup::Finding::State::kBad:
      return "bad";
  }
  return "";
}

bool has_bad(const std::vector<setup::Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(), [](const setup::Finding& finding) {
    return finding.state == setup::Finding::State::kBad;
  });
}

void print_findings(const std::vector<setup::Finding>& findings) {
  std::string area;
  for (const setup::Finding& finding : findings) {
    if (finding.area != area) std::printf("%s\n", base::printable(finding.area).c_str());
    area = finding.area;
    std::printf("  %-5s %-15s %s\n", word_of(finding.state), base::printable(finding.name).c_str(),
                base::printable(finding.text).c_str());
    if (finding.remedy.empty()) continue;
    std::printf("  %-5s %-15s do: %s\n", "", "", base::printable(finding.remedy).c_str());
  }
}

base::Json json_of(const std::vector<setup::Finding>& findings) {
  base::Json list = base::Json::array();
  for (const setup::Finding& finding : findings) {
    base::Json one{{"area", finding.area},
                   {"name", finding.name},
                   {"level", word_of(finding.state)},
                   {"text", finding.text},
                   {"remedy", base::or_null(finding.remedy)}};
    if (finding.details.is_object()) one.update(finding.details);
    list.push_back(std::move(one));
  }
  return list;
}

void print_findings_json(const std::vector<setup::Finding>& findings) {
  const base::Json json{{"good", !has_bad(findings)}, {"findings", json_of(findings)}};
  std::printf("%s", base::json_text(json).c_str());
}

void print_findings_json(const std::vector<setup::Finding>& findings, const fence::Offer& offer) {
  base::Json fence;
  fence["landlock"] = offer.landlock;
  fence["seccomp"] = offer.seccomp;
  fence["namespaces"] = !offer.bubblewrap.empty();
  fence["why_no_namespaces"] = base::or_null(offer.no_namespaces);
  fence["root"] = offer.root;
  base::Json json;
  json["can_run"] = !has_bad(findings);
  json["fence"] = fence;
  json["findings"] = json_of(findings);
  std::printf("%s", base::json_text(json).c_str());
}

int examine_records(bool json, const std::optional<std::string>& state) {
  const base::Result<std::string> state_dir = setup::state_dir_of(state);
  if (!state_dir) return report(state_dir.error());
  const std::vector<setup::Finding> findings = setup::check_records(*state_dir);
  json ? print_findings_json(findings) : print_findings(findings);
  return has_bad(findings) ? 1 : 0;
}

int examine(bool json, const std::optional<std::string>& state) {
  const base::Result<std::string> here = setup::resolve_folder(".");
  if (!here) return report(here.error());
  const base::Result<adapters::Registry> agents = setup::load_agents(setup::repository_of(*here));
  if (!agents) return report(agents.error());
  const fence::Offer offer = fence::find_offer();
  std::vector<setup::Finding> findings =
      setup::check_agents(*agents, setup::installed_versions(*agents));
  for (std::vector<setup::Finding>& more :
       std::vector{setup::check_managers(), setup::check_fence(offer),
                   setup::check_machine(setup::state_dir_of(state))}) {
    findings.insert(findings.end(), std::make_move_iterator(more.begin()),
                    std::make_move_iterator(more.end()));
  }
  json ? print_findings_json(findings, offer) : print_findings(findings);
  return has_bad(findings) ? 1 : 0;
}

}  // namespace

void add_doctor_command(CLI::App& app, Chosen& chosen) {
  struct Options {
    bool json = false, records = false;
    std::optional<std::string> state_dir;
  };
  CommandWith<Options> command(
      app, chosen, "doctor", "check this machine: agents, tools, and how to install missing ones",
      [](const Options& options) {
        return options.records ? examine_records(options.json, options.state_dir)
                               : examine(options.json, options.state_dir);
      });
  command.flag("--records", command->records,
               "check the records of all runs instead, and name the broken ones");
  command.flag("--json", command->json, "as JSON");
  command.state_dir();
  command.footer(
      "Agents with their versions and logins (that there is one; none is opened), tmux, zellij "
      "and\n"
      "docker, podman, the layers of the fence (docs/security.md), the state directory, /proc and "
      "control\n"
      "groups. Exit code 0: agents can be run; 1: something that is bad keeps them from it.\n"
      "With --records (docs/records.md) 1: something cannot be read. Nothing is changed.\n\n"
      "Example:\n  orch doctor || orch doctor --json | jq '.findings[] | select(.level == "
      "\"bad\")'");
}

}  // namespace orch::cli
