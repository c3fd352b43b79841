#include "session/git_config.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace orch::session {

namespace {

bool is_key_character(char c) { return base::is_letter_or_digit(c) || c == '-'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
// Follows git's config.c step by step, so that no text has another meaning here than there.
class GitConfigReader {
 public:
  explicit GitConfigReader(std::string_view text) : text_(text) {
    // UTF-8's byte order mark, which is skipped at the very beginning only.
    constexpr std::string_view kMark = "\xEF\xBB\xBF";
    if (text_.starts_with(kMark)) at_ = kMark.size();
  }

  GitConfig read() && {
    while (config_.understood && !at_end()) config_.understood = step();
    return std::move(config_);
  }

 private:
  bool at_end() const { return at_ >= text_.size(); }

  // The next character. "\r\n" and the end of the text are returned as '\n'.
  char next() {
    if (at_end()) return '\n';
    if (text_.substr(at_).starts_with("\r\n")) ++at_;
    return text_[at_++];
  }

  bool step() {
    const size_t begin = at_;
    const char c = next();
    if (is_blank(c)) return true;
    if (c == '#' || c == ';') {
      at_ = std::min(text_.find('\n', at_), text_.size());
      return true;
    }
    if (c != '[') return base::is_letter(c) && setting(begin);
    if (!header()) return false;
    plain_header_ = begins_line(begin) && ends_line() && has_none_of(begin, "\\");
    return true;
  }

  // [section], [section "name"], or the older [section.name].
  bool header() {
    section_.clear();
    name_.clear();
    while (true) {
      if (at_end()) return false;
      const char c = next();
      if (c == ']') return !section_.empty();
      if (is_blank(c)) return c != '\n' && header_name();
      if (!is_key_character(c) && c != '.') return false;
      section_ += base::lower(c);
    }
  }

  bool header_name() {
    char c = next();
    while (is_blank(c)) {
      if (c == '\n') return false;
      c = next();
    }
    if (c != '"') return false;
    while ((c = next()) != '"') {
      if (c == '\\') c = next();
      if (c == '\n') return false;
      name_ += c;
    }
    return next() == ']';
  }

  bool setting(size_t begin) {
    GitSetting setting{section_, name_, {base::lower(text_[begin])}, "", false};
    while (!at_end() && is_key_character(text_[at_])) setting.key += base::lower(next());
    char c = next();
    while (c == ' ' || c == '\t') c = next();
    if (c != '\n' && (c != '=' || !value(setting.value))) return false;
    setting.plain = plain_header_ && begins_line(begin) && has_none_of(begin, "\"\\#;");
    config_.settings.push_back(std::move(setting));
    return true;
  }

  bool value(std::string& out) {
    bool quoted = false;
    size_t blanks = 0;
    for (char c = next(); c != '\n'; c = next()) {
      if (is_blank(c) && !quoted) {
        blanks += out.empty() ? 0 : 1;
        continue;
      }
      if (!quoted && (c == '#' || c == ';')) {
        at_ = std::min(text_.find('\n', at_), text_.size());
        continue;
      }
      out.append(std::exchange(blanks, 0), ' ');
      if (c == '"') {
        quoted = !quoted;
      } else if (c != '\\') {
        out += c;
      } else if (!escaped(out)) {
        return false;
      }
    }
    return !quoted;
  }

  bool escaped(std::string& out) {
    constexpr std::string_view kWritten = "tbn\"\\";
    constexpr std::string_view kMeant = "\t\b\n\"\\";
    const char c = next();
    if (c == '\n') return true;  // the value continues on the next line
    const size_t which = kWritten.find(c);
    if (which == std::string_view::npos) return false;
    out += kMeant[which];
    return true;
  }

  bool begins_line(size_t begin) const {
    const size_t line = text_.substr(0, begin).rfind('\n') + 1;  // for npos, npos + 1 is 0
    return base::trim(text_.substr(line, begin - line)).empty();
  }

  bool ends_line() const {
    const std::string_view rest = text_.substr(at_);
    return base::trim(rest.substr(0, rest.find('\n'))).empty();
  }

  // Whether the text read since `begin` is free of control characters and of `unwanted`.
  bool has_none_of(size_t begin, std::string_view unwanted) const {
    const std::string_view written = base::trim(text_.substr(begin, at_ - begin));
    return std::none_of(written.begin(), written.end(), [unwanted](char c) {
      const auto byte = static_cast<unsigned char>(c);
      return (byte < ' ' && c != '\t') || byte == 0x7f ||
             unwanted.find(c) != std::string_view::npos;
    });
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string section_, name_;
  bool plain_header_ = false;
  GitConfig config_;
};

template <size_t kCount>
bool is_one_of(const std::array<std::string_view, kCount>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Whether the address of a remote starts no program here: if it is a path, git runs the hooks of
// that folder; if it is helper::address, a program of that name.
bool is_network_address(std::string_view address) {
  constexpr std::array<std::string_view, 4> kSchemes{"https://", "http://", "ssh://", "git://"};
  for (const std::string_view scheme : kSchemes) {
    if (address.starts_with(scheme)) return true;
  }
  const size_t colon = address.find(':');  // user@host:path
  if (colon == std::string_view::npos || colon == 0 || address.front() == '-') return false;
  const std::string_view host = address.substr(0, colon);
  const std::string_view path = address.substr(colon + 1);
  const bool is_host = std::all_of(host.begin(), host.end(), [](char c) {
    return is_key_character(c) || c == '.' || c == '_' || c == '@';
  });
  return is_host && !path.starts_with(':') && !path.starts_with("//");
}

// If no address is configured for the remote that a branch names, git takes the name for a path.
bool has_address(const GitConfig& config, const std::string& remote) {
  return std::any_of(config.settings.begin(), config.settings.end(), [&](const GitSetting& each) {
    return each.section == "remote" && each.name == remote && each.key == "url";
  });
}

}  // namespace

GitConfig read_git_config(std::string_view text) { return GitConfigReader(text).read(); }

bool is_harmless(const GitSetting& setting, const GitConfig& config) {
  constexpr std::array<std::string_view, 7> kOfCore{"bare",
                                                    "filemode",
                                                    "symlinks",
                                                    "ignorecase",
                                                    "precomposeunicode",
                                                    "logallrefupdates",
                                                    "repositoryformatversion"};
  const auto& [section, name, key, value, plain] = setting;
  if (!plain) return false;
  if (section == "core") return name.empty() && is_one_of(kOfCore, key);
  if (section == "user") return name.empty() && (key == "name" || key == "email");
  if (name.empty()) return false;
  if (section == "branch") {
    return key == "merge" || key == "rebase" ||
           (key == "remote" && (value == "." || has_address(config, value)));
  }
  return section == "remote" &&
         (key == "fetch" || ((key == "url" || key == "pushurl") && is_network_address(value)));
}

std::vector<std::string> settings_that_count(const std::string& text) {
  const GitConfig config = read_git_config(text);
  std::vector<std::string> lines;
  for (const GitSetting& each : config.settings) {
    if (is_harmless(each, config)) continue;
    lines.push_back(each.section + "." + std::to_string(each.name.size()) + "." + each.name + "." +
                    each.key + "=" + each.value);
  }
  if (!config.understood) lines.push_back(text);
  return lines;
}

}  // namespace orch::session
