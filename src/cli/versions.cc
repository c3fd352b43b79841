#include "cli/versions.h"

#include <memory>
#include <vector>

#include "base/pattern.h"
#include "cli/agents.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "pty/process.h"
#include "session/environment.h"

namespace orch::cli {
namespace {

constexpr int64_t kPatienceMs = 10'000;  // gemini takes two seconds to start on a busy machine
constexpr size_t kMaxOutput = 64 * 1024;

// One program asked for its version.
class Question final : public pty::ProcessObserver {
 public:
  Question(loop::Loop& loop, const adapters::Manifest& agent, std::function<void()> on_answered)
      : agent_(agent.name), on_answered_(std::move(on_answered)) {
    pty::ProcessPlan plan;
    plan.argv = {agent.program.front()};
    plan.argv.insert(plan.argv.end(), agent.version.begin(), agent.version.end());
    plan.env = session::own_environment();
    for (const auto& [key, value] : agent.env) plan.env.push_back(key + "=" + value);
    plan.error_output = pty::ErrorOutput::kMerged;
    auto spawned = pty::Process::spawn(loop, std::move(plan), *this);
    if (spawned) process_ = std::move(spawned).value();
  }

  bool asked() const { return process_ != nullptr; }
  const std::string& agent() const { return agent_; }
  std::string answer() const { return version_in(output_); }

 private:
  void on_output(std::string_view bytes) override {
    output_.append(bytes.substr(0, kMaxOutput - output_.size()));
  }
  void on_error_output(std::string_view) override {}
  void on_end(pty::ExitStatus) override { on_answered_(); }

  std::string agent_, output_;
  std::function<void()> on_answered_;
  std::unique_ptr<pty::Process> process_;
};

}  // namespace

std::map<std::string, std::string> installed_versions(const adapters::Registry& agents) {
  std::map<std::string, std::string> versions;
  loop::Loop loop;
  size_t waiting = 0;
  std::vector<std::unique_ptr<Question>> questions;
  for (const adapters::Manifest& agent : agents.all()) {
    if (agent.version.empty() || agent.program.empty() || !is_installed(agent)) continue;
    auto question = std::make_unique<Question>(loop, agent, [&loop, &waiting] {
      if (--waiting == 0) loop.stop();
    });
    if (question->asked()) ++waiting;
    questions.push_back(std::move(question));
  }
  loop::Timer deadline(loop);
  deadline.start(kPatienceMs, [&loop] { loop.stop(); });
  if (waiting > 0) loop.run();
  for (const auto& question : questions) versions[question->agent()] = question->answer();
  return versions;
}

std::string version_in(std::string_view text) {
  static const base::Pattern kVersion =
      base::Pattern::compile(R"((?:^|[^\w.])v?(\d{1,9}(?:\.\d{1,9})+))").value();
  std::string version;
  return kVersion.capture(text, &version) ? version : std::string();
}

bool is_newer(std::string_view version, std::string_view than) {
  const auto take = [](std::string_view& rest) {
    const size_t dot = rest.find('.');
    long number = 0;
    for (const char digit : rest.substr(0, dot)) number = number * 10 + (digit - '0');
    rest.remove_prefix(dot == std::string_view::npos ? rest.size() : dot + 1);
    return number;
  };
  while (!version.empty() || !than.empty()) {
    const long a = take(version), b = take(than);
    if (a != b) return a > b;
  }
  return false;
}

}  // namespace orch::cli
