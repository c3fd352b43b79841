#include "setup/repository.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/author.h"
#include "base/text.h"
#include "setup/own_programs.h"
#include "setup/paths.h"
#include "store/named_place.h"
#include "store/own_file.h"

namespace orch::setup {

namespace fs = std::filesystem;

using base::Result;

namespace {

constexpr size_t kMostFiles = 256;  // further files of a repository are not looked at
constexpr int kDeepest = 4;
constexpr size_t kMostNamed = 3;

std::string config_folder() {
  const std::string config = environment("XDG_CONFIG_HOME");
  return (config.empty() ? environment("HOME") + "/.config" : config) + "/orch";
}

std::optional<std::string> below(const fs::path& folder, const fs::path& path) {
  const std::string relative = path.lexically_relative(folder).string();
  if (relative.empty() || relative == "." || relative.starts_with("..")) return std::nullopt;
  return relative;
}

// Lists paths only; the files are opened later. Links are not followed.
void list_files(const fs::path& folder, int depth, std::vector<std::string>& paths) {
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure)) {
    if (paths.size() >= kMostFiles) return;
    // What is named like a file is listed as one, so that it is reported as wrong.
    const bool is_folder = entry.symlink_status(failure).type() == fs::file_type::directory &&
                           entry.path().extension() != ".json";
    if (!is_folder) {
      paths.push_back(entry.path().string());
    } else if (depth < kDeepest) {
      list_files(entry.path(), depth + 1, paths);
    }
  }
}

BroughtFile look_at(const std::string& repository, std::string relative,
                    const store::TrustedFiles& trusted) {
  BroughtFile file;
  file.relative = std::move(relative);
  Result<std::string> content = store::read_inside(repository, file.relative, owners_here());
  if (!content) {
    file.trouble = content.error().text;
    return file;
  }
  file.standing = trusted.standing_of(repository + "/" + file.relative, *content);
  file.content = std::move(content).value();
  return file;
}

// Why nothing of a repository is used; "" if it is used, or brings nothing.
std::string refusal_of(const std::string& repository) {
  std::error_code failure;
  for (const std::string& folder : {repository, repository + "/.orch"}) {
    if (!fs::exists(repository + "/.orch", failure)) return "";
    if (base::Status s = store::check_owner(folder, owners_here()); !s) {
      return s.error().text + ": nothing of " + repository +
             "/.orch is used; take it over with chown, or work in a clone of your own";
    }
  }
  return "";
}

// The text of root/relative, if it is trusted. An error begins with `where`, the place of the file,
// and ends with `name`, its name for orch trust.
Result<std::string> text_if_trusted(const std::string& root, const std::string& relative,
                                    const std::string& where, const std::string& name) {
  if (base::Status s = store::check_owner(root, owners_here()); !s) {
    return base::usage_error(s.error().text + ": " + root + "/" + relative + " is not used");
  }
  const Result<store::TrustedFiles> trusted = trusted_files();
  if (!trusted) return trusted.error();
  BroughtFile file = look_at(root, relative, *trusted);
  if (!file.trouble.empty()) return base::usage_error(file.trouble);
  if (file.standing == store::Standing::kTrusted) return std::move(file.content);
  return base::usage_error(where + std::string(why_not(file)) + "; look at it with: orch trust " +
                           name);
}

// The file that `path` leads to, or the link itself, if others than the user could have written it;
// empty otherwise, and for files of the user's own configuration. It is not enough to look for a
// repository around it: an agent can make one of any folder that it writes to, and then the files
// around that folder would count as outside.
fs::path file_of_others(const std::string& path) {
  std::error_code failure;
  const fs::path named = fs::absolute(path, failure).lexically_normal();
  if (is_in_config(path)) return {};
  const fs::path entry = fs::canonical(fs::path(path).parent_path() / ".", failure);
  for (const fs::path& file : {entry / named.filename(), fs::canonical(path, failure)}) {
    if (file.is_absolute() &&
        (!base::folder_of_agents(file.string()).empty() || base::has_other_names(file.string()))) {
      return file;
    }
  }
  return {};
}

}  // namespace

store::Owners owners_here() { return store::owners_of(::geteuid(), environment("SUDO_UID")); }

std::string user_config() { return config_folder() + "/config.json"; }

Result<std::string> read_own_text(const std::string& path) {
  return store::read_own_file(path, owners_here(), kMaxTextBytes);
}

std::string why_not_own(const std::string& path) {
  const Result<store::NamedPlace> place =
      store::find_named_place(path, store::Missing::kRest, store::AgentsLinks::kRefused);
  if (!place) return place.error().text;
  const std::string folder = base::folder_agents_worked_in(place->path);
  if (folder.empty()) return "";
  return base::printable(path) + " lies in " + base::printable(folder) +
         ", where agents have worked";
}

bool is_in_config(const std::string& path) {
  std::error_code failure;
  const fs::path named = fs::absolute(path, failure).lexically_normal();
  const fs::path meant = fs::weakly_canonical(named, failure);
  const fs::path folder = fs::weakly_canonical(config_folder(), failure);
  const bool is_inside = below(config_folder(), named) || (!failure && below(folder, meant));
  return is_inside && why_not_own(named).empty();
}

std::string trust_list() { return config_folder() + "/trust.json"; }

Result<store::TrustedFiles> trusted_files() {
  if (!why_not_own(trust_list()).empty()) return store::TrustedFiles{};
  return store::TrustedFiles::load(trust_list());
}

std::optional<std::string> way_inside(const std::string& repository, const std::string& path) {
  std::error_code failure;
  const fs::path named = fs::absolute(path, failure).lexically_normal();
  if (below(config_folder(), named) && why_not_own(named).empty()) return std::nullopt;
  if (auto relative = below(repository, named)) return relative;
  // The folder may have been named through a link, but the file itself is not followed.
  const fs::path folder = fs::canonical(named.parent_path(), failure);
  if (!failure) {
    if (auto relative = below(repository, folder / named.filename())) return relative;
  }
  const fs::path meant = fs::canonical(named, failure);
  return failure ? std::nullopt : below(repository, meant);
}

std::string_view why_not(const BroughtFile& file) {
  switch (file.standing) {
    case store::Standing::kUnknown:
      return "is not trusted";
    case store::Standing::kChanged:
      return "has changed since it was trusted";
    case store::Standing::kTrusted:
      break;
  }
  return "is trusted";
}

std::vector<BroughtFile> files_brought(const std::string& repository, const std::string& folder,
                                       const store::TrustedFiles& trusted) {
  std::vector<BroughtFile> files;
  if (!refusal_of(repository).empty()) return files;
  std::vector<std::string> paths;
  list_files(repository + "/.orch" + (folder.empty() ? "" : "/" + folder), 0, paths);
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    const std::optional<std::string> relative = below(repository, path);
    if (!relative || relative->starts_with(".orch/issues/")) continue;
    files.push_back(look_at(repository, *relative, trusted));
  }
  return files;
}

Result<std::string> read_brought(const std::string& repository, const std::string& relative) {
  Result<std::string> content = store::read_inside(repository, relative, owners_here());
  if (!content) return content;
  const base::Status owned = store::check_owner(repository, owners_here());
  if (owned) return content;
  return base::usage_error(owned.error().text + ": " + repository + "/" + relative +
                           " is not used");
}

std::string issue_file(const std::string& issue) { return ".orch/issues/" + issue + ".md"; }

Result<std::string> read_trusted(const std::string& repository, const std::string& relative) {
  return text_if_trusted(repository, relative, relative + " is in this repository and ", relative);
}

Result<std::string> read_rules(const std::string& repository, const std::string& path) {
  if (const auto relative = way_inside(repository, path)) {
    return read_trusted(repository, *relative);
  }
  if (base::Status s = check_links(path); !s) return s.error();
  if (const fs::path file = file_of_others(path); !file.empty()) {
    const std::string name = base::printable(file.string());
    const std::string why =
        base::folder_of_agents(file.string()).empty()
            ? " has a second name (a hard link), and "
            : " lies where an agent or a repository could have brought it, and ";
    return text_if_trusted(file.parent_path().string(), file.filename().string(), name + why, name);
  }
  return is_in_config(path) ? read_own_text(path) : read_text(path);
}

Result<UserManifests> user_manifests(const std::string& repository) {
  UserManifests manifests;
  std::vector<std::string> paths;
  list_files(config_folder() + "/adapters", kDeepest, paths);
  std::sort(paths.begin(), paths.end());
  for (std::string& path : paths) {
    if (!path.ends_with(".json")) continue;
    if (std::string why = why_not_own(path); !why.empty()) {
      manifests.left_out.push_back({path, "", store::Standing::kUnknown, std::move(why)});
      continue;
    }
    Result<std::string> text = read_own_text(path);
    std::string trouble = text ? "" : text.error().text;
    manifests.files.push_back({path, text ? std::move(*text) : "", std::move(trouble)});
  }
  manifests.refused = refusal_of(repository);
  const Result<store::TrustedFiles> trusted = trusted_files();
  if (!trusted) return trusted.error();
  for (BroughtFile& file : files_brought(repository, "adapters", *trusted)) {
    if (!file.relative.ends_with(".json")) continue;
    if (file.standing == store::Standing::kTrusted) {
      manifests.files.push_back({repository + "/" + file.relative, std::move(file.content), {}});
    } else {
      manifests.left_out.push_back(std::move(file));
    }
  }
  return manifests;
}

std::string left_out_line(const UserManifests& manifests) {
  if (!manifests.refused.empty()) return manifests.refused;
  const std::vector<BroughtFile>& files = manifests.left_out;
  if (files.empty()) return "";
  if (files.size() == 1 && !files.front().trouble.empty()) {
    return files.front().trouble + "; it was left out";
  }
  if (files.size() == 1) {
    return files.front().relative + " " + std::string(why_not(files.front())) +
           " and was left out; see: orch trust";
  }
  std::string line;
  for (size_t i = 0; i < std::min(files.size(), kMostNamed); ++i) {
    line += (line.empty() ? "" : ", ") + files[i].relative;
  }
  if (files.size() > kMostNamed) {
    line += " and " + std::to_string(files.size() - kMostNamed) + " more";
  }
  return line + " are not trusted and were left out; see: orch trust";
}

}  // namespace orch::setup
