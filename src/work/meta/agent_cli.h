#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/exec_plan.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "mask/secrets.h"
#include "meta/provider.h"
#include "pty/cgroup_removal.h"
#include "pty/containment.h"
#include "pty/process.h"
#include "session/agent_fence.h"

namespace orch::meta {

// A new empty folder that only this user can read, in a folder of its own, for files next to it.
// Both are removed with all their contents.
class EmptyFolder {
 public:
  static base::Result<EmptyFolder> create(const std::string& parent);
  ~EmptyFolder();
  EmptyFolder(EmptyFolder&& other) noexcept;
  EmptyFolder& operator=(EmptyFolder&&) = delete;
  std::string path() const { return outer_ + "/work"; }
  const std::string& outer() const { return outer_; }

 private:
  explicit EmptyFolder(std::string outer) : outer_(std::move(outer)) {}
  std::string outer_;
};

struct CliConfig {
  adapters::Manifest manifest;
  adapters::ProviderConfig provider;
  std::map<std::string, std::string> variables;  // orch's environment, for "env:NAME"
  std::map<std::string, std::string> given;      // the ones that the CLI gets
  int64_t timeout_ms = 300'000;                  // for one question
  std::string private_folder;  // an absolute path; each question gets a folder in it
  std::string state_dir;       // for the fence
  std::optional<session::FenceRequest> fence = {};  // the fence around the CLI; nullopt: none
};

// An agent CLI on this machine that answers in plain text and can do nothing else. Each question is
// a process of its own, in the fence of the plan and in an empty folder, so that no instructions in
// a repository reach it.
class AgentCli final : public Provider, private pty::ProcessObserver {
 public:
  AgentCli(loop::Loop& loop, CliConfig config);
  ~AgentCli() override;
  void ask(const Question& question, OnAnswer on_answer) override;

  // An error that every question would meet before it is asked.
  base::Status check() const;

 private:
  void on_output(std::string_view bytes) override;
  void on_error_output(std::string_view bytes) override;
  void on_end(pty::ExitStatus status) override;
  base::Result<adapters::ExecPlan> plan(const std::string& prompt, const std::string& folder) const;
  base::Status check_program(const std::string& name) const;
  base::Status enclose(const std::string& id, pty::ProcessPlan& process);
  base::Status start();
  void fail(const std::string& why);
  void deliver(base::Result<Answer> result);
  void end();

  loop::Loop& loop_;
  CliConfig config_;
  std::shared_ptr<const mask::Secrets> secrets_;
  OnAnswer on_answer_;  // empty: no question is open
  std::string prompt_, output_, errors_;
  loop::Timer timer_;
  pty::CgroupRemoval removal_;
  std::optional<EmptyFolder> folder_;
  std::unique_ptr<session::AgentFence> fence_;  // of the question's process; in folder_
  std::optional<pty::Containment> containment_;
  std::unique_ptr<pty::Process> process_;
};

}  // namespace orch::meta
