#include "cli/app.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "demo/demo.h"

namespace orch::cli {
namespace {

constexpr const char* kFooter = R"(Examples:
  orch run demo                          watch the built-in demo agent work to completion
  orch run 42 -p "fix the flaky test"    drive the first installed agent until it says it is done
  orch run 42 --agent codex --until idle --output text -p "explain main.cc" | less
  orch replay output.cast --json         the statuses of a recording

Exit codes are explained by: orch run --help)";

// CLI11 prints its own errors over several lines; ours are one line that names the remedy.
int usage(const CLI::ParseError& error, CLI::App& app) {
  if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
  return report(base::usage_error(std::string(error.what()) + "; see orch --help"));
}

}  // namespace

int run_app(int argc, char** argv) {
  // The agent inside the binary takes its words as they are.
  if (argc > 1 && std::string_view(argv[1]) == "demo-agent") {
    const std::vector<std::string> args(argv + 2, argv + argc);
    return demo::run_demo_agent(args);
  }
  CLI::App app("orch makes an interactive coding agent behave like a Unix process.", "orch");
  app.set_version_flag("--version", "orch " ORCH_VERSION);
  app.footer(kFooter);
  app.require_subcommand(1);
  Chosen chosen;
  add_run_command(app, chosen);
  add_replay_command(app, chosen);
  add_agents_command(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return usage(error, app);
  }
  return chosen();
}

}  // namespace orch::cli
