#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

// One issue of a submission may be begun more than once: after a limit, or because an engine lost a
// node and began its job anew, perhaps while the first one still works. Each attempt has a folder
// of its own, artifacts/<index>/attempt-<k>, and the first to publish its verdict is the one that
// counts: artifacts/<index>/verdict, a file that is made once and never replaced, has its number.
// Folders and links are made by single steps that network disks also keep whole; a lock only saves
// the second agent, and decides nothing.
namespace orch::engine {

// How an attempt ended: the content of result.json in its folder.
struct AttemptResult {
  std::string reason;
  int code = 0;
  std::string detail;
  std::string run;  // its id; "": it never began
  std::string ended;
  std::optional<int64_t> retry_after_ms;  // after the end
  std::optional<int64_t> ms;
  std::optional<int> turns;
  bool operator==(const AttemptResult&) const = default;
};
base::Result<AttemptResult> attempt_result_from_json(std::string_view text);

// The state of an issue according to its files. Links there are not followed.
struct IssueFiles {
  int attempts = 0;                     // how many were begun
  std::optional<int> verdict;           // the attempt whose result counts
  std::optional<AttemptResult> result;  // of that one, otherwise of the last that has one
  int result_of = 0;                    // the attempt that it is of; 0: none
  int limited = 0;                      // how many attempts ended with 75
};
IssueFiles look_at(const std::string& artifacts);
std::string attempt_folder(const std::string& artifacts, int attempt);

// A job's part: begin() once, then publish(), unless the end is not a verdict.
class Attempt {
 public:
  enum class Begin : uint8_t {
    kRun,      // the run is this process's
    kTold,     // another attempt has published a verdict
    kStopped,  // SIGTERM or SIGINT came while it waited
  };
  // After so many attempts without a known end an issue is given up: if it brings nodes down, it
  // may take others along.
  static constexpr int kMostBegun = 20;

  explicit Attempt(std::string artifacts) : artifacts_(std::move(artifacts)) {}

  // Waits while another attempt is seen at work, and until the last one's time to retry has come;
  // `say` gets a line about it. Then makes this attempt's folder.
  base::Result<Begin> begin(const std::function<void(const std::string& line)>& say);

  int number() const { return number_; }
  std::string folder() const { return attempt_folder(artifacts_, number_); }
  const IssueFiles& before() const { return before_; }  // the files' state at the beginning
  std::optional<AttemptResult> result() const;          // of this attempt, once it has one

  // Makes this attempt's result the verdict. False: another attempt was first. An error: the result
  // is missing or cannot be published, so the issue has no verdict.
  base::Result<bool> publish() const;

 private:
  std::string artifacts_;
  int number_ = 0;
  IssueFiles before_;
  base::Fd lock_;
};

// Whether this end is a verdict about the issue. SIGTERM is not: an engine also sends it when it
// takes a node away, and begins the job anew. 75 is not while there are retries left.
bool is_verdict(const AttemptResult& result, int limited_before, int retries);

}  // namespace orch::engine
