#include "cli/landing_look.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "base/text.h"
#include "issue/file_check.h"
#include "mask/secrets.h"
#include "setup/run_secrets.h"

namespace orch::cli {
namespace {

using base::Result;

class Looker {
 public:
  Looker(const repo::LandingRepository& git, const std::vector<std::string>& allowed)
      : git_(git), allowed_(allowed) {}

  base::Status look_at(const repo::ChangedFile& file, const std::string& where) {
    const bool is_allowed = std::ranges::find(allowed_, file.path) != allowed_.end();
    if (file.blob.empty() || is_allowed) return base::Ok{};
    if (file.is_nested) {
      reasons_.push_back(file.path + " is a repository of its own, of which git keeps no file");
      return base::Ok{};
    }
    if (!known_.insert(file.blob).second) return base::Ok{};
    std::string content;
    if (file.bytes <= issue::kLargeFile) {
      Result<std::string> read = git_.ask({"cat-file", "blob", file.blob});
      if (!read) return read.error();
      content = std::move(read).value();
    }
    const std::string why = issue::why_to_look(file.path, file.bytes, content, secrets_);
    if (!why.empty()) reasons_.push_back(file.path + where + " " + why);
    return base::Ok{};
  }

  // `text` is "<commit> <message>".
  void look_at_message(std::string_view text) {
    constexpr size_t kShownDigits = 12;
    const size_t blank = std::min(text.find(' '), text.size());
    const std::string why = issue::why_to_look("", 0, text.substr(blank), secrets_);
    if (why.empty()) return;
    reasons_.push_back("the message of commit " +
                       std::string(text.substr(0, std::min(blank, kShownDigits))) + " " + why);
  }

  std::vector<std::string> take_reasons() { return std::move(reasons_); }

 private:
  const repo::LandingRepository& git_;
  const std::vector<std::string>& allowed_;
  std::shared_ptr<const mask::Secrets> secrets_ =
      std::make_shared<const mask::Secrets>(setup::secrets_of({}));
  std::vector<std::string> reasons_;
  std::set<std::string> known_;  // contents
};

}  // namespace

Result<std::vector<std::string>> reasons_to_look(const repo::LandingRepository& git,
                                                 const std::string& since,
                                                 const std::string& result,
                                                 const std::vector<repo::ChangedFile>& files,
                                                 const std::vector<std::string>& allowed) {
  Looker looker(git, allowed);
  for (const repo::ChangedFile& file : files) {
    if (base::Status s = looker.look_at(file, ""); !s) return s.error();
  }
  const Result<std::vector<repo::ChangedFile>> contents = git.contents_since(since, result);
  if (!contents) return contents.error();
  for (const repo::ChangedFile& file : *contents) {
    if (base::Status s = looker.look_at(file, ", in an earlier commit,"); !s) return s.error();
  }
  const Result<std::string> messages =
      git.ask({"log", "-z", "--format=%H %B", result, "^" + since});
  if (!messages) return messages.error();
  for (const std::string_view text : base::split(*messages, '\0')) looker.look_at_message(text);
  return looker.take_reasons();
}

}  // namespace orch::cli
