#include "cli/undo_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "mask/text.h"
#include "repo/since_end.h"
#include "setup/run_secrets.h"

namespace orch::cli {
namespace {

constexpr size_t kShownOfEach = 20;  // lines for each kind of change, without --list

}  // namespace

std::string without_secrets(std::string_view text) {
  static const auto kSecrets = std::make_shared<const mask::Secrets>(setup::secrets_of({}));
  return mask::masked(kSecrets, text);
}

std::vector<std::string> without_secrets(std::vector<std::string> texts) {
  for (std::string& text : texts) text = without_secrets(text);
  return texts;
}

std::string shown_path(const repo::Manifest& manifest, const repo::Change& change) {
  if (change.root == 0) return change.path.empty() ? "." : without_secrets(change.path);
  return without_secrets(repo::joined(manifest.roots[change.root].spec.path, change.path));
}

size_t UndoListing::count(repo::Act act) const {
  return static_cast<size_t>(
      std::count_if(changes_.begin(), changes_.end(),
                    [act](const repo::Change& change) { return change.act == act; }));
}

size_t UndoListing::to_do() const {
  return count(repo::Act::kRestore) + count(repo::Act::kChangeBack) + count(repo::Act::kRemove);
}

size_t UndoListing::later() const {
  return static_cast<size_t>(
      std::count_if(changes_.begin(), changes_.end(), [](const repo::Change& change) {
        const auto is_told = [&](std::string_view why) {
          return change.why.find(why) != std::string::npos;
        };
        return change.act == repo::Act::kLeave &&
               (is_told(repo::kChangedSince) || is_told(repo::kRemovedSince));
      }));
}

void UndoListing::print(bool all) const {
  for (const repo::Act act : {repo::Act::kRestore, repo::Act::kChangeBack, repo::Act::kRemove,
                              repo::Act::kLeave, repo::Act::kUnseen, repo::Act::kCannot}) {
    print_act(act, all);
  }
}

std::string UndoListing::summary() const {
  std::string text =
      fmt::format("{} to restore, {} to change back, {} to remove", count(repo::Act::kRestore),
                  count(repo::Act::kChangeBack), count(repo::Act::kRemove));
  if (const size_t left = count(repo::Act::kLeave)) {
    text += fmt::format("; {} made or changed since stay", left);
    if (const size_t again = later())
      text += fmt::format(", of which --later takes back {}", again);
  }
  if (const size_t unseen = count(repo::Act::kUnseen)) {
    text += fmt::format("; {} closed, and seen into only by an undo", unseen);
  }
  if (const size_t lost = count(repo::Act::kCannot)) {
    text += fmt::format("; {} cannot be brought back", lost);
  }
  return text;
}

base::Json UndoListing::json() const {
  base::Json list = base::Json::array();
  for (const repo::Change& change : changes_) {
    list.push_back({{"act", std::string(repo::name(change.act))},
                    {"path", shown_path(manifest_, change)},
                    {"why", base::or_null(without_secrets(change.why))}});
  }
  return list;
}

void UndoListing::print_act(repo::Act act, bool all) const {
  std::unordered_map<std::string, size_t> line_of;  // for restored folders
  std::vector<std::pair<const repo::Change*, size_t>> lines;
  for (const repo::Change& change : changes_) {
    if (change.act != act) continue;
    const std::string prefix = std::to_string(change.root) + "/";
    const auto above = line_of.find(prefix + std::string(repo::parent_of(change.path)));
    if (act == repo::Act::kRestore && !all && above != line_of.end()) {
      const size_t line = above->second;
      ++lines[line].second;
      line_of[prefix + change.path] = line;
      continue;
    }
    if (act == repo::Act::kRestore) line_of[prefix + change.path] = lines.size();
    lines.emplace_back(&change, 0);
  }
  for (size_t i = 0; i < lines.size() && (all || i < kShownOfEach); ++i) {
    const auto& [change, inside] = lines[i];
    std::string why = base::printable(without_secrets(change->why));
    if (inside > 0) why = fmt::format("and {} in it", inside);
    std::printf("%-12s %s%s\n", std::string(repo::name(act)).c_str(),
                base::printable(shown_path(manifest_, *change)).c_str(),
                why.empty() ? "" : (" (" + why + ")").c_str());
  }
  if (!all && lines.size() > kShownOfEach) {
    std::printf("%-12s ... %zu more: --list shows them\n", std::string(repo::name(act)).c_str(),
                lines.size() - kShownOfEach);
  }
}

}  // namespace orch::cli
