#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/denylist.h"
#include "policy/shell_text.h"
#include "policy/write_target.h"

namespace orch::policy {

// Files that a command gives a content, by their absolute paths, and that content where it is
// known. Who runs them later in the same command runs what was never looked at.
class WrittenFiles {
 public:
  void add(std::string path, std::string text, bool known);
  struct File {
    std::string path, text;
    bool known = false;
  };
  const File* find(std::string_view path) const;
  bool hold_code() const { return code_; }      // sources, build files, or one that is not known
  void note_name(std::string_view path);        // of a file, whatever is in it
  bool hold_option() const { return option_; }  // a name that begins with a dash
  bool empty() const { return files_.empty(); }
  size_t size() const { return files_.size(); }

 private:
  std::vector<File> files_;
  bool code_ = false, option_ = false;
};

// What a command was found to do so far.
struct Effects {
  CommandVerdict verdict;
  WrittenFiles written;
  std::vector<std::string> linked;  // paths of links
  std::vector<std::string> copied;  // paths of what may be a copy of any program

  size_t count() const { return written.size() + linked.size() + copied.size(); }
};

struct ProgramCall {
  std::string_view program;
  const std::vector<ShellWord>& words;  // its arguments
  const Whereabouts& where;
  Effects& effects;

  CommandVerdict& verdict() const { return effects.verdict; }
};

// Adds what the program does with its arguments. Programs that run other programs, and shells, are
// not looked into.
void judge_program(const ProgramCall& call);

// Adds what writing to the file that `target` names would be.
void judge_target(const ShellWord& target, const ProgramCall& call);
void judge_targets(const std::vector<ShellWord>& targets, const ProgramCall& call);
// The same for a file whose content is lost: where all that is in a root is, the root is removed.
void judge_lost(const ShellWord& file, const ProgramCall& call);
// The same for a folder that a program works in.
void judge_folder(const ShellWord& folder, const ProgramCall& call);
// Files that were given the content of others: whoever runs them runs what is not known.
void note_copies(const std::vector<ShellWord>& files, const ProgramCall& call);
// Everything below a root, or the root itself, would be touched.
void judge_roots(const ShellWord& word, const ProgramCall& call, DenyEntry entry);
// A program that runs what the project says: in its directory, and nothing that the command wrote.
void judge_build(const ProgramCall& call);

// Groups of programs: true when the program is one of them.
bool judge_file_program(const ProgramCall& call);        // rm, cp, find, tar, ...
bool judge_permission_program(const ProgramCall& call);  // chmod, chown, setfacl
bool judge_code_program(const ProgramCall& call);        // sed, awk, python -c, node -e, ...
bool judge_git(const ProgramCall& call);
bool judge_publisher(const ProgramCall& call);       // npm, gh, docker, pip, cargo, ...
bool judge_system_program(const ProgramCall& call);  // kill, shutdown, mkfs, ...

}  // namespace orch::policy
