#include "session/agent_fence.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/own_program.h"
#include "base/text.h"
#include "fence/places.h"
#include "fence/work_places.h"
#include "pty/program.h"
#include "session/git_files.h"
#include "session/watched_places.h"
#include "store/atomic_file.h"
#include "store/file_io.h"
#include "store/folder.h"
#include "store/state_file.h"

namespace orch::session {

namespace fs = std::filesystem;
using adapters::FenceSpec;

namespace {

std::string own_value(std::string_view name) {
  return std::string(value_in(own_environment(), name));
}

std::string folder_of(const std::string& path) { return fs::path(path).parent_path().string(); }

// Adds the agent's program, its folder, and the file that its link leads to: npm's packages lie
// next to their links.
void add_program(std::vector<std::string>& needed, const std::string& name, const std::string& path,
                 const std::string& cwd) {
  const base::Result<std::string> file = pty::find_program(name, path);
  if (!file) return;
  const std::string absolute = (fs::path(cwd) / *file).string();
  needed.push_back(absolute);
  needed.push_back(folder_of(absolute));
  if (const auto real = fence::resolved(absolute)) needed.push_back(*real);
}

// The path of one of the agent's own files or folders; nullopt if a symbolic link leads to it that
// the agent could have put into one of its folders.
std::optional<std::string> own_file(const std::string& path,
                                    const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    if (!fence::is_within(path, folder) || path == folder) continue;
    const base::Result<fence::Grant> root = fence::grant(folder, {});
    const base::Result<fence::Grant> file =
        root ? fence::grant_beneath(*root, path.substr(folder.size() + 1)) : root;
    return file ? std::optional(file->path) : std::nullopt;
  }
  return fence::resolved(path);
}

// Whether the word is the name of a program that runs the file after it.
bool is_interpreter(std::string_view word) {
  constexpr std::array<std::string_view, 13> kNames{"sh",   "bash", "dash",   "zsh", "ksh",
                                                    "node", "deno", "bun",    "env", "python",
                                                    "ruby", "perl", "python3"};
  word.remove_prefix(word.rfind('/') + 1);
  return std::find(kNames.begin(), kNames.end(), word) != kNames.end() ||
         word.starts_with("python3.");
}

// The agent's program; if that is an interpreter, also the program that it runs. Absolute paths.
std::vector<std::string> programs_of(const std::vector<std::string>& argv, const std::string& path,
                                     const std::string& cwd) {
  std::vector<std::string> programs;
  if (const base::Result<std::string> file = pty::find_program(argv.front(), path)) {
    programs.push_back((fs::path(cwd) / *file).string());
  }
  if (!is_interpreter(argv.front())) return programs;
  const auto script = std::find_if(argv.begin() + 1, argv.end(), [](const std::string& word) {
    return !word.starts_with('-') && !is_interpreter(word);
  });
  if (script != argv.end() && script->starts_with('/')) programs.push_back(*script);
  return programs;
}

// The files that options of the command line name: "--settings FILE", "--settings=FILE".
std::vector<std::string> files_of_options(const std::vector<std::string>& argv) {
  std::vector<std::string> files;
  const auto add = [&files](const std::string& word) {
    std::error_code failure;
    if (word.starts_with('/') && fs::is_regular_file(word, failure)) files.push_back(word);
  };
  for (size_t i = 1; i < argv.size(); ++i) {
    const size_t equals = argv[i].find('=');
    if (argv[i].starts_with("--") && equals != std::string::npos) add(argv[i].substr(equals + 1));
    if (argv[i - 1].starts_with("--")) add(argv[i]);
  }
  return files;
}

// The work folder of the repository around a folder; nullopt: there is none.
std::optional<std::string> repository_around(const std::string& folder) {
  std::error_code failure;
  for (fs::path at = folder; at.has_relative_path(); at = at.parent_path()) {
    if (fs::exists(fs::symlink_status(at / ".git", failure))) return at.string();
  }
  return std::nullopt;
}

// Adds the agent's own folders and files as its manifest names them, and the parts of the home that
// it may read. Creates the folders if there is to be a fence.
base::Status add_own_places(const FenceSpec& spec, const adapters::Variables& variables,
                            bool fenced, fence::Request& request) {
  std::vector<std::string> folders;
  for (const std::string& folder : spec.folders) {
    const std::optional<std::string> path = adapters::expanded(folder, variables);
    if (!path || !fenced) continue;
    if (base::Status s = store::create_folders(*path); !s) return s;
    folders.push_back(*path);
  }
  for (const std::string& folder : folders) {
    if (const auto real = own_file(folder, folders)) request.write.push_back(*real);
  }
  for (const std::string& name : spec.files) {
    const std::optional<std::string> path = adapters::expanded(name, variables);
    const std::optional<std::string> file = path ? own_file(*path, folders) : std::nullopt;
    if (file) request.write.push_back(*file);
  }
  for (const std::string& name : spec.secrets) {
    const std::optional<std::string> path = adapters::expanded(name, variables);
    const std::optional<std::string> file = path ? own_file(*path, folders) : std::nullopt;
    if (file) request.readable.push_back(*file);
  }
  for (const std::string& name : spec.reads) {
    const std::optional<std::string> path = adapters::expanded(name, variables);
    if (path) request.followed.push_back(*path);
  }
  return base::Ok{};
}

}  // namespace

base::Result<std::unique_ptr<AgentFence>> AgentFence::raise(const FenceRequest& wanted,
                                                            const FenceSpec& spec,
                                                            const FenceFiles& dir,
                                                            const FencedAgent& agent) {
  base::Result<store::TemporaryFolder> scratch = store::TemporaryFolder::make(dir.id());
  if (!scratch) return base::Error{scratch.error().code, "fence: " + scratch.error().text};
  std::unique_ptr<AgentFence> fence(new AgentFence("/proc/self/exe", std::move(scratch).value()));
  const auto variables = [&agent](std::string_view name) {
    return std::string(value_in(agent.persons_environment, name));
  };
  const std::string& cwd = agent.cwd;
  fence::Request request;
  request.work_dir = cwd;
  request.guarded =
      fence::guarded_of_user(own_value("HOME"), own_value("XDG_CONFIG_HOME"), agent.state_dir);
  request.guarded.verdicts = wanted.verdicts;
  request.variables = [&variables](std::string_view name) {
    std::string own = own_value(name);
    return own.empty() ? variables(name) : own;
  };
  request.homes = fence::homes_of_user(std::string(value_in(agent.environment, "HOME")));
  const fence::WorkPlaces places(agent.state_dir);
  if (wanted.offer.any()) {
    base::Result<std::vector<std::string>> git = places.remember_git_folders(cwd);
    if (!git) return git.error();
    request.git = std::move(git).value();
  }
  request.scratch = fence->scratch_.path();
  request.write = wanted.write;
  request.readable = wanted.read;
  request.network = wanted.network;
  if (wanted.exit_port > 0) request.door = dir.path();
  request.exit_port = wanted.exit_port;
  using Snapshot = FenceRequest::Snapshot;
  if (wanted.snapshot != Snapshot::kNone) request.snapshot = dir.snapshot_folder();
  request.snapshot_needed = wanted.snapshot == Snapshot::kNeeded;
  if (base::Status s = add_own_places(spec, variables, wanted.offer.any(), request); !s) {
    return s.error();
  }
  if (wanted.offer.any()) {
    // Anyone who is granted these folders may write to them, so programs in them must not be run
    // outside of a fence: they are remembered.
    for (const auto* written : {&request.git, &request.write}) {
      for (const std::string& place : *written) {
        if (base::Status s = places.remember(place); !s) return s.error();
      }
    }
  }
  if (const auto pipe = fence::resolved(dir.notices_pipe())) request.write.push_back(*pipe);
  request.needed = {variables("HOME"), dir.path(), wanted.launcher, cwd};
  add_program(request.needed, agent.argv.front(), variables("PATH"), cwd);
  for (const std::string& word : agent.argv) {  // the files that its options name
    if (word.starts_with('/')) request.needed.push_back(word);
  }
  request.needed.insert(request.needed.end(), wanted.read.begin(), wanted.read.end());
  // Where the model is the only way out, no push needs the user's keys.
  const std::string keys = wanted.exit_port == 0 ? variables("SSH_AUTH_SOCK") : "";
  for (const std::string& socket : {wanted.socket_folder, keys}) {
    if (!socket.empty()) request.answered.push_back(fence::resolved(socket).value_or(socket));
  }
  const auto by_agents = [&places](const std::string& folder) {
    return !places.holding(folder).is_absent();
  };
  const GitFiles git_files = git_files_of(variables, by_agents);
  request.empties_homes = true;
  request.persons = fence::homes_of_user(variables("HOME"));
  request.persons_variables = variables;
  request.programs = programs_of(agent.argv, variables("PATH"), cwd);
  request.shown = {dir.path(), wanted.launcher, agent.state_dir + "/sessions",
                   agent.state_dir + "/crews"};
  request.shown.insert(request.shown.end(), git_files.shown.begin(), git_files.shown.end());
  for (std::string& file : files_of_options(agent.argv)) request.shown.push_back(std::move(file));
  if (auto repository = repository_around(cwd)) request.shown.push_back(std::move(*repository));
  base::Result<fence::Plan> plan = fence::make_plan(wanted.offer, request);
  if (!plan) return plan.error();
  fence->plan_ = std::move(plan).value();
  if (base::Status s = fence->replace_git_config(git_files.clean); !s) return s.error();
  fence->plan_file_ = dir.fence_file();
  base::Status written =
      store::write_file_unsynced(fence->plan_file_, fence::to_json(fence->plan_));
  if (!written) return written.error();

  std::vector<ConfigWatch::Place> watched;
  for (const FenceSpec::Watched& one : spec.watched) {
    watched.push_back({one, adapters::expanded(one.path, variables).value_or("")});
  }
  std::vector<std::string> granted{cwd};
  granted.insert(granted.end(), request.git.begin(), request.git.end());
  granted.insert(granted.end(), wanted.write.begin(), wanted.write.end());
  for (ConfigWatch::Place& place : watched_places(granted, own_value("HOME"))) {
    watched.push_back(std::move(place));
  }
  fence->watch_.emplace(std::move(watched));
  return fence;
}

base::Status AgentFence::replace_git_config(const std::string& text) {
  constexpr const char* kName = "/gitconfig";
  if (text.empty() || !plan_.layers.any()) return base::Ok{};
  plan_.env["GIT_CONFIG_GLOBAL"] = plan_.env["TMPDIR"] + kName;
  return store::write_file_unsynced(plan_.scratch + kName, text);
}

std::string AgentFence::why_not_raised() const {
  constexpr size_t kMostBytes = 64 << 10;
  const base::Result<std::string> why =
      store::read_regular_file(plan_file_ + kWhyNotRaised, kMostBytes);
  return why ? base::printable(base::trim(*why)) : std::string();
}

std::string AgentFence::snapshot() const {
  const bool some =
      !plan_.snapshot.empty() && !store::presence_of(plan_.snapshot + "/manifest").is_absent();
  return some ? plan_.snapshot : "";
}

std::string AgentFence::snapshot_note() const {
  constexpr size_t kMostBytes = 64 << 10;
  constexpr std::string_view kLead = "orch: ";  // the caller prints this prefix itself
  if (plan_.snapshot.empty()) return "";
  const base::Result<std::string> said = store::read_file(plan_.snapshot + ".txt", kMostBytes);
  std::string_view text = said ? base::trim(*said) : std::string_view();
  if (text.starts_with(kLead)) text.remove_prefix(kLead.size());
  return std::string(text.substr(0, text.find('\n')));
}

void AgentFence::enclose(std::vector<std::string>& argv, std::vector<std::string>& environment,
                         const std::vector<std::string>& own) const {
  std::vector<std::string> words{launcher_, base::kInternal, "launch", plan_file_, "--"};
  words.insert(words.end(), argv.begin(), argv.end());
  argv = std::move(words);
  environment = launcher_environment(own, environment);
}

}  // namespace orch::session
