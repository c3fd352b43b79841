#include "sandbox/container_request.h"

#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "base/path.h"
#include "base/text.h"
#include "sandbox/labels.h"
#include "sandbox/leash.h"

namespace orch::sandbox {
namespace {

namespace fs = std::filesystem;

using base::usage_error;

constexpr std::string_view kLoginFolder = "/run/orch/login";

std::optional<std::string> resolved(const std::string& path) {
  std::error_code failure;
  fs::path real = fs::canonical(path, failure);
  if (failure) return std::nullopt;
  return real.string();
}

bool is_socket(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISSOCK(info.st_mode);
}

// The sockets of daemons: a process that may write to one can start a container as root, with all
// of this machine mounted in it.
std::vector<std::string> daemon_sockets() {
  std::vector<std::string> sockets;
  const auto add = [&sockets](const std::string& path) {
    if (std::optional<std::string> real = resolved(path)) sockets.push_back(std::move(*real));
  };
  for (const char* path : {"/run/docker.sock", "/var/run/docker.sock", "/run/podman/podman.sock",
                           "/run/containerd/containerd.sock", "/run/crio/crio.sock"}) {
    add(path);
  }
  constexpr std::string_view kUnix = "unix://";
  for (const char* variable : {"DOCKER_HOST", "CONTAINER_HOST"}) {
    const char* host = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe)
    if (host != nullptr && std::string_view(host).starts_with(kUnix)) add(host + kUnix.size());
  }
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");  // NOLINT(concurrency-mt-unsafe)
  if (runtime != nullptr) {
    add(std::string(runtime) + "/docker.sock");
    add(std::string(runtime) + "/podman/podman.sock");
  }
  return sockets;
}

// Why the file or folder must not be mounted into a container; "" if it may be.
std::string unmountable(const std::string& source) {
  if (is_socket(source)) return "is a socket: who can speak to a daemon is not shut in";
  for (const std::string& socket : daemon_sockets()) {
    if (base::is_within(socket, source)) {
      return "holds the socket of a daemon, " + base::printable(socket) +
             ": who can speak to that is root here";
    }
  }
  return "";
}

bool is_plain_target(const std::string& target) {
  return target.starts_with('/') && fs::path(target).lexically_normal() == fs::path(target) &&
         target != "/" && !target.ends_with('/');
}

bool is_one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

bool all_of(std::string_view text, std::string_view more) {
  return std::all_of(text.begin(), text.end(), [more](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || is_one_of(c, more);
  });
}

bool begins_plain(std::string_view text) {
  return !text.empty() && std::isalnum(static_cast<unsigned char>(text.front())) != 0;
}

bool is_number(std::string_view text, bool fraction) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  return error == std::errc() && rest == end && number > 0 &&
         (fraction || text.find('.') == std::string_view::npos);
}

std::string mount_word(const std::string& source, const std::string& target, bool read_only) {
  return csv_field("type=bind") + "," + csv_field("src=" + source) + "," +
         csv_field("dst=" + target) + (read_only ? ",readonly" : "");
}

void add_mount(std::vector<std::string>& words, const Mount& mount) {
  words.insert(words.end(), {"--mount", mount_word(mount.source, mount.target, mount.read_only)});
}

std::string login_place(size_t i) { return std::string(kLoginFolder) + "/" + std::to_string(i); }

void add_safety(std::vector<std::string>& words, const Engine& engine,
                const ContainerRequest& wanted) {
  // In a rootless engine root in the container is the user of the engine, and any other user in it
  // is a subordinate id on this machine. podman can map its user to the same number in the
  // container.
  const bool docker = engine.kind == EngineKind::kDocker;
  const std::string user = engine.rootless && docker
                               ? "0:0"
                               : std::to_string(wanted.user) + ":" + std::to_string(wanted.group);
  if (engine.rootless && !docker) words.insert(words.end(), {"--userns", "keep-id"});
  words.insert(words.end(), {"--user", user, "--cap-drop", "ALL", "--security-opt",
                             "no-new-privileges", "--network", wanted.network});
  if (wanted.limits.pids > 0) {
    words.insert(words.end(), {"--pids-limit", std::to_string(wanted.limits.pids)});
  }
  if (!wanted.limits.memory.empty()) words.insert(words.end(), {"--memory", wanted.limits.memory});
  if (!wanted.limits.cpus.empty()) words.insert(words.end(), {"--cpus", wanted.limits.cpus});
}

}  // namespace

std::string csv_field(std::string_view text) {
  std::string field = "\"";
  for (const char c : text) {
    if (c == '"') field += '"';
    field += c;
  }
  return field + "\"";
}

std::string source_of_mount(std::string text) {
  for (const std::string_view ending : {":ro", ":rw"}) {
    if (!text.ends_with(ending)) continue;
    text.resize(text.size() - ending.size());
    break;
  }
  const size_t colon = text.rfind(':');
  return colon == std::string::npos ? "" : text.substr(0, colon);
}

base::Result<Mount> parse_mount(const std::string& text) {
  const std::string what = "--mount " + base::printable(text) + ": ";
  Mount mount;
  std::string rest = text;
  for (const auto& [ending, read_only] : {std::pair{":ro", true}, std::pair{":rw", false}}) {
    if (!rest.ends_with(ending)) continue;
    mount.read_only = read_only;
    rest.resize(rest.size() - 3);
    break;
  }
  const size_t colon = rest.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == rest.size()) {
    return usage_error(what + "write SRC:DST or SRC:DST:ro");
  }
  mount.target = rest.substr(colon + 1);
  const std::optional<std::string> source = resolved(rest.substr(0, colon));
  if (!source) return usage_error(what + "there is no such file or folder");
  mount.source = *source;
  if (base::printable(mount.source + mount.target) != mount.source + mount.target) {
    return usage_error(what + "a control character in a path");
  }
  if (!is_plain_target(mount.target)) {
    return usage_error(what + "write the place in the container as an absolute path");
  }
  for (const std::string_view taken : {"/proc", "/sys", "/dev", "/run/orch"}) {
    if (base::is_within(mount.target, taken)) {
      return usage_error(what + std::string(taken) + " is not yours to replace");
    }
  }
  if (mount.target == kWorkspace || base::is_within(kWorkspace, mount.target)) {
    return usage_error(what + "the work directory is there");
  }
  if (const std::string why = unmountable(mount.source); !why.empty()) {
    return usage_error(what + "it " + why);
  }
  return mount;
}

base::Status check_limits(const Limits& limits) {
  if (!limits.memory.empty()) {
    std::string_view number = limits.memory;
    if (is_one_of(number.back(), "bkmgBKMG")) number.remove_suffix(1);
    if (!is_number(number, false)) {
      return usage_error("--memory " + base::printable(limits.memory) + ": write 512m or 4g");
    }
  }
  if (!limits.cpus.empty() && !is_number(limits.cpus, true)) {
    return usage_error("--cpus " + base::printable(limits.cpus) + ": write a number, as in 1.5");
  }
  if (limits.pids < 0) return usage_error("--pids-limit must be at least 0; 0 is no limit");
  return base::Ok{};
}

base::Status check_image_name(const std::string& image) {
  if (begins_plain(image) && all_of(image, "._-/:@")) return base::Ok{};
  return usage_error("--image " + base::printable(image) + ": this is not a name of an image");
}

base::Status check_container_name(const std::string& name) {
  if (begins_plain(name) && all_of(name, "._-")) return base::Ok{};
  return usage_error("--container " + base::printable(name) +
                     ": this is not a name of a container");
}

base::Status check_network(const std::string& network) {
  if (begins_plain(network) && all_of(network, "._-") && !is_number(network, false)) {
    return base::Ok{};
  }
  return usage_error("--net " + base::printable(network) +
                     ": of a container write none, bridge, host or the name of a network; ports "
                     "are for the fence");
}

base::Status check_work(const std::string& work) {
  const std::string what = base::printable(work) + " cannot be given to a container: ";
  if (const std::string why = unmountable(work); !why.empty())
    return usage_error(what + "it " + why);
  if (base::printable(work) != work) return usage_error(what + "a control character in its path");
  return base::Ok{};
}

std::vector<std::string> run_words(const Engine& engine, const ContainerRequest& wanted,
                                   const Start& start) {
  std::vector<std::string> words{engine.program, "run",          "--rm", "-i",     "--pull",
                                 "never",        "--log-driver", "none", "--name", start.name};
  std::map<std::string, std::string> labels = wanted.labels;
  labels.emplace(kOwnerLabel, start.owner);
  labels.emplace(kWorkLabel, wanted.work);
  for (const auto& [key, value] : labels) {
    words.insert(words.end(), {"--label", key + "=" + value});
  }
  if (!start.id_file.empty()) words.insert(words.end(), {"--cidfile", start.id_file});
  add_safety(words, engine, wanted);
  words.insert(words.end(), {"--tmpfs", std::string(kHome) + ":rw,exec,mode=1777", "--env",
                             "HOME=" + std::string(kHome), "--env", "LANG=C.UTF-8"});
  add_mount(words, {wanted.work, std::string(kWorkspace), false});
  for (const auto* mounts : {&wanted.mounts, &wanted.shown}) {
    for (const Mount& mount : *mounts) add_mount(words, mount);
  }
  for (size_t i = 0; i < wanted.logins.size(); ++i) {
    add_mount(words, {wanted.logins[i].source, login_place(i), true});
  }
  words.insert(words.end(), {"--workdir", std::string(kWorkspace), "--entrypoint", "sh",
                             wanted.image, "-c", leash_script(), "orch-leash", start.program, ""});
  for (size_t i = 0; i < wanted.logins.size(); ++i) {
    words.insert(words.end(), {login_place(i), wanted.logins[i].target});
  }
  return words;
}

std::vector<std::string> join_words(const Engine& engine, const std::string& name,
                                    const std::string& program, const std::string& mark) {
  return {engine.program, "exec",       "-i",    "--env", "ORCH_MARK=" + mark, name, "sh", "-c",
          leash_script(), "orch-leash", program, mark};
}

std::vector<std::string> end_own_words(const Engine& engine, const std::string& name,
                                       const std::string& mark) {
  return {engine.program, "exec", name, "sh", "-c", std::string(kEndOwn) + "mark=$1; end_own KILL",
          "orch-end",     mark};
}

}  // namespace orch::sandbox
