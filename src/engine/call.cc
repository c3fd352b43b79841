#include "engine/call.h"

#include "base/own_program.h"
#include "base/text.h"
#include "pty/tool_queue.h"
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

base::Result<std::string> call(const std::vector<std::string>& words,
                               const std::vector<std::string>& added, int64_t patience_ms) {
  const std::string& name = words.front();
  base::Result<std::string> program = find(name);
  if (!program) return program.error();
  std::vector<std::string> argv = words;
  argv.front() = std::move(program).value();
  std::vector<std::string> env = session::own_environment();
  env.insert(env.end(), added.begin(), added.end());
  base::Result<pty::ToolEnd> end = pty::run_tool(argv, env, patience_ms);
  if (!end) return end.error();
  if (end->timed_out) {
    return base::Error{base::ErrorCode::kSystem, name + " gave no answer within " +
                                                     std::to_string(patience_ms / 1'000) + " s"};
  }
  if (!end->ok) {
    return base::Error{base::ErrorCode::kSystem, name + ": " + first_line(end->errors)};
  }
  return std::move(end->output);
}

}  // namespace orch::engine
