#include "store/account_limits.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>

#include "base/json.h"
#include "base/json_members.h"
#include "base/text.h"
#include "store/atomic_file.h"
#include "store/file_io.h"
#include "store/folder.h"
#include "store/issue_name.h"
#include "store/path_text.h"
#include "store/session_file.h"

namespace orch::store {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxLimitBytes = size_t{64} << 10;

std::string limits_folder(const std::string& state_dir) { return state_dir + "/limits"; }

// Named like a session's file: by a name and the hash of a path.
std::string file_of(const std::string& state_dir, const Account& account) {
  const std::string key = session_key(account.agent, account.config);
  return limits_folder(state_dir) + "/" + key.substr(session_name("").size()) + ".json";
}

std::optional<AccountLimit> read_limit(const std::string& path, TimePoint now) {
  const base::Result<std::string> text = read_regular_file(path, kMaxLimitBytes);
  if (!text) return std::nullopt;
  base::JsonDocument document("limit", *text);
  base::JsonMembers fields(document);
  AccountLimit limit;
  std::string until;
  fields.required("agent", limit.account.agent);
  fields.required("config", limit.account.config);
  fields.required("until", until);
  fields.required("run", limit.run);
  limit.account.config = path_from_text(limit.account.config);
  limit.file = path;
  const base::Result<AccountLimit> whole = document.finish(std::move(limit));
  const std::optional<TimePoint> moment = parse_rfc3339_utc(until);
  if (!whole || !moment || *moment <= now || *moment > now + kLongestLimit) return std::nullopt;
  AccountLimit read = *whole;
  read.until = *moment;
  return read;
}

}  // namespace

base::Status note_limit(const std::string& state_dir, const AccountLimit& limit) {
  const std::string file = file_of(state_dir, limit.account);
  const auto before = read_limit(file, std::chrono::system_clock::now());
  if (before && before->until >= limit.until) return base::Ok{};
  std::vector<std::string> created;
  if (base::Status s = create_folders(limits_folder(state_dir), created); !s) return s;
  base::Json json;
  json["agent"] = limit.account.agent;
  json["config"] = path_to_text(limit.account.config);
  json["until"] = rfc3339_utc(limit.until);
  json["run"] = limit.run;
  return write_file_unsynced(file, base::json_text(json));
}

std::optional<AccountLimit> limit_of(const std::string& state_dir, const Account& account,
                                     TimePoint now) {
  std::optional<AccountLimit> limit = read_limit(file_of(state_dir, account), now);
  if (limit && limit->account.config != account.config) return std::nullopt;
  return limit;
}

void forget_limit(const std::string& state_dir, const Account& account) {
  ::unlink(file_of(state_dir, account).c_str());
}

std::vector<AccountLimit> limits_now(const std::string& state_dir, TimePoint now) {
  std::vector<AccountLimit> limits;
  std::error_code failure;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(limits_folder(state_dir), failure)) {
    if (entry.path().extension() != ".json") continue;
    if (auto limit = read_limit(entry.path(), now)) limits.push_back(*std::move(limit));
  }
  std::sort(limits.begin(), limits.end(),
            [](const AccountLimit& a, const AccountLimit& b) { return a.file < b.file; });
  return limits;
}

std::string describe(const AccountLimit& limit) {
  const std::time_t until = std::chrono::system_clock::to_time_t(limit.until);
  const std::time_t now = std::time(nullptr);
  std::tm at{}, today{};
  ::localtime_r(&until, &at);
  ::localtime_r(&now, &today);
  const bool is_today = at.tm_yday == today.tm_yday && at.tm_year == today.tm_year;
  const std::string day =
      is_today ? ""
               : fmt::format("{:04}-{:02}-{:02} ", at.tm_year + 1900, at.tm_mon + 1, at.tm_mday);
  return fmt::format("{} is at its limit until {}{:02}:{:02}:{:02}, as run {} was told",
                     base::printable(limit.account.agent), day, at.tm_hour, at.tm_min, at.tm_sec,
                     base::printable(limit.run));
}

}  // namespace orch::store
