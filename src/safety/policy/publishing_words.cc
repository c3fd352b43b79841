#include "policy/publishing_words.h"

#include <algorithm>
#include <string_view>

#include "base/ascii.h"
#include "base/text.h"
#include "policy/program_options.h"
#include "policy/reaching_out.h"

namespace orch::policy {
namespace {

using Words = std::vector<ShellWord>;

enum class Effect : uint8_t { kPublishes, kMayPublish, kAsksNobody };

// Programs, and words that must all be in the command, if it is to have this effect: options
// ("--prod" also stands for "--prod=x"), verbs in their order, from the first argument on, and
// patterns with a star for any argument.
struct Row {
  std::string_view programs, words;
  Effect effect;
  std::string_view unless = "";  // an option: the program only tries
};

constexpr Effect kSure = Effect::kPublishes;
constexpr Effect kMay = Effect::kMayPublish;
constexpr Effect kFree = Effect::kAsksNobody;

constexpr Row kRows[] = {
    // Merges.
    {"gt", "merge", kSure, "--dry-run"},
    {"gt", "--merge-when-ready", kSure},
    {"glab", "mr merge", kSure},
    // Packages.
    {"dart flutter", "pub publish", kSure, "--dry-run"},
    {"dart flutter", "pub lish", kSure, "--dry-run"},
    {"mill", "*/publish*", kMay},
    {"sbt", "*elease*", kMay},
    {"gradle gradlew", "*loseAndRelease*", kMay},
    {"gradle gradlew", "release*", kMay},
    {"nx", "release --yes", kSure, "--dry-run"},
    {"nx", "release -y", kSure, "--dry-run"},
    {"nx", "release", kMay, "--dry-run"},
    {"lerna", "version", kMay},
    {"changeset", "publish", kSure},
    {"semantic-release", "version", kMay},
    {"fullrelease", "--no-input", kSure},
    {"fullrelease zest.releaser", "", kMay},
    {"auto", "shipit", kSure, "--dry-run"},
    {"ship", "", kMay},
    {"mvn mvnw", "*release:*", kMay},
    {"mvn mvnw", "*nexus-staging:*", kMay},
    {"mvn mvnw", "*scm:checkin*", kSure},
    {"mvn mvnw", "*gitflow:*", kMay},
    {"gradle gradlew", "*pload*", kMay},
    {"gradle gradlew", "*rtifactory*", kMay},
    {"gradle gradlew", "*itPublish*", kMay},
    {"gradle gradlew", "*ithubRelease*", kMay},
    {"sbt", "*ush*", kMay},
    {"twine", "register", kSure},
    {"cargo", "release-plz", kMay},
    {"cargo", "shipit", kMay},
    {"svn", "ci", kSure},
    {"svn", "commit", kSure},
    {"ipfs", "add", kMay},
    {"bumpp", "--push", kSure},
    {"changelogen", "--push", kSure},
    {"bumpversion bump2version", "--push", kMay},
    {"web-ext", "sign", kMay},
    {"sentry-cli", "releases", kMay},
    {"gh-release gh-publish publish-please clean-publish np-publish publish-to-git release-please "
     "multi-semantic-release semantic-release-monorepo",
     "", kMay},
    // Images.
    {"mvn mvnw", "*jib:build", kSure},
    {"mvn mvnw", "*jib-maven-plugin*:build", kSure},
    {"mvn mvnw", "*docker*:push", kSure},
    {"mvn mvnw", "*image.publish=true", kSure},
    {"gradle gradlew", "*jib", kSure, "--dry-run"},
    {"gradle gradlew", "*dockerPush*", kSure, "--dry-run"},
    {"gradle gradlew", "*push*", kMay, "--dry-run"},
    {"gradle gradlew", "--publishImage", kSure},
    {"skaffold", "--push", kSure},
    {"ko", "build", kMay},
    {"pack", "--publish", kSure},
    // Sites, services and applications.
    {"deno", "deploy", kSure},
    {"vc vercel now", "--prod", kSure},
    {"vc vercel now", "", kMay},
    {"surge", "*/*", kSure},
    {"surge", "*.*", kSure},
    {"surge", "", kMay},
    {"eas eas-cli", "--auto-submit", kSure},
    {"eas eas-cli", "submit", kSure},
    {"eas eas-cli", "update", kMay},
    {"hexo", "deploy", kSure},
    {"hexo", "d", kSure},
    {"hexo", "--deploy", kSure},
    {"hexo", "-d", kMay},
    {"gh-pages angular-cli-ghpages storybook-to-ghpages", "", kSure},
    {"ghp-import", "-p", kSure},
    {"ghp-import", "--push", kSure},
    {"ghp-import", "*", kMay},
    {"fastlane", "deliver", kSure},
    {"fastlane", "pilot", kSure},
    {"fastlane", "supply", kSure},
    {"fastlane", "*", kMay},
    {"localtunnel lt bore chromatic", "", kMay},
    {"supabase", "db push", kMay, "--dry-run"},
    {"snyk", "monitor", kMay},
    {"packer", "build", kMay},
    {"ghpages github-pages ngh now-deploy s3-deploy ftp-deploy cf-deploy tunnelmole tmole", "",
     kMay},
    {"netlify-cli netlify", "--deploy", kSure},
    {"codecov coveralls sonar-scanner", "", kMay},
    // Hooks of git.
    {"pre-commit lefthook overcommit husky yorkie", "install", kFree},
    {"husky simple-git-hooks", "", kFree},
    {"overcommit", "--install", kFree},
    // Agents.
    {"claude claude-code codex gemini gemini-cli qwen qwen-code", "*bypassPermissions*", kFree},
    {"claude claude-code", "--permission-mode=bypassPermissions", kFree},
    {"gemini gemini-cli qwen qwen-code kimi", "-y", kFree},
    {"gemini gemini-cli qwen qwen-code", "*yolo", kFree},
    {"gemini gemini-cli qwen qwen-code", "--approval-mode=yolo", kFree},
    {"codex", "--ask-for-approval", kFree},
    {"codex", "-a", kFree},
    {"codex", "*approval_policy*", kFree},
    {"codex", "*sandbox_mode*", kFree},
    {"cursor-agent", "-f", kFree},
    {"cursor-agent", "--force", kFree},
    {"cn", "--auto", kFree},
    {"opencode kilo", "--auto", kFree},
};

bool lists(std::string_view words, std::string_view word) {
  const std::vector<std::string_view> all = base::split(words, ' ');
  return std::find(all.begin(), all.end(), word) != all.end();
}

// Whether the text is as the pattern, where "*" stands for any text.
bool matches(std::string_view pattern, std::string_view text) {
  const size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  const std::string_view rest = pattern.substr(star + 1);
  for (size_t at = star; at <= text.size(); ++at) {
    if (matches(rest, text.substr(at))) return true;
  }
  return false;
}

bool has_option(const Words& words, std::string_view option) {
  return std::any_of(words.begin(), words.end(), [option](const ShellWord& word) {
    return word.text == option || (word.text.starts_with(option) && option.starts_with("--") &&
                                   word.text[option.size()] == '=');
  });
}

bool fits(const Row& row, const Words& words, const Words& operands) {
  size_t verbs = 0;
  for (const std::string_view part : base::split(row.words, ' ')) {
    if (part.empty()) continue;
    if (part.starts_with('-')) {
      if (!has_option(words, part)) return false;
    } else if (part.find('*') != std::string_view::npos) {
      if (!std::any_of(words.begin(), words.end(), [part](const ShellWord& word) {
            return (!word.text.starts_with('-') || word.text.starts_with("-D")) &&
                   matches(part, word.text);
          })) {
        return false;
      }
    } else {
      if (verbs >= operands.size() || operands[verbs].text != part) return false;
      ++verbs;
    }
  }
  return true;
}

// The words except options; with `shifted`, also without a first one that may be the value of an
// option.
Words operands_of(const Words& words, bool shifted) {
  Words operands;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i].text.starts_with('-')) continue;
    const bool value = i > 0 && words[i - 1].text.starts_with('-');
    if (!(shifted && operands.empty() && value)) operands.push_back(words[i]);
  }
  return operands;
}

}  // namespace

bool is_known_verb(const ShellWord& word) {
  const std::string_view text = word.text;
  if (text.find(kAnyWords) != std::string_view::npos) return false;
  size_t behind = text.size();  // the last mark
  while (behind > 0 && (!is_mark(text[behind - 1]) || text[behind - 1] == kDigits)) --behind;
  return behind == 0 || text.find('/') != std::string_view::npos ||
         text.find_first_of(".:", behind) != std::string_view::npos;
}

bool frees_agent(std::string_view option) {
  option = option.substr(0, option.find('='));
  return option.starts_with("--dangerously") || option.starts_with("--skip-permissions") ||
         is_one_of(option, {"--yolo", "--allow-all-tools", "--allow-all", "--trust-all-tools",
                            "--yes-always", "--full-auto", "--bypass-permissions"});
}

void judge_words_of_publishers(const ProgramCall& call) {
  std::string_view program = call.program;
  program = program.substr(0, program.find('@', 1));  // a version of a package
  for (const Row& row : kRows) {
    if (!lists(row.programs, program)) continue;
    const bool fit = fits(row, call.words, operands_of(call.words, false)) ||
                     fits(row, call.words, operands_of(call.words, true));
    const bool tries = !row.unless.empty() &&
                       std::any_of(call.words.begin(), call.words.end(),
                                   [&row](const ShellWord& w) { return w.text == row.unless; });
    if (!fit || tries) continue;
    switch (row.effect) {
      case Effect::kPublishes:
        call.verdict().suspect(DenyEntry::kPublish, true);
        break;
      case Effect::kMayPublish:
        call.verdict().suspect(DenyEntry::kPublish, false);
        break;
      case Effect::kAsksNobody:
        call.verdict().cannot_read();
        break;
    }
  }
}

namespace {

// Hosts where requests that change something publish it.
bool is_public_host(std::string_view host) {
  return is_one_of(host, {"api.github.com", "uploads.github.com", "upload.pypi.org",
                          "test.pypi.org", "registry.npmjs.org", "registry.yarnpkg.com",
                          "npm.pkg.github.com", "crates.io", "rubygems.org", "pub.dev",
                          "registry-1.docker.io", "api.netlify.com", "api.vercel.com"});
}

bool is_this_machine(std::string_view host) {
  return is_one_of(host, {"localhost", "0.0.0.0", "host.docker.internal"}) ||
         host.starts_with("127.") || host.ends_with(".localhost");
}

// Whether the path is one of the interfaces of a forge: GitLab's, Gitea's, GitHub Enterprise's.
bool is_of_forge(std::string_view path) {
  return path.find("/api/v4/projects/") != std::string_view::npos ||
         path.find("/api/v1/repos/") != std::string_view::npos ||
         path.find("/api/v3/repos/") != std::string_view::npos;
}

}  // namespace

void judge_changing_request(const ShellWord& address, const ProgramCall& call) {
  std::string_view rest = address.text;
  const size_t scheme = rest.find("://");
  if (scheme != std::string_view::npos && !names_remote(rest)) return;  // of this machine
  if (scheme != std::string_view::npos) rest.remove_prefix(scheme + 3);
  if (scheme == std::string_view::npos) {  // curl takes "https:/host", too
    const size_t colon = std::min(rest.find(":/"), rest.size());
    const size_t begin = rest.find_first_not_of(":/", colon);
    if (begin != std::string_view::npos) rest.remove_prefix(begin);
  }
  std::string_view host = rest.substr(0, rest.find('/'));
  host.remove_prefix(std::min(host.rfind('@') + 1, host.size()));
  host = host.substr(0, host.find(':'));
  const std::string name = base::lower(host);
  if (is_this_machine(name)) return;
  const bool queries = rest.find("graphql") != std::string_view::npos;
  const bool certain = !queries && (is_public_host(name) || is_of_forge(rest));
  call.verdict().suspect(DenyEntry::kPublish, certain);
}

}  // namespace orch::policy
