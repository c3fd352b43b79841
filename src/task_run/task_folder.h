#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "task/journal.h"

namespace orch::task_run {

// What a task began with, as it was read.
struct TaskTexts {
  std::string spec;    // task.yaml
  std::string prd;     // prd.md
  std::string script;  // script.yaml, of a scripted meta-agent whose answers are in a file; ""
};

// <state dir>/tasks/<id>: the task's files, for this user alone, and a lock that lasts as long as
// this process: one orch at a time works on a task. The lock is beside the folder.
class TaskFolder {
 public:
  // A new task. A folder of an earlier one is kept under another name, which `moved` gets.
  static base::Result<std::unique_ptr<TaskFolder>> create(const std::string& state_dir,
                                                          const std::string& id,
                                                          const TaskTexts& texts,
                                                          std::string& moved);
  // One that was begun; kNotFound when there is none.
  static base::Result<std::unique_ptr<TaskFolder>> open(const std::string& state_dir,
                                                        const std::string& id);

  // What is in one, for who only looks: nothing is taken or mended.
  struct Look {
    TaskTexts texts;
    std::vector<task::JournalEntry> journal;
    task::TimeMs clock_ms = 0;  // as of read_clock()
    bool is_at_work = false;    // somebody has the lock
  };
  static base::Result<Look> look(const std::string& state_dir, const std::string& id);

  const std::string& path() const { return path_; }
  const std::string& id() const { return id_; }
  std::string prompt_file(int n) const;
  base::Result<TaskTexts> texts() const;
  // The whole lines; what was left of a torn one is cut off, so that the next one can follow.
  base::Result<std::vector<task::JournalEntry>> read_journal();

  base::Status append(const task::JournalEntry& entry);
  base::Status write_prompt(int n, std::string_view text);
  base::Status write_question(int n, const task::QuestionText& text);
  base::Status write_note(std::string_view text);
  // The task's own time, as it was told last; 0 where it never was. A journal tells it when
  // something happens, which may be hours apart.
  void write_clock(task::TimeMs now);
  task::TimeMs read_clock() const;

 private:
  TaskFolder(std::string path, std::string id, base::Fd lock);
  std::string journal_file() const { return path_ + "/journal.jsonl"; }
  base::Status open_journal();

  std::string path_, id_;
  base::Fd lock_;
  base::Fd journal_;
};

}  // namespace orch::task_run
