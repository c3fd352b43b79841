#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "task/journal.h"

namespace orch::task_run {

// The files that a task began with, as they were read.
struct TaskTexts {
  std::string spec;    // task.yaml
  std::string prd;     // prd.md
  std::string script;  // script.yaml: a scripted meta-agent's answers; "" without that file
  std::string author;  // who vouched for task.yaml when the task began, in the caller's words
};

// <state dir>/tasks/<id>: the task's files, which only this user can read, and a lock that lasts as
// long as this object, so that only one orch at a time works on a task. The lock is a file next to
// the folder.
class TaskFolder {
 public:
  // Begins a new task. The folder of an earlier one is renamed; `moved` gets its new path.
  static base::Result<std::unique_ptr<TaskFolder>> create(const std::string& state_dir,
                                                          const std::string& id,
                                                          const TaskTexts& texts,
                                                          std::string& moved);
  // Opens a task that was begun; kNotFound if there is none.
  static base::Result<std::unique_ptr<TaskFolder>> open(const std::string& state_dir,
                                                        const std::string& id);

  // The contents of the folder, for a reader that changes nothing and takes no lock.
  struct Look {
    TaskTexts texts;
    std::vector<task::JournalEntry> journal;
    task::TimeMs clock_ms = 0;  // from read_clock()
    bool is_at_work = false;    // another process has the lock
  };
  static base::Result<Look> look(const std::string& state_dir, const std::string& id);

  const std::string& path() const { return path_; }
  const std::string& id() const { return id_; }
  std::string prompt_file(int n) const;
  base::Result<TaskTexts> texts() const;
  // Reads the whole lines. A last line that is not whole is cut off the file, so that the next one
  // can follow.
  base::Result<std::vector<task::JournalEntry>> read_journal();

  base::Status append(const task::JournalEntry& entry);
  base::Status write_prompt(int n, std::string_view text);
  base::Status write_question(int n, const task::QuestionText& text);
  base::Status write_note(std::string_view text);
  // The task's own time when it was last written; 0 if it never was. The journal has that time,
  // too, but only of its entries, which may be hours apart.
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
