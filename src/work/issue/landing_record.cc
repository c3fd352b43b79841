#include "issue/landing_record.h"

#include "base/json_writer.h"
#include "store/atomic_file.h"
#include "store/folder.h"
#include "store/run_checks_fields.h"
#include "store/state_file.h"

namespace orch::issue {
namespace {

constexpr size_t kMostBytes = 4 << 20;

constexpr auto kFields = [](auto& in, auto& record) {
  in.required("issue", record.issue);
  in.required("repository", record.repository);
  in.nullable("forge", record.forge);
  in.nullable("base", record.base);
  in.nullable("pushing", record.pushing);
  in.nullable("pushed", record.pushed);
  in.nullable("gated", record.gated);
  in.list("gates", record.gates, store::kGateFields);
  in.optional("pull_request", record.pull_request);
  in.nullable("pull_request_state", record.pull_request_state);
  in.nullable("url", record.url);
  in.nullable("body_sha256", record.body_sha256);
  in.optional("merged", record.merged);
  in.nullable("seen_checks", record.seen_checks);
  in.optional("delivered", record.delivered);
};

}  // namespace

LandingFiles landing_files(const std::string& state_dir, const std::string& key) {
  const std::string start = state_dir + "/landings/" + key;
  return {start + ".json", start + ".lock", start + ".git"};
}

store::Found<LandingRecord> read_landing(const std::string& path) {
  const store::Found<std::string> text = store::read_state(path, kMostBytes);
  if (text.is_absent()) return store::Found<LandingRecord>::absent();
  if (text.is_unknown()) return text.error();
  base::Result<LandingRecord> record = base::record_of<LandingRecord>(path, *text, kFields);
  if (!record) return record.error();
  return std::move(record).value();
}

base::Status write_landing(const std::string& path, const LandingRecord& record) {
  base::Status made = store::create_folder_of(path);
  if (!made) return made;
  return store::write_file(path, base::json_text(base::object_of(record, kFields)));
}

}  // namespace orch::issue
