#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// Files with instructions for orch, such as task files. Anybody may have written them; settings
// that can run or allow something count only in a file that the user alone can have written, or has
// looked at and trusts.
namespace orch::setup {

struct SpecFile {
  std::string text;
  std::string name;  // for messages: the path as it was given, or "standard input"
  std::string path;  // absolute, in a folder without links; "" for standard input
  std::string sha256;
  enum class Author : uint8_t {
    kUser,     // it lies where neither agents nor the author of a repository write
    kTrusted,  // the user trusts this content, by `orch trust` or --trust-file
    kAnybody,
  };
  Author author = Author::kAnybody;
  bool is_obeyed() const { return author != Author::kAnybody; }
};
std::string_view name(SpecFile::Author author);  // "user"

// Reads a file, or standard input for "-"; its author is not known yet.
base::Result<SpecFile> read_spec_file(const std::string& path, size_t max_bytes);

// Finds out who vouches for the file. Call distrust_folder() first for each folder where an agent
// will work. `hash` is the value of --trust-file, "" without one: the SHA-256 of the content that
// the user trusts; an error if the file has another.
base::Status find_author(SpecFile& file, const std::string& hash);

// Why these fields of the file do not count: one line that names them and the remedy.
base::Error not_obeyed(const SpecFile& file, const std::vector<std::string>& fields);

}  // namespace orch::setup
