#include "script_agent.h"

namespace orch::e2e {
namespace {

constexpr const char* kBegin = R"(message=$(cat)
say() { printf '{"say":"%s"}\n' "$1"; }
finish() { say "${1:-Done.}\n\nLOOP_COMPLETE"; printf '{"end":1,"in":90,"out":10}\n'; }
limit() { printf '{"fail":"usage limit reached"}\n{"end":1}\n'; exit 1; }
printf '{"session":"s1"}\n'
)";

}  // namespace

void install_agent(const Workspace& workspace, const std::string& name, const std::string& script) {
  const std::string path = workspace.write(name + ".sh", kBegin + script + "\n");
  const Json headless = {{"arguments", {path, "{resume}", "{options}"}},
                         {"resume", {"--resume", "{}"}},
                         {"lines",
                          {{{"is", "session"}, {"when", {{"/session", "*"}}}, {"id", "/session"}},
                           {{"is", "words"}, {"when", {{"/say", "*"}}}, {"text", "/say"}},
                           {{"is", "failure"}, {"when", {{"/fail", "*"}}}, {"text", "/fail"}},
                           {{"is", "end"},
                            {"when", {{"/end", "*"}}},
                            {"usage", {{"in", {"/in"}}, {"out", {"/out"}}}}}}},
                         {"causes", {{{"match", "limit"}, {"cause", "rate_limit"}}}}};
  const Json manifest = {{"manifest", 1},
                         {"name", name},
                         {"title", name},
                         {"program", {"/bin/sh"}},
                         {"headless", headless}};
  workspace.write("home/.config/orch/adapters/" + name + ".json", manifest.dump());
}

}  // namespace orch::e2e
