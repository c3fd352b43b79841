#include "cli/kept_presents.h"

#include <charconv>
#include <filesystem>

#include "base/json.h"
#include "base/json_members.h"
#include "store/atomic_file.h"
#include "store/state_file.h"

namespace orch::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPresentName = "before-undo-";

// The number in the name of a before-undo-N folder; 0 for other names.
int number_in(std::string_view name) {
  if (!name.starts_with(kPresentName)) return 0;
  name.remove_prefix(kPresentName.size());
  int number = 0;
  const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), number);
  return failure == std::errc() && end == name.data() + name.size() ? number : 0;
}

}  // namespace

base::Result<KeptPresents> KeptPresents::of(const store::RunFolder& run) {
  KeptPresents kept(run);
  if (base::Status s = kept.look(); !s) return s.error();
  return kept;
}

base::Status KeptPresents::look() {
  for (;; ++newest_) {
    const int number = newest_ + 1;
    const store::Presence there = store::presence_of(folder(number));
    if (there.is_unknown()) return there.error();
    if (there.is_absent()) return base::Ok{};
    const store::Presence manifest = store::presence_of(folder(number) + "/manifest");
    if (manifest.is_unknown()) return manifest.error();
    if (manifest.is_present()) whole_.insert(number);
    base::Result<Told> told = read_told(number);
    if (!told) return told.error();
    told_[number] = std::move(told).value();
  }
}

std::string KeptPresents::folder(int number) const {
  return run_.path + "/" + std::string(kPresentName) + std::to_string(number);
}

int KeptPresents::to_redo() const {
  int number = newest_;
  while (number > 0 && !is_whole(number)) --number;
  if (number == 0) return 0;
  if (const int again = number_in(told(number).brought_back);
      again > 0 && !told(number).finished && is_whole(again)) {
    return again;
  }
  while (number > 1 && is_whole(number - 1) && !told(number - 1).finished &&
         told(number - 1).brought_back == told(number).brought_back) {
    --number;
  }
  return number;
}

std::string KeptPresents::brought_back(int number) const {
  const std::string name = told(number).brought_back;
  return name.empty() ? "" : run_.path + "/" + name;
}

base::Status KeptPresents::tell(int number, const std::string& snapshot, bool finished) const {
  const base::Json json = {{"brought_back", fs::path(snapshot).filename().string()},
                           {"finished", finished}};
  return store::write_file_unsynced(folder(number) + ".json", base::json_text(json));
}

KeptPresents::Told KeptPresents::told(int number) const {
  const auto found = told_.find(number);
  return found == told_.end() ? Told{} : found->second;
}

base::Result<KeptPresents::Told> KeptPresents::read_told(int number) const {
  constexpr size_t kMaxBytes = 4096;
  const std::string path = folder(number) + ".json";
  const store::Found<std::string> text = store::read_state(path, kMaxBytes);
  if (text.is_unknown()) return text.error();
  if (text.is_absent()) return Told{};
  base::JsonDocument document(path, *text);
  Told told;
  {
    base::JsonMembers in(document);
    in.required("brought_back", told.brought_back);
    in.required("finished", told.finished);
  }
  const bool known = told.brought_back == "snapshot" || number_in(told.brought_back) > 0;
  return document.ok() && known ? told : Told{};
}

}  // namespace orch::cli
