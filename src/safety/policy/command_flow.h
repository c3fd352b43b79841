#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/shell_text.h"
#include "policy/write_target.h"

namespace orch::policy {

// The knowledge about a text that one command may write to its standard output and the next one
// reads.
struct Flow {
  enum class Kind : uint8_t {
    kNone,      // no output, or the input of a terminal
    kText,      // `text`, with marks (shell_text.h)
    kFile,      // the content of a local file; `text` is its name, with marks, or empty
    kDownload,  // downloaded content
    kUnknown,
  };
  Kind kind = Kind::kNone;
  std::string text;
  bool trusted_code = false;  // code that a known program prints for eval
  bool outside = false;       // it may hold text that kFromOutside stands for

  static Flow of(std::string text) { return {Kind::kText, std::move(text), false, false}; }
  static Flow unknown() { return {Kind::kUnknown, "", false, false}; }
  bool holds_private() const { return outside || text.find(kFromOutside) != std::string::npos; }
  // The same flow; it may hold private text if `other` may.
  Flow with_private_of(const Flow& other) && {
    outside = outside || other.holds_private();
    return std::move(*this);
  }
  // Paths of files below the directory that the command searched.
  static Flow paths() { return of(std::string(1, kPathBelow) + "\n"); }
  // Paths of perhaps all files in the directory.
  static Flow most_names() { return of(std::string(kMostNames) + "\n"); }
  // Process ids, none less than 1; perhaps empty.
  static Flow process_ids();
  bool is_paths() const;  // paths() or most_names()
  bool is_process_ids() const { return kind == Kind::kText && text == process_ids().text; }
  std::string path() const { return text.substr(0, text.size() - 1); }  // if is_paths(): one path
};

// The output of two commands, one after the other.
Flow merged(Flow first, Flow second);

// The files that hold downloaded content, by the names that the command gave them.
class Downloads {
 public:
  void add(std::string_view path);
  bool hold(std::string_view path) const;
  bool hold_any(const std::vector<ShellWord>& paths) const;

 private:
  std::vector<std::string> paths_;
};

// Whether a search term for processes or files has some letters and is not a pattern, so that it
// does not match nearly everything.
bool is_plain_term(const ShellWord& term);

bool is_downloader(std::string_view program);

// The files that curl or wget save their downloads to; empty if they write to standard output.
std::vector<ShellWord> download_targets(std::string_view program,
                                        const std::vector<ShellWord>& arguments);

// The output of a program that does not run other programs. The files of a downloader are added to
// `downloads`.
Flow output_of(std::string_view program, const std::vector<ShellWord>& arguments, const Flow& input,
               const Whereabouts& place, Downloads& downloads);

}  // namespace orch::policy
