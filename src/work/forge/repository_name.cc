#include "forge/repository_name.h"

#include <algorithm>

#include "base/ascii.h"

namespace orch::forge {
namespace {

constexpr size_t kMostDigits = 18;

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= kMostDigits && text.front() != '0' &&
         std::all_of(text.begin(), text.end(), base::is_digit);
}

// What forges allow in names; so none is an option, or leads out of a path.
bool is_part(std::string_view text) {
  const auto fits = [](char c) {
    return base::is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
  };
  return !text.empty() && text.front() != '-' && text != "." && text != ".." &&
         std::all_of(text.begin(), text.end(), fits);
}

bool are_parts(std::string_view path) {
  while (true) {
    const size_t slash = path.find('/');
    if (!is_part(path.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

std::string_view without(std::string_view text, std::string_view end) {
  if (text.ends_with(end)) text.remove_suffix(end.size());
  return text;
}

std::optional<RepositoryName> named(std::string_view host, std::string_view path) {
  host.remove_prefix(std::min(host.rfind('@') + 1, host.size()));
  host = host.substr(0, host.find(':'));
  while (path.starts_with('/')) path.remove_prefix(1);
  path = without(without(path, "/"), ".git");
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos || !is_part(host) || !are_parts(path)) return std::nullopt;
  return RepositoryName{std::string(host), std::string(path.substr(0, slash)),
                        std::string(path.substr(slash + 1))};
}

// Splits "https://host/path"; false if the text has no such scheme.
bool split_url(std::string_view url, std::string_view& host, std::string_view& path) {
  constexpr std::string_view kSchemes[] = {"https://", "http://", "ssh://", "git+ssh://", "git://"};
  for (const std::string_view scheme : kSchemes) {
    if (!url.starts_with(scheme)) continue;
    url.remove_prefix(scheme.size());
    const size_t slash = std::min(url.find('/'), url.size());
    host = url.substr(0, slash);
    path = url.substr(slash);
    return true;
  }
  return false;
}

}  // namespace

std::optional<RepositoryName> repository_of_url(std::string_view url) {
  std::string_view host, path;
  if (split_url(url, host, path)) return named(host, path);
  // git@host:o/r is ssh; a path has a slash before any colon, and another scheme two behind it.
  const size_t colon = url.find(':');
  const bool is_path = colon == std::string_view::npos || url.find('/') < colon;
  if (is_path || url.substr(colon + 1).starts_with("//")) return std::nullopt;
  return named(url.substr(0, colon), url.substr(colon + 1));
}

Kind kind_of(const RepositoryName& repository) {
  return repository.host.find("gitlab") != std::string::npos ? Kind::kGitlab : Kind::kGithub;
}

std::optional<IssueWord> issue_of_word(std::string_view word) {
  std::string_view host, path;
  if (split_url(word, host, path)) {
    path = path.substr(0, path.find_first_of("?#"));
    path = without(path, "/");
    constexpr std::string_view kIssues = "/issues/";
    const size_t at = path.rfind(kIssues);
    if (at == std::string_view::npos || !is_number(path.substr(at + kIssues.size()))) {
      return std::nullopt;
    }
    std::optional<RepositoryName> repository = named(host, without(path.substr(0, at), "/-"));
    if (!repository) return std::nullopt;
    return IssueWord{std::move(repository), std::string(path.substr(at + kIssues.size()))};
  }
  const size_t slash_after_host = word.find('/');
  if (slash_after_host != std::string_view::npos && word.find("/issues/") != word.npos &&
      word.substr(0, slash_after_host).find('.') != word.npos) {
    return issue_of_word("https://" + std::string(word));  // copied without its scheme
  }
  const size_t sign = word.find('#');
  if (sign == std::string_view::npos) {
    if (!is_number(word)) return std::nullopt;
    return IssueWord{std::nullopt, std::string(word)};
  }
  const std::string_view number = word.substr(sign + 1), slug = word.substr(0, sign);
  if (!is_number(number)) return std::nullopt;
  if (slug.empty()) return IssueWord{std::nullopt, std::string(number)};
  const size_t slash = slug.rfind('/');
  if (slash == std::string_view::npos || !are_parts(slug)) return std::nullopt;
  return IssueWord{
      RepositoryName{"", std::string(slug.substr(0, slash)), std::string(slug.substr(slash + 1))},
      std::string(number)};
}

}  // namespace orch::forge
