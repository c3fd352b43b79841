#include "fence/fence.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "fence/capabilities.h"
#include "fence/landlock.h"
#include "fence/mounts.h"
#include "fence/namespaces.h"
#include "fence/places.h"
#include "fence/sockets.h"
#include "fence/syscall_filter.h"
#include "fence/work_places.h"
#include "store/file_io.h"

namespace orch::fence {
namespace {

constexpr std::array<std::string_view, 8> kDevices{"/dev/null",   "/dev/zero",    "/dev/full",
                                                   "/dev/random", "/dev/urandom", "/dev/tty",
                                                   "/dev/ptmx",   "/dev/pts"};

// Paths that programs may need below /run: the configuration for resolving names, and on some
// systems all programs.
constexpr std::array<std::string_view, 4> kNeededOfRun{"/etc/resolv.conf", "/run/current-system",
                                                       "/run/wrappers", "/run/opengl-driver"};

// Variables that name a tool's cache; each gets a folder of its own in the scratch folder.
constexpr std::array<std::pair<const char*, const char*>, 7> kCaches{{
    {"npm_config_cache", "npm"},
    {"CCACHE_DIR", "ccache"},
    {"PIP_CACHE_DIR", "pip"},
    {"UV_CACHE_DIR", "uv"},
    {"GOCACHE", "go-build"},
    {"CARGO_HOME", "cargo"},
    {"YARN_CACHE_FOLDER", "yarn"},
}};
constexpr size_t kMostSockets = 4 << 20;  // bytes of /proc/net/unix that are read

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

// Adds the entry that makes a path visible: in /tmp the topmost one that leads to it, in /run the
// path itself.
void add_visible(std::vector<std::string>& out, const std::string& path) {
  constexpr std::string_view kTmp = "/tmp/";
  const std::optional<std::string> real = resolved(path);
  if (!real) return;
  if (real->starts_with(kTmp))
    return add_resolved(out, real->substr(0, real->find('/', kTmp.size())));
  if (is_within(*real, "/run")) add_resolved(out, *real);
}

// Sockets that a process in the namespaces could still see and that are not granted.
std::vector<std::string> foreign_sockets(const Plan& plan, const Request& request) {
  const base::Result<std::string> table = store::read_file("/proc/net/unix", kMostSockets);
  std::vector<std::string> sockets, granted;
  if (!table) return sockets;
  for (const Grant& grant : plan.write) granted.push_back(grant.path);
  const std::vector<Mount> mounts = mounts_of_this_process();
  for (const std::string& path : bound_sockets(*table)) {
    const std::optional<std::string> real = resolved(path);
    if (!real || any_holds(granted, *real) || any_holds(request.answered, *real)) continue;
    sockets.push_back(*real);
    for (std::string& name : other_names(mounts, *real)) sockets.push_back(std::move(name));
  }
  return sockets;
}

void plan_environment(Plan& plan) {
  const std::string scratch = plan.layers.namespaces ? "/tmp" : plan.scratch;
  plan.env.emplace("TMPDIR", scratch);
  for (const auto& [variable, folder] : kCaches) {
    plan.env.emplace(variable, scratch + "/cache/" + folder);
  }
  // glibc is made to resolve names by TCP, which can be limited to a port.
  if (plan.network.kind == Network::Kind::kPorts && !plan.network.datagrams) {
    plan.env.emplace("RES_OPTIONS", "use-vc");
  }
  plan.unset = {"DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS", "DOCKER_HOST"};
}

}  // namespace

Offer find_offer() {
  Offer offer;
  offer.landlock = landlock_version();
  offer.seccomp = has_syscall_filter();
  offer.root = ::geteuid() == 0;
  base::Result<std::string> bubblewrap = find_bubblewrap();
  if (bubblewrap) {
    offer.bubblewrap = std::move(bubblewrap).value();
  } else {
    offer.no_namespaces = bubblewrap.error().text;
    offer.refused = bubblewrap.error().code == base::ErrorCode::kUsage;
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

namespace {

// Adds grants for those of the paths that exist.
base::Status add_grants(const std::vector<std::string>& paths, const Guarded& guarded,
                        std::vector<Grant>& out) {
  for (const std::string& path : paths) {
    if (!resolved(path)) continue;
    base::Result<Grant> granted = grant_as_decided(path, guarded);
    if (!granted) return granted.error();
    if (std::find(out.begin(), out.end(), *granted) == out.end()) {
      out.push_back(std::move(granted).value());
    }
  }
  return base::Ok{};
}

bool holds_one_of(const std::string& path, const std::vector<std::string>& homes) {
  return std::any_of(homes.begin(), homes.end(), [&path](const std::string& home) {
    return is_within(resolved(home).value_or(home), path);
  });
}

void plan_secrets(const Request& request, Plan& plan) {
  std::vector<std::string> homes = request.guarded.homes;
  homes.insert(homes.end(), request.homes.begin(), request.homes.end());
  // The agent's own home is not needed: if it was declared a place of secrets, it shall be closed.
  std::vector<std::string> needed = request.guarded.homes;
  needed.push_back(plan.work_dir.path);
  needed.push_back(plan.scratch);
  plan.secrets = secret_places(homes, request.variables, needed);
  // A file that the user lets an agent write may also be read. This does not apply to the work
  // directory's secrets, which the user has not named, to the keys in a home that is named as a
  // whole, or to a path that has become a link since the decision.
  std::vector<std::string> readable;
  for (const auto* paths : {&request.readable, &request.write}) {
    std::copy_if(paths->begin(), paths->end(), std::back_inserter(readable),
                 [&homes](const std::string& path) {
                   return resolved(path) == path && !holds_one_of(path, homes);
                 });
  }
  open_up(plan.secrets, readable);
}

void plan_homes(const Request& request, Plan& plan) {
  HomeRequest wanted;
  wanted.homes = request.guarded.homes;
  wanted.homes.insert(wanted.homes.end(), request.homes.begin(), request.homes.end());
  wanted.persons = request.guarded.homes;
  wanted.persons.insert(wanted.persons.end(), request.persons.begin(), request.persons.end());
  wanted.variables = request.persons_variables;
  wanted.programs = request.programs;
  wanted.shown = request.shown;
  wanted.shown.insert(wanted.shown.end(), request.answered.begin(), request.answered.end());
  wanted.followed = request.followed;
  const std::string& state_dir = request.guarded.state_dir;
  if (!state_dir.empty()) {
    wanted.homes.push_back(state_dir);  // wherever it is: other runs' records are in there
    wanted.written = [places = WorkPlaces(state_dir)](const std::string& folder) {
      return !places.holding(folder).is_absent();
    };
  }
  wanted.named = request.readable;
  for (const Grant& grant : plan.write) wanted.granted.push_back(grant.path);
  plan.homes = view_of_homes(wanted, plan.secrets);
}

}  // namespace

base::Result<Plan> make_plan(const Offer& offer, const Request& request) {
  constexpr int kHoldsPorts = 4;  // the version of Landlock that can limit ports
  Plan plan;
  plan.layers = {offer.landlock > 0, offer.seccomp, !offer.bubblewrap.empty(), offer.root};
  plan.network = request.network;
  const bool limited = plan.network.kind != Network::Kind::kOpen;
  const bool is_model = plan.network.kind == Network::Kind::kModel;
  const bool apart = plan.network.kind == Network::Kind::kNone || is_model;
  const bool holds_none = apart && plan.layers.namespaces;
  if (limited && !holds_none && (is_model || offer.landlock < kHoldsPorts || !offer.seccomp)) {
    return base::usage_error("--net " + to_text(plan.network) +
                             " cannot be held on this machine: " + to_text(offer));
  }
  if (limited && plan.network.kind == Network::Kind::kPorts) {
    constexpr uint16_t kNames = 53;
    plan.network.ports.push_back(kNames);
  }
  plan.door = request.door;
  plan.exit_port = request.exit_port;
  plan.bubblewrap = offer.bubblewrap;
  plan.scratch = resolved(request.scratch).value_or(request.scratch);
  plan.snapshot = request.snapshot;
  plan.snapshot_needed = request.snapshot_needed;
  if (plan.layers.any()) {
    base::Result<Grant> work = grant_as_decided(request.work_dir, request.guarded);
    if (!work) return work.error();
    plan.work_dir = std::move(work).value();
    plan.write.push_back(plan.work_dir);
    for (const auto* paths : {&request.git, &request.write}) {
      if (base::Status s = add_grants(*paths, request.guarded, plan.write); !s) return s.error();
    }
  } else {
    plan.work_dir.path = request.work_dir;  // without layers nothing is granted
  }
  for (const std::string_view device : kDevices) add_resolved(plan.devices, std::string(device));
  if (plan.layers.any()) plan_secrets(request, plan);
  if (plan.layers.any() && request.empties_homes) plan_homes(request, plan);
  for (const std::string& path : request.needed) add_visible(plan.visible, path);
  for (const std::string& path : request.answered) add_visible(plan.visible, path);
  for (const std::string_view path : kNeededOfRun) add_visible(plan.visible, std::string(path));
  if (plan.layers.namespaces) plan.sockets = foreign_sockets(plan, request);
  if (plan.layers.any()) plan_environment(plan);
  return plan;
}

base::Status check_place(const Plan& plan) {
  if (!plan.layers.any()) return base::Ok{};
  struct stat here {};
  if (::stat(".", &here) != 0) return base::system_error("fence: the working directory", errno);
  if (here.st_dev == plan.work_dir.device && here.st_ino == plan.work_dir.inode) return base::Ok{};
  return base::usage_error("fence: the working directory is not " +
                           base::printable(plan.work_dir.path) + " as it was granted");
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
