// orch feedback: what the forge says about the pull request of an issue, and the way on from there.
#include <time.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <map>
#include <string>

#include "base/duration.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/issue_source.h"
#include "cli/landing.h"
#include "cli/new_command.h"
#include "cli/own_command.h"
#include "event/exit_reason.h"
#include "forge/forge.h"
#include "forge/verdict.h"
#include "issue/feedback_text.h"
#include "session/environment.h"
#include "setup/paths.h"
#include "store/file_lock.h"
#include "store/session_file.h"

namespace orch::cli {
namespace {

using base::Result;
using base::Status;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Between two looks: at first, and at most. Checks seldom end sooner.
constexpr const char* kFirstPause = "15s";
constexpr milliseconds kLongestPause{5 * 60'000};
constexpr size_t kMostLogs = 5;  // failed checks whose logs are asked for

struct FeedbackOptions {
  std::string issue, wait, every = kFirstPause;
  bool goes_on = false, approved = false, json = false;
  int rounds = 3;
  std::optional<std::string> state_dir;
};

// One look, and what it means.
struct Look {
  forge::LookedAt seen;
  forge::Judged judged;
  std::vector<forge::Remark> news;  // remarks of members that the agent was not given
};

int code_of(forge::Verdict verdict) {
  switch (verdict) {
    case forge::Verdict::kGreen:
      return 0;
    case forge::Verdict::kPending:
      return kLater;
    case forge::Verdict::kRed:
      return event::exit_code(event::ExitReason::kGateFailed);
    case forge::Verdict::kUser:
      break;
  }
  return event::exit_code(event::ExitReason::kNeedsHuman);
}

std::string_view name(forge::Verdict verdict) {
  switch (verdict) {
    case forge::Verdict::kGreen:
      return "green";
    case forge::Verdict::kPending:
      return "pending";
    case forge::Verdict::kRed:
      return "red";
    case forge::Verdict::kUser:
      break;
  }
  return "user";
}

class Feedback {
 public:
  Feedback(const FeedbackOptions& options, client::Place place)
      : options_(options), place_(std::move(place)) {}

  int carry_out();

 private:
  Status begin();
  Result<Look> look();
  Result<bool> is_of_member(const forge::Comment& text);
  Result<Look> look_until_decided();
  Result<bool> is_red_on_base(const Look& look) const;
  issue::FailedCheck with_log(const forge::Check& check) const;
  Result<int> go_on(const Look& look);
  bool is_delivered(const std::string& id) const {
    return std::find(record_.delivered.begin(), record_.delivered.end(), id) !=
           record_.delivered.end();
  }
  void show(const Look& look) const;
  void pause(milliseconds time) const;

  const FeedbackOptions& options_;
  client::Place place_;
  LandOptions land_;
  std::optional<IssueRuns> runs_;
  std::unique_ptr<forge::Forge> forge_;
  issue::LandingFiles files_;
  issue::LandingRecord record_;
  base::Fd turn_;
  std::map<std::string, bool> members_;  // by login
  Clock::time_point until_ = Clock::now();
};

Status Feedback::begin() {
  Result<IssueRuns> runs = runs_of_issue(place_, options_.issue);
  if (!runs) return runs.error();
  runs_ = std::move(runs).value();
  Result<ForgeOfIssue> on = forge_of(*runs_, land_);
  if (!on) return on.error();
  forge_ = forge::open_forge(on->project, on->source);
  files_ = issue::landing_files(place_.state_dir, runs_->key);
  const store::Found<issue::LandingRecord> record = issue::read_landing(files_.record);
  if (record.is_unknown()) return record.error();
  record_ = record.is_present() ? *record : issue::LandingRecord();
  if (record_.pushed.empty()) {
    return base::usage_error("issue " + options_.issue + " has not landed: orch land " +
                             options_.issue);
  }
  return base::Ok{};
}

Result<bool> Feedback::is_of_member(const forge::Comment& text) {
  if (const auto known = members_.find(text.author); known != members_.end()) return known->second;
  const Result<bool> may_write = forge_->may_write(text);
  if (may_write) members_[text.author] = *may_write;
  return may_write;
}

Result<Look> Feedback::look() {
  const std::string branch = "orch/" + runs_->newest().issue;
  Result<forge::LookedAt> seen = forge_->look(branch, record_.pushed);
  if (!seen) return seen.error();
  Look look;
  look.seen = std::move(seen).value();
  for (const forge::Remark& remark : look.seen.remarks) {
    if (is_delivered(remark.id)) continue;
    const Result<bool> is_members = is_of_member(remark.text);
    if (!is_members) return is_members.error();
    if (*is_members) look.news.push_back(remark);
  }
  look.judged = forge::judge(look.seen, {.commit = record_.pushed,
                                         .approved = options_.approved,
                                         .new_remarks = static_cast<int>(look.news.size()),
                                         .seen_checks = record_.seen_checks});
  const std::string checks = forge::checks_text(look.seen);
  std::string state = look.seen.pr.state;
  for (char& letter : state) letter = static_cast<char>(std::tolower(letter));
  if (checks != record_.seen_checks || state != record_.pull_request_state) {
    record_.seen_checks = checks;
    record_.pull_request_state = state;
    if (Status s = issue::write_landing(files_.record, record_); !s) return s.error();
  }
  return look;
}

void Feedback::pause(milliseconds time) const {
  const auto left = std::chrono::duration_cast<milliseconds>(until_ - Clock::now());
  const milliseconds pause = std::max(milliseconds(0), std::min(time, left));
  const timespec wanted{pause.count() / 1'000, pause.count() % 1'000 * 1'000'000};
  ::nanosleep(&wanted, nullptr);
}

// Looks until the forge has decided, or the time of --wait is over. All checks green are looked at
// twice: a second workflow may not have begun.
Result<Look> Feedback::look_until_decided() {
  milliseconds time(base::parse_duration(options_.every).value());
  for (;;) {
    Result<Look> seen = look();
    const bool may_pass = !seen && seen.error().code == base::ErrorCode::kSystem;
    const bool is_open = may_pass || (seen && seen->judged.verdict == forge::Verdict::kPending);
    if (!is_open || Clock::now() >= until_) return seen;
    if (may_pass) std::fprintf(stderr, "orch: %s\n", base::printable(seen.error().text).c_str());
    pause(time);
    time = std::min(kLongestPause, time * 3 / 2);
  }
}

// Whether the base has the same red checks, so that the issue's work is not their cause.
Result<bool> Feedback::is_red_on_base(const Look& look) const {
  if (look.judged.failed.empty() || !look.news.empty()) return false;
  const Result<forge::LookedAt> there = forge_->checks_of_base(look.seen);
  if (!there) return there.error();
  return forge::are_red_there(look.judged.failed, *there);
}

issue::FailedCheck Feedback::with_log(const forge::Check& check) const {
  issue::FailedCheck failed{check, "", ""};
  if (check.job == 0) {
    failed.no_log = "its log is not on the forge: " + check.url;
    return failed;
  }
  const Result<forge::Answer> answer = forge_->log(check);
  if (!answer) {
    failed.no_log = "its log could not be read: " + answer.error().text;
  } else if (answer->status != 200) {
    failed.no_log = "its log is not there (HTTP " + std::to_string(answer->status) + ")";
  } else if (base::trim(answer->body).empty()) {
    failed.no_log = "its log is empty";
  } else {
    failed.log = issue::end_of_log(answer->body);
  }
  return failed;
}

// Gives the agent the news, each once, and lands what it makes of them. Returns the exit code of
// the first step that failed.
Result<int> Feedback::go_on(const Look& look) {
  std::vector<std::string> ids;
  std::vector<issue::FailedCheck> failed;
  for (const forge::Check& check : look.judged.failed) {
    const std::string id = issue::id_of(check, record_.pushed);
    if (is_delivered(id)) continue;
    ids.push_back(id);
    if (failed.size() < kMostLogs) failed.push_back(with_log(check));
  }
  for (const forge::Remark& remark : look.news) ids.push_back(remark.id);
  if (ids.empty()) {
    std::fprintf(stderr, "orch: issue %s: the agent has all of this already\n",
                 options_.issue.c_str());
    return code_of(look.judged.verdict);
  }
  const std::string message = issue::feedback_message(look.seen.pr.name, failed, look.news);
  const size_t before = record_.delivered.size();
  record_.delivered.insert(record_.delivered.end(), ids.begin(), ids.end());
  if (Status s = issue::write_landing(files_.record, record_); !s) return s.error();
  const std::string last = runs_->newest().id;
  const Result<int> code =
      run_own_command({"continue", runs_->newest().issue, "-", "--state-dir", place_.state_dir},
                      session::own_environment(), message);
  Result<IssueRuns> runs = runs_of_issue(place_, options_.issue);
  const bool has_begun = runs && runs->newest().id != last;
  if (!has_begun) {
    record_.delivered.resize(before);
    if (Status s = issue::write_landing(files_.record, record_); !s) return s.error();
  }
  if (!code) return code.error();
  if (*code != 0) return *code;
  turn_.reset();
  const Landed landed = land_issue(land_, place_, options_.issue);
  std::fprintf(stderr, "orch: issue %s: %s: %s\n", options_.issue.c_str(), landed.state.c_str(),
               base::printable(landed.detail).c_str());
  return landed.code;
}

void Feedback::show(const Look& look) const {
  const forge::LookedAt& seen = look.seen;
  if (!options_.json) {
    std::printf("%s: %s\n", std::string(name(look.judged.verdict)).c_str(),
                base::printable(look.judged.why).c_str());
    for (const forge::Check& check : look.judged.failed) {
      std::printf("  %s: %s  %s\n", base::printable(check.name).c_str(),
                  base::printable(check.word).c_str(), base::printable(check.url).c_str());
    }
    for (const forge::Remark& remark : look.news) {
      std::printf("  %s  %s  %s\n", base::printable(remark.text.author).c_str(),
                  base::printable(remark.place).c_str(), base::printable(remark.text.url).c_str());
    }
    return;
  }
  base::Json failed = base::Json::array(), remarks = base::Json::array();
  for (const forge::Check& check : look.judged.failed) {
    failed.push_back({{"name", check.name}, {"result", check.word}, {"url", check.url}});
  }
  for (const forge::Remark& remark : look.news) {
    remarks.push_back({{"author", remark.text.author},
                       {"place", base::or_null(remark.place)},
                       {"url", remark.text.url}});
  }
  const base::Json json = {
      {"issue", options_.issue},
      {"verdict", name(look.judged.verdict)},
      {"code", code_of(look.judged.verdict)},
      {"detail", look.judged.why},
      {"commit", record_.pushed},
      {"pull_request", seen.pr.number > 0 ? base::Json(seen.pr.number) : base::Json()},
      {"url", base::or_null(seen.pr.url)},
      {"checks", seen.checks.size()},
      {"failed", failed},
      {"remarks", remarks}};
  std::printf("%s", base::json_text(json).c_str());
}

int Feedback::carry_out() {
  if (Status s = begin(); !s) {
    return s.error().code == base::ErrorCode::kNotFound ? report_no_session(s.error())
                                                        : report_forge(s.error());
  }
  if (!options_.wait.empty()) {
    until_ += milliseconds(base::parse_duration(options_.wait).value());
  }
  for (int round = 0;; ++round) {
    turn_ = store::try_lock(files_.lock);
    if (!turn_.valid()) {
      return report_forge({base::ErrorCode::kSystem, "another orch land or feedback of issue " +
                                                         options_.issue + " is at work"});
    }
    Result<Look> seen = look_until_decided();
    if (!seen) return report_forge(seen.error());
    if (seen->judged.verdict == forge::Verdict::kRed) {
      const Result<bool> is_bases = is_red_on_base(*seen);
      if (!is_bases) return report_forge(is_bases.error());
      if (*is_bases) {
        seen->judged.verdict = forge::Verdict::kUser;
        seen->judged.why += ", and on " + seen->seen.pr.base + ", too";
      }
    }
    const bool is_to_go_on =
        options_.goes_on && round < options_.rounds && seen->judged.verdict == forge::Verdict::kRed;
    if (!is_to_go_on) {
      show(*seen);
      if (seen->seen.pr.state == "MERGED") {
        turn_.reset();
        remove_landed(*runs_, record_);
      }
      return code_of(seen->judged.verdict);
    }
    std::fprintf(stderr, "orch: issue %s: %s\n", options_.issue.c_str(),
                 base::printable(seen->judged.why).c_str());
    const Result<int> code = go_on(*seen);
    if (!code) return report_forge(code.error());
    if (*code != 0) return *code;
    if (Status s = begin(); !s) return report_forge(s.error());
  }
}

int feedback(FeedbackOptions options) {
  Result<client::Place> place = setup::place_of(options.state_dir);
  if (!place) return report(place.error());
  for (const auto& [option, value] :
       {std::pair("--wait", options.wait), std::pair("--every", options.every)}) {
    if (value.empty() || base::parse_duration(value)) continue;
    return report(base::usage_error(std::string(option) + ": " + base::printable(value) +
                                    " is not a time (try 10s, 10m, 2h)"));
  }
  if (const auto word = forge::issue_of_word(options.issue)) options.issue = word->number;
  return Feedback(options, std::move(place).value()).carry_out();
}

}  // namespace

void add_feedback_command(CLI::App& app, Chosen& chosen) {
  CommandWith<FeedbackOptions> command(
      app, chosen, "feedback", "what the forge says about the pull request of an issue", feedback);
  command.option("issue", command->issue, "the issue, which orch land has landed").required();
  command.option("--wait", command->wait, "look again until the checks have ended, so long")
      .type_name("TIME");
  command
      .option("--every", command->every,
              "the time between the first two looks, which grows (default: 15s)")
      .type_name("TIME");
  command.flag("--continue", command->goes_on,
               "give the agent what is red, in its conversation, and land what it does");
  command.option("--rounds", command->rounds, "how often --continue does so (default: 3)")
      .between(1, 100);
  command.flag("--approved", command->approved, "green only if the pull request is approved");
  command.flag("--json", command->json, "the verdict as JSON");
  command.state_dir();
  command.footer(
      "Judges the checks and reviews of the commit that orch land pushed: docs/land.md. No check,\n"
      "and a result that orch does not know, is never green.\n\n"
      "Exit codes: 0 green, or merged; 2 usage; 4 the run does not exist; 10 a user is needed (a\n"
      "conflict, a closed pull request, a cancelled check, commits of others, red on the base, "
      "too);\n"
      "20 red, or changes are requested; 75 pending, or the forge did not answer.\n\n"
      "Examples:\n"
      "  orch feedback 42\n"
      "  orch feedback 42 --wait 2h --continue\n"
      "  orch feedback 42 --approved --json");
}

}  // namespace orch::cli
