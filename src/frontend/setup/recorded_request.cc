#include "setup/recorded_request.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "session/environment.h"
#include "setup/own_programs.h"

namespace orch::setup {
namespace {

using base::usage_error;

// Checks that orch has the variables of --env: their values may be secrets, and are not recorded.
base::Status check_environment(const options::RunRequest& request, const RequestOf& of) {
  std::string missing;
  for (const std::string& name : request.env) {
    if (session::given_variable(name)) continue;
    missing += (missing.empty() ? "" : ", ") + name;
  }
  if (missing.empty()) return base::Ok{};
  return usage_error(of.what + " was given variables that orch does not have now: " + missing +
                     "; values are not recorded, so set them: NAME=VALUE " + of.again);
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

base::Status take_place_of(const options::RunRequest& request, const RequestOf& of) {
  if (request.system_prompt_file == "-" || request.approve == "-" || request.output_schema == "-") {
    return usage_error(of.what +
                       " read a part of its request from standard input; start it with orch run");
  }
  if (request.masked) {
    return usage_error(of.what +
                       " was asked for with a secret in its words, which is not recorded; start it "
                       "with orch run");
  }
  if (base::Status s = check_environment(request, of); !s) return s;
  if (request.folder.empty()) return base::Ok{};
  if (base::Status s = check_links(request.folder); !s) return s;
  if (::chdir(request.folder.c_str()) != 0) {
    const int why = errno;
    const base::Error failure =
        base::system_error("go to " + request.folder + ", where " + of.what + " was started", why);
    return why == ENOENT || why == ENOTDIR ? usage_error(failure.text) : failure;
  }
  return base::Ok{};
}

base::Result<options::RunRequest> request_again(const store::RunRecord& record) {
  const std::string what = "run " + record.id;
  if (!record.request) {
    return usage_error(what + " was recorded without its request; start it with orch run");
  }
  options::RunRequest request = *record.request;
  const RequestOf of{.what = what, .again = "orch retry " + record.issue};
  if (base::Status s = take_place_of(request, of); !s) return s.error();
  request.issues = {record.issue};
  request.parent = record.id;
  if (!request.prompt) request.prompt.emplace();  // the old run had no task
  return request;
}

}  // namespace orch::setup
