#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policy/denylist.h"
#include "policy/shell_text.h"
#include "policy/write_target.h"

namespace orch::policy {

struct Flow;

// The files that a command writes, by their absolute paths, and their contents if known. If the
// same command runs one of these files later, it runs code that nobody may have looked at.
class WrittenFiles {
 public:
  void add(std::string path, std::string text, bool known);
  struct File {
    std::string path, text;
    bool known = false;
  };
  const File* find(std::string_view path) const;
  bool hold_code() const { return code_; }      // a source, a build file or an unknown file
  void note_name(std::string_view path);        // for hold_option() alone
  bool hold_option() const { return option_; }  // a file whose name begins with a dash
  bool empty() const { return files_.empty(); }
  size_t size() const { return files_.size(); }

 private:
  std::vector<File> files_;
  bool code_ = false, option_ = false;
};

// The effects of a command that were found so far.
struct Effects {
  CommandVerdict verdict;
  WrittenFiles written;
  std::vector<std::string> linked;  // paths of links that the command made
  std::vector<std::string> copied;  // paths of files that may be a copy of any program
  // Paths that came from elsewhere, with all below them; an empty one may be any (reaching_out.h).
  std::vector<std::string> fetched;
  // Paths of files that may hold content from a file outside of the work directory.
  std::vector<std::string> taken;
  // The command gave git a remote of its own: pulls and pushes use somebody else's repository.
  bool sets_remote = false;

  size_t count() const { return written.size() + linked.size() + copied.size(); }
};

// One call of a program in the command.
struct ProgramCall {
  std::string_view program;
  const std::vector<ShellWord>& words;  // the arguments
  const Whereabouts& where;
  Effects& effects;
  // The origin of a program that is not known here.
  enum class Origin : uint8_t {
    kSystem,   // it is found by its name, wherever it is installed
    kPackage,  // a package that npx and its kin find or fetch
    kProject,  // the command names its path, or runs it in the project's environment
  };
  Origin origin = Origin::kSystem;
  const Flow* input = nullptr;  // nullptr: unknown, and without private content
  // The words are only perhaps a command: those of a program that nobody knows say nothing.
  bool guessed = false;

  CommandVerdict& verdict() const { return effects.verdict; }
};

// Adds the effects of the program with its arguments. It does not look into programs that run other
// programs, nor into shells. Returns whether the program is known.
bool judge_program(const ProgramCall& call);

// Notes files that a program has filled with a content of its own.
void note_written(const std::vector<ShellWord>& files, const ProgramCall& call);

// Adds the effect of writing to the file that `target` names.
void judge_target(const ShellWord& target, const ProgramCall& call);
void judge_targets(const std::vector<ShellWord>& targets, const ProgramCall& call);
// The same for a file whose content is lost. If these are all files in a root, the root counts as
// removed.
void judge_lost(const ShellWord& file, const ProgramCall& call);
// The same for a folder that a program works in.
void judge_folder(const ShellWord& folder, const ProgramCall& call);
// Notes that these files were given the content of other files: to run them is to run unknown code.
void note_copies(const std::vector<ShellWord>& files, const ProgramCall& call);
// Adds `entry` if the word names a root (see is_root()) or may name one.
void judge_roots(const ShellWord& word, const ProgramCall& call, DenyEntry entry);
// Judges a program that runs the project's own code: it must run in the project's directory, and
// the command must not have written code.
void judge_build(const ProgramCall& call);

// These judge one group of programs each, and return true if the program is in the group.
bool judge_file_program(const ProgramCall& call);        // rm, cp, find, tar, ...
bool judge_permission_program(const ProgramCall& call);  // chmod, chown, setfacl
bool judge_code_program(const ProgramCall& call);        // sed, awk
bool judge_git(const ProgramCall& call);
bool judge_publisher(const ProgramCall& call);       // npm, gh, docker, pip, cargo, ...
bool judge_system_program(const ProgramCall& call);  // kill, shutdown, mkfs, ...

}  // namespace orch::policy
