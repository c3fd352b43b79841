#include "engine/call.h"

#include <array>
#include <string_view>

#include "base/own_program.h"
#include "base/own_settings.h"
#include "base/text.h"
#include "pty/tool.h"
#include "session/environment.h"

namespace orch::engine {
namespace {

std::string first_line(std::string_view text) {
  for (std::string_view line : base::split_lines(text)) {
    line = base::trim(line);
    if (!line.empty()) return base::printable(line);
  }
  return "it does not say why";
}

base::Result<std::string> find(const std::string& name) {
  base::Result<std::string> program = base::own_program(name);
  if (program || program.error().code != base::ErrorCode::kNotFound) return program;
  return base::usage_error("there is no " + name +
                           " along PATH: go to a machine that has it, or install it");
}

}  // namespace

base::Status check_program(const std::string& name) {
  const base::Result<std::string> program = find(name);
  if (!program) return program.error();
  return base::Ok{};
}

base::Status check_call(const std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 2> kSettings{"--kubeconfig", "--kuberc"};
  for (size_t at = 1; at < words.size(); ++at) {
    for (const std::string_view name : kSettings) {
      if (!words[at].starts_with(name)) continue;
      const std::string_view rest = std::string_view(words[at]).substr(name.size());
      std::string value;
      if (rest.starts_with('=')) value = rest.substr(1);
      if (rest.empty() && at + 1 < words.size()) value = words[at + 1];
      if (base::Status s = base::check_settings(name, value); !s) return s;
    }
  }
  if (base::Status s = base::check_settings_at_home({".kube/config", ".kube/kuberc"}); !s) return s;
  return base::check_settings_variables({"KUBECONFIG", "KUBERC", "SLURM_CONF"});
}

base::Result<std::string> call(const std::vector<std::string>& words,
                               const std::vector<std::string>& added,
                               const pty::ToolLimits& limits) {
  if (base::Status s = check_call(words); !s) return s.error();
  const std::string& name = words.front();
  base::Result<std::string> program = find(name);
  if (!program) return program.error();
  std::vector<std::string> argv = words;
  argv.front() = std::move(program).value();
  std::vector<std::string> env = session::own_environment();
  env.insert(env.end(), added.begin(), added.end());
  base::Result<pty::ToolEnd> end = pty::run_tool(argv, env, limits);
  if (!end) return end.error();
  const std::string unanswered = pty::why_unanswered(name, *end, limits);
  if (!unanswered.empty()) return base::Error{base::ErrorCode::kSystem, unanswered};
  if (!end->ok) {
    return base::Error{base::ErrorCode::kSystem, name + ": " + first_line(end->errors)};
  }
  return std::move(end->output);
}

}  // namespace orch::engine
