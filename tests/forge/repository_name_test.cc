#include "forge/repository_name.h"

#include <catch2/catch.hpp>

using namespace orch::forge;

TEST_CASE("an issue's words name its number, and perhaps its repository") {
  struct Row {
    const char* word;
    std::optional<IssueWord> meant;
  };
  const RepositoryName here{"", "o", "r"}, there{"github.com", "o", "r"};
  const RepositoryName group{"gitlab.com", "a/b", "c"}, own{"git.firm.test", "o", "r"};
  for (const Row& row :
       {Row{"42", IssueWord{std::nullopt, "42"}},
        Row{"#42", IssueWord{std::nullopt, "42"}},
        Row{"o/r#42", IssueWord{here, "42"}},
        Row{"https://github.com/o/r/issues/42", IssueWord{there, "42"}},
        Row{"https://github.com/o/r/issues/42/", IssueWord{there, "42"}},
        Row{"https://github.com/o/r/issues/42#issuecomment-1", IssueWord{there, "42"}},
        Row{"https://github.com/o/r/issues/42?a=b", IssueWord{there, "42"}},
        Row{"http://github.com/o/r/issues/42", IssueWord{there, "42"}},
        Row{"https://gitlab.com/a/b/c/-/issues/7", IssueWord{group, "7"}},
        Row{"https://git.firm.test:8443/o/r/issues/42", IssueWord{own, "42"}},
        Row{"https://me@git.firm.test/o/r/issues/42", IssueWord{own, "42"}},
        Row{"fix-the-bug", std::nullopt},
        Row{"", std::nullopt},
        Row{"#", std::nullopt},
        Row{"042", std::nullopt},
        Row{"0", std::nullopt},
        Row{"-1", std::nullopt},
        Row{"4 2", std::nullopt},
        Row{"42a", std::nullopt},
        Row{"1234567890123456789", std::nullopt},
        Row{"r#42", std::nullopt},
        Row{"o/r#x", std::nullopt},
        Row{"--x/r#42", std::nullopt},
        Row{"o/../r#42", std::nullopt},
        Row{"o/r;x#42", std::nullopt},
        Row{"https://github.com/o/r/pull/42", std::nullopt},
        Row{"https://github.com/o/r/issues", std::nullopt},
        Row{"https://github.com/r/issues/42", std::nullopt},
        Row{"https:///o/r/issues/42", std::nullopt},
        Row{"https://-x/o/r/issues/42", std::nullopt},
        Row{"file:///o/r/issues/42", std::nullopt}}) {
    INFO(row.word);
    const std::optional<IssueWord> meant = issue_of_word(row.word);
    REQUIRE(meant.has_value() == row.meant.has_value());
    if (!meant) continue;
    CHECK(meant->number == row.meant->number);
    CHECK(meant->repository == row.meant->repository);
  }
}

TEST_CASE("a remote's URL names its repository, whatever its form") {
  const RepositoryName expected{"github.com", "o", "r"};
  for (const char* url :
       {"https://github.com/o/r.git", "https://github.com/o/r", "https://x:y@github.com/o/r.git/",
        "git@github.com:o/r.git", "github.com:o/r", "ssh://git@github.com:22/o/r.git",
        "git://github.com/o/r"}) {
    INFO(url);
    CHECK(repository_of_url(url) == expected);
  }
  for (const char* url : {"", "/srv/git/o/r.git", "../r.git", "file:///srv/o/r.git", "./a:b/c",
                          "https://github.com/r", "ext::sh -c true", "git@github.com:r"}) {
    INFO(url);
    CHECK_FALSE(repository_of_url(url).has_value());
  }
}
