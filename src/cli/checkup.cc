#include "cli/checkup.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/fd.h"
#include "cli/paths.h"
#include "pty/program.h"

namespace orch::cli {
namespace {

using State = Finding::State;

Finding check_multiplexer(const std::string& name) {
  const base::Result<std::string> path = pty::find_program(name, environment("PATH"));
  if (path) return {State::kGood, "session managers", name, *path, "", {}};
  return {State::kNote,
          "session managers",
          name,
          "not installed",
          "install it, if sessions of -d are to run in it (--session-manager " + name + ")",
          {}};
}

// 0, or why nobody answers at a socket.
int reach(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return ENAMETOOLONG;
  std::memcpy(address.sun_path, path.data(), path.size());
  const base::Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return errno;
  const auto* any = reinterpret_cast<const sockaddr*>(&address);
  return ::connect(socket.get(), any, sizeof address) == 0 || errno == EAGAIN ? 0 : errno;
}

Finding check_docker() {
  Finding finding{State::kNote, "session managers", "docker", "not installed", "", {}};
  const base::Result<std::string> path = pty::find_program("docker", environment("PATH"));
  if (!path) return finding;
  constexpr std::string_view kUnix = "unix://";
  const std::string host = environment("DOCKER_HOST");
  if (!host.empty() && !host.starts_with(kUnix)) {
    finding.text = *path + ", by $DOCKER_HOST, which was not tried";
    return finding;
  }
  const std::string socket = host.empty() ? "/var/run/docker.sock" : host.substr(kUnix.size());
  const int error = reach(socket);
  finding.text = *path;
  if (error == 0) {
    finding.state = State::kGood;
    finding.text += ", its daemon answers";
    return finding;
  }
  finding.text += ", but " + socket + ": " + std::generic_category().message(error);
  finding.remedy = error == EACCES ? "join the group that may use the daemon: usermod -aG docker"
                                   : "start its daemon, if you need it: orch does not";
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
  return {check_multiplexer("tmux"), check_multiplexer("zellij"), check_docker()};
}

}  // namespace orch::cli
