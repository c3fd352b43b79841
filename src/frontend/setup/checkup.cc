#include "setup/checkup.h"

#include "base/own_program.h"
#include "sandbox/engine.h"

namespace orch::setup {
namespace {

using State = Finding::State;

Finding check_multiplexer(const std::string& name) {
  const base::Result<std::string> path = base::own_program(name);
  if (path) return {State::kGood, "session managers", name, *path, "", {}};
  if (path.error().code != base::ErrorCode::kNotFound) {
    return {State::kNote, "session managers", name, path.error().text, "", {}};
  }
  return {State::kNote,
          "session managers",
          name,
          "not installed",
          "install it, if sessions of -d are to run in it (--session-manager " + name + ")",
          {}};
}

// This runs the engine's client, because only the client knows where the user's daemon is.
Finding check_engine(sandbox::EngineKind kind) {
  Finding finding{State::kNote,
                  "session managers",
                  std::string(sandbox::name(kind)),
                  "not installed",
                  "install it, if agents are to work in its containers (--sandbox " +
                      std::string(sandbox::name(kind)) + ")",
                  {}};
  const std::optional<sandbox::Engine> client = sandbox::find_client(kind);
  if (!client) return finding;
  const base::Result<sandbox::Engine> engine = sandbox::find_engine(kind);
  finding.text = client->program;
  if (engine) {
    finding.state = State::kGood;
    finding.remedy.clear();
    finding.text +=
        engine->rootless ? ", its daemon answers, without root" : ", its daemon answers";
    return finding;
  }
  finding.text += ", but " + engine.error().text;
  finding.remedy =
      "start its daemon, or join the group that may use it (usermod -aG docker), if agents are to "
      "work in its containers";
  return finding;
}

std::string landlock_text(int version) {
  constexpr int kWithPorts = 4, kWithScopes = 6;
  if (version <= 0) return "no: the kernel has none, or it is switched off (lsm=)";
  std::string text = "version " + std::to_string(version) + ": files";
  if (version >= kWithPorts) text += ", TCP ports";
  if (version >= kWithScopes) text += ", signals, abstract sockets";
  return text;
}

Finding layer(const std::string& name, bool there, const std::string& text,
              const std::string& remedy) {
  return {there ? State::kGood : State::kNote, "fence", name, text, there ? "" : remedy, {}};
}

}  // namespace

std::vector<Finding> check_fence(const fence::Offer& offer) {
  const bool namespaces = !offer.bubblewrap.empty();
  std::vector<Finding> findings;
  findings.push_back(layer("landlock", offer.landlock > 0, landlock_text(offer.landlock),
                           "boot a kernel of 5.13 or newer with landlock among lsm="));
  findings.push_back(layer("seccomp", offer.seccomp, offer.seccomp ? "yes" : "no",
                           "boot a kernel with CONFIG_SECCOMP_FILTER"));
  findings.push_back(layer(
      "namespaces", namespaces,
      namespaces ? "by " + offer.bubblewrap +
                       ": modes and owners of files outside, processes, sockets, no network"
                 : "no: " + offer.no_namespaces,
      "install bubblewrap (bwrap) and allow user namespaces: without them an agent can change "
      "modes and times of files outside, and reach services by their sockets"));
  findings.push_back(
      {State::kGood,
       "fence",
       "user",
       offer.root ? "root: its capabilities are dropped, but for those over files" : "not root",
       "",
       {}});
  if (!offer.any()) {
    findings.push_back({State::kNote,
                        "fence",
                        "any",
                        "nothing here can fence an agent: --approve all needs --sandbox none",
                        "mend one of landlock and namespaces",
                        {}});
  }
  return findings;
}

std::vector<Finding> check_managers() {
  return {check_multiplexer("tmux"), check_multiplexer("zellij"),
          check_engine(sandbox::EngineKind::kDocker), check_engine(sandbox::EngineKind::kPodman)};
}

}  // namespace orch::setup
