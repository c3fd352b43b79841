#include "duties/snapshot.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/json.h"
#include "fence/work_places.h"
#include "mask/text.h"
#include "repo/snapshot.h"
#include "setup/paths.h"
#include "setup/run_secrets.h"
#include "store/runs.h"
#include "store/state_file.h"
#include "ui/error_line.h"

namespace orch::duties {
namespace {

namespace fs = std::filesystem;

constexpr size_t kRunsLookedAt = 50;
constexpr size_t kNotesShown = 3;

struct SnapshotOptions {
  std::string work_dir, folder;
  std::vector<std::string> closed;
  int64_t most_seconds = 0;  // 0: it may take any time
  bool json = false;
  bool is_end = false;
};

std::optional<SnapshotOptions> parse(std::span<const std::string> words) {
  SnapshotOptions options;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--json") {
      options.json = true;
    } else if (words[i] == "--end") {
      options.is_end = true;
    } else if (i + 1 < words.size() && words[i] == "--work-dir") {
      options.work_dir = words[++i];
    } else if (i + 1 < words.size() && words[i] == "--to") {
      options.folder = words[++i];
    } else if (i + 1 < words.size() && words[i] == "--closed") {
      options.closed.push_back(words[++i]);
    } else if (i + 1 < words.size() && words[i] == "--seconds") {
      const std::string& text = words[++i];
      const auto [end, failure] =
          std::from_chars(text.data(), text.data() + text.size(), options.most_seconds);
      if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
    } else {
      return std::nullopt;
    }
  }
  if (options.work_dir.empty() || !options.folder.starts_with('/')) return std::nullopt;
  return options;
}

// The state directory of a snapshot, which is runs/ID/snapshot below it.
std::string state_dir_around(const std::string& folder) {
  return fs::path(folder).parent_path().parent_path().parent_path().string();
}

// The newest other snapshot of the same directory, among the last runs; "" if there is none.
std::string previous_snapshot(const std::string& folder, const std::string& work_dir) {
  base::Result<std::vector<store::RunFolder>> all = store::run_folders(state_dir_around(folder));
  if (!all) return "";  // then nothing is shared with it
  std::vector<store::RunFolder>& folders = *all;
  std::reverse(folders.begin(), folders.end());
  if (folders.size() > kRunsLookedAt) folders.resize(kRunsLookedAt);
  for (const store::RunFolder& run : folders) {
    std::string snapshot = run.path + "/snapshot";
    if (snapshot == folder || store::is_absent(snapshot + "/manifest")) continue;
    const store::Found<store::RunRecord> record = store::record_of(run);
    if (record.is_present() && record->cwd == work_dir) return snapshot;
  }
  return "";
}

// The trees of the run's first snapshot that still exist.
base::Result<std::vector<repo::RootSpec>> roots_of(const std::string& snapshot) {
  const base::Result<repo::Manifest> begun = repo::read_manifest(snapshot);
  if (!begun) return begun.error();
  std::vector<repo::RootSpec> roots;
  for (const repo::KeptRoot& root : begun->roots) {
    if (!store::is_absent(root.spec.path)) roots.push_back(root.spec);
  }
  return roots;
}

int take_end(repo::SnapshotPlan plan) {
  base::Result<std::vector<repo::RootSpec>> roots = roots_of(plan.previous);
  if (!roots) return ui::report(roots.error());
  plan.roots = std::move(roots).value();
  plan.objects = repo::SnapshotPlan::Objects::kLeftOut;
  const base::Result<repo::SnapshotReport> taken = repo::take_snapshot(plan);
  return taken ? 0 : ui::report(base::Error{base::ErrorCode::kSystem, taken.error().text});
}

void print_notes(const std::vector<std::string>& notes) {
  if (notes.empty()) return;
  std::string line;
  for (size_t i = 0; i < std::min(notes.size(), kNotesShown); ++i) {
    line += (i == 0 ? "" : "; ") + notes[i];
  }
  if (notes.size() > kNotesShown) {
    line += "; and " + std::to_string(notes.size() - kNotesShown) + " more";
  }
  const auto secrets = std::make_shared<const mask::Secrets>(setup::secrets_of({}));
  std::fprintf(stderr, "orch: not in the snapshot for undo: %s\n",
               mask::masked(secrets, line).c_str());
}

}  // namespace

int run_snapshot(std::span<const std::string> words) {
  std::optional<SnapshotOptions> options = parse(words);
  if (!options) {
    return ui::report(
        base::usage_error("orch internal snapshot --work-dir D --to FOLDER is orch's own command"));
  }
  base::Result<std::string> work_dir = setup::resolve_folder(options->work_dir);
  if (!work_dir) return ui::report(base::Error{base::ErrorCode::kSystem, work_dir.error().text});
  repo::SnapshotPlan plan;
  plan.work_dir = *work_dir;
  plan.folder = options->folder;
  plan.previous = options->is_end ? fs::path(options->folder).parent_path().string() + "/snapshot"
                                  : previous_snapshot(options->folder, *work_dir);
  plan.closed = options->closed;
  plan.limits.most_ms = options->most_seconds * 1'000;
  const base::Result<std::vector<std::string>> git =
      fence::WorkPlaces(state_dir_around(options->folder)).git_folders(*work_dir);
  plan.git_folders = git ? *git : std::vector<std::string>();
  if (options->is_end) return take_end(std::move(plan));
  base::Result<repo::SnapshotReport> taken = repo::take_snapshot(plan);
  if (!taken) {
    return ui::report(base::Error{base::ErrorCode::kSystem,
                                  "no snapshot, so no undo of this run: " + taken.error().text});
  }
  print_notes(taken->notes);
  if (options->json) {
    const base::Json json = {{"files", taken->files},
                             {"bytes", taken->bytes},
                             {"written_bytes", taken->written_bytes},
                             {"left_out", taken->notes}};
    std::printf("%s\n", base::json_line(json).c_str());
  }
  return 0;
}

}  // namespace orch::duties
