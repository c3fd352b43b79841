#include "fence/secrets.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <map>
#include <sstream>
#include <string_view>
#include <system_error>

#include "base/text.h"
#include "fence/mounts.h"
#include "fence/places.h"
#include "fence/toolchains.h"
#include "store/file_io.h"

namespace orch::fence {

namespace fs = std::filesystem;

namespace {

// Relative to the home. Whole folders, because a key may have any name, unless they contain
// something else that an agent's tools need.
constexpr std::array<std::string_view, 112> kInHome{
    ".ssh",
    ".git-credentials",
    ".config/git/credentials",
    ".netrc",
    "_netrc",
    ".authinfo",
    ".authinfo.gpg",
    ".gnupg",
    ".aws",
    ".azure",
    ".config/gcloud",
    ".boto",
    ".s3cfg",
    ".config/rclone",
    ".rclone.conf",
    ".config/doctl",
    ".config/hcloud",
    ".oci",
    ".fly",
    ".config/gh",
    ".config/hub",
    ".config/glab-cli",
    ".kube",
    ".docker",
    ".config/containers/auth.json",
    ".config/helm",
    ".terraform.d/credentials.tfrc.json",
    ".terraformrc",
    ".vault-token",
    ".config/sops",
    ".config/age",
    ".databrickscfg",
    ".snowflake",
    ".pulumi/credentials.json",
    ".config/openstack",
    ".config/linode-cli",
    ".bluemix",
    ".config/netlify",
    ".local/share/com.vercel.cli",
    ".supabase",
    ".wrangler",
    ".config/.wrangler",
    ".cloudflared",
    ".ngrok2",
    ".config/ngrok",
    ".config/stripe",
    ".config/configstore/firebase-tools.json",
    ".kaggle",
    ".config/kaggle",
    ".mc",
    ".passwd-s3fs",
    ".smbcredentials",
    ".minikube",
    ".config/argocd",
    ".dockercfg",
    ".step",
    ".acme.sh",
    ".local/share/mkcert",
    ".pypirc",
    ".config/pypoetry/auth.toml",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".ivy2/.credentials",
    ".sbt/.credentials",
    ".jfrog",
    ".subversion/auth",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".gradle/gradle.properties",
    ".composer/auth.json",
    ".config/composer/auth.json",
    ".huggingface/token",
    ".cache/huggingface/token",
    ".cache/huggingface/stored_tokens",
    ".config/op",
    ".config/Bitwarden CLI",
    ".password-store",
    ".local/share/gopass",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".mozilla",
    ".thunderbird",
    ".msmtprc",
    ".fetchmailrc",
    ".mbsyncrc",
    ".offlineimaprc",
    ".purple",
    ".config/Slack",
    ".config/discord",
    ".config/Element",
    ".config/filezilla",
    ".bitcoin",
    ".ethereum/keystore",
    ".electrum",
    ".config/solana",
    ".pgpass",
    ".my.cnf",
    ".mylogin.cnf",
    ".config/anthropic",
    ".config/openai",
    ".config/github-copilot",
    ".config/io.datasette.llm",
    ".ollama/id_ed25519",
    ".config/Signal",
    // Logins of agents; each agent may read its own (`secrets` in its manifest).
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".local/share/opencode/auth.json",
    ".local/share/kilo/auth.json",
    ".kimi-code/credentials",
    ".qwen/oauth_creds.json",
};
constexpr std::array<std::string_view, 4> kBrowsersInHome{
    ".config/google-chrome", ".config/chromium", ".config/BraveSoftware", ".config/microsoft-edge"};

// Variables that move one of these places. Either the variable names the place itself ...
constexpr std::array<std::string_view, 32> kMovedBy{
    "AWS_SHARED_CREDENTIALS_FILE",
    "AWS_CONFIG_FILE",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AZURE_CONFIG_DIR",
    "AZURE_FEDERATED_TOKEN_FILE",
    "BOTO_CONFIG",
    "CLOUDSDK_CONFIG",
    "DATABRICKS_CONFIG_FILE",
    "DOCKER_CONFIG",
    "GH_CONFIG_DIR",
    "GLAB_CONFIG_DIR",
    "GNUPGHOME",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "HELM_CONFIG_HOME",
    "HELM_REGISTRY_CONFIG",
    "HF_TOKEN_PATH",
    "KAGGLE_CONFIG_DIR",
    "KUBECONFIG",  // several, separated by colons
    "MC_CONFIG_DIR",
    "MYSQL_TEST_LOGIN_FILE",
    "NETRC",
    "OCI_CLI_CONFIG_FILE",
    "OS_CLIENT_CONFIG_FILE",
    "PASSWORD_STORE_DIR",
    "PGPASSFILE",
    "PGSSLKEY",
    "RCLONE_CONFIG",
    "REGISTRY_AUTH_FILE",
    "SOPS_AGE_KEY_FILE",
    "STEPPATH",
    "TF_CLI_CONFIG_FILE",
    "BITWARDENCLI_APPDATA_DIR",
};
// ... or it names a folder with files of these names in it ...
struct MovedHolder {
  std::string_view variable;
  std::array<std::string_view, 2> names;  // "" for none
};
constexpr std::array<MovedHolder, 9> kHeldBy{
    {{"CARGO_HOME", {"credentials", "credentials.toml"}},
     {"COMPOSER_HOME", {"auth.json", ""}},
     {"GRADLE_USER_HOME", {"gradle.properties", ""}},
     {"HF_HOME", {"token", "stored_tokens"}},
     {"POETRY_CONFIG_DIR", {"auth.toml", ""}},
     {"PULUMI_HOME", {"credentials.json", ""}},
     {"CLAUDE_CONFIG_DIR", {".credentials.json", ""}},
     {"CODEX_HOME", {"auth.json", ""}},
     {"GEMINI_CLI_HOME", {".gemini/oauth_creds.json", ""}}}};
// ... or it names the folder that takes the place of this one in the home.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kFolders{
    {{"XDG_CONFIG_HOME", ".config/"},
     {"XDG_DATA_HOME", ".local/share/"},
     {"XDG_CACHE_HOME", ".cache/"}}};

// Files with settings, which sometimes contain a token.
constexpr std::array<std::string_view, 3> kPerhapsInHome{".npmrc", ".yarnrc.yml", ".yarnrc"};
constexpr size_t kMostSearched = 1 << 20;
constexpr std::array<std::string_view, 4> kTokenWords{"_auth", "_password", "npmAuth", "authToken"};

// Places that only root can read in any case, and those that a container gets at its start.
constexpr std::array<std::string_view, 6> kOfSystem{"/etc/shadow",      "/etc/gshadow",
                                                    "/etc/ssl/private", "/run/secrets",
                                                    "/var/lib/docker",  "/etc/kubernetes"};

// Everything in ~/.ssh is secret except these: files with other names are often keys.
bool is_public_in_ssh(std::string_view name) {
  return name == "config" || name == "config.d" || name == "authorized_keys" ||
         name.starts_with("known_hosts") || name.ends_with(".pub");
}

// A file that is too long to be searched counts as one that does.
bool holds_token(const std::string& path) {
  const base::Result<base::Fd> file = store::open_regular_file(path);
  if (!file) return false;
  const base::Result<std::string> text = store::read_open_file(*file, path, kMostSearched);
  if (!text) return true;
  return std::any_of(kTokenWords.begin(), kTokenWords.end(), [&text](std::string_view word) {
    return text->find(word) != std::string::npos;
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

// The path without links, as far as it exists; "" if that is not a place.
std::string place_of(const std::string& path) {
  std::error_code failure;
  const fs::path real = fs::weakly_canonical(path, failure);
  return failure || real.is_relative() || real == real.root_path() ? "" : real.string();
}

// The next two functions need sorted places: there may be thousands of them if much is mounted
// twice.
bool is_one_of(const std::string& path, const std::vector<std::string>& places) {
  return std::binary_search(places.begin(), places.end(), path);
}
bool is_below_one(const std::string& path, const std::vector<std::string>& places) {
  for (size_t end = path.rfind('/'); end != 0 && end != std::string::npos;
       end = path.rfind('/', end - 1)) {
    if (is_one_of(path.substr(0, end), places)) return true;
  }
  return false;
}

// Collects places. A place that contains something needed is left out.
class Places {
 public:
  explicit Places(const std::vector<std::string>& needed) : needed_(needed) {}

  void close(const std::string& path) {
    // If the path is a link, both the link and its target are closed.
    fs::path whole = fs::path(path).lexically_normal();
    if (!whole.has_filename()) whole = whole.parent_path();
    const fs::path place = fs::path(folder_of(whole.parent_path().string())) / whole.filename();
    add(place.string());
    std::error_code failure;
    if (fs::is_symlink(fs::symlink_status(place, failure))) add(place_of(path));
  }
  // Adds a place of the machine only if this process could read it; the others are closed already.
  void close_of_machine(const std::string& path) {
    const std::optional<std::string> real = resolved(path);
    if (!real || ::access(real->c_str(), R_OK) != 0 || holds_needed(*real)) return;
    found_.of_machine.push_back(*real);
  }
  void leave_open(const std::string& path) {
    if (const std::optional<std::string> real = resolved(path)) found_.open.push_back(*real);
  }

  // Adds the other names of the collected places, in other mounts of their file systems. Parts of
  // the machine's places that are mounted by themselves are meant to be read: volumes of containers
  // are parts of /var/lib/docker.
  void add_other_names(const std::vector<Mount>& mounts) {
    tidy();
    const SecretPlaces named = found_;
    for (const std::string& path : named.open) {
      for (const std::string& name : other_names(mounts, path)) leave_open(name);
    }
    sort();
    for (const std::string& path : named.closed) {
      for (std::string& name : other_names(mounts, path)) add(std::move(name));
      for (std::string& part : parts_mounted(mounts, path)) {
        if (!is_one_of(part, found_.open)) add(std::move(part));
      }
    }
    for (const std::string& path : named.of_machine) {
      for (const std::string& name : other_names(mounts, path)) close_of_machine(name);
    }
  }

  SecretPlaces take() {
    tidy();
    return std::move(found_);
  }

 private:
  // The places are in only a few different folders, so these are resolved once.
  const std::string& folder_of(const std::string& folder) {
    const auto [found, is_new] = folders_.try_emplace(folder);
    if (is_new) found->second = place_of(folder);
    return found->second;
  }

  // Removes places in other places, which are closed with them; also paths in a removed place that
  // should stay open.
  void tidy() {
    sort();
    std::vector<std::string> inner;
    std::copy_if(found_.closed.begin(), found_.closed.end(), std::back_inserter(inner),
                 [this](const std::string& path) { return is_below_one(path, found_.closed); });
    std::erase_if(found_.closed, [&inner](const auto& path) { return is_one_of(path, inner); });
    std::erase_if(found_.open, [&inner](const auto& path) {
      return is_one_of(path, inner) || is_below_one(path, inner);
    });
    const std::vector<std::string> of_machine = found_.of_machine;
    std::erase_if(found_.of_machine, [&](const std::string& path) {
      return is_one_of(path, found_.closed) || is_below_one(path, found_.closed) ||
             is_below_one(path, of_machine);
    });
  }

  void sort() {
    for (auto* paths : {&found_.closed, &found_.of_machine, &found_.open}) {
      std::sort(paths->begin(), paths->end());
      paths->erase(std::unique(paths->begin(), paths->end()), paths->end());
    }
  }

  bool holds_needed(const std::string& path) const {
    return std::any_of(needed_.begin(), needed_.end(),
                       [&path](const std::string& one) { return is_within(one, path); });
  }

  void add(std::string path) {
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    if (!path.starts_with('/') || path == "/") return;
    // AWS_CONFIG_FILE=/dev/null names no place.
    for (const char* no_disk : {"/dev", "/proc", "/sys"}) {
      if (is_within(path, no_disk)) return;
    }
    if (!holds_needed(path)) found_.closed.push_back(std::move(path));
  }

  const std::vector<std::string>& needed_;
  std::map<std::string, std::string> folders_;  // folders, and their paths without links
  SecretPlaces found_;
};

void close_if_token(const std::string& path, Places& places) {
  if (holds_token(path)) places.close(path);
}

void close_credentials(const std::string& folder, const Toolchain& chain, Places& places) {
  std::istringstream names{std::string(chain.credentials)};
  for (std::string name; names >> name;) places.close(folder + "/" + name);
}

void close_home(const std::string& home, Places& places) {
  for (const std::string_view name : kInHome) places.close(home + "/" + std::string(name));
  for (const std::string_view name : kBrowsersInHome) places.close(home + "/" + std::string(name));
  for (const std::string_view name : kPerhapsInHome) {
    close_if_token(home + "/" + std::string(name), places);
  }
  for (const Toolchain& chain : toolchains()) {
    close_credentials(home + "/" + std::string(chain.folder), chain, places);
  }
  std::vector<std::string> open;
  add_entries(home + "/.ssh", open, is_public_in_ssh);
  for (const std::string& path : open) places.leave_open(path);
  // The key itself may be elsewhere, with a link to it here.
  std::vector<std::string> keys;
  add_entries(home + "/.ssh", keys, [](std::string_view name) { return !is_public_in_ssh(name); });
  std::error_code failure;
  for (const std::string& path : keys) {
    if (fs::is_symlink(fs::symlink_status(path, failure))) places.close(path);
  }
}

// The files that a variable's value may name. Many tools take "~" for the home; a relative path
// counts from the present folder. Empty if the value is itself a key, in JSON.
std::vector<std::string> files_named(std::string_view value,
                                     const std::vector<std::string>& homes) {
  if (value.empty() || value.front() == '{') return {};
  if (value.front() == '/') return {std::string(value)};
  std::vector<std::string> files;
  if (value == "~" || value.starts_with("~/")) {
    for (const std::string& home : homes) files.push_back(home + std::string(value.substr(1)));
    return files;
  }
  std::error_code failure;
  const fs::path here = fs::current_path(failure);
  if (!failure) files.push_back((here / value).string());
  return files;
}

// Returns the files that the variable with this name names.
using Named = std::function<std::vector<std::string>(std::string_view)>;

// `value` may name several files, separated by colons.
void close_each(std::string_view value, const std::vector<std::string>& homes, Places& places) {
  for (const std::string_view name : base::split(value, ':')) {
    for (const std::string& file : files_named(name, homes)) places.close(file);
  }
}

void close_held(const MovedHolder& holder, const Named& named, Places& places) {
  for (const std::string& folder : named(holder.variable)) {
    for (const std::string_view name : holder.names) {
      if (!name.empty()) places.close(folder + "/" + std::string(name));
    }
  }
}

// Closes those of the home's places that are in this folder instead.
void close_in(const std::string& folder, std::string_view beginning, Places& places) {
  const auto close = [&](std::string_view name) {
    if (!name.starts_with(beginning)) return;
    places.close(folder + "/" + std::string(name.substr(beginning.size())));
  };
  std::for_each(kInHome.begin(), kInHome.end(), close);
  std::for_each(kBrowsersInHome.begin(), kBrowsersInHome.end(), close);
}

void close_moved(const std::function<std::string(std::string_view)>& variables,
                 const std::vector<std::string>& homes, Places& places) {
  const Named named = [&](std::string_view variable) {
    return files_named(variables(variable), homes);
  };
  for (const std::string_view variable : kMovedBy) close_each(variables(variable), homes, places);
  for (const MovedHolder& holder : kHeldBy) close_held(holder, named, places);
  for (const Toolchain& chain : toolchains()) {
    if (chain.variable.empty()) continue;
    for (const std::string& folder : named(chain.variable)) {
      close_credentials(folder, chain, places);
    }
  }
  for (const std::string_view variable : {"npm_config_userconfig", "NPM_CONFIG_USERCONFIG"}) {
    for (const std::string& file : named(variable)) close_if_token(file, places);
  }
  for (const auto& [variable, beginning] : kFolders) {
    for (const std::string& folder : named(variable)) close_in(folder, beginning, places);
  }
}

}  // namespace

std::vector<std::string> places_of_variables(
    const std::vector<std::string>& homes,
    const std::function<std::string(std::string_view)>& variables,
    const std::vector<std::string>& needed) {
  Places places(needed);
  close_moved(variables, homes, places);
  return places.take().closed;
}

SecretPlaces secret_places(const std::vector<std::string>& homes,
                           const std::function<std::string(std::string_view)>& variables,
                           const std::vector<std::string>& needed) {
  Places places(needed);
  for (const std::string& home : homes) close_home(home, places);
  close_moved(variables, homes, places);
  for (const std::string_view path : kOfSystem) places.close_of_machine(std::string(path));
  std::vector<std::string> keys;
  add_entries("/etc/ssh", keys, [](std::string_view name) { return name.ends_with("_key"); });
  for (const std::string& path : keys) places.close_of_machine(path);
  places.add_other_names(mounts_of_this_process());
  return places.take();
}

void open_up(SecretPlaces& places, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    for (auto* closed : {&places.closed, &places.of_machine}) {
      std::erase_if(*closed, [&path](const std::string& place) { return is_within(place, path); });
      const auto holds = [&path](const std::string& place) { return is_within(path, place); };
      if (std::any_of(closed->begin(), closed->end(), holds)) places.open.push_back(path);
    }
  }
}

}  // namespace orch::fence
