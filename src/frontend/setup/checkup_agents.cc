#include <unistd.h>

#include <optional>

#include "adapters/capabilities.h"
#include "base/json.h"
#include "base/text.h"
#include "pty/program.h"
#include "setup/agents.h"
#include "setup/checkup.h"
#include "setup/paths.h"
#include "setup/versions.h"

namespace orch::setup {
namespace {

using adapters::Manifest;

// The place of a login, "$NAME" or a path; nullopt if none was found.
std::optional<std::string> visible_login(const adapters::LoginSpec& login) {
  for (const std::string& variable : login.variables) {
    if (!environment(variable.c_str()).empty()) return "$" + variable;
  }
  const auto variables = [](std::string_view name) {
    return environment(std::string(name).c_str());
  };
  for (const std::string& file : login.files) {
    std::optional<std::string> path = adapters::expanded(file, variables);
    if (path && ::access(path->c_str(), F_OK) == 0) return path;
  }
  return std::nullopt;
}

void add_remedy(Finding& finding, const std::string& remedy) {
  finding.state = Finding::State::kNote;
  finding.remedy += (finding.remedy.empty() ? "" : "; ") + remedy;
}

void check_version(const Manifest& agent, const std::string& version, Finding& finding) {
  const std::string tested = version_in(agent.tested);
  finding.text = version.empty() ? "says no version" : version;
  if (!agent.verified) {
    finding.text += ", its rules are from documentation";
    return add_remedy(finding, "do not believe its statuses unseen");
  }
  if (agent.version.empty()) return;
  if (version.empty()) {
    return add_remedy(
        finding, "look at what it says: " + agent.program.front() + " " + agent.version.front());
  }
  if (is_newer(version, tested)) {
    finding.text += ", newer than its rules (" + tested + ")";
    add_remedy(finding, "if a status looks wrong: orch explain");
  } else if (!tested.empty() && version != tested) {
    finding.text += ", older than its rules (" + tested + ")";
    add_remedy(finding, "update it to " + tested);
  }
}

void tell_call_check(const Manifest& agent, Finding& finding) {
  if (!agent.writes_files || !agent.idle_known) return;
  finding.text += agent.calls.any()
                      ? "; --approve reads its calls: " + adapters::hooks_of_calls(agent.calls)
                      : "; --approve reads its dialogs alone";
}

void check_login(const Manifest& agent, const std::optional<std::string>& login, Finding& finding) {
  if (!agent.login.any()) return;
  finding.text += login ? "; login: " + *login : "; no login to be seen";
  if (!login) add_remedy(finding, agent.login.how);
}

Finding check_agent(const Manifest& agent, const std::string& version) {
  Finding finding{Finding::State::kGood, "agents", agent.name, "part of orch", "", {}};
  if (agent.program.front() == kSelf) return finding;
  const base::Result<std::string> path =
      pty::find_program(agent.program.front(), environment("PATH"));
  finding.details = {{"installed", path.ok()},
                     {"path", nullptr},
                     {"version", nullptr},
                     {"tested", base::or_null(agent.tested)},
                     {"login", nullptr}};
  if (!path) {
    finding.state = Finding::State::kNote;
    finding.text = "not installed" + (agent.install.empty() ? "" : ": " + agent.install);
    return finding;
  }
  const std::optional<std::string> login = visible_login(agent.login);
  check_version(agent, version, finding);
  finding.text += ", " + *path;
  check_login(agent, login, finding);
  tell_call_check(agent, finding);
  finding.details["path"] = *path;
  finding.details["version"] = base::or_null(version);
  finding.details["login"] = base::or_null(login);
  return finding;
}

}  // namespace

std::vector<Finding> check_agents(const adapters::Registry& agents,
                                  const std::map<std::string, std::string>& versions) {
  std::vector<Finding> findings;
  bool any = false;
  for (const Manifest& agent : agents.all()) {
    if (agent.program.empty()) continue;
    const auto version = versions.find(agent.name);
    findings.push_back(check_agent(agent, version == versions.end() ? "" : version->second));
    any = any || (agent.program.front() != kSelf && is_installed(agent));
  }
  for (const adapters::BadManifest& bad : agents.bad()) {
    findings.push_back({Finding::State::kNote,
                        "agents",
                        bad.agent,
                        "its manifest cannot be used: " + bad.why,
                        "mend or remove " + base::printable(bad.path),
                        {}});
  }
  if (!any) {
    findings.push_back({Finding::State::kBad,
                        "agents",
                        "any",
                        "none is on the PATH",
                        "install one, as by npm install -g @anthropic-ai/claude-code, or mend "
                        "PATH; orch run demo needs none",
                        {}});
  }
  return findings;
}

}  // namespace orch::setup
