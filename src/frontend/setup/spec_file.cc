#include "setup/spec_file.h"

#include <array>
#include <filesystem>
#include <utility>

#include "base/author.h"
#include "base/sha256.h"
#include "base/text.h"
#include "setup/paths.h"
#include "setup/repository.h"
#include "store/own_file.h"
#include "store/trust.h"

namespace orch::setup {

namespace fs = std::filesystem;
using base::Result;

namespace {

constexpr size_t kHashDigits = 64;

// The path without links; "" if nothing is there.
std::string real_path(const std::string& path) {
  std::error_code failure;
  const fs::path real = fs::canonical(path, failure);
  return failure ? "" : real.string();
}

// The file's own name in its folder without links. orch trust remembers it under this path.
std::string entry_of(const std::string& path) {
  std::error_code failure;
  const fs::path named = fs::absolute(path, failure).lexically_normal();
  const fs::path folder = fs::canonical(named.parent_path(), failure);
  return failure ? named.string() : (folder / named.filename()).string();
}

// Whether a folder around the file is a repository or brings files for orch.
bool is_in_repository(const fs::path& file) {
  constexpr std::array<const char*, 5> kMarks{".git", ".hg", ".svn", ".jj", ".orch"};
  std::error_code failure;
  for (fs::path at = file.parent_path(); at.has_relative_path(); at = at.parent_path()) {
    for (const char* mark : kMarks) {
      if (at.filename() == mark || fs::exists(fs::symlink_status(at / mark, failure))) return true;
    }
  }
  return false;
}

bool is_place_of_others(const std::string& file) {
  return !base::folder_of_agents(file).empty() || is_in_repository(file);
}

base::Status check_hash(const std::string& hash, const SpecFile& file) {
  const bool is_hash =
      hash.size() == kHashDigits && hash.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!is_hash) {
    return base::usage_error("--trust-file " + base::printable(hash) +
                             ": write the SHA-256 of the file's content, 64 digits, as sha256sum "
                             "prints it");
  }
  if (hash == file.sha256) return base::Ok{};
  return base::usage_error("--trust-file: the SHA-256 of " + file.name + " is another one, " +
                           file.sha256 + ": look at the file again");
}

// Whether anybody but the user can have written the file.
bool is_written_by_others(const std::string& path) {
  const std::string real = real_path(path), entry = entry_of(path);
  if (real.empty()) return true;
  const bool is_configuration = is_in_config(entry) && is_in_config(real);
  if (!is_configuration && (is_place_of_others(real) || is_place_of_others(entry))) return true;
  return !store::read_own_file(path, owners_here(), kMaxTextBytes).ok();
}

}  // namespace

std::string_view name(SpecFile::Author author) {
  switch (author) {
    case SpecFile::Author::kUser:
      return "user";
    case SpecFile::Author::kTrusted:
      return "trusted";
    case SpecFile::Author::kAnybody:
      break;
  }
  return "anybody";
}

Result<SpecFile> read_spec_file(const std::string& path, size_t max_bytes) {
  Result<std::string> text = read_text(path, max_bytes);
  if (!text) return text.error();
  SpecFile file;
  file.text = std::move(text).value();
  file.name = path == "-" ? "standard input" : base::printable(path);
  file.path = path == "-" ? "" : entry_of(path);
  file.sha256 = base::sha256_hex(file.text);
  return file;
}

base::Status find_author(SpecFile& file, const std::string& hash) {
  file.author = SpecFile::Author::kAnybody;
  if (!hash.empty()) {
    if (base::Status s = check_hash(hash, file); !s) return s;
    file.author = SpecFile::Author::kTrusted;
  } else if (!file.path.empty() && !is_written_by_others(file.path)) {
    file.author = SpecFile::Author::kUser;
  } else if (!file.path.empty()) {
    const Result<store::TrustedFiles> trusted = trusted_files();
    if (!trusted) return trusted.error();
    if (trusted->standing_of(file.path, file.text) == store::Standing::kTrusted) {
      file.author = SpecFile::Author::kTrusted;
    }
  }
  return base::Ok{};
}

base::Error not_obeyed(const SpecFile& file, const std::vector<std::string>& fields) {
  std::string line = file.name + " is not trusted, so it may not set ";
  for (size_t i = 0; i < fields.size(); ++i) line += (i == 0 ? "" : ", ") + fields[i];
  line += ": look at it with ";
  line += file.path.empty() ? "an editor" : "orch trust " + file.name;
  return base::usage_error(line + ", or name its content by --trust-file " + file.sha256);
}

}  // namespace orch::setup
