#pragma once

#include <string>
#include <string_view>

#include "task/task_machine.h"

namespace orch::task {

// What a note says beside the machine's facts.
struct NoteSubject {
  const TaskSpec& spec;
  const std::string& prd;
  const TaskFacts& facts;
  TaskEnd end;
  std::string started, ended;  // RFC 3339, UTC
  int64_t worked_ms = 0;       // the task's own time
};

// The Markdown (CommonMark, with a front matter in YAML) that a task leaves for whoever comes next:
// what was wanted, what was decided and done, what was found, what remains. Valid for any text:
// what others wrote stands in fences that it cannot close, or escaped, and nothing in it is
// invisible.
std::string write_note(const NoteSubject& subject);

// ".agent-runner/task-<id>.md", relative to the repository.
std::string note_path(std::string_view id);

// A text as a part of one line: Markdown's own characters escaped, line feeds blanks.
std::string markdown_line(std::string_view text);
// A text as a block of its own, in a fence that is longer than any in it.
std::string markdown_block(std::string_view text);

}  // namespace orch::task
