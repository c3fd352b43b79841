#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/sha256.h"
#include "base/text.h"
#include "cli/new_command.h"
#include "fence/git_folders.h"
#include "fence/work_places.h"
#include "peer/peer_process.h"
#include "setup/paths.h"
#include "setup/repository.h"
#include "store/time_text.h"
#include "ui/elapsed.h"

namespace orch::cli {
namespace {

using base::Result;
using store::Standing;
using store::TrustedFiles;

struct TrustOptions {
  std::string path, revoke;
  std::string git;  // the work folder of --git
  bool list = false, json = false, yes = false;
  std::optional<std::string> state_dir;
};

// The repository and the file in it that a path names.
struct Place {
  std::string repository;
  std::string file;  // relative to the repository; "": all files that it brings
};

Result<Place> place_at(const std::string& path) {
  const bool is_folder = setup::resolve_folder(path).ok();
  const size_t slash = path.rfind('/');
  const std::string above = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  Result<std::string> folder = setup::resolve_folder(is_folder ? path : above);
  if (!folder) return folder.error();
  Place place{setup::repository_of(*folder), ""};
  if (is_folder) return place;
  const std::optional<std::string> relative = setup::way_inside(place.repository, path);
  if (!relative) return base::usage_error(path + " is not a file of " + place.repository);
  place.file = *relative;
  return place;
}

std::string_view name(Standing standing) {
  switch (standing) {
    case Standing::kUnknown:
      return "new";
    case Standing::kChanged:
      return "changed";
    case Standing::kTrusted:
      return "trusted";
  }
  return "";
}

Result<std::vector<setup::BroughtFile>> files_at(const Place& place, const TrustedFiles& trusted) {
  if (base::Status s = store::check_owner(place.repository, setup::owners_here()); !s) {
    return base::usage_error(s.error().text + "; take it over with chown, or work in a clone of " +
                             "your own");
  }
  if (place.file.empty()) return setup::files_brought(place.repository, "", trusted);
  Result<std::string> content = setup::read_brought(place.repository, place.file);
  if (!content) return base::usage_error(content.error().text);
  const Standing standing = trusted.standing_of(place.repository + "/" + place.file, *content);
  return std::vector<setup::BroughtFile>{{place.file, std::move(content).value(), standing, ""}};
}

// Shows a file that is to be trusted, as it will be used. Every line follows a bar, so that no line
// of it looks like one of ours.
void show(const setup::BroughtFile& file) {
  std::printf("%s: %s, %zu bytes, sha256 %s\n", base::printable(file.relative).c_str(),
              std::string(name(file.standing)).c_str(), file.content.size(),
              base::sha256_hex(file.content).c_str());
  for (const std::string_view line : base::split_lines(file.content)) {
    std::printf("  | %s\n", base::printable(line).c_str());
  }
}

base::Status ask(const std::string& what) {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0) {
    return base::usage_error("no terminal to ask on; read the text above, then use --yes");
  }
  std::printf("Let orch use %s as shown? What it names will run as you. [y/N] ", what.c_str());
  std::fflush(stdout);
  std::string answer;
  std::getline(std::cin, answer);
  if (answer == "y" || answer == "yes") return base::Ok{};
  return base::usage_error("no file was trusted");
}

// Keeps a change of the list, unless agents could write there, too.
base::Status update(const std::function<void(TrustedFiles&)>& change) {
  if (const std::string why = setup::why_not_own(setup::trust_list()); !why.empty()) {
    return base::usage_error(why + ", and is not used: keep it elsewhere");
  }
  return TrustedFiles::update(setup::trust_list(), change);
}

int trust(const TrustOptions& options) {
  if (const std::string refusal = peer::refusal_of_this_process(); !refusal.empty()) {
    return report(base::usage_error(refusal));
  }
  const Result<Place> place = place_at(options.path.empty() ? "." : options.path);
  if (!place) return report(place.error());
  const Result<TrustedFiles> trusted = setup::trusted_files();
  if (!trusted) return report(trusted.error());
  Result<std::vector<setup::BroughtFile>> files = files_at(*place, *trusted);
  if (!files) return report(files.error());
  for (const setup::BroughtFile& file : *files) {
    if (file.trouble.empty()) continue;
    std::fprintf(stderr, "orch: %s\n", base::printable(file.trouble).c_str());
  }
  const size_t all = files->size();
  std::erase_if(*files, [](const setup::BroughtFile& file) {
    return !file.trouble.empty() || file.standing == Standing::kTrusted;
  });
  if (files->empty()) {
    std::fprintf(stderr, "orch: %s: nothing to trust%s\n",
                 base::printable(place->repository).c_str(),
                 all > 0 ? " that is not trusted already" : "");
    return 0;
  }
  for (const setup::BroughtFile& file : *files) show(file);
  std::fflush(stdout);
  if (!options.yes) {
    const size_t count = files->size();
    const base::Status agreed =
        ask(count == 1 ? "this file" : "these " + std::to_string(count) + " files");
    if (!agreed) return report(agreed.error());
  }
  const std::string now = store::rfc3339_utc(std::chrono::system_clock::now());
  const base::Status kept = update([&](TrustedFiles& list) {
    for (const setup::BroughtFile& file : *files) {
      list.trust(place->repository + "/" + file.relative, file.content, now);
    }
  });
  return kept ? 0 : report(kept.error());
}

// Lets agents that work in a folder write the files that git now keeps for it elsewhere.
int trust_git(const TrustOptions& options) {
  if (const std::string refusal = peer::refusal_of_this_process(); !refusal.empty()) {
    return report(base::usage_error(refusal));
  }
  const Result<std::string> folder = setup::resolve_folder(options.git);
  if (!folder) return report(folder.error());
  const Result<std::string> state_dir = setup::state_dir_of(options.state_dir);
  if (!state_dir) return report(state_dir.error());
  std::printf("An agent that works in %s may write what git keeps for it elsewhere:\n",
              base::printable(*folder).c_str());
  const std::vector<std::string> git = fence::git_folders_of(*folder);
  for (const std::string& one : git) std::printf("  | %s\n", base::printable(one).c_str());
  if (git.empty()) std::printf("  (nothing)\n");
  std::fflush(stdout);
  if (!options.yes) {
    if (base::Status s = ask("this"); !s) return report(s.error());
  }
  const base::Status kept = fence::WorkPlaces(*state_dir).accept_git_folders(*folder);
  return kept ? 0 : report(kept.error());
}

// The state of a trusted file now: it may have been changed or removed.
std::string state_of(const TrustedFiles& trusted, const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return "missing";
  const Result<std::string> content =
      store::read_inside(path.substr(0, slash), path.substr(slash + 1), setup::owners_here());
  if (!content && content.error().code == base::ErrorCode::kNotFound) return "missing";
  if (!content) return "unreadable";
  return std::string(name(trusted.standing_of(path, *content)));
}

int list(bool json) {
  const Result<TrustedFiles> trusted = setup::trusted_files();
  if (!trusted) return report(trusted.error());
  base::Json files = base::Json::array();
  for (const TrustedFiles::Entry& entry : trusted->entries()) {
    const std::string state = state_of(*trusted, entry.path);
    files.push_back({{"path", entry.path},
                     {"sha256", entry.sha256},
                     {"since", entry.since},
                     {"standing", state}});
    if (json) continue;
    std::printf("%-10s %s  %s\n", state.c_str(),
                base::printable(ui::local_time_text(entry.since)).c_str(),
                base::printable(entry.path).c_str());
  }
  if (json) std::fputs(base::json_text(files).c_str(), stdout);
  return 0;
}

// The absolute path under which a file was trusted. The file itself is not resolved: it may be
// gone, or a link by now.
std::string absolute_name(const std::string& path) {
  if (const Result<std::string> folder = setup::resolve_folder(path)) return *folder;
  const size_t slash = path.rfind('/');
  const std::string above = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const Result<std::string> folder = setup::resolve_folder(above);
  return folder ? *folder + "/" + path.substr(slash + 1) : path;
}

int revoke(const std::string& path) {
  size_t count = 0;
  const base::Status kept = update([&](TrustedFiles& list) {
    count = list.revoke(path);
    if (count == 0) count = list.revoke(absolute_name(path));
  });
  if (!kept) return report(kept.error());
  if (count == 0) return report(base::usage_error(path + " is not trusted; see orch trust --list"));
  std::fprintf(stderr, "orch: %zu %s no longer trusted\n", count,
               count == 1 ? "file is" : "files are");
  return 0;
}

}  // namespace

void add_trust_command(CLI::App& app, Chosen& chosen) {
  CommandWith<TrustOptions> command(
      app, chosen, "trust", "look at a repository's own files for orch, and allow their use",
      [](const TrustOptions& options) {
        if (!options.git.empty()) return trust_git(options);
        if (!options.revoke.empty()) return revoke(options.revoke);
        return options.list ? list(options.json) : trust(options);
      });
  command.option("path", command->path,
                 "a file, or a repository: all of its .orch but the issues (default: .)");
  command.flag("--list", command->list, "list the trusted files, and the ones that have changed");
  command.flag("--json", command->json, "with --list: as JSON");
  command.option("--revoke", command->revoke, "trust this file or folder no longer");
  command.option("--git", command->git,
                 "trust git's files outside of this work folder as they are now");
  command.flag("--yes", command->yes, "do not ask");
  command.state_dir();
  command.footer(
      "Manifests, policies and whatever else can run or allow something counts only as long as "
      "its\n"
      "content is what you saw here; a changed file has to be looked at again.\n\n"
      "Examples:\n  orch trust\n  orch trust .orch/policies/ci.json\n  orch trust --list");
}

}  // namespace orch::cli
