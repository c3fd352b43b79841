#include "fence/secrets.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "fence/places.h"

namespace orch::fence {

namespace fs = std::filesystem;

namespace {

// Below the home. Files, and folders with all that is in them.
constexpr std::array<std::string_view, 59> kInHome{
    ".git-credentials",
    ".config/git/credentials",
    ".netrc",
    ".authinfo",
    ".authinfo.gpg",
    ".gnupg/private-keys-v1.d",
    ".gnupg/secring.gpg",
    ".aws/credentials",
    ".aws/sso/cache",
    ".aws/cli/cache",
    ".azure",
    ".config/gcloud",
    ".boto",
    ".s3cfg",
    ".config/rclone/rclone.conf",
    ".config/doctl",
    ".config/hcloud",
    ".oci",
    ".fly",
    ".config/gh/hosts.yml",
    ".config/hub",
    ".config/glab-cli",
    ".kube",
    ".docker/config.json",
    ".config/containers/auth.json",
    ".config/helm/registry",
    ".terraform.d/credentials.tfrc.json",
    ".terraformrc",
    ".vault-token",
    ".config/sops/age",
    ".config/age",
    ".pypirc",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
    ".composer/auth.json",
    ".config/composer/auth.json",
    ".config/pypoetry/auth.toml",
    ".huggingface/token",
    ".cache/huggingface/token",
    ".config/op",
    ".config/Bitwarden CLI",
    ".password-store",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".mozilla",
    ".thunderbird",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".config/Signal",
    ".pgpass",
    ".my.cnf",
    ".mylogin.cnf",
    ".config/anthropic",
    ".config/openai",
};

// Files that hold settings, and sometimes a token.
constexpr std::array<std::string_view, 3> kPerhapsInHome{".npmrc", ".yarnrc.yml", ".yarnrc"};
constexpr std::array<std::string_view, 4> kTokenWords{"_auth", "_password", "npmAuth", "authToken"};

// What only root could read anyhow, and what a container is handed at its start.
constexpr std::array<std::string_view, 6> kOfSystem{"/etc/shadow",      "/etc/gshadow",
                                                    "/etc/ssl/private", "/run/secrets",
                                                    "/var/lib/docker",  "/etc/kubernetes"};

// Of ~/.ssh all is secret but this: other names are keys as often as not.
bool is_public_in_ssh(std::string_view name) {
  return name == "config" || name == "config.d" || name == "authorized_keys" || name == "rc" ||
         name == "environment" || name.starts_with("known_hosts") || name.ends_with(".pub");
}

bool holds_token(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text(size_t{64} << 10, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(in.gcount()));
  return std::any_of(kTokenWords.begin(), kTokenWords.end(), [&text](std::string_view word) {
    return text.find(word) != std::string::npos;
  });
}

template <typename Choose>
void add_entries(const std::string& folder, std::vector<std::string>& out, Choose chosen) {
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
       entry.increment(failure)) {
    if (chosen(entry->path().filename().string())) out.push_back(entry->path().string());
  }
}

}  // namespace

std::vector<std::string> secrets_of(const std::string& home) {
  std::vector<std::string> paths;
  if (!home.empty()) {
    for (const std::string_view name : kInHome) paths.push_back(home + "/" + std::string(name));
    for (const std::string_view name : kPerhapsInHome) {
      std::string path = home + "/" + std::string(name);
      if (holds_token(path)) paths.push_back(std::move(path));
    }
    add_entries(home + "/.ssh", paths,
                [](std::string_view name) { return !is_public_in_ssh(name); });
  }
  for (const std::string_view path : kOfSystem) paths.emplace_back(path);
  add_entries("/etc/ssh", paths, [](std::string_view name) { return name.ends_with("_key"); });

  std::vector<std::string> found;
  for (const std::string& path : paths) {
    std::optional<std::string> real = resolved(path);
    const bool reached = real && ::access(real->c_str(), R_OK) == 0;
    if (reached) found.push_back(std::move(*real));
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace orch::fence
