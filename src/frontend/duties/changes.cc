#include "duties/changes.h"

#include <memory>

#include "mask/text.h"
#include "repo/changes.h"
#include "setup/paths.h"
#include "setup/run_secrets.h"
#include "store/atomic_file.h"
#include "ui/error_line.h"

namespace orch::duties {

int run_changes(std::span<const std::string> words) {
  repo::ChangesWanted wanted;
  std::string to;
  for (size_t i = 0; i + 1 < words.size(); i += 2) {
    if (words[i] == "--work-dir") wanted.work_dir = words[i + 1];
    if (words[i] == "--snapshot") wanted.snapshot = words[i + 1];
    if (words[i] == "--head") wanted.head = words[i + 1];
    if (words[i] == "--own-file") {
      const std::optional<repo::FileIdentity> file = repo::file_identity_from(words[i + 1]);
      if (file) wanted.own_files.push_back(*file);
    }
    if (words[i] == "--to") to = words[i + 1];
  }
  if (wanted.work_dir.empty() || wanted.snapshot.empty() || to.empty()) {
    return ui::report(base::usage_error("orch internal changes is orch's own command"));
  }
  base::Result<std::string> work_dir = setup::resolve_folder(wanted.work_dir);
  if (!work_dir) return ui::report(work_dir.error());
  wanted.work_dir = std::move(work_dir).value();
  store::FoundChanges changes = repo::find_changes(wanted);
  const auto secrets = std::make_shared<const mask::Secrets>(setup::secrets_of({}));
  for (std::string& path : changes.paths) path = mask::masked(secrets, path);
  const base::Status written = store::write_file_unsynced(to, store::to_json(changes));
  return written ? 0 : ui::report(written.error());
}

}  // namespace orch::duties
