#include "sandbox/exec_words.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace orch::sandbox {
namespace {

using Talk = session::Enclosure::Talk;

constexpr const char* kMark = "ORCH_MARK";

// Docker sets the size of its terminal only after the process has started: until then it is 0 0,
// and a program that asks only once would keep that.
constexpr std::string_view kAwaitSize =
    "i=0; while [ \"$(stty size 2>/dev/null)\" = '0 0' ] && [ $i -lt 300 ]; do "
    "i=$((i+1)); sleep 0.01; done\n";

// The client swallows the keys that detach it from a terminal, by default Ctrl-P, which agents use.
// Docker needs some detach keys, so they are a key that nobody types seven times in a row.
std::string detach_keys(const Engine& engine) {
  if (engine.kind == EngineKind::kPodman) return "";
  std::string keys = "ctrl-^";
  for (int i = 0; i < 6; ++i) keys += ",ctrl-^";
  return keys;
}

// A script that runs `action` for each process with the mark $1 in its environment. $p is the
// process, $d its folder in /proc.
std::string for_each_marked(std::string_view action) {
  std::string script = R"(for d in /proc/[0-9]*; do
  p=${d#/proc/}
  [ "$p" = 1 ] && continue
  [ "$p" = $$ ] && continue
  tr '\0' '\n' <"$d/environ" 2>/dev/null | grep -qxF "ORCH_MARK=$1" || continue
  )";
  return script.append(action).append("\ndone\nexit 0");
}

std::vector<std::string> script_words(const Engine& engine, const std::string& container,
                                      std::string script, const char* name,
                                      const std::string& mark) {
  return {engine.program, "exec", container, "sh", "-c", std::move(script), name, mark};
}

}  // namespace

base::Status check_variable(std::string_view name) {
  const auto is_word = [](char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
  };
  const bool digit = !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) != 0;
  if (!name.empty() && !digit && std::all_of(name.begin(), name.end(), is_word)) return base::Ok{};
  return base::usage_error("--env " + base::printable(name) +
                           ": in a container a variable's name is of letters, digits and _");
}

ExecPlan exec_plan(const Engine& engine, const ExecOrder& order,
                   const std::vector<std::string>& argv) {
  ExecPlan plan;
  plan.argv = {engine.program, "exec"};
  const bool terminal = order.talk == Talk::kTerminal;
  plan.argv.emplace_back(terminal ? "-it" : "-i");
  if (terminal) plan.argv.insert(plan.argv.end(), {"--detach-keys", detach_keys(engine)});
  plan.argv.insert(plan.argv.end(),
                   {"--workdir", order.folder, "--env", std::string(kMark) + "=" + order.mark});
  std::string script(terminal ? kAwaitSize : "");
  size_t i = 0;
  for (const auto& [key, value] : order.env) {
    const std::string name = "ORCH_V" + std::to_string(i++);
    plan.argv.insert(plan.argv.end(), {"--env", name});
    plan.env.push_back(name + "=" + value);
    script.append(key).append("=$").append(name).append("; export ").append(key);
    script.append("; unset ").append(name).append("\n");
  }
  script += "exec \"$@\"";
  plan.argv.insert(plan.argv.end(), {order.container, "sh", "-c", script, "orch-exec"});
  plan.argv.insert(plan.argv.end(), argv.begin(), argv.end());
  return plan;
}

std::vector<std::string> kill_marked_words(const Engine& engine, const std::string& container,
                                           const std::string& mark) {
  return script_words(engine, container, for_each_marked("kill -KILL \"$p\" 2>/dev/null"),
                      "orch-kill", mark);
}

std::vector<std::string> life_words(const Engine& engine, const std::string& container,
                                    const std::string& mark) {
  return script_words(engine, container, for_each_marked("cat \"$d/stat\" \"$d/io\" 2>/dev/null"),
                      "orch-life", mark);
}

}  // namespace orch::sandbox
