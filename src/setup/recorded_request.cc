#include "setup/recorded_request.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "setup/own_programs.h"

namespace orch::setup {
namespace {

using base::usage_error;

// Checks that orch has the variables of --env: their values may be secrets, and are not recorded.
base::Status check_environment(const store::RunRecord& record) {
  std::string missing;
  for (const std::string& name : record.request->env) {
    const bool set = std::getenv(name.c_str()) != nullptr;  // NOLINT(concurrency-mt-unsafe)
    if (!set) missing += (missing.empty() ? "" : ", ") + name;
  }
  if (missing.empty()) return base::Ok{};
  return usage_error(
      "run " + record.id + " was given variables that orch does not have now: " + missing +
      "; values are not recorded, so set them: NAME=VALUE orch retry " + record.issue);
}

}  // namespace

options::RunRequest recorded_request(options::RunRequest request, const std::string& agent,
                                     const std::string& until, const std::string& task) {
  request.agent = agent;
  request.until = until;
  request.prompt = task;
  for (std::string& word : request.env) word.erase(std::min(word.find('='), word.size()));
  std::error_code failure;
  request.folder = std::filesystem::current_path(failure).string();
  return request;
}

base::Result<options::RunRequest> request_again(const store::RunRecord& record) {
  if (!record.request) {
    return usage_error("run " + record.id +
                       " was recorded without what it was asked for; start it with orch run");
  }
  options::RunRequest request = *record.request;
  if (request.system_prompt_file == "-" || request.approve == "-") {
    return usage_error("run " + record.id +
                       " read a part of its request from standard input; start it with orch run");
  }
  if (request.masked) {
    return usage_error("run " + record.id +
                       " was asked for with a secret in its words, which is not recorded; start it "
                       "with orch run");
  }
  if (base::Status s = check_environment(record); !s) return s.error();
  if (base::Status s = check_links(request.folder); !s) return s.error();
  if (::chdir(request.folder.c_str()) != 0) {
    return base::system_error(
        "go to " + request.folder + ", where run " + record.id + " was started", errno);
  }
  request.issues = {record.issue};
  request.parent = record.id;
  if (!request.prompt) request.prompt.emplace();  // the old run had no task
  return request;
}

}  // namespace orch::setup
