#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adapters/registry.h"
#include "base/result.h"
#include "store/repository_file.h"
#include "store/trust.h"

// What the repository that orch is used in brings along. It may have come from anybody: what can
// run or allow something counts only once this user has looked at it (orch trust).
namespace orch::setup {

store::Owners owners_here();

// Where it is kept what this user trusts: $XDG_CONFIG_HOME/orch/trust.json.
std::string trust_list();

// The way from `repository` to `path`, when that is inside by its name or with its links followed.
// Nothing for what is in the user's own configuration, wherever that is.
std::optional<std::string> way_inside(const std::string& repository, const std::string& path);

// A file of the repository, as it was when it was read.
struct BroughtFile {
  std::string relative;
  std::string content;
  store::Standing standing = store::Standing::kUnknown;
  std::string trouble;  // why it cannot be read; then there is no content
};
std::string_view why_not(const BroughtFile& file);  // "is not trusted", "has changed since ..."

// The files below <repository>/.orch/<folder>, without issues, in the order of their names; none in
// a repository of another user, whose files are never read.
std::vector<BroughtFile> files_brought(const std::string& repository, const std::string& folder,
                                       const store::TrustedFiles& trusted);

std::string user_config();  // the user's own configuration, a file that may not be there
// A file of that configuration, which nobody else may have written (store/own_file.h).
base::Result<std::string> read_own_text(const std::string& path);
// Whether a path is in the folder of the user's configuration, by its name or its links followed.
bool is_in_config(const std::string& path);

// One file of the repository that is data alone, and so need not be trusted: a prompt. kNotFound
// when there is none; an error, too, when it is none of this user's.
base::Result<std::string> read_brought(const std::string& repository, const std::string& relative);
std::string issue_file(const std::string& issue);  // its prompt, in the repository

// One file of the repository that must be trusted to be used; an error says why it is not.
base::Result<std::string> read_trusted(const std::string& repository, const std::string& relative);

// A file of rules for --approve, wherever that is. It must be trusted where the repository brings
// it or others could have written it: in a folder .orch, or where an agent may write or ever could.
// The user's own configuration must be nobody else's (read_own_text); any other file is read as it
// is.
base::Result<std::string> read_rules(const std::string& repository, const std::string& path);

// The user's manifests: $XDG_CONFIG_HOME/orch/adapters/*.json, then those of
// <repository>/.orch/adapters/*.json that are trusted, each in the order of their names.
struct UserManifests {
  std::vector<adapters::ManifestFile> files;
  std::vector<BroughtFile> left_out;
  std::string refused;  // why nothing of this repository is used; "" where that is not so
};
base::Result<UserManifests> user_manifests(const std::string& repository);

// One line that names what was left out, and the remedy; "" when nothing was.
std::string left_out_line(const UserManifests& manifests);

}  // namespace orch::setup
