#include "setup/container_options.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <utility>

#include "adapters/capabilities.h"
#include "base/path.h"
#include "base/text.h"
#include "fence/grant.h"
#include "fence/places.h"
#include "fence/work_places.h"
#include "sandbox/exec_words.h"
#include "sandbox/run_container.h"
#include "setup/agent_launch.h"
#include "setup/own_programs.h"
#include "setup/paths.h"
#include "store/issue_name.h"

namespace orch::setup {
namespace {

using base::Result;
using base::Status;
using base::usage_error;

// Chooses the user inside the container: the caller, or, for root, the owner of the work directory,
// so that the agent's files stay theirs.
Status choose_user(const std::string& work, sandbox::ContainerRequest& wanted) {
  wanted.user = ::geteuid();
  wanted.group = ::getegid();
  if (wanted.user != 0) return base::Ok{};
  struct stat owner {};
  if (::stat(work.c_str(), &owner) != 0) return base::system_error("stat " + work, errno);
  wanted.user = owner.st_uid;
  wanted.group = owner.st_gid;
  return base::Ok{};
}

// Adds the files that log the agent in, with their paths here and in the container.
void add_logins(const adapters::Manifest& agent, sandbox::ContainerRequest& wanted,
                std::vector<std::string>& notes) {
  const auto here = [](std::string_view name) { return environment(std::string(name).c_str()); };
  const auto there = [](std::string_view name) {
    return name == "HOME" ? std::string(sandbox::kHome) : std::string();
  };
  for (const std::string& file : agent.login.files) {
    const std::optional<std::string> source = adapters::expanded(file, here);
    const std::optional<std::string> target = adapters::expanded(file, there);
    if (!source || !target) continue;
    // An agent may have put a link into its own folder.
    const Result<std::string> real = named_place(*source);
    if (!real && real.error().code == base::ErrorCode::kUsage) notes.push_back(real.error().text);
    struct stat info {};
    if (!real || ::stat(real->c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    const bool readable = (info.st_uid == wanted.user && (info.st_mode & S_IRUSR) != 0) ||
                          (info.st_mode & S_IROTH) != 0;
    if (!readable) {
      notes.push_back(base::printable(*source) + " cannot be read by user " +
                      std::to_string(wanted.user) + ", who the agent is in the container");
      continue;
    }
    wanted.logins.push_back({*real, *target, true});
  }
}

Status add_mounts(const options::RunRequest& request, sandbox::ContainerRequest& wanted) {
  for (const std::string& text : request.mounts) {
    if (Status s = check_links(sandbox::source_of_mount(text)); !s) {
      return usage_error("--mount " + s.error().text);
    }
    Result<sandbox::Mount> mount = sandbox::parse_mount(text);
    if (!mount) return mount.error();
    wanted.mounts.push_back(std::move(mount).value());
  }
  return base::Ok{};
}

// Adds the folders that git keeps outside of a worktree. git refers to them by their paths on this
// machine.
Status add_git_folders(const std::string& state_dir, sandbox::ContainerRequest& wanted) {
  const Result<std::vector<std::string>> folders =
      fence::WorkPlaces(state_dir).git_folders(wanted.work);
  if (!folders) return folders.error();
  for (const std::string& folder : *folders) wanted.mounts.push_back({folder, folder, false});
  return base::Ok{};
}

// Grants the agent's writable folders by the same rules as the fence.
Status check_grants(const sandbox::ContainerRequest& wanted, const std::string& state_dir) {
  const fence::Guarded guarded = guarded_here(state_dir);
  if (const auto work = fence::grant_as_decided(wanted.work, guarded); !work) {
    return usage_error(work.error().text + "; name another one with --cwd");
  }
  for (const sandbox::Mount& mount : wanted.mounts) {
    if (mount.read_only && fence::resolved(mount.source) != mount.source) {
      return usage_error("--mount: " + base::printable(mount.source) + " is a link by now");
    }
    if (mount.read_only) continue;
    if (const auto granted = fence::grant_as_decided(mount.source, guarded); !granted) {
      return usage_error("--mount: " + granted.error().text);
    }
  }
  return base::Ok{};
}

Result<ContainerPlan> join(const options::RunRequest& request, sandbox::Engine engine,
                           const std::string& cwd, const std::string& state_dir) {
  if (!request.image.empty() || !request.mounts.empty() || request.network ||
      !request.memory.empty() || !request.cpus.empty() || request.pids_limit) {
    return usage_error(
        "--container joins one that stands: --image, --mount, --net, --memory, --cpus and "
        "--pids-limit are for a new one");
  }
  if (Status s = sandbox::check_container_name(request.container); !s) return s.error();
  Result<sandbox::Running> running = sandbox::find_running(engine, request.container);
  if (!running) return running.error();
  if (!base::is_within(cwd, running->work)) {
    return usage_error("--container " + request.container + " has the work directory " +
                       base::printable(running->work) + ", and " + base::printable(cwd) +
                       " is not in it: name one with --cwd");
  }
  ContainerPlan plan;
  plan.state_dir = state_dir;
  plan.engine = std::move(engine);
  plan.joined = request.container;
  plan.wanted.work = running->work;
  plan.wanted.network = running->network;
  plan.wanted.user = running->user.starts_with("0") ? 0 : 1;  // only root or not matters
  return plan;
}

// Where this orch cannot run, no hook can ask it. A headless agent may do everything only because
// its hook asks first.
Status check_foreign(const options::RunRequest& request, const adapters::Manifest& agent,
                     bool foreign, std::vector<std::string>& notes) {
  if (!foreign || !checks_calls(request, agent)) return base::Ok{};
  const std::string why = "--image " + base::printable(request.image) +
                          " is for another kind of processor, so that orch cannot run in it";
  if (request.mode == "headless" && request.approve != "all") {
    return usage_error(why + ", and --approve " + base::printable(request.approve) +
                       " not be asked about each call: take another image");
  }
  notes.push_back(why + ": --approve reads the agent's dialogs alone");
  return base::Ok{};
}

}  // namespace

bool wants_container(const options::RunRequest& request) {
  return sandbox::engine_named(request.sandbox).has_value();
}

Result<ContainerPlan> container_of(const options::RunRequest& request,
                                   const adapters::Manifest& agent, const std::string& cwd,
                                   const std::string& work, const std::string& state_dir,
                                   std::vector<std::string>& notes) {
  const std::optional<sandbox::EngineKind> kind = sandbox::engine_named(request.sandbox);
  ORCH_CHECK(kind.has_value());
  if (!request.write.empty() || !request.read.empty()) {
    return usage_error("--write and --read are for the fence: write --mount SRC:DST[:ro] with " +
                       ("--sandbox " + request.sandbox));
  }
  ContainerPlan plan;
  plan.state_dir = state_dir;
  plan.wanted.image = request.image;
  plan.wanted.work = work;
  plan.wanted.network = request.network.value_or(plan.wanted.network);
  if (plan.wanted.network == "model" || plan.wanted.network.starts_with("model,")) {
    return usage_error("--net " + plan.wanted.network +
                       " is for a fence; a container's network of that name is network:model");
  }
  constexpr std::string_view kByName = "network:";
  if (plan.wanted.network.starts_with(kByName)) plan.wanted.network.erase(0, kByName.size());
  plan.wanted.limits.memory = request.memory;
  plan.wanted.limits.cpus = request.cpus;
  plan.wanted.limits.pids = request.pids_limit.value_or(plan.wanted.limits.pids);
  const bool joins = !request.container.empty();
  if (!joins && request.image.empty()) {
    return usage_error("--sandbox " + request.sandbox +
                       " makes a container of an image: name one with --image");
  }
  if (!joins) {  // check these before the engine is asked
    for (const Status& s :
         {sandbox::check_image_name(request.image), sandbox::check_network(plan.wanted.network),
          sandbox::check_limits(plan.wanted.limits), choose_user(work, plan.wanted),
          sandbox::check_work(work), add_mounts(request, plan.wanted)}) {
      if (!s) return s.error();
    }
    if (Status s = check_grants(plan.wanted, state_dir); !s) return s.error();
    // If the agent's folder is not a repository any more, the repository around it is another
    // grant.
    if (const auto git = fence::WorkPlaces(state_dir).git_folders(cwd); !git) return git.error();
  }
  Result<sandbox::Engine> engine = sandbox::find_engine(*kind);
  if (!engine) return engine.error();
  if (joins) return join(request, std::move(engine).value(), cwd, state_dir);
  plan.engine = std::move(engine).value();
  const Result<sandbox::Image> image = sandbox::find_image(plan.engine, request.image);
  if (!image) return image.error();
  plan.foreign = image->foreign;
  if (Status s = check_foreign(request, agent, plan.foreign, notes); !s) return s.error();
  add_logins(agent, plan.wanted, notes);
  if (Status s = add_git_folders(state_dir, plan.wanted); !s) return s.error();
  return plan;
}

Status suit_container(const ContainerPlan& plan, const adapters::Manifest& agent,
                      adapters::LaunchPlan& launch) {
  for (const auto& [name, value] : launch.env) {
    if (Status s = sandbox::check_variable(name); !s) return s;
  }
  // Without them it could not reach its model.
  for (const std::string& name : agent.login.variables) {
    const std::string value = environment(name.c_str());
    if (!value.empty()) launch.env.emplace(name, value);
  }
  if (!agent.root_bypass.empty()) launch.env.emplace(agent.root_bypass, "1");
  if (plan.wanted.user != 0 && !plan.engine.rootless) return base::Ok{};
  const auto variables = [&launch](std::string_view name) {
    const auto found = launch.env.find(std::string(name));
    return found == launch.env.end() ? std::string() : found->second;
  };
  return adapters::check_root_bypass(agent, launch.argv, variables);
}

Status enclose(const ContainerPlan& plan, session::SessionSetup& session) {
  using Talk = session::Enclosure::Talk;
  sandbox::ContainerRequest wanted = plan.wanted;
  if (plan.joined.empty()) {  // earlier runs may have changed the grants
    if (Status s = check_grants(wanted, plan.state_dir); !s) return s;
  }
  const fence::WorkPlaces places(plan.state_dir);
  for (const std::string& folder : {wanted.work, session.cwd}) {
    if (const auto git = places.remember_git_folders(folder); !git) return git.error();
  }
  if (session.worktree && plan.joined.empty()) {
    wanted.work = session.worktree->path;
    if (Status s = add_git_folders(plan.state_dir, wanted); !s) return s;
  }
  const bool drawn = session.mode == session::Mode::kInteractive;
  const std::string work = wanted.work;
  auto container = std::make_shared<sandbox::RunContainer>(sandbox::RunContainer::Plan{
      .engine = plan.engine,
      .name = plan.joined.empty() ? sandbox::new_container_name(session.issue) : plan.joined,
      .wanted = std::move(wanted),
      .joins = !plan.joined.empty(),
      .session = store::session_name(session.issue),
      .run_program = session.launch.argv.front()});
  session.source = sandbox::RunContainer::source(
      container, {.source = drawn ? session::native_source : session::headless_source,
                  .talk = drawn ? Talk::kTerminal : Talk::kPipes});
  session.enclosure = std::move(container);
  // The pipe for notices is not in the container, and a task's container has no files of the run's.
  session.hook_program.clear();
  if (plan.foreign || !plan.joined.empty()) session.plan.check_calls = false;
  session.plan.work_dir =
      sandbox::RunContainer::place_of(session.cwd, work).value_or(std::string(sandbox::kWorkspace));
  session.plan.held = policy::Held::kByFence;
  return base::Ok{};
}

}  // namespace orch::setup
