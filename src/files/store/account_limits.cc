#include "store/account_limits.h"

#include <fmt/format.h>
#include <unistd.h>

#include <ctime>

#include "base/json.h"
#include "base/json_members.h"
#include "base/text.h"
#include "store/atomic_file.h"
#include "store/folder.h"
#include "store/issue_name.h"
#include "store/path_text.h"
#include "store/session_file.h"
#include "store/state_file.h"

namespace orch::store {
namespace {

constexpr size_t kMaxLimitBytes = size_t{64} << 10;

std::string limits_folder(const std::string& state_dir) { return state_dir + "/limits"; }

// Named like a session's file: by a name and the hash of a path.
std::string file_of(const std::string& state_dir, const Account& account) {
  const std::string key = session_key(account.agent, account.config);
  return limits_folder(state_dir) + "/" + key.substr(session_name("").size()) + ".json";
}

// A damaged note, or one of a limit that has ended, counts as absent.
Found<AccountLimit> read_limit(const std::string& path, TimePoint now) {
  const Found<std::string> text = read_state(path, kMaxLimitBytes);
  if (text.is_unknown() && is_refused(text.error())) return text.error();
  if (!text.is_present()) return Found<AccountLimit>::absent();
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
  if (!whole || !moment || *moment <= now || *moment > now + kLongestLimit) {
    return Found<AccountLimit>::absent();
  }
  AccountLimit read = *whole;
  read.until = *moment;
  return read;
}

}  // namespace

base::Status note_limit(const std::string& state_dir, const AccountLimit& limit) {
  const std::string file = file_of(state_dir, limit.account);
  const auto before = read_limit(file, std::chrono::system_clock::now());
  if (before.is_unknown()) return before.error();
  if (before.is_present() && before->until >= limit.until) return base::Ok{};
  if (base::Status s = create_folders(limits_folder(state_dir)); !s) return s;
  base::Json json;
  json["agent"] = limit.account.agent;
  json["config"] = path_to_text(limit.account.config);
  json["until"] = rfc3339_utc(limit.until);
  json["run"] = limit.run;
  return write_file_unsynced(file, base::json_text(json));
}

Found<AccountLimit> limit_of(const std::string& state_dir, const Account& account, TimePoint now) {
  Found<AccountLimit> limit = read_limit(file_of(state_dir, account), now);
  const bool is_anothers = limit.is_present() && limit->account.config != account.config;
  return is_anothers ? Found<AccountLimit>::absent() : std::move(limit);
}

void forget_limit(const std::string& state_dir, const Account& account) {
  ::unlink(file_of(state_dir, account).c_str());
}

std::vector<AccountLimit> limits_now(const std::string& state_dir, TimePoint now,
                                     std::vector<std::string>& unreadable) {
  std::vector<AccountLimit> limits;
  const base::Result<std::vector<std::string>> names = names_in_folder(limits_folder(state_dir));
  if (!names) {
    unreadable.push_back(names.error().text);
    return limits;
  }
  for (const std::string& name : *names) {
    if (!name.ends_with(".json")) continue;
    Found<AccountLimit> limit = read_limit(limits_folder(state_dir) + "/" + name, now);
    if (limit.is_unknown()) unreadable.push_back(limit.error().text);
    if (limit.is_present()) limits.push_back(std::move(limit).value());
  }
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
