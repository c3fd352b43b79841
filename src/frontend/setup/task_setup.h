#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "task_run/task_run.h"

namespace orch::setup {

// The options of `orch task`.
struct TaskOptions {
  std::string file, resume, status;
  std::string approve = "none";
  std::string trust_file;  // --trust-file: the SHA-256 of a task file that the user has looked at
  std::string meta_url;    // --meta-url: the server that openai-chat asks
  bool json = false;
  std::optional<std::string> state_dir;
};

// A task, ready to be carried out: everything was checked, and its folder is locked.
struct PreparedTask {
  task_run::TaskSetup setup;
  std::unique_ptr<task_run::TaskFolder> folder;
  std::vector<task::JournalEntry> journal;  // of the task that is resumed; empty for a new one
  std::vector<std::string> notes;           // lines for stderr
};

// A task file with fields that only the user may set.
struct UntrustedTask {
  std::string id, file, sha256;
  std::vector<std::string> fields;  // task::fields_that_need_trust()
};
// Calls `on_untrusted` before it returns the error that says so.
base::Result<PreparedTask> prepare_task(
    const TaskOptions& options,
    const std::function<void(const UntrustedTask&)>& on_untrusted = [](const UntrustedTask&) {});

}  // namespace orch::setup
