#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace orch::forge {

// A repository on a forge.
struct RepositoryName {
  std::string host;         // "github.com"; "": the forge of the working directory's remote
  std::string owner, name;  // GitLab: the owner may have slashes
  std::string slug() const { return owner + "/" + name; }
  bool operator==(const RepositoryName&) const = default;
};

// The repository that a git URL names: https://github.com/o/r.git, git@github.com:o/r.git,
// ssh://git@host:22/o/r. nullopt for a path, or a URL without an owner. A host's port is left out.
std::optional<RepositoryName> repository_of_url(std::string_view url);

enum class Kind : uint8_t { kGithub, kGitlab };
// GitLab if a label of the host says so, and GitHub (Enterprise) otherwise.
Kind kind_of(const RepositoryName& repository);

// An issue as a user writes it: 42, #42, o/r#42, https://github.com/o/r/issues/42.
struct IssueWord {
  std::optional<RepositoryName> repository;  // absent: of the working directory's remote
  std::string number;
};
// nullopt if the word is none of these, such as a name of letters.
std::optional<IssueWord> issue_of_word(std::string_view word);

}  // namespace orch::forge
