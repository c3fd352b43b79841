#include "setup/policy_file.h"

#include <unistd.h>

#include "setup/repository.h"

namespace orch::setup {

base::Result<policy::Policy> read_policy(const std::string& word, const std::string& repository) {
  if (word == "none") return policy::Policy::none();
  if (word == "all") return policy::Policy::all();
  const base::Result<std::string> text = read_rules(repository, word);
  if (text) return policy::Policy::parse(*text, word);
  const bool is_there = ::access(word.c_str(), F_OK) == 0;
  return base::usage_error("--approve " + word + ": " +
                           (is_there ? "" : "write none, all or a file: ") + text.error().text);
}

}  // namespace orch::setup
