#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/command.h"
#include "cli/run_options.h"
#include "loop/signal_watch.h"
#include "pty/containment.h"

namespace orch::cli {
namespace {

// The sessions of one `orch run`, from the start of the first to the end of the last.
class ForegroundRun {
 public:
  explicit ForegroundRun(RunSetup setup) : setup_(std::move(setup)), out_(loop_, STDOUT_FILENO) {}

  int run() {
    if (base::Status s = pty::become_subreaper(); !s) return report(s.error());
    watch_signals();
    const bool several = setup_.sessions.size() > 1;
    active_.resize(setup_.sessions.size());
    for (size_t i = 0; i < setup_.sessions.size(); ++i) start(i, several);
    finish_if_done();
    loop_.run();
    return event::combined_exit_code(codes_);
  }

 private:
  struct Active {
    std::unique_ptr<session::SessionSink> sink;
    std::unique_ptr<session::Session> session;
  };

  void watch_signals() {
    for (const int signum : {SIGINT, SIGTERM, SIGHUP}) {
      signals_.push_back(std::make_unique<loop::SignalWatch>(
          loop_, signum, [this](int n) { on_stop_signal(n == SIGINT ? SIGINT : SIGTERM); }));
    }
    signals_.push_back(std::make_unique<loop::SignalWatch>(
        loop_, SIGCHLD, [this](int) { pty::reap_orphans(loop_); }));
    if (!setup_.follow_terminal_size) return;
    signals_.push_back(
        std::make_unique<loop::SignalWatch>(loop_, SIGWINCH, [this](int) { on_resize(); }));
  }

  void start(size_t i, bool several) {
    session::SessionSetup& setup = setup_.sessions[i];
    Active& active = active_[i];
    active.sink = make_sink(setup_.output, out_, several ? setup.issue : "");
    base::Result<std::unique_ptr<session::Session>> session =
        session::Session::start(loop_, std::move(setup), *active.sink, [this, i] { on_ended(i); });
    if (!session) {
      codes_.push_back(report(session.error()));
      return;
    }
    active.session = std::move(session).value();
    ++running_;
  }

  // The last words about a session: why a human is needed, then one line with reason and code.
  void on_ended(size_t i) {
    const store::RunResult& result = active_[i].session->result();
    out_.flush();
    const std::string name = "orch: " + result.session + ": ";
    if (result.reason == event::ExitReason::kNeedsHuman) {
      for (const std::string_view line : base::split_lines(result.detail)) {
        std::fprintf(stderr, "%s| %s\n", name.c_str(), base::printable(line).c_str());
      }
    }
    const std::string_view detail = result.detail;
    const std::string first = base::printable(detail.substr(0, detail.find('\n')));
    const std::string_view reason = event::name(result.reason);
    std::fprintf(stderr, "%s%.*s (exit %d)%s%s\n", name.c_str(), static_cast<int>(reason.size()),
                 reason.data(), result.code, first.empty() ? "" : ": ", first.c_str());
    codes_.push_back(result.code);
    --running_;
    finish_if_done();
  }

  void finish_if_done() {
    if (running_ > 0) return;
    out_.when_drained([this] { loop_.stop(); });
    for (auto& watch : signals_) watch->keep_running();
  }

  void on_stop_signal(int signum) {
    if (running_ == 0) return loop_.stop();  // only the reader is being waited for
    for (Active& active : active_) {
      if (active.session) active.session->on_signal(signum);
    }
  }

  void on_resize() {
    const std::optional<term::Size> size = terminal_size();
    if (!size) return;
    for (Active& active : active_) {
      if (active.session) active.session->resize(*size);
    }
  }

  RunSetup setup_;
  loop::Loop loop_;
  OutputStream out_;
  std::vector<std::unique_ptr<loop::SignalWatch>> signals_;
  std::vector<Active> active_;
  std::vector<int> codes_;
  size_t running_ = 0;
};

int run(const RunOptions& options) {
  AgentChoice choice;
  base::Result<RunSetup> setup = prepare_run(options, choice);
  if (!setup) return report(setup.error());
  if (!setup->note.empty()) std::fprintf(stderr, "orch: %s\n", setup->note.c_str());
  return ForegroundRun(std::move(setup).value()).run();
}

std::string footer() {
  std::string text = R"(The prompt is -p, --prompt-file, or <repository>/.orch/issues/<issue>.md.

Examples:
  orch run 42 -p "fix the flaky test in net_test.cc"
  orch run 42 --agent codex --until idle -p "explain main.cc" | tee answer.txt
  orch run 1 2 3 --agent demo --output json
  orch run build --timeout 10m -- make -j2

Exit codes:
)";
  for (const event::ExitRow& row : event::exit_table()) {
    std::string line = "  " + std::to_string(row.code);
    line.resize(7, ' ');
    line += row.name;
    line.resize(23, ' ');
    text += line.append(row.description).append("\n");
  }
  return text;
}

}  // namespace

void add_run_command(CLI::App& app, std::vector<std::string> after_dashes, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("run", "run an agent on an issue until it is done");
  auto options = std::make_shared<RunOptions>();
  options->command = std::move(after_dashes);
  command->add_option("issue", options->issues, "number or name of the issue; several run at once")
      ->required();
  command->add_option("--agent", options->agent, "which agent; see orch agents");
  command->add_option("-p,--prompt", options->prompt, "what the agent is to do");
  command->add_option("--prompt-file", options->prompt_file,
                      "read the prompt from a file; - is stdin");
  command->add_option("--system-prompt", options->system_prompt_file,
                      "add the text of a file to the agent's system prompt");
  command->add_option("--model", options->model, "the agent's model");
  command->add_option("--effort", options->effort, "the agent's reasoning effort");
  command->add_option("--until", options->until,
                      "complete: the agent says the keyword (default); idle: one turn; exit: the "
                      "agent exits (default after --)");
  command
      ->add_option("--complete-keyword", options->keyword, "what the agent says when all is done")
      ->capture_default_str();
  command->add_option("--max-turns", options->max_turns, "give up after so many turns")
      ->capture_default_str();
  command->add_option("--timeout", options->timeout, "end the run after this long: 90s, 10m, 2h");
  command->add_option("--output", options->output, "text, raw, json or quiet")
      ->capture_default_str();
  command->add_option("--size", options->size,
                      "COLSxROWS of the agent's terminal (default: yours, else 120x40)");
  command->add_flag("--no-hooks", options->no_hooks,
                    "do not have the agent's own hooks tell its state too");
  command->add_option("--cwd", options->cwd, "the agent's working directory")
      ->capture_default_str();
  command->add_option("--state-dir", options->state_dir,
                      "where runs are kept (default: $XDG_STATE_HOME/orch)");
  command->footer(footer());
  command->callback([options, &chosen] { chosen = [options] { return run(*options); }; });
}

}  // namespace orch::cli
