#include "fence/fence.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "fence/capabilities.h"
#include "fence/git_folders.h"
#include "fence/landlock.h"
#include "fence/namespaces.h"
#include "fence/places.h"
#include "fence/secrets.h"
#include "fence/sockets.h"
#include "fence/syscall_filter.h"
#include "store/file_io.h"

namespace orch::fence {
namespace {

constexpr std::array<std::string_view, 8> kDevices{"/dev/null",   "/dev/zero",    "/dev/full",
                                                   "/dev/random", "/dev/urandom", "/dev/tty",
                                                   "/dev/ptmx",   "/dev/pts"};

// What a program may need below /run: how names are resolved, and where some systems keep all
// their programs.
constexpr std::array<std::string_view, 4> kNeededOfRun{"/etc/resolv.conf", "/run/current-system",
                                                       "/run/wrappers", "/run/opengl-driver"};

// The variables that name a tool's cache, each in a folder of its own in the scratch folder.
constexpr std::array<std::pair<const char*, const char*>, 7> kCaches{{
    {"npm_config_cache", "npm"},
    {"CCACHE_DIR", "ccache"},
    {"PIP_CACHE_DIR", "pip"},
    {"UV_CACHE_DIR", "uv"},
    {"GOCACHE", "go-build"},
    {"CARGO_HOME", "cargo"},
    {"YARN_CACHE_FOLDER", "yarn"},
}};
constexpr size_t kMostSockets = 4 << 20;  // bytes of /proc/net/unix

void add_resolved(std::vector<std::string>& out, const std::string& path) {
  std::optional<std::string> real = resolved(path);
  if (real && std::find(out.begin(), out.end(), *real) == out.end()) {
    out.push_back(std::move(*real));
  }
}

bool any_holds(const std::vector<std::string>& folders, const std::string& path) {
  return std::any_of(folders.begin(), folders.end(),
                     [&path](const std::string& folder) { return is_within(path, folder); });
}

// Of /tmp the entry that leads to the path, of /run the path itself.
void add_visible(std::vector<std::string>& out, const std::string& path) {
  constexpr std::string_view kTmp = "/tmp/";
  const std::optional<std::string> real = resolved(path);
  if (!real) return;
  if (real->starts_with(kTmp))
    return add_resolved(out, real->substr(0, real->find('/', kTmp.size())));
  if (is_within(*real, "/run")) add_resolved(out, *real);
}

// Those that a process in the namespaces could still see, and that nobody grants.
std::vector<std::string> foreign_sockets(const Plan& plan, const Request& request) {
  const base::Result<std::string> table = store::read_file("/proc/net/unix", kMostSockets);
  std::vector<std::string> sockets;
  if (!table) return sockets;
  for (const std::string& path : bound_sockets(*table)) {
    const std::optional<std::string> real = resolved(path);
    if (!real || any_holds(plan.write, *real) || any_holds(request.answered, *real)) continue;
    sockets.push_back(*real);
  }
  return sockets;
}

void plan_environment(Plan& plan) {
  const std::string scratch = plan.layers.namespaces ? "/tmp" : plan.scratch;
  plan.env.emplace("TMPDIR", scratch);
  for (const auto& [variable, folder] : kCaches) {
    plan.env.emplace(variable, scratch + "/cache/" + folder);
  }
  // glibc asks for names by TCP, which can be held.
  if (plan.network.kind == Network::Kind::kPorts && !plan.network.datagrams) {
    plan.env.emplace("RES_OPTIONS", "use-vc");
  }
  plan.unset = {"DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS", "DOCKER_HOST"};
}

}  // namespace

Offer find_offer(const std::string& path) {
  Offer offer;
  offer.landlock = landlock_version();
  offer.seccomp = has_syscall_filter();
  offer.root = ::geteuid() == 0;
  base::Result<std::string> bubblewrap = find_bubblewrap(path);
  if (bubblewrap) {
    offer.bubblewrap = std::move(bubblewrap).value();
  } else {
    offer.no_namespaces = bubblewrap.error().text;
  }
  return offer;
}

std::string to_text(const Offer& offer) {
  std::string text =
      offer.landlock > 0 ? "Landlock " + std::to_string(offer.landlock) : "no Landlock";
  text += offer.seccomp ? ", seccomp" : ", no seccomp";
  text += offer.bubblewrap.empty() ? ", no namespaces (" + offer.no_namespaces + ")"
                                   : ", namespaces (bubblewrap)";
  return text;
}

std::string unfenceable(const std::string& work_dir, const std::string& home,
                        const std::string& state_dir) {
  for (const auto& [path, what] :
       {std::pair(home, "your home directory"), std::pair(state_dir, "orch's own records")}) {
    std::error_code failure;  // of what is not there yet, its place counts
    const std::string real = std::filesystem::weakly_canonical(path, failure).string();
    if (!path.empty() && !failure && is_within(real, work_dir)) {
      return work_dir + " holds " + what + ", so a fence around it would hold nothing";
    }
  }
  return {};
}

base::Result<Plan> make_plan(const Offer& offer, const Request& request) {
  constexpr int kHoldsPorts = 4;  // Landlock's version
  Plan plan;
  plan.layers = {offer.landlock > 0, offer.seccomp, !offer.bubblewrap.empty(), offer.root};
  plan.network = request.network;
  const bool limited = plan.network.kind != Network::Kind::kOpen;
  const bool holds_none = plan.network.kind == Network::Kind::kNone && plan.layers.namespaces;
  if (limited && !holds_none && (offer.landlock < kHoldsPorts || !offer.seccomp)) {
    return base::usage_error("--net " + to_text(plan.network) +
                             " cannot be held on this machine: " + to_text(offer));
  }
  if (limited && plan.network.kind == Network::Kind::kPorts) {
    constexpr uint16_t kNames = 53;
    plan.network.ports.push_back(kNames);
  }
  plan.bubblewrap = offer.bubblewrap;
  plan.work_dir = request.work_dir;
  plan.scratch = request.scratch;
  plan.snapshot = request.snapshot;
  add_resolved(plan.write, request.work_dir);
  for (const std::string& path : git_folders_of(request.work_dir)) add_resolved(plan.write, path);
  for (const std::string& path : request.write) add_resolved(plan.write, path);
  for (const std::string_view device : kDevices) add_resolved(plan.devices, std::string(device));
  std::vector<std::string> readable;
  for (const std::string& path : request.readable) add_resolved(readable, path);
  for (std::string& secret : secrets_of(request.home)) {
    if (!any_holds(readable, secret)) plan.secrets.push_back(std::move(secret));
  }
  for (const std::string& path : request.needed) add_visible(plan.visible, path);
  for (const std::string& path : request.answered) add_visible(plan.visible, path);
  for (const std::string_view path : kNeededOfRun) add_visible(plan.visible, std::string(path));
  if (plan.layers.namespaces) plan.sockets = foreign_sockets(plan, request);
  if (plan.layers.any()) plan_environment(plan);
  return plan;
}

base::Status enter(const Plan& plan) {
  if (!plan.layers.any()) return base::Ok{};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return base::system_error("fence: no_new_privs", errno);
  }
  if (plan.layers.capabilities) {
    if (base::Status s = drop_capabilities(); !s) return s;
  }
  if (plan.layers.landlock) {
    if (base::Status s = restrict_with_landlock(plan); !s) return s;
  }
  if (plan.layers.seccomp) return filter_syscalls(plan);
  return base::Ok{};
}

}  // namespace orch::fence
