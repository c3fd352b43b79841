#pragma once

#include <string>
#include <string_view>

#include "task/task_machine.h"

namespace orch::task {

// The contents of a note.
struct NoteSubject {
  const TaskSpec& spec;
  const std::string& prd;
  const TaskFacts& facts;
  TaskEnd end;
  std::string started, ended;  // RFC 3339, UTC
  int64_t worked_ms = 0;       // on the task's own clock
};

// The Markdown file (CommonMark with YAML front matter) that a task leaves for the next reader: the
// request, the decisions and the work, the findings, the rest. It is valid for any text: words of
// others stand in fences that they cannot close, or are escaped, and contain no invisible
// characters.
std::string write_note(const NoteSubject& subject);

// ".agent-runner/task-<id>.md", relative to the repository.
std::string note_path(std::string_view id);

// A text as a part of one line: characters with a meaning in Markdown are escaped, and line feeds
// become spaces.
std::string markdown_line(std::string_view text);
// A text as a fenced block, whose fence is longer than any in the text.
std::string markdown_block(std::string_view text);

}  // namespace orch::task
