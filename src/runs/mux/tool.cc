#include "mux/tool.h"

#include "base/own_program.h"
#include "pty/tool.h"

namespace orch::mux {

base::Result<Answered> run_tool(const std::vector<std::string>& argv,
                                const std::vector<std::string>& env) {
  std::vector<std::string> words = argv;
  if (words.front().find('/') == std::string::npos) {
    base::Result<std::string> program = base::own_program(words.front());
    if (!program) return program.error();
    words.front() = std::move(program).value();
  }
  base::Result<pty::ToolEnd> end = pty::run_tool(words, env, {}, pty::ErrorOutput::kMerged);
  if (!end) return end.error();
  return Answered{end->code, std::move(end->output)};
}

}  // namespace orch::mux
