#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/shell_text.h"

namespace orch::policy {

// What a command may write to its standard output, and the next one reads.
struct Flow {
  enum class Kind : uint8_t {
    kNone,      // nothing, or a terminal's
    kText,      // `text`, with marks
    kFile,      // a local file's
    kDownload,  // what was loaded from elsewhere
    kUnknown,
  };
  Kind kind = Kind::kNone;
  std::string text;
  bool trusted_code = false;  // code that a known program prints for eval

  static Flow of(std::string text) { return {Kind::kText, std::move(text), false}; }
  static Flow unknown() { return {Kind::kUnknown, "", false}; }
  // Paths of files below the directory where they were searched for.
  static Flow paths() { return of(std::string(1, kPathBelow) + "\n"); }
  // Those of perhaps all that is in the directory.
  static Flow most_names() { return of(std::string(kMostNames) + "\n"); }
  // Numbers of processes, one at least or nothing; none of them is less than 1.
  static Flow process_ids();
  bool is_paths() const;  // one of the first two
  bool is_process_ids() const { return kind == Kind::kText && text == process_ids().text; }
  std::string path() const { return text.substr(0, text.size() - 1); }  // of is_paths: any of them
};

// Of two commands, one after the other.
Flow merged(Flow first, Flow second);

// The files that hold what was downloaded, as they were named.
class Downloads {
 public:
  void add(std::string_view path);
  bool hold(std::string_view path) const;
  bool hold_any(const std::vector<ShellWord>& paths) const;

 private:
  std::vector<std::string> paths_;
};

// What is looked for among processes or files: some letters and no pattern, so not everybody's.
bool is_plain_term(const ShellWord& term);

bool is_downloader(std::string_view program);

// The files that curl or wget save what they load to; empty when it goes to standard output.
std::vector<ShellWord> download_targets(std::string_view program,
                                        const std::vector<ShellWord>& arguments);

// Where a command is run, for what it says of it.
struct FlowPlace {
  std::string_view work_dir;
  const std::optional<std::string>& dir;
};

// What a program writes that does not run others; a downloader's files are added to `downloads`.
Flow output_of(std::string_view program, const std::vector<ShellWord>& arguments, const Flow& input,
               const FlowPlace& place, Downloads& downloads);

}  // namespace orch::policy
