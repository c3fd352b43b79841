// orch acp: orch as an agent of the Agent Client Protocol, on standard input and output. Each
// session of the client is a run of orch.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "acp/server.h"
#include "base/duration.h"
#include "base/random.h"
#include "base/text.h"
#include "cli/acp_records.h"
#include "cli/acp_session.h"
#include "cli/json_rpc_stdio.h"
#include "cli/new_command.h"
#include "cli/run_option_words.h"
#include "cli/stop_signals.h"
#include "client/find.h"
#include "client/runs.h"
#include "peer/peer_process.h"
#include "session/environment.h"
#include "setup/agents.h"
#include "setup/paths.h"
#include "store/atomic_file.h"
#include "store/folder.h"
#include "store/runs.h"
#include "store/session_file.h"

namespace orch::cli {
namespace {

// More than this waits for the client: the agents' words are then read from their records later.
constexpr size_t kMostAcpWaiting = size_t{256} << 10;
constexpr int kAcpSignalBase = 128;
constexpr int kMostNames = 100;  // tried for one session

struct AcpOptions {
  options::RunRequest request;  // the options of orch run
  std::string timeout;
  bool leave_running = false;
  const CLI::App* given_by = nullptr;
  std::vector<std::string> words;  // the options of orch run, as they were given
};

// The connection to one client, from its first line until it closes its side or we are stopped.
class AcpService {
 public:
  AcpService(std::string program, client::Place place, AcpOptions options, acp::Server::Plan plan,
             adapters::Registry agents)
      : program_(std::move(program)),
        place_(std::move(place)),
        options_(std::move(options)),
        agents_(std::move(agents)),
        server_(std::move(plan)),
        stdio_(loop_, {.on_line = [this](std::string_view line) { hear(line); },
                       .on_end = [this] { leave(); }}),
        timer_(loop_),
        sweeper_(loop_) {}

  ~AcpService() {
    for (const auto& [call, file] : servers_) ::unlink(file.c_str());
  }
  AcpService(const AcpService&) = delete;
  AcpService& operator=(const AcpService&) = delete;

  int run() {
    const auto signals = watch_stop_signals(loop_, [this](int signum) {
      code_ = kAcpSignalBase + signum;
      leave();
    });
    loop_.run();
    return code_ != 0 ? code_ : stdio_.code();
  }

 private:
  struct Opening {
    std::unique_ptr<AcpSession> session;
    acp::Open open;
    std::string issue;
    int tries = 0;  // how many other names may be tried
    bool had_turns = false;
  };

  void hear(std::string_view line) {
    if (is_leaving_) return;
    server_.hear(line, loop_.now_ms());
    act();
  }

  // Carries out what the server wants, and everything that follows at once.
  void act() {
    for (auto actions = server_.take_actions(); !actions.empty();
         actions = server_.take_actions()) {
      for (acp::Action& action : actions) {
        std::visit([this](auto& one) { perform(one); }, action);
      }
    }
    const base::TimeMs next = server_.next_deadline();
    if (next == base::kNever) return timer_.stop();
    timer_.start(next - loop_.now_ms(), [this] {
      server_.on_timer(loop_.now_ms());
      act();
    });
  }

  void perform(acp::Tell& tell) { stdio_.say(std::move(tell.line)); }

  void perform(acp::SessionWork& work) {
    const auto found = sessions_.find(work.session);
    if (auto* warn = std::get_if<acp::Warn>(&work.work)) return note(warn->line);
    if (found == sessions_.end()) return;
    AcpSession& session = *found->second;
    if (std::holds_alternative<acp::AskStatus>(work.work)) return session.ask_status();
    if (auto* send = std::get_if<acp::Send>(&work.work)) {
      return session.send(std::move(send->text), send->turn);
    }
    if (auto* answer = std::get_if<acp::Answer>(&work.work)) {
      return session.answer(answer->dialog, answer->choice);
    }
    if (std::holds_alternative<acp::PressEscape>(work.work)) session.press_escape();
  }

  void perform(acp::Open& open) {
    switch (open.how) {
      case acp::Open::How::kNew:
        return start_new(open, kMostNames);
      case acp::Open::How::kLoad:
      case acp::Open::How::kResume:
        return load(open);
      case acp::Open::How::kAgain:
        return start_again(open);
    }
  }

  void perform(acp::Close& close) {
    const auto found = sessions_.find(close.session);
    if (found == sessions_.end()) {
      server_.closed(close.session);
      return;
    }
    closing_.insert(close.session);
    found->second->stop();
  }

  void perform(acp::List& list) { server_.listed(list.call, acp_sessions(place_, list.cwd)); }

  void perform(acp::Save& save) {
    for (const acp::Attachment& file : save.files) {
      base::Status saved = store::create_folders(file.path.substr(0, file.path.rfind('/')));
      if (saved) saved = store::write_file_unsynced(file.path, file.bytes);
      if (!saved) note("a file of the prompt is missing: " + saved.error().text);
    }
  }

  void perform(acp::Forget& forget) {
    server_.forgotten(forget.call, remove_acp_session(place_, forget.session));
  }

  // The options that a session's settings stand for. They follow the user's, and so count.
  std::vector<std::string> setting_words(const acp::Settings& settings) const {
    const std::string mode = settings.mode == "ask" ? "none" : settings.mode;
    std::vector<std::string> words{"--approve=" + mode};
    if (!settings.model.empty()) words.push_back("--model=" + settings.model);
    if (!settings.effort.empty()) words.push_back("--effort=" + settings.effort);
    return words;
  }

  // The client's MCP servers, in a file for the run to read. It may hold secrets, and goes when the
  // session is open: the run keeps a copy among its own files. `agent` may be "".
  void save_servers(const acp::Open& open, const std::string& agent) {
    if (open.options.mcp_config.empty() || servers_.contains(open.call)) return;
    const adapters::Manifest* manifest = agents_.find(agent);
    if (manifest != nullptr && !manifest->mcp.any()) {
      return note("the client's MCP servers are left out: agent " + agent +
                  " takes none for one run");
    }
    const std::string path = place_.state_dir + "/acp-servers-" + base::random_hex() + ".json";
    const base::Status saved = store::write_file_unsynced(path, open.options.mcp_config);
    if (!saved) return note("the client's MCP servers are left out: " + saved.error().text);
    servers_[open.call] = path;
  }

  void remove_servers(uint64_t call) {
    if (const auto file = servers_.extract(call); !file.empty()) ::unlink(file.mapped().c_str());
  }

  void add_client_words(const acp::Open& open, std::vector<std::string>& words) const {
    const auto servers = servers_.find(open.call);
    if (servers != servers_.end()) words.push_back("--mcp-config=" + servers->second);
    for (const std::string& folder : open.options.folders) words.push_back("--write=" + folder);
  }

  void add_output_words(std::vector<std::string>& words) const {
    if (options_.leave_running) {
      words.insert(words.end(), {"-d", "--json"});
    } else {
      words.emplace_back("--output=json");
    }
    words.push_back("--state-dir=" + place_.state_dir);
  }

  std::vector<std::string> run_words(const std::string& issue, const acp::Open& open) const {
    std::vector<std::string> words{
        program_, "run", issue, "--cwd=" + open.cwd, "--until=exit", "--ask-timeout=never"};
    words.insert(words.end(), options_.words.begin(), options_.words.end());
    if (!open.settings.agent.empty()) words.push_back("--agent=" + open.settings.agent);
    for (std::string& word : setting_words(open.settings)) words.push_back(std::move(word));
    add_client_words(open, words);
    add_output_words(words);
    return words;
  }

  std::vector<std::string> continue_words(const std::string& run, const acp::Open& open) const {
    std::vector<std::string> words{program_, "continue", run, ""};
    for (std::string& word : setting_words(open.settings)) words.push_back(std::move(word));
    add_client_words(open, words);
    add_output_words(words);
    return words;
  }

  void start_new(const acp::Open& open, int tries) {
    const std::string issue = next_acp_issue(place_.state_dir, last_number_);
    std::unique_ptr<AcpSession> session = make_session(open, "");
    AcpSession* const begun = session.get();
    save_servers(open, open.settings.agent);
    opening_[open.call] = {std::move(session), open, issue, tries};
    start(*begun, run_words(issue, open), open);
  }

  void start(AcpSession& session, std::vector<std::string> words, const acp::Open& open) {
    const base::Status started =
        session.start(std::move(words), session::own_environment(), options_.leave_running);
    if (!started) on_open(open.call, started.error());
  }

  void load(const acp::Open& open) {
    const base::Result<client::Found> found =
        client::find_run(place_, open.session, client::Reach::kEverywhere);
    if (!found) return fail_to_open(open, found.error());
    const base::Result<client::RunView> view = client::view_run(place_.state_dir, found->run);
    if (!view) return fail_to_open(open, view.error());
    if (!is_acp_issue(view->record.issue)) return fail_to_open(open, no_acp_session());
    std::unique_ptr<AcpSession> session = make_session(open, open.session);
    AcpSession* const begun = session.get();
    const bool runs = found->session && found->session->status == store::SessionStatus::kRunning;
    if (open.how == acp::Open::How::kLoad) {
      session->set_history(acp_history(place_.state_dir, view->record, !runs));
    }
    const bool goes_on = has_conversation(view->record);
    opening_[open.call] = {std::move(session), open, "", 0, goes_on};
    if (runs) return begun->join(view->record.id);
    save_servers(open, view->record.agent);
    acp::Open anew = open;
    anew.settings.agent = view->record.agent;
    start(*begun,
          goes_on ? continue_words(view->record.id, open) : run_words(view->record.issue, anew),
          open);
  }

  void start_again(const acp::Open& open) {
    const auto found = sessions_.find(open.session);
    if (found == sessions_.end()) {
      return fail_to_open(open, {base::ErrorCode::kNotFound, "the session has ended"});
    }
    again_[open.session] = open;
    found->second->stop();
  }

  bool goes_on_after(const std::string& run) const {
    const base::Result<client::Found> found =
        client::find_run(place_, run, client::Reach::kEverywhere);
    if (!found) return true;
    const base::Result<client::RunView> view = client::view_run(place_.state_dir, found->run);
    return !view || has_conversation(view->record);
  }

  // The old run of a session has ended, and a new one takes its place.
  void go_on_again(const acp::Open& open, const std::string& run) {
    std::unique_ptr<AcpSession> session = make_session(open, open.session);
    AcpSession* const begun = session.get();
    const std::string issue = acp_issue_of(open.session);
    save_servers(open, open.settings.agent);
    opening_[open.call] = {std::move(session), open, issue, 0};
    start(*begun, goes_on_after(run) ? continue_words(run, open) : run_words(issue, open), open);
  }

  // `name` is "" as long as it is not known.
  std::unique_ptr<AcpSession> make_session(const acp::Open& open, const std::string& name) {
    const uint64_t call = open.call;
    const auto known = std::make_shared<std::string>(name);
    AcpSession::Handlers handlers;
    handlers.on_open = [this, call, known](const base::Result<AcpSession::Started>& started) {
      if (started) *known = started->key;
      on_open(call, started);
    };
    const auto with_conversation = [this, known](const auto& told) {
      if (acp::Conversation* conversation = server_.conversation(*known)) told(*conversation);
      act();
    };
    handlers.on_event = [this, with_conversation](const event::Event& event, bool is_history) {
      with_conversation([&](acp::Conversation& conversation) {
        if (is_history) return conversation.on_history(event);
        conversation.on_event(event, loop_.now_ms());
      });
    };
    handlers.on_report = [this, with_conversation](const auto& report) {
      with_conversation([&](acp::Conversation& one) { one.on_report(report, loop_.now_ms()); });
    };
    handlers.on_sent = [this, with_conversation](uint64_t turn, const auto& sent) {
      with_conversation([&](acp::Conversation& one) { one.on_sent(turn, sent, loop_.now_ms()); });
    };
    handlers.on_answered = [this, with_conversation](const std::string& dialog, const auto& done) {
      with_conversation(
          [&](acp::Conversation& one) { one.on_answered(dialog, done, loop_.now_ms()); });
    };
    handlers.on_end = [this, known](const acp::Failure& failure) { on_end(*known, failure); };
    handlers.on_note = [this](const std::string& line) { note(line); };
    handlers.is_full = [this] { return stdio_.waiting_bytes() > kMostAcpWaiting; };
    handlers.when_drained = [this](std::function<void()> told) {
      stdio_.when_drained(std::move(told));
    };
    return std::make_unique<AcpSession>(loop_, place_, std::move(handlers));
  }

  void fail_to_open(const acp::Open& open, const base::Error& error) {
    remove_servers(open.call);
    server_.opened(open.call, error);
  }

  void on_open(uint64_t call, const base::Result<AcpSession::Started>& started) {
    auto found = opening_.extract(call);
    if (found.empty()) return;
    Opening opening = std::move(found.mapped());
    if (!started) {
      bury(std::move(opening.session));
      if (may_try_another(opening, started.error())) {
        start_new(opening.open, opening.tries - 1);
      } else {
        remove_servers(call);
        server_.opened(call, started.error());
      }
    } else {
      remove_servers(call);
      const adapters::Manifest* agent = agents_.find(started->agent);
      sessions_[started->key] = std::move(opening.session);
      server_.opened(call,
                     acp::Opened{started->key, started->run, started->agent,
                                 agent == nullptr ? std::vector<std::string>() : agent->models,
                                 started->folder + "/prompts", opening.had_turns});
      if (is_leaving_) sessions_[started->key]->stop();
    }
    act();
    leave_when_done();
  }

  // Whether the start failed because another process has taken the name in the meantime.
  bool may_try_another(const Opening& opening, const base::Error& error) const {
    if (opening.tries == 0 || error.code != base::ErrorCode::kUsage || is_leaving_) return false;
    const auto runs = store::run_folders(place_.state_dir);
    return runs && std::any_of(runs->begin(), runs->end(), [&](const store::RunFolder& run) {
             return run.issue == opening.issue;
           });
  }

  void on_end(const std::string& name, const acp::Failure& failure) {
    auto found = sessions_.extract(name);
    if (found.empty()) return;
    const std::string run = found.mapped()->run();
    bury(std::move(found.mapped()));
    if (auto again = again_.extract(name); !again.empty() && !is_leaving_) {
      go_on_again(again.mapped(), run);
    } else {
      if (acp::Conversation* conversation = server_.conversation(name)) {
        conversation->on_end(failure);
      }
      if (closing_.erase(name) > 0) {
        act();
        server_.closed(name);
      }
    }
    act();
    leave_when_done();
  }

  // A session is not destroyed by one of its own calls.
  void bury(std::unique_ptr<AcpSession> session) {
    buried_.push_back(std::move(session));
    sweeper_.start(0, [this] { buried_.clear(); });
  }

  // The client is gone, or we are: what it opened ends, unless it is to run on.
  void leave() {
    if (std::exchange(is_leaving_, true)) return;
    if (!options_.leave_running) {
      for (auto& [name, session] : sessions_) session->stop();
      for (auto& [call, opening] : opening_) opening.session->stop();
    }
    leave_when_done();
  }

  void leave_when_done() {
    if (!is_leaving_) return;
    const bool is_done = sessions_.empty() && opening_.empty();
    if (is_done || options_.leave_running) stdio_.finish();
  }

  void note(const std::string& line) {
    const std::string told = line.starts_with("orch: ") ? line : "orch: " + line;
    std::fprintf(stderr, "%s\n", base::printable(told).c_str());
  }

  std::string program_;
  client::Place place_;
  AcpOptions options_;
  adapters::Registry agents_;
  acp::Server server_;
  loop::Loop loop_;
  JsonRpcStdio stdio_;
  loop::Timer timer_, sweeper_;
  std::map<std::string, std::unique_ptr<AcpSession>> sessions_;
  std::map<uint64_t, Opening> opening_;
  std::map<uint64_t, std::string> servers_;  // by call: files with MCP servers
  std::map<std::string, acp::Open> again_;   // sessions that start anew once they have ended
  std::set<std::string> closing_;
  std::vector<std::unique_ptr<AcpSession>> buried_;
  int64_t last_number_ = 0;
  bool is_leaving_ = false;
  int code_ = 0;
};

// Options of orch run that make no sense here, or that orch acp sets.
constexpr std::array<std::string_view, 21> kWithout{
    "--prompt",    "--prompt-file",    "--comments",        "--until",       "--complete-keyword",
    "--max-turns", "--timeout",        "--idle-timeout",    "--on-limit",    "--verify",
    "--fix-turns", "--verify-timeout", "--require-changes", "--ask-timeout", "--cwd",
    "--jobs",      "--detach",         "--output",          "--live",        "--artifacts",
    "--notify"};

int serve_acp(AcpOptions& options) {
  std::vector<std::string_view> own(kWithout.begin(), kWithout.end());
  own.insert(own.end(), {"--approve", "--state-dir", "--agent", "--model", "--effort"});
  options.words = given_words(*options.given_by, own);
  if (const std::string refusal = peer::refusal_of_this_process(); !refusal.empty()) {
    return report(base::usage_error("orch acp is not for agents of a run: " + refusal));
  }
  const base::Result<std::string> program = setup::own_path();
  if (!program) return report(program.error());
  const base::Result<client::Place> place = setup::place_of(options.request.state_dir);
  if (!place) return report(place.error());
  base::Result<adapters::Registry> agents = setup::load_agents(place->repository);
  if (!agents) return report(agents.error());
  acp::Server::Plan plan;
  plan.protocol = &acp::protocol_1();
  plan.version = ORCH_VERSION;
  if (!options.timeout.empty()) {
    const base::Result<int64_t> limit = base::parse_duration(options.timeout);
    if (!limit) return report(limit.error());
    plan.turn_limit_ms = *limit;
  }
  const std::string& approve = options.request.approve;
  plan.settings.mode = approve == "none" ? "ask" : approve;
  if (approve != "none" && approve != "all") plan.policy = approve;
  plan.settings.agent = options.request.agent;
  plan.settings.model = options.request.model;
  plan.settings.effort = options.request.effort;
  for (const adapters::Manifest& agent : agents->all()) {
    if (setup::is_installed(agent)) plan.agents.push_back(agent.name);
  }
  return AcpService(*program, *place, std::move(options), std::move(plan),
                    std::move(agents).value())
      .run();
}

}  // namespace

void add_acp_command(CLI::App& app, Chosen& chosen) {
  CommandWith<AcpOptions> command(app, chosen, "acp",
                                  "be the agent of an editor (the Agent Client Protocol)",
                                  [](AcpOptions& options) { return serve_acp(options); });
  command->given_by = &command.app();
  add_run_options(command, options::Also::kNone, command->request, kWithout);
  hide_unusual_options(command);
  command.option("--timeout", command->timeout, "end a turn that takes longer: 90s, 10m, 2h");
  command.flag("--leave-running", command->leave_running,
               "sessions go on when the client ends; orch attach finds them");
  command.footer(
      "Speaks the Agent Client Protocol on standard input and output, until that input ends. Each\n"
      "session of the client is a run called acp-1, acp-2, ...; it can be seen and answered by\n"
      "orch's other commands, too: docs/acp.md. It takes the other options of orch run about "
      "agents,\n"
      "rights, fences and folders, too.\n\n"
      "Examples:\n  orch acp --agent claude\n"
      "  acpx --agent \"orch acp --agent codex\" exec \"fix it\"");
}

}  // namespace orch::cli
