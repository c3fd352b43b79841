#include "session/agent_process.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/fd.h"
#include "base/log.h"
#include "base/own_program.h"
#include "base/path.h"
#include "base/text.h"
#include "base/uuid.h"
#include "driver/json_way.h"
#include "fence/grant.h"
#include "fence/work_places.h"
#include "pty/cgroup.h"
#include "pty/program.h"
#include "session/call_settings.h"
#include "session/environment.h"
#include "store/atomic_file.h"
#include "store/file_io.h"

namespace orch::session {
namespace {

constexpr int kMostRestarts = 3;  // that an agent may ask for in one run
constexpr const char* kSelf = "/proc/self/exe";

// Only a host has a guardian, and only in a host /proc/self/exe is orch, which can then be the init
// of the run's pid namespace.
pty::Containment containment_of(const SessionSetup& setup, const std::string& run) {
  std::unique_ptr<pty::Cgroup> cgroup = pty::Cgroup::create(pty::own_cgroup(), run);
  const bool by_init = !cgroup && setup.guardian != nullptr;
  base::log_info("containment",
                 cgroup    ? "control group " + cgroup->path()
                 : by_init ? "no control group can be made: an init holds the run"
                           : "no control group can be made",
                 run);
  pty::Containment containment(run, std::move(cgroup),
                               by_init ? pty::init_command() : std::vector<std::string>{});
  if (setup.guardian != nullptr) containment.spare(setup.guardian->id());
  return containment;
}

// Whether the agent will ask whether it may use the key that it is given: its file does not
// remember that it has asked.
bool asks_for_key(const adapters::FenceSpec::Key& key, std::string_view value,
                  const adapters::Variables& variables) {
  constexpr size_t kMostBytes = 64 << 20;
  if (value.empty()) return false;
  const std::optional<std::string> file = adapters::expanded(key.file, variables);
  const base::Result<std::string> text =
      file ? store::read_regular_file(*file, kMostBytes) : std::string();
  const auto last = std::min(value.size(), static_cast<size_t>(key.last));
  return !text || text->find(value.substr(value.size() - last)) == std::string::npos;
}

// Whether the policy lets the agent use a key that it asks about.
bool allows_key(const run::RunPlan& plan) {
  if (!plan.policy) return false;
  agent::DialogRequest request;
  request.kind = event::Cause::kLogin;
  request.complete = true;
  return plan.policy->decide({plan.agent, std::move(request), plan.work_dir, plan.held}).answer ==
         policy::Answer::kAllow;
}

// The settings of the call check, with those of the member {asking} if the agent is to ask.
std::string settings_of_check(const std::string& settings, bool asking) {
  constexpr const char* kAsking = "{asking}";
  driver::AgentJson json = driver::parse_agent_json(settings);
  const driver::AgentJson more = json.value(kAsking, driver::AgentJson::object());
  json.erase(kAsking);
  if (asking) json.merge_patch(more);
  return driver::as_json(json);
}

// Removes the arguments that make the agent ask from its command line, if those of the call check
// replace them.
void leave_out_words(const std::vector<std::string>& asks, const std::vector<std::string>& instead,
                     std::vector<std::string>& argv) {
  const bool replaced =
      !asks.empty() && std::find(instead.begin(), instead.end(), asks.front()) != instead.end();
  const auto at = std::search(argv.begin(), argv.end(), asks.begin(), asks.end());
  if (replaced && at != argv.end()) argv.erase(at, at + static_cast<ptrdiff_t>(asks.size()));
}

// The source of a headless agent between two turns, while it has no process.
class NoProcess final : public Source {
 public:
  void write(std::string) override {}
  void resize(int, int) override {}
  void pause() override {}
  void resume() override {}
  void stop(StopOrder) override {}
};

}  // namespace

AgentProcess::AgentProcess(loop::Loop& loop, SessionSetup& setup, const store::RunDir& dir,
                           std::function<void(std::string_view)> on_notice)
    : loop_(loop), setup_(setup), dir_(dir), containment_(containment_of(setup, dir.id())) {
  adapters::HookSpec hooks;
  const bool hooked = setup.mode == Mode::kInteractive && !setup.hook_program.empty();
  if (hooked) hooks = setup.manifest->hooks;
  const bool fenced = setup.fence && setup.fence->offer.any();
  const bool external = setup.plan.held == policy::Held::kExternal;
  if (fenced || setup.enclosure || external) add_fence_words(hooks);
  const bool has_settings = !setup.agent_settings.empty();
  if (has_settings) add_own_settings(hooks);
  const bool checked = !setup.check_socket.empty();
  if (checked) checked_ = add_check_words(hooks);
  const bool served = !setup.mcp_servers.empty();
  if (checked_ && served) checked_ = add_mcp_servers(hooks);
  if (!checked_) return;
  base::Status open = base::Ok{};
  if ((checked || served) && setup.enclosure) {
    open = show_hooks(hooks);
  } else if (checked || served || (hooks.any() && (hooked || has_settings))) {
    open = open_hooks(hooks, std::move(on_notice));
  }
  if (open) return;
  base::log_warn("hooks", open.error().text, dir_.id());
  if (checked || served || has_settings) checked_ = open;
}

std::vector<std::string> AgentProcess::environment() const {
  return agent_environment(inherited_environment(), added_environment(), dir_.id());
}

// This process's environment, without the variables that are kept from the agent.
std::vector<std::string> AgentProcess::inherited_environment() const {
  std::vector<std::string> own = own_environment();
  std::erase_if(own, [this](const std::string& entry) {
    return setup_.outside.contains(entry.substr(0, entry.find('=')));
  });
  return own;
}

// The environment without the variables that the user did not choose.
std::vector<std::string> AgentProcess::persons_environment() const {
  std::map<std::string, std::string> added = added_environment();
  for (const std::string& name : setup_.launch.not_persons) added.erase(name);
  return agent_environment(inherited_environment(), added, dir_.id());
}

// In an enclosure the variables for the agent are passed inside; the environment here is the one of
// the client on this machine.
std::map<std::string, std::string> AgentProcess::added_environment() const {
  return setup_.enclosure ? std::map<std::string, std::string>() : setup_.launch.env;
}

// Settings that the agent gets even where it runs no hooks.
void AgentProcess::add_own_settings(adapters::HookSpec& hooks) {
  if (!hooks.any()) {
    hooks.arguments = setup_.manifest->hooks.arguments;
    hooks.env = setup_.manifest->hooks.env;
  }
  hooks.settings = adapters::merged_settings(hooks.settings, setup_.agent_settings);
}

// The agent's own sandbox is switched off where something else holds it; else it is all there is.
void AgentProcess::add_fence_words(adapters::HookSpec& hooks) {
  const adapters::FenceSpec& fence = setup_.manifest->fence;
  setup_.launch.argv.insert(setup_.launch.argv.end(), fence.arguments.begin(),
                            fence.arguments.end());
  setup_.launch.env.insert(fence.env.begin(), fence.env.end());
  hooks.settings = adapters::merged_settings(hooks.settings, fence.settings);
  if (!fence.key || setup_.enclosure || !allows_key(setup_.plan)) return;
  const std::vector<std::string> variables = environment();
  const auto value = [&variables](std::string_view name) {
    return std::string(value_in(variables, name));
  };
  if (asks_for_key(*fence.key, value(fence.key->variable), value)) {
    hooks.settings = adapters::merged_settings(hooks.settings, fence.key->settings);
  }
}

// The orch that the agent's hooks run: a copy, where the agent could replace the original. If there
// cannot be one, the hooks refuse every call.
std::string AgentProcess::program_of_hooks() const {
  const std::string& program = setup_.hook_program.empty() ? setup_.own_path : setup_.hook_program;
  if (!base::is_within(program, setup_.cwd)) return program;
  std::error_code failure;
  std::filesystem::copy_file(kSelf, dir_.hook_program_file(),
                             std::filesystem::copy_options::skip_existing, failure);
  if (failure) base::log_error("calls", "copy orch: " + failure.message(), dir_.id());
  return dir_.hook_program_file();
}

// The run's files as the agent sees them, and the orch that it can start.
AgentProcess::Shown AgentProcess::shown_to_agent() const {
  if (!setup_.enclosure) {
    return {.program = {program_of_hooks(), base::kInternal},
            .settings = dir_.hook_settings_file(),
            .script = dir_.hook_script_file(),
            .servers = dir_.mcp_servers_file()};
  }
  Enclosure::Shown shown = setup_.enclosure->show(dir_.shown_folder(), dir_.container_id_file());
  const std::string folder = shown.folder + "/";
  shown.program.emplace_back(base::kInternal);
  return {.program = std::move(shown.program),
          .settings = folder + std::string(store::kShownSettings),
          .script = folder + std::string(store::kShownScript),
          .servers = folder + std::string(store::kShownServers),
          .socket = folder + std::string(store::kShownSocket)};
}

adapters::CheckPlaces AgentProcess::places_of_check() const {
  Shown shown = shown_to_agent();
  std::vector<std::string>& words = shown.program;
  words.emplace_back("check-call");
  if (setup_.enclosure) words.emplace_back("--inside");
  words.push_back(setup_.enclosure ? shown.socket : setup_.check_socket);
  const std::filesystem::path plugin =
      setup_.enclosure ? std::filesystem::path(shown.settings).parent_path() / store::kPluginFile
                       : std::filesystem::path(dir_.plugin_file());
  return {adapters::check_command(words), shown.settings, shown.script,
          plugin.parent_path().string()};
}

// The agent's variables before the call check adds its own.
std::map<std::string, std::string> AgentProcess::variables_for_agent() const {
  if (setup_.enclosure) return setup_.launch.env;
  std::map<std::string, std::string> variables;
  for (const std::string& each : environment()) {
    const size_t end = each.find('=');
    if (end != std::string::npos) variables.emplace(each.substr(0, end), each.substr(end + 1));
  }
  return variables;
}

// Whether the user's own settings of the agent let calls run without a dialog. (A container's
// cannot be read from here: they may.)
bool AgentProcess::user_allows(const adapters::CallSpec& calls) const {
  if (setup_.enclosure) return !calls.allowing.empty();
  const std::vector<std::string> variables = environment();
  return any_allows(calls, [&variables](std::string_view name) {
    return std::string(value_in(variables, name));
  });
}

// The agent's settings for this run would replace those for all users, which are not known.
base::Error AgentProcess::unreadable_base() const {
  return base::usage_error("agent " + setup_.manifest->name +
                           ": its settings for all users of this machine, " +
                           setup_.manifest->calls.settings_base + ", cannot be read: mend them");
}

// Makes the agent report its calls. The settings for this go into the file with those of its hooks.
// (A container's administrator settings cannot be read from here.)
base::Status AgentProcess::add_check_words(adapters::HookSpec& hooks) {
  const adapters::CallSpec& calls = setup_.manifest->calls;
  const adapters::CheckPlaces places = places_of_check();
  const std::optional<std::string> base =
      setup_.enclosure ? std::optional<std::string>("") : base_settings(calls, environment());
  if (!base) return unreadable_base();
  const ProjectSettings project = project_settings(calls, setup_.cwd);
  hooks.script = adapters::filled_in(calls.script, places);
  hooks.plugin = calls.is_plugin();
  if (!calls.settings.empty()) {
    if (!hooks.settings.empty()) {  // the words of `calls` name the file, too
      hooks.arguments.clear();
      hooks.env.clear();
    }
    const bool asking = setup_.mode == Mode::kHeadless || project.allows || user_allows(calls);
    const std::string settings = settings_of_check(calls.settings, asking);
    hooks.settings =
        adapters::merged_settings(hooks.settings, adapters::filled_in(settings, places));
    if (!base->empty()) hooks.settings = over_base(*base, hooks.settings);
  }
  if (project.replaces) {
    hooks.settings = with_rules(calls, hooks.settings, project.rules);
    hooks.arguments.insert(hooks.arguments.end(), calls.without_project.begin(),
                           calls.without_project.end());
  }
  leave_out_words(setup_.manifest->asks, calls.arguments, setup_.launch.argv);
  for (const std::string& word : calls.arguments) {
    hooks.arguments.push_back(adapters::filled_in(word, places));
  }
  std::map<std::string, std::string> given = variables_for_agent();
  for (const auto& [name, value] : calls.env) {
    setup_.launch.env[name] = joined_value(given[name], adapters::filled_in(value, places));
  }
  return base::Ok{};
}

// Gives the agent its MCP servers. It starts each by an orch that reads the server's command and
// variables, which may be secrets, from a file: command lines are seen by everyone.
base::Status AgentProcess::add_mcp_servers(adapters::HookSpec& hooks) {
  const adapters::McpSpec& spec = setup_.manifest->mcp;
  const Shown shown = shown_to_agent();
  std::map<std::string, std::string> given = variables_for_agent();
  const std::optional<std::string> base = base_settings(setup_.manifest->calls, environment());
  const bool checked = !setup_.check_socket.empty();
  if (setup_.enclosure && !checked) hooks.arguments.clear();  // no hook reaches orch from there
  const bool replaces_base = !spec.settings.empty() && !checked;
  if (replaces_base && !setup_.enclosure) {
    if (!base) return unreadable_base();
    hooks.settings = over_base(*base, hooks.settings);
  }
  for (const adapters::McpServer& server : setup_.mcp_servers) {
    adapters::McpServer started{server.name, shown.program.front(), {}, {}};
    started.args.assign(shown.program.begin() + 1, shown.program.end());
    started.args.insert(started.args.end(), {"mcp-server", shown.servers, server.name});
    const adapters::McpWords words = adapters::words_for(spec, started, shown.settings);
    hooks.settings = adapters::merged_settings(hooks.settings, words.settings);
    std::vector<std::string>& argv = setup_.launch.argv;
    argv.insert(argv.end(), words.arguments.begin(), words.arguments.end());
    for (const auto& [name, value] : words.env) {
      given[name] = setup_.launch.env[name] = joined_value(given[name], value);
    }
  }
  const std::string text = adapters::mcp_text(setup_.mcp_servers);
  return store::write_file_unsynced(dir_.mcp_servers_file(), text);
}

// Puts the hooks' files into the folder that the container gets. The user there may be another one.
base::Status AgentProcess::show_hooks(const adapters::HookSpec& hooks) {
  constexpr mode_t kFolderMode = 0755, kFileMode = 0644;
  const std::string folder = dir_.shown_folder();
  if ((::mkdir(folder.c_str(), kFolderMode) != 0 && errno != EEXIST) ||
      ::chmod(folder.c_str(), kFolderMode) != 0) {
    return base::system_error("create folder " + folder, errno);
  }
  const std::string servers =
      setup_.mcp_servers.empty() ? "" : adapters::mcp_text(setup_.mcp_servers);
  const std::string plugin = folder + "/" + std::string(store::kPluginFile);
  if (base::Status s = hooks.plugin ? make_plugin_folder(plugin) : base::Ok{}; !s) return s;
  for (const auto& [name, text] :
       {std::pair{hooks.plugin ? store::kPluginFile : store::kShownSettings, &hooks.settings},
        std::pair{store::kShownScript, &hooks.script}, std::pair{store::kShownServers, &servers}}) {
    const std::string path = folder + "/" + std::string(name);
    if (text->empty()) continue;
    if (base::Status s = store::write_file_unsynced(path, *text, kFileMode); !s) return s;
    if (::chmod(path.c_str(), kFileMode) != 0) return base::system_error("chmod " + path, errno);
  }
  std::vector<std::string>& argv = setup_.launch.argv;
  argv.insert(argv.end(), hooks.arguments.begin(), hooks.arguments.end());
  return base::Ok{};
}

base::Status AgentProcess::open_hooks(const adapters::HookSpec& spec,
                                      std::function<void(std::string_view)> on_notice) {
  base::Result<std::unique_ptr<HookChannel>> hooks =
      HookChannel::open(loop_, dir_, spec, setup_.hook_program, std::move(on_notice));
  if (!hooks) return hooks.error();
  hooks_ = std::move(hooks).value();
  adapters::LaunchPlan& launch = setup_.launch;
  launch.argv.insert(launch.argv.end(), hooks_->arguments().begin(), hooks_->arguments().end());
  launch.env.insert(hooks_->environment().begin(), hooks_->environment().end());
  return base::Ok{};
}

// An agent may write in its folder without a fence, too, so from now on orch obeys no file and
// follows no link there. A home or the whole machine is not remembered: orch could not trust
// anything then.
base::Status AgentProcess::remember_place() const {
  if (setup_.enclosure || setup_.state_dir.empty()) return base::Ok{};
  const std::string home(value_in(own_environment(), "HOME"));
  const fence::Guarded guarded{fence::homes_of_user(home), setup_.state_dir, {}};
  if (!fence::grant(setup_.cwd, guarded)) return base::Ok{};
  return fence::WorkPlaces(setup_.state_dir).remember_unsynced(setup_.cwd);
}

base::Status AgentProcess::start(SourceObserver& observer) {
  if (base::Status s = remember_place(); !s) return s;
  if (!checked_) return checked_;
  if (setup_.fence) {
    if (base::Status s = raise_fence(); !s) return s;
  }
  if (base::Status s = check_author(); !s) return s;
  if (setup_.mode == Mode::kInteractive)
    return spawn(adapters::whole_argv(setup_.launch), observer);
  end_turn();
  if (setup_.enclosure) return base::Ok{};  // the client looks for the program inside
  const base::Result<std::string> program = find_program();
  return program ? base::Status(base::Ok{}) : program.error();
}

base::Status AgentProcess::start_turn(const driver::Launch& launch, SourceObserver& observer) {
  std::vector<std::string> argv = setup_.launch.argv;
  argv.insert(argv.begin() + static_cast<ptrdiff_t>(setup_.launch.resume_at), launch.resume.begin(),
              launch.resume.end());
  end_turn();
  if (base::Status s = spawn(std::move(argv), observer); !s) {
    source_ = std::make_unique<NoProcess>();
    return s;
  }
  live_ = true;
  source_->write(launch.input);
  if (!launch.more_input) source_->finish_writing();
  return base::Ok{};
}

void AgentProcess::end_turn() {
  source_ = std::make_unique<NoProcess>();
  live_ = false;
}

base::Status AgentProcess::spawn(std::vector<std::string> argv, SourceObserver& observer) {
  std::vector<std::string> env = environment();
  if (setup_.enclosure) {
    const bool drawn = setup_.mode == Mode::kInteractive;
    setup_.enclosure->enter({.cwd = setup_.cwd,
                             .env = enclosed_environment(setup_.launch.env),
                             .talk = drawn ? Enclosure::Talk::kTerminal : Enclosure::Talk::kPipes,
                             .mark = dir_.id()},
                            argv, env);
  }
  if (is_own(argv.front())) argv.front() = kSelf;
  if (fence_) fence_->enclose(argv, env, inherited_environment());
  const pty::SpawnPlan plan{.argv = std::move(argv),
                            .cwd = setup_.cwd,
                            .env = std::move(env),
                            .cols = setup_.size.cols,
                            .rows = setup_.size.rows,
                            .run = &containment_};
  base::Result<std::unique_ptr<Source>> started = setup_.source(loop_, plan, observer);
  if (!started) return started.error();
  source_ = std::move(started).value();
  if (paused_) source_->pause();
  return base::Ok{};
}

void AgentProcess::pause() {
  paused_ = true;
  source_->pause();
}

void AgentProcess::resume() {
  paused_ = false;
  source_->resume();
}

// Our own program is started as /proc/self/exe, because the file at our path may have been replaced
// or removed.
bool AgentProcess::is_own(const std::string& program) const {
  return !setup_.enclosure && !setup_.own_path.empty() && program == setup_.own_path;
}

base::Result<std::string> AgentProcess::find_program() const {
  const std::string& name = setup_.launch.argv.front();
  if (is_own(name)) return name;
  const base::Fd cwd(::open(setup_.cwd.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const std::vector<std::string> env = environment();
  base::Result<std::string> program =
      pty::find_program(name, value_in(env, "PATH"), cwd.valid() ? cwd.get() : AT_FDCWD);
  if (!program) return base::Error{program.error().code, "spawn " + program.error().text};
  return program;
}

// An agent that PATH leads to, in a folder where agents may write, is started in a fence only. The
// user may still name the file, or give a command.
base::Status AgentProcess::check_author() const {
  const std::string& name = setup_.launch.argv.front();
  const bool is_fenced = setup_.fence && setup_.fence->offer.any();
  const bool is_named = name.find('/') != std::string::npos || setup_.manifest->program.empty();
  if (is_fenced || is_named || setup_.enclosure) return base::Ok{};
  const base::Result<std::string> program = find_program();
  if (!program) return base::Ok{};  // its start reports that
  const std::string file = program->starts_with('/') ? *program : setup_.cwd + "/" + *program;
  const std::string place = base::folder_of_agents_with(file);
  if (place.empty()) return base::Ok{};
  return base::usage_error(base::printable(file) + " lies in " + base::printable(place) +
                           ", where agents may write: start it in a fence (--sandbox landlock), "
                           "or name it (--agent-program)");
}

// A process in the fence cannot say why it did not start, so its program is looked for before.
base::Status AgentProcess::raise_fence() {
  if (!setup_.enclosure) {
    if (const base::Result<std::string> program = find_program(); !program) return program.error();
  }
  if (fence_) return base::Ok{};
  base::Result<std::unique_ptr<AgentFence>> fence = AgentFence::raise(
      *setup_.fence, setup_.manifest->fence, dir_,
      {setup_.cwd, setup_.state_dir, setup_.launch.argv, environment(), persons_environment()});
  if (!fence) return fence.error();
  fence_ = std::move(fence).value();
  return base::Ok{};
}

void AgentProcess::end_to_restart() {
  restarting_ = true;
  setup_.launch.resume.clear();  // the conversation that was to be continued is over
  source_->stop({});
}

bool AgentProcess::wants_restart(pty::ExitStatus status) {
  if (restarting_) return true;
  if (setup_.mode == Mode::kHeadless) return false;
  const int code = setup_.manifest->restart_code;
  return code != 0 && status.signal == 0 && status.code == code && restarts_++ < kMostRestarts;
}

// An agent refuses a session id that it has already used, so each start gets a new one.
base::Status AgentProcess::start_again(SourceObserver& observer) {
  using adapters::SessionStart;
  const SessionStart wanted = restarting_ ? SessionStart::kEmpty : SessionStart::kAsPlanned;
  if (setup_.mode == Mode::kInteractive) {
    adapters::set_session(setup_.manifest->session, wanted, base::random_uuid(), setup_.launch);
  }
  restarting_ = false;
  end_the_rest();
  source_->part(Parting::kRemove);  // another process takes its place
  return start(observer);
}

void AgentProcess::finish() {
  ::unlink(dir_.hook_program_file().c_str());
  hooks_.reset();
}

void AgentProcess::end_the_rest() {
  const size_t killed = containment_.kill_rest(loop_);
  if (killed == 0) return;
  base::log_warn("containment",
                 "killed what the agent left behind: " + std::to_string(killed) + " processes",
                 dir_.id());
}

}  // namespace orch::session
