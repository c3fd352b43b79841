#include "session/git_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>

#include "session/git_config.h"
#include "store/file_io.h"

namespace orch::session {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMostConfigBytes = 1 << 20;
constexpr int kMostIncluding = 10;  // git refuses deeper ones

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// "https://me:token@host/", but not "ssh://git@host/"
bool has_key_in_address(std::string_view text) {
  for (const std::string_view scheme : {"https://", "http://", "ftp://", "ftps://"}) {
    const size_t at = text.find(scheme);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = text.substr(at + scheme.size());
    if (holds(rest.substr(0, rest.find('/')), "@")) return true;
  }
  return false;
}

bool has_key(const GitSetting& setting) {
  constexpr std::array<std::string_view, 8> kKeys{"token",  "passw", "smtppass",    "secret",
                                                  "apikey", "oauth", "extraheader", "cookie"};
  const bool named = std::any_of(kKeys.begin(), kKeys.end(), [&setting](std::string_view word) {
    return holds(setting.key, word);
  });
  // A helper may be a line of shell that prints the key.
  const bool told = setting.section == "credential" && holds(setting.value, "!");
  return (named && setting.key != "cookiefile") || told || has_key_in_address(setting.name) ||
         has_key_in_address(setting.value);
}

bool includes(const GitSetting& setting) {
  return (setting.section == "include" || setting.section == "includeif") && setting.key == "path";
}

// Whether the value is the path of a file or folder that git reads.
bool names_file(const GitSetting& setting) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kFiles{
      {{"core", "excludesfile"},
       {"core", "attributesfile"},
       {"core", "hookspath"},
       {"init", "templatedir"},
       {"commit", "template"},
       {"gpg", "program"},
       {"gpg", "allowedsignersfile"},
       {"gpg", "revocationfile"},
       {"blame", "ignorerevsfile"},
       {"mailmap", "file"},
       {"http", "sslcainfo"},
       {"http", "sslcapath"},
       {"user", "signingkey"}}};
  return std::any_of(kFiles.begin(), kFiles.end(), [&setting](const auto& file) {
    return setting.section == file.first && setting.key == file.second;
  });
}

std::string in_quotes(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return '"' + out + '"';
}

std::string text_of(const GitSetting& setting) {
  std::string text = "[" + setting.section;
  if (!setting.name.empty()) text += " " + in_quotes(setting.name);
  return text + "]\n\t" + setting.key + " = " + in_quotes(setting.value) + "\n";
}

class Reader {
 public:
  Reader(std::string home, const std::function<bool(const std::string&)>& written)
      : home_(std::move(home)), written_(written) {}

  void read(const std::string& file, int depth = 0) {
    std::error_code missing;
    const fs::path real = fs::canonical(file, missing);
    if (missing) return;
    if (written_(real.parent_path().string())) {
      named_.push_back(file);  // shown as it is; files that it includes are not read
      return;
    }
    const base::Result<std::string> text = store::read_regular_file(file, kMostConfigBytes);
    if (!text || depth > kMostIncluding) return;
    const GitConfig config = read_git_config(*text);
    const bool shown = !any_key(config);
    keys_ = keys_ || !shown;
    files_.shown.push_back(file);
    for (const GitSetting& setting : config.settings) take(setting, file, depth);
  }

  GitFiles take() {
    if (keys_) {
      files_.clean = std::move(text_);
      files_.shown = std::move(named_);
    } else {
      files_.shown.insert(files_.shown.end(), named_.begin(), named_.end());
    }
    return std::move(files_);
  }

 private:
  static bool any_key(const GitConfig& config) {
    // git would refuse a file that is not understood, so any part of it may be a key.
    return !config.understood ||
           std::any_of(config.settings.begin(), config.settings.end(), has_key);
  }

  void take(const GitSetting& setting, const std::string& file, int depth) {
    if (has_key(setting)) return;
    const std::string path = path_in(setting.value, file);
    if (!includes(setting)) {
      if (names_file(setting) && !path.empty()) named_.push_back(path);
      text_ += text_of(setting);
      return;
    }
    if (setting.section == "include") return read(path, depth + 1);
    // Whether it counts depends on where git runs; it is left as it is, if it has no keys.
    const base::Result<std::string> text = store::read_regular_file(path, kMostConfigBytes);
    if (!text || any_key(read_git_config(*text))) {
      keys_ = keys_ || text.ok();
      return;
    }
    named_.push_back(path);
    GitSetting absolute = setting;
    absolute.value = path;
    text_ += text_of(absolute);
  }

  // "" if the value is not a path.
  std::string path_in(const std::string& value, const std::string& file) const {
    if (value.starts_with("~/")) return home_ + value.substr(1);
    if (value.starts_with('/')) return value;
    if (value.empty() || value.starts_with('~') || value.starts_with('%')) return "";
    return (fs::path(file).parent_path() / value).lexically_normal().string();
  }

  std::string home_;
  const std::function<bool(const std::string&)>& written_;
  GitFiles files_;
  std::vector<std::string> named_;
  std::string text_;
  bool keys_ = false;
};

}  // namespace

GitFiles git_files_of(const std::function<std::string(std::string_view)>& variables,
                      const std::function<bool(const std::string&)>& written) {
  const std::string home = variables("HOME");
  if (!home.starts_with('/')) return {};
  const std::string moved = variables("XDG_CONFIG_HOME");
  const std::string settings = (moved.starts_with('/') ? moved : home + "/.config") + "/git";
  Reader reader(home, written);
  if (const std::string own = variables("GIT_CONFIG_GLOBAL"); !own.empty()) {
    reader.read(own);
  } else {
    reader.read(settings + "/config");
    reader.read(home + "/.gitconfig");
  }
  GitFiles files = reader.take();
  files.shown.push_back(settings + "/ignore");
  files.shown.push_back(settings + "/attributes");
  return files;
}

}  // namespace orch::session
