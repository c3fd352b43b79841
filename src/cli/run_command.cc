#include "cli/run_command.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/name.h"
#include "base/text.h"
#include "ci/surfaces.h"
#include "cli/detach.h"
#include "cli/fallback.h"
#include "cli/issue_source.h"
#include "cli/job_run.h"
#include "cli/new_command.h"
#include "cli/run_option_words.h"
#include "cli/standing.h"
#include "cli/stop_signals.h"
#include "client/find.h"
#include "client/kept_sessions.h"
#include "client/leftovers.h"
#include "client/runs.h"
#include "forge/repository_name.h"
#include "host/host.h"
#include "loop/signal_watch.h"
#include "options/first_words.h"
#include "setup/config.h"
#include "setup/diagnostics.h"
#include "setup/git_fence.h"
#include "setup/paths.h"
#include "setup/run_secrets.h"
#include "setup/run_setup.h"
#include "store/issue_name.h"
#include "store/session_file.h"
#include "ui/run_display.h"
#include "ui/standard_streams.h"
#include "ui/user_terminal.h"

namespace orch::cli {
namespace {

const int kOwnFailure = event::exit_code(event::ExitReason::kInternal);

// One `orch run`, from the start of its first session to the end of the last one.
class Run {
 public:
  Run(setup::RunSetup setup, ui::RunDisplay::Plan display)
      : follow_terminal_size_(setup.follow_terminal_size),
        container_(std::move(setup.container)),
        to_ask_(std::move(setup.to_ask)),
        agent_(setup.sessions.front().manifest),
        sessions_(sessions_of(setup)),
        display_(loop_, std::move(display), [this] { loop_.stop(); }),
        host_(loop_,
              {.sessions = std::move(setup.sessions),
               .jobs = setup.jobs,
               .socket_folder = std::move(setup.socket_folder),
               .on_worktree = [this](session::SessionSetup& session) { on_worktree(session); },
               .on_begun = [this] { on_begun(); }},
              display_) {
    display_.set_version_note(std::move(setup.version_note));
    display_.watch_fill([this] { host_.pause_output(); }, [this] { host_.resume_output(); });
    display_.watch_output_error([this](const std::string& why) { host_.fail(why); });
  }

  // With `json` a background process prints the started sessions as JSON lines instead of names.
  int run(std::optional<Background> background, bool json) {
    json_ = json;
    watch_signals(!background);
    background_ = std::move(background);
    if (base::Status s = host_.start(); !s) return report(s.error());
    ask_version();
    loop_.run();
    return code();
  }

  void say(const std::string& lines) { display_.say(lines); }
  const std::vector<host::Ended>& ended() const { return display_.ended(); }

 private:
  void watch_signals(bool in_foreground) {
    signals_ = watch_stop_signals(loop_, [this](int signum) { on_stop_signal(signum); });
    if (!in_foreground) return;
    // In the background, writing to the terminal (tostop) or setting its modes would stop this
    // process.
    for (const int signum : {SIGTTIN, SIGTTOU}) std::signal(signum, SIG_IGN);
    signals_.push_back(std::make_unique<loop::SignalWatch>(
        loop_, SIGCONT, [this](int) { display_.on_continued(); }));
    if (!follow_terminal_size_) return;
    signals_.push_back(
        std::make_unique<loop::SignalWatch>(loop_, SIGWINCH, [this](int) { on_resize(); }));
  }

  void on_stop_signal(int signum) {
    // Every run has ended; we only wait for the reader of our output.
    if (host_.idle()) return loop_.stop();
    display_.hurry();
    display_.on_stop_signal(signum);
    host_.on_stop_signal(signum);
  }

  void on_resize() {
    if (const std::optional<term::Size> size = ui::terminal_size()) {
      host_.resize(*size);
      display_.on_resized();
    }
  }

  // Reports the output error of a run that had ended before its last words could be written.
  int code() const {
    const int code = event::combined_exit_code(display_.codes());
    if (!display_.output_error() || code == kOwnFailure) return code;
    return report({base::ErrorCode::kSystem, *display_.output_error()});
  }

  void say_line(const std::string& line) { display_.say("orch: " + base::printable(line) + "\n"); }

  void on_worktree(session::SessionSetup& session) {
    for (const std::string& note : session.worktree->notes) say_line(note);
    if (!container_) return;
    const base::Status enclosed = setup::enclose(*container_, session);
    if (enclosed) return;
    // A session that cannot be put into its container is not started at all.
    session.source = [error = enclosed.error()](loop::Loop&, const pty::SpawnPlan&,
                                                session::SourceObserver&) {
      return base::Result<std::unique_ptr<session::Source>>(error);
    };
  }

  // The agent does not wait for the answer, and neither does the end of its run.
  void ask_version() {
    if (!to_ask_ || host_.idle()) return;
    version_.emplace(loop_, std::move(*to_ask_), setup::VersionQuestion::kAside,
                     [this](const std::string& version) {
                       display_.set_version_note(setup::newer_note(*agent_, version));
                       host_.take_agent_version(version);
                     });
  }

  void on_begun() {
    if (background_) leave_terminal(*background_);
  }

  // The known parts of the sessions' records before the sessions start.
  static std::vector<store::SessionRecord> sessions_of(const setup::RunSetup& setup) {
    std::vector<store::SessionRecord> sessions;
    for (const session::SessionSetup& session : setup.sessions) {
      store::SessionRecord& record = sessions.emplace_back();
      record.name = store::session_name(session.issue);
      record.key = store::session_key(session.issue, session.repository);
      record.issue = session.issue;
      record.agent = session.manifest->name;
    }
    return sessions;
  }

  void print_started(const std::string& name) {
    if (!json_) return void(std::printf("%s\n", name.c_str()));
    for (store::SessionRecord& session : sessions_) {
      if (session.name != name) continue;
      session.run = display_.run_of(name);
      std::printf("%s\n", base::json_line(identity_json(session)).c_str());
    }
  }

  // Prints the sessions that run and that wait for their turn. If that fails the runs
  // are ended: a user who does not get the names could not end them.
  void leave_terminal(Background& background) {
    for (const std::string& name : display_.started_and_queued()) print_started(name);
    if (const size_t queued = host_.waiting(); queued > 0) {
      std::fprintf(stderr,
                   "orch: %zu of them %s queued, and %s when others end; see orch sessions\n",
                   queued, queued == 1 ? "is" : "are", queued == 1 ? "begins" : "begin");
    }
    const int error = ui::take_output_error();
    // `orch wait` reports how sessions that have started exit, even if they have ended by now.
    int code = event::combined_exit_code(display_.codes_not_started());
    if (error != 0 && error != EPIPE) {
      code = report({base::ErrorCode::kSystem, ui::output_error_text(error)});
      host_.fail(ui::output_error_text(error));
    }
    const std::string& folder = display_.first_run_dir();
    background.ready(code, folder.empty() ? "" : folder + "/host.log");
  }

  bool follow_terminal_size_;
  std::optional<setup::ContainerPlan> container_;  // the container that the sessions work in
  std::optional<setup::Asked> to_ask_;             // empty once asked
  const adapters::Manifest* agent_;                // of all sessions
  std::vector<store::SessionRecord> sessions_;
  std::optional<Background> background_;  // set if this is the background process
  bool json_ = false;
  loop::Loop loop_;
  std::vector<std::unique_ptr<loop::SignalWatch>> signals_;
  ui::RunDisplay display_;
  host::Host host_;
  std::optional<setup::VersionQuestion> version_;
};

// Sets the options that were not given to the defaults of the configuration.
base::Status configure(const std::set<std::string>& given, options::RunRequest& request) {
  const base::Result<std::string> folder = setup::resolve_folder(request.cwd);
  if (!folder) return folder.error();
  const base::Result<setup::Config> config = setup::load_config(setup::repository_of(*folder));
  if (!config) return config.error();
  for (const std::string& note : config->notes) {
    std::fprintf(stderr, "orch: %s\n", base::printable(note).c_str());
  }
  std::set<std::string> settled = given;
  // The program after -- stands in the place of the agent.
  if (!request.command.empty()) settled.insert({"--agent", "--model"});
  apply(*config, settled, request);
  // The command line overrides the configuration, and these two options are opposites.
  if (given.contains("--worktree") && !given.contains("--shared-folder")) {
    request.shared_folder = false;
  }
  return base::Ok{};
}

// The first of name, name-2, name-3, ... that no session and no run of the repository has.
base::Result<std::string> free_name(const std::string& name, const options::RunRequest& request) {
  base::Result<client::Place> place = setup::place_of(request.state_dir);
  if (!place) return place.error();
  const base::Result<std::string> folder = setup::resolve_folder(request.cwd);
  if (!folder) return folder.error();
  place->folder = *folder;
  place->repository = setup::repository_of(*folder);
  const auto look_for = [&](const std::string& issue) -> store::Presence {
    store::Presence host =
        store::host_of(place->state_dir, store::session_key(issue, place->repository));
    if (!host.is_absent()) return host;
    client::RunFilter filter;
    filter.issue = issue;
    filter.most = 1;
    bool found = false;
    const base::Status all =
        client::each_run(*place, filter, [&found](const client::RunView&) { found = true; });
    if (!all) return all.error();
    return found ? store::Presence(base::Ok{}) : store::Presence::absent();
  };
  std::string candidate = name;
  for (int number = 2;; ++number) {
    const store::Presence taken = look_for(candidate);
    if (taken.is_unknown()) return taken.error();
    if (taken.is_absent()) return candidate;
    candidate = name + "-" + std::to_string(number);
  }
}

// Whether something waits on standard input that nobody reads.
bool has_unread_input() {
  struct stat info {};
  if (::fstat(STDIN_FILENO, &info) != 0) return false;
  int waiting = 0;
  if (S_ISFIFO(info.st_mode)) return ::ioctl(STDIN_FILENO, FIONREAD, &waiting) == 0 && waiting > 0;
  return S_ISREG(info.st_mode) && ::lseek(STDIN_FILENO, 0, SEEK_CUR) < info.st_size;
}

// Names the run after its prompt or its program if it was given no issue, and says the name.
base::Status name_issue(options::RunRequest& request) {
  if (!request.issues.empty()) return base::Ok{};
  if (!request.prompt_file.empty()) {
    base::Result<std::string> text = setup::read_prompt(request);
    if (!text) return text.error();
    request.prompt = std::move(text).value();
    request.prompt_file.clear();
  }
  const std::optional<std::string> name = options::name_for(request, request.prompt.value_or(""));
  if (!name && has_unread_input()) {
    return base::usage_error("standard input is read with -p -: orch run -p -");
  }
  if (!name) {
    return base::usage_error(
        "what is the agent to do? orch run \"fix the bug\"; or name an issue whose text is in "
        ".orch/issues/ISSUE.md: orch run 42; or see orch run demo");
  }
  base::Result<std::string> issue = free_name(*name, request);
  if (!issue) return issue.error();
  std::fprintf(stderr, "orch: the issue is called %s\n", issue->c_str());
  request.issues.push_back(std::move(issue).value());
  return base::Ok{};
}

// A file in the place of an issue: its text is the prompt, and its name that of the run.
base::Status take_file(options::RunRequest& request) {
  const bool has_text = request.prompt || !request.prompt_file.empty() || !request.command.empty();
  if (request.issues.size() != 1 || has_text) return base::Ok{};
  const std::string word = request.issues.front();
  if (base::is_name(word) || forge::issue_of_word(word)) return base::Ok{};
  std::error_code unknown;
  const std::filesystem::path path(word);
  if (std::filesystem::is_regular_file(path, unknown)) {
    request.prompt_file = word;
    request.issues = {options::name_of_words(path.stem().string())};
    return base::Ok{};
  }
  const std::string ending = path.extension();
  if (ending != ".md" && ending != ".txt") return base::Ok{};
  return base::usage_error("there is no file " + base::printable(word) +
                           "; an issue has its text in .orch/issues/ISSUE.md: orch run " +
                           options::name_of_words(path.stem().string()));
}

// Fails if a session of the same issue runs already, before a worktree is made for it.
base::Status check_free(const setup::RunSetup& setup) {
  for (const session::SessionSetup& session : setup.sessions) {
    const std::string key = store::session_key(session.issue, session.repository);
    const store::Presence host = store::host_of(session.state_dir, key);
    if (host.is_unknown()) return host.error();
    if (host.is_absent()) continue;
    return base::usage_error(store::session_name(session.issue) + " runs already: orch attach " +
                             session.issue + ", or orch kill " + session.issue);
  }
  return base::Ok{};
}

// The issues without a readable run record in this repository.
std::vector<std::string> without_run(const setup::RunSetup& setup) {
  std::vector<std::string> issues;
  for (const session::SessionSetup& session : setup.sessions) {
    const client::Place place{session.state_dir, session.repository, session.repository};
    const bool found = client::find_run(place, session.issue, client::Reach::kHere).ok();
    if (!found) issues.push_back(session.issue);
  }
  return issues;
}

// The host makes each worktree when the session's turn comes. Obstacles that are there already are
// reported before anything is started.
base::Status plan_worktrees(const options::RunRequest& request, setup::RunSetup& setup) {
  if (base::Status s = check_free(setup); !s) return s;
  std::vector<std::string> issues;
  const store::RunBase base =
      run_base_of(setup.sessions.front().repository, request.issue_repository);
  for (session::SessionSetup& session : setup.sessions) {
    session.worktree_request = setup::worktree_request_of(request, session);
    session.base = base;
    issues.push_back(session.issue);
  }
  const repo::WorktreeRequest& wanted = *setup.sessions.front().worktree_request;
  const bool unasked = setup::chosen_by_orch(request, setup.folders);
  const auto check = [&](const std::vector<std::string>& without_run) {
    return setup::look_in_git_fence(
        wanted.repository, [&] { return repo::check_worktrees(wanted, issues, without_run); });
  };
  base::Status checked = check({});
  // Records are looked for only to name the right remedy.
  if (!checked) checked = check(without_run(setup));
  if (!checked && unasked) {
    return base::Error{checked.error().code, setup::refused_line(checked.error().text)};
  }
  if (checked && unasked) {
    const bool dirty = setup::is_dirty(wanted.repository);
    setup.notes.push_back(setup::worktrees_line(wanted.repository, issues.size(), dirty));
  }
  return checked;
}

}  // namespace

base::Status complete_request(const CLI::App& command, options::RunRequest& request) {
  const std::set<std::string> given = given_options(command);
  const std::vector<std::string> after_prompt = words_after_prompt(command, request.issues);
  if (base::Status s = options::settle_words(after_prompt, request); !s) return s;
  if (base::Status s = take_file(request); !s) return s;
  if (base::Status s = configure(given, request); !s) return s;
  if (base::Status s = name_issue(request); !s) return s;
  const bool reads_input = request.prompt_file == "-" || !request.command.empty();
  if (!reads_input && !request.prompt && has_unread_input()) {
    std::fprintf(stderr, "orch: standard input is not read; -p - makes it the prompt\n");
  }
  for (const std::string& line : options::without_effect(given, request)) {
    std::fprintf(stderr, "orch: %s\n", line.c_str());
  }
  return base::Ok{};
}

namespace {

// How the sessions of a request have ended.
struct Went {
  int code = 0;
  std::vector<host::Ended> ended;
  std::string state_dir;
  std::shared_ptr<const mask::Secrets> secrets;
  bool in_worktrees = false;
};

// Starts the sessions of a request and waits for their ends; an error: none was started.
base::Result<Went> run_sessions(const options::RunRequest& request,
                                setup::Diagnostics& diagnostics) {
  setup::AgentChoice choice;
  base::Result<setup::RunSetup> setup = setup::prepare_run(request, choice);
  if (!setup) return setup.error();
  if (setup->folders == setup::Folders::kWorktrees) {
    if (base::Status s = plan_worktrees(request, *setup); !s) return s.error();
  }
  for (session::SessionSetup& session : setup->sessions) {
    if (!setup->container || session.worktree_request) continue;
    if (base::Status s = setup::enclose(*setup->container, session); !s) return s.error();
  }
  for (const std::string& note : setup->notes) {
    std::fprintf(stderr, "orch: %s\n", base::printable(note).c_str());
  }
  client::remove_leftovers(setup->sessions.front().state_dir);
  std::optional<Background> background;
  if (request.detach) {
    client::remove_over(setup->sessions.front().state_dir);
    base::Result<Background> forked = Background::fork_background();
    if (!forked) return forked.error();
    background.emplace(std::move(forked).value());
  }
  using Place = ui::RunDisplay::Place;
  using Person = ui::RunDisplay::Person;
  ui::RunDisplay::Plan display;
  display.output = request.detach ? ui::OutputMode::kQuiet : setup->output;
  display.place = request.detach ? Place::kBackground : ui::RunDisplay::place_of(setup->output);
  display.issues = request.issues.size();
  for (const std::string& issue : request.issues) {
    if (request.issues.size() > 1) display.queued.push_back(store::session_name(issue));
  }
  display.state_dir = setup->sessions.front().state_dir;
  display.notify = request.notify;
  display.bell = request.bell;
  display.has_policy = request.approve != "none";
  display.is_headless = request.mode == "headless";
  display.keyword = request.keep_keyword ? "" : request.keyword;
  display.only_values = !request.output_schema.empty();
  display.color = color_choice(request.color);
  const bool shown = setup->sessions.front().mode == session::Mode::kInteractive;
  const bool in_words =
      setup->output == ui::OutputMode::kText || setup->output == ui::OutputMode::kQuiet;
  const bool asks_aside = display.place == Place::kPlain && in_words && request.live == "auto";
  if (shown && (display.place == Place::kTerminal || asks_aside) && ui::UserTerminal::has_user()) {
    for (session::SessionSetup& session : setup->sessions) {
      if (request.ask_timeout.empty()) session.plan.ask_timeout_ms = run::kNever;
    }
    const bool is_asked = setup->sessions.front().plan.ask_timeout_ms > 0;
    display.person = is_asked ? Person::kAsked : Person::kPresent;
    display.live = request.live == "auto";
  }
  diagnostics.keep_runs(display.state_dir);
  diagnostics.mask_by(setup->sessions.front().secrets);
  display.on_run_ended = [&diagnostics](const std::string& run) { diagnostics.end_run(run); };
  display.secrets = setup::values_of_user(request.env);
  Went went;
  went.secrets = setup->sessions.front().secrets;
  went.state_dir = display.state_dir;
  went.in_worktrees = setup->folders == setup::Folders::kWorktrees;
  const bool in_foreground = !background;
  Run started(std::move(setup).value(), std::move(display));
  if (in_foreground) {
    diagnostics.write_stderr_by([&started](const std::string& lines) { started.say(lines); });
  }
  went.code = started.run(std::move(background), request.output == "json");
  went.ended = started.ended();
  diagnostics.write_stderr_by(nullptr);
  diagnostics.write_out();
  return went;
}

// The words of --fallback, one agent each.
base::Status split_fallback(options::RunRequest& request) {
  std::vector<std::string> agents = options::split_list(request.fallback);
  for (const std::string& word : agents) {
    if (base::is_name(word.substr(0, word.find(':'))) && !word.ends_with(':')) continue;
    return base::usage_error("--fallback: \"" + base::printable(word) +
                             "\" is no agent; write codex, or claude:MODEL");
  }
  if (!agents.empty() && request.on_limit == "wait") {
    return base::usage_error(
        "--fallback does not wait for the end of a limit: leave out --on-limit");
  }
  request.fallback = std::move(agents);
  return base::Ok{};
}

}  // namespace

int start_run(const options::RunRequest& wanted, setup::Diagnostics& diagnostics) {
  options::RunRequest request = wanted;
  if (base::Status s = split_fallback(request); !s) return report(s.error());
  base::Result<ci::CiSurfaces> surfaces = ci::CiSurfaces::prepare(request.artifacts);
  if (!surfaces) return report(surfaces.error());
  base::Result<Went> went = run_sessions(request, diagnostics);
  if (!went) {
    surfaces->publish_refused(went.error());
    return report(went.error());
  }
  // In a background process the first sessions have left the terminal for all of them.
  if (request.detach) request.output = "quiet";
  request.detach = false;
  request.worktree = went->in_worktrees;
  while (const auto next = fallback_request(request, went->ended, went->state_dir)) {
    request = *next;
    std::fprintf(stderr, "orch: %s goes on with %s\n", base::printable(request.agent).c_str(),
                 request.issues.size() == 1
                     ? request.issues.front().c_str()
                     : (std::to_string(request.issues.size()) + " issues").c_str());
    const base::Result<Went> more = run_sessions(request, diagnostics);
    if (!more) {
      (void)report(more.error());
      break;
    }
    went->ended = newest_ends(std::move(went->ended), more->ended);
    std::vector<int> codes;
    for (const host::Ended& end : went->ended) codes.push_back(end.code);
    went->code = event::combined_exit_code(codes);
  }
  surfaces->publish(went->ended, went->code, went->state_dir, went->secrets);
  return went->code;
}

namespace {

std::string footer() {
  std::string text =
      R"(The prompt is -p, --prompt-file, <repository>/.orch/issues/<issue>.md, or the text of the
issue on GitHub, which gh asks for. An issue of GitHub gets a worktree of its own: see orch land.

Examples:
  orch run "fix the flaky test in net_test.cc"
  orch run 42 43 -d                      what .orch/issues/42.md and 43.md say
  orch run o/r#42 --verify "make test"   issue 42 of that repository on GitHub
  orch run 42 --agent codex --until idle -p "explain main.cc" | tee answer.txt
  orch run 1 2 3 --agent demo --output json
  orch run build --timeout 10m -- make -j2
  orch run 42 -d -p "port it to C++20"; orch logs -f 42
  orch run --jobs 3 1 2 3 4 5 6          three at a time
  orch run 42 --verify "make test" --fix-turns 3 --require-changes
  orch run 1 2 3 --shared-folder         in one folder, not each in a worktree of its own
  orch run 42 --mode headless --approve policy.json --output json
  orch run 42 --agent codex --approve all --sandbox docker --image my-codex:1 --memory 4g

On a terminal a dialog is shown with the keys that answer it. In the background it waits until
it is answered: orch answer 42. On a terminal Ctrl-] takes a session over: it shows the agent's
screen and gives it your keys, until Ctrl-] hands back.

Exit codes:
)";
  for (const event::ExitRow& row : event::exit_table()) {
    if (event::is_reserved(row.reason)) continue;
    std::string line = "  " + std::to_string(row.code);
    line.resize(7, ' ');
    line += row.name;
    line.resize(23, ' ');
    text += line.append(row.description).append("\n");
  }
  text += "\nOf several issues the first that applies of " + event::combined_order() + ".\n";
  return text;
}

struct RunOptions {
  options::RunRequest request;
  JobFile job;
  const CLI::App* given_by = nullptr;  // the command with the options that were given; not owned
};

int run(RunOptions& options, setup::Diagnostics& diagnostics) {
  auto& [request, job, given_by] = options;
  if (!job.path.empty()) return run_job(job, given_options(*given_by), request, diagnostics);
  if (job.sha256) return report(base::usage_error("--request-sha256 goes with --request FILE"));
  if (base::Status s = complete_request(*given_by, request); !s) return report(s.error());
  if (base::Status s = take_issues(given_options(*given_by), request); !s)
    return report_forge(s.error());
  return start_run(request, diagnostics);
}

}  // namespace

void add_run_command(CLI::App& app, std::vector<std::string> after_dashes,
                     setup::Diagnostics& diagnostics, Chosen& chosen) {
  CommandWith<RunOptions> command(
      app, chosen, "run", "run an agent on a task until it is done",
      [&diagnostics](RunOptions& options) { return run(options, diagnostics); });
  command->given_by = &command.app();
  options::RunRequest& request = command->request;
  request.command = std::move(after_dashes);
  command.option("issue", request.issues,
                 "the task in quotes, or issues, with their texts in .orch/issues/ISSUE.md; "
                 "several issues run at once");
  add_run_options(command, options::Also::kNone, request);
  add_json_flag(command, request);
  command
      .option("--request", command->job.path,
              "run the request that orch submit wrote into this file, as a job of an engine does")
      .type_name("FILE")
      .group(std::string(title(options::Group::kTask)));
  command
      .option("--request-sha256", command->job.sha256,
              "with --request: the SHA-256 of the file, in hexadecimal; then others may have "
              "been able to write it")
      .type_name("HASH")
      .group(std::string(title(options::Group::kTask)));
  command.footer(footer());
}

}  // namespace orch::cli
