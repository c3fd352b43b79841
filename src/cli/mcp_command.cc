// orch mcp: serves a client of the Model Context Protocol on standard input and output. Each tool
// call runs a command of orch in a process of its own.
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/json_rpc_stdio.h"
#include "cli/new_command.h"
#include "cli/stop_signals.h"
#include "event/exit_reason.h"
#include "mcp/output_tail.h"
#include "mcp/server.h"
#include "peer/peer_process.h"
#include "pty/proc_file.h"
#include "pty/process.h"
#include "pty/process_table.h"
#include "pty/run_mark.h"
#include "session/environment.h"
#include "setup/paths.h"

namespace orch::cli {
namespace {

constexpr size_t kMcpOutputBytes = size_t{256} << 10;
constexpr size_t kMcpErrorBytes = size_t{16} << 10;
constexpr int64_t kMcpTermMs = 2'000;  // until a command whose call was cancelled is killed
constexpr int kMcpSignalBase = 128;
constexpr int kMostAncestors = 64;

// The variables that mark a process as part of a run. Some clients start their servers with a bare
// environment, so this looks for the nearest ancestor process that has them.
std::vector<std::string> own_marks() {
  pid_t at = ::getpid();
  for (int steps = 0; at > 0 && steps < kMostAncestors; ++steps) {
    const std::string environment = pty::read_proc(at, "environ");
    if (!pty::run_in(environment).empty()) {
      std::vector<std::string> marks;
      for (std::string_view rest = environment; !rest.empty();) {
        const std::string_view entry = rest.substr(0, rest.find('\0'));
        rest.remove_prefix(std::min(entry.size() + 1, rest.size()));
        const std::string_view name = entry.substr(0, entry.find('='));
        if (name == pty::kRunMark || name == pty::kRunChain) marks.emplace_back(entry);
      }
      return marks;
    }
    const auto process = pty::read_process(at);
    at = process ? process->parent : 0;
  }
  return {};
}

// The process of one tool call.
class McpCommand final : private pty::ProcessObserver {
 public:
  using OnEnd = std::function<void(mcp::Ended)>;  // may destroy this

  McpCommand(loop::Loop& loop, pty::ProcessPlan plan, OnEnd on_end)
      : loop_(loop), plan_(std::move(plan)), on_end_(std::move(on_end)) {}

  base::Status start() {
    auto process = pty::Process::spawn(loop_, std::move(plan_), *this);
    if (!process) return process.error();
    process_ = std::move(process).value();
    return base::Ok{};
  }
  void stop() { process_->stop(kMcpTermMs); }

 private:
  void on_output(std::string_view bytes) override { out_.add(bytes); }
  void on_error_output(std::string_view bytes) override { err_.add(bytes); }
  void on_end(pty::ExitStatus status) override {
    const int code = status.signal != 0 ? kMcpSignalBase + status.signal : status.code;
    const OnEnd on_end = std::move(on_end_);
    on_end({code, out_.text(), err_.text()});
  }

  loop::Loop& loop_;
  pty::ProcessPlan plan_;
  OnEnd on_end_;
  mcp::OutputTail out_{kMcpOutputBytes}, err_{kMcpErrorBytes};
  std::unique_ptr<pty::Process> process_;
};

// The connection to one client, from its first line until it closes its side, or we are stopped.
class McpService {
 public:
  McpService(std::string program, std::vector<std::string> env, mcp::Server::Plan plan)
      : program_(std::move(program)),
        env_(std::move(env)),
        server_(std::move(plan)),
        stdio_(loop_, {.on_line = [this](std::string_view line) { hear(line); },
                       // Nobody waits for the running calls any more.
                       .on_end =
                           [this] {
                             commands_.clear();
                             stdio_.finish();
                           }}) {}

  int run() {
    const auto signals = watch_stop_signals(loop_, [this](int signum) {
      code_ = kMcpSignalBase + signum;
      loop_.stop();
    });
    loop_.run();
    commands_.clear();
    return code_ != 0 ? code_ : stdio_.code();
  }

 private:
  void hear(std::string_view line) {
    if (std::optional<mcp::Action> action = server_.hear(line)) act(*std::move(action));
  }

  void act(mcp::Action action) {
    if (auto* said = std::get_if<mcp::Say>(&action)) return stdio_.say(std::move(said->line));
    if (auto* started = std::get_if<mcp::Start>(&action)) return start(std::move(*started));
    const auto found = commands_.find(std::get<mcp::Stop>(action).call);
    if (found != commands_.end()) found->second->stop();
  }

  void start(mcp::Start started) {
    pty::ProcessPlan plan;
    plan.argv = {program_};
    plan.argv.insert(plan.argv.end(), started.invocation.words.begin(),
                     started.invocation.words.end());
    plan.env = env_;
    plan.input = std::move(started.invocation.input);
    plan.parent_death = pty::ParentDeath::kDieToo;
    const uint64_t call = started.call;
    auto command = std::make_unique<McpCommand>(
        loop_, std::move(plan), [this, call](const mcp::Ended& ended) { on_ended(call, ended); });
    if (const base::Status begun = command->start(); !begun) {
      const int code = event::exit_code(begun.error().code);
      return on_ended(call, {code, "", "orch: " + begun.error().text});
    }
    commands_[call] = std::move(command);
  }

  void on_ended(uint64_t call, const mcp::Ended& ended) {
    commands_.erase(call);
    if (std::optional<mcp::Action> next = server_.ended(call, ended)) act(*std::move(next));
  }

  std::string program_;
  std::vector<std::string> env_;
  mcp::Server server_;
  loop::Loop loop_;
  JsonRpcStdio stdio_;
  std::map<uint64_t, std::unique_ptr<McpCommand>> commands_;
  int code_ = 0;
};

int serve_mcp(const std::optional<std::string>& state_dir) {
  const base::Result<std::string> program = setup::own_path();
  if (!program) return report(program.error());
  if (state_dir && state_dir->empty()) return report(base::usage_error("--state-dir: is empty"));
  std::vector<std::string> env = session::own_environment();
  std::string run(session::value_in(env, pty::kRunMark));
  if (run.empty()) {
    for (std::string& mark : own_marks()) env.push_back(std::move(mark));
    run = session::value_in(env, pty::kRunMark);
  }
  mcp::Server::Plan plan;
  // The caller is judged by the same rule as at the hosts: agents that the user trusts, and
  // commands after --, may do everything that the user may.
  plan.caller =
      peer::refusal_of_this_process().empty() ? mcp::Caller::kOutside : mcp::Caller::kInRun;
  plan.run = run;
  plan.version = ORCH_VERSION;
  plan.state_dir = state_dir;
  return McpService(*program, std::move(env), std::move(plan)).run();
}

}  // namespace

void add_mcp_command(CLI::App& app, Chosen& chosen) {
  struct Options {
    std::optional<std::string> state_dir;
  };
  CommandWith<Options> command(app, chosen, "mcp", "give orch to an agent as tools (an MCP server)",
                               [](const Options& options) { return serve_mcp(options.state_dir); });
  command.state_dir();
  command.footer(
      "Speaks the Model Context Protocol on standard input and output, until that input ends.\n"
      "Inside a run its tools read, and write to the agents of the same crew; outside they also "
      "start, message, answer and end agents: docs/mcp.md.\n\n"
      "Examples:\n  claude mcp add orch -- orch mcp\n"
      "  codex -c 'mcp_servers.orch.command=\"orch\"' -c 'mcp_servers.orch.args=[\"mcp\"]'");
}

}  // namespace orch::cli
