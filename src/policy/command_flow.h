#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/shell_words.h"

namespace orch::policy {

// What a command may write to its standard output, and the next one reads.
struct Flow {
  enum class Kind : uint8_t {
    kNone,      // nothing, or a terminal's
    kText,      // `text`
    kFile,      // a local file's
    kDownload,  // what was loaded from elsewhere
    kUnknown,
  };
  Kind kind = Kind::kNone;
  std::string text;
  bool narrowed = false;  // names of files that were searched for below the work directory
};

// Of two commands, one after the other.
Flow merged(Flow first, Flow second);

// The files that hold what was downloaded, as they were named.
class Downloads {
 public:
  void add(std::string_view path);
  bool hold(std::string_view path) const;
  bool hold_any(std::span<const ShellWord> paths) const;

 private:
  std::vector<std::string> paths_;
};

bool is_downloader(std::string_view program);

// What a program writes that does not run others; a downloader's files are added to `downloads`.
// `loads`: one of the arguments is something downloaded.
Flow output_of(std::string_view program, std::span<const ShellWord> arguments, const Flow& input,
               bool loads, Downloads& downloads);

// The words with a blank between.
std::string text_of(std::span<const ShellWord> words);

}  // namespace orch::policy
