#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adapters/registry.h"
#include "base/result.h"
#include "store/repository_file.h"
#include "store/trust.h"

// The files that a repository brings for orch, in its folder .orch. Anybody may have written them:
// files that can run or allow something count only once this user has looked at them (orch trust).
namespace orch::setup {

store::Owners owners_here();

// The file that lists what this user trusts: $XDG_CONFIG_HOME/orch/trust.json.
std::string trust_list();
// Its files; none if agents have worked where it lies.
base::Result<store::TrustedFiles> trusted_files();

// The path of `path` relative to `repository`, if it is inside by its name or with links followed.
// nullopt for files of the user's own configuration, wherever that is.
std::optional<std::string> way_inside(const std::string& repository, const std::string& path);

// A file of the repository, as it was when it was read.
struct BroughtFile {
  std::string relative;
  std::string content;
  store::Standing standing = store::Standing::kUnknown;
  std::string trouble;  // why it cannot be read; then `content` is empty
};
std::string_view why_not(const BroughtFile& file);  // "is not trusted", "has changed since ..."

// The files below <repository>/.orch/<folder>, sorted by name, without issues. Empty for a
// repository of another user, whose files are never read.
std::vector<BroughtFile> files_brought(const std::string& repository, const std::string& folder,
                                       const store::TrustedFiles& trusted);

std::string user_config();  // the file of the user's own configuration; it need not exist
// Reads a file of that configuration, which only this user may have written (store/own_file.h).
base::Result<std::string> read_own_text(const std::string& path);
// Why a file or folder of that configuration counts no more than a repository's that is not
// trusted, in one line; "" if it counts: an agent has worked in its real place, or could have made
// a link on the way.
std::string why_not_own(const std::string& path);
// Whether a path is in the folder of the user's configuration, by its name or with links followed,
// and counts.
bool is_in_config(const std::string& path);

// Reads a file of the repository that is only data, such as a prompt, and need not be trusted.
// kNotFound if there is none; also an error if another user owns it.
base::Result<std::string> read_brought(const std::string& repository, const std::string& relative);
// The path of an issue's prompt in the repository.
std::string issue_file(const std::string& issue);

// Reads a file of the repository that must be trusted; an error says why it is not.
base::Result<std::string> read_trusted(const std::string& repository, const std::string& relative);

// Reads a file of rules for --approve. It must be trusted if a repository brings it or an agent
// could have written it: if it is in a folder .orch, in a folder where an agent may write or ever
// could, or has a second name. A file in the user's own configuration must be only the user's
// (read_own_text); any other file is read as it is.
base::Result<std::string> read_rules(const std::string& repository, const std::string& path);

// The user's manifests, $XDG_CONFIG_HOME/orch/adapters/*.json, then the trusted ones of
// <repository>/.orch/adapters/*.json, each sorted by name.
struct UserManifests {
  std::vector<adapters::ManifestFile> files;
  std::vector<BroughtFile> left_out;
  std::string refused;  // why no file of this repository is used; "" if they are
};
base::Result<UserManifests> user_manifests(const std::string& repository);

// One line that names the files left out and the remedy; "" if all were used.
std::string left_out_line(const UserManifests& manifests);

}  // namespace orch::setup
