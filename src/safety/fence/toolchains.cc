#include "fence/toolchains.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string>
#include <vector>

#include "base/text.h"

namespace orch::fence {
namespace {

constexpr std::array kToolchains{
    // Rust
    Toolchain{".cargo", "CARGO_HOME", "bin registry git env", "credentials credentials.toml"},
    Toolchain{".local/share/cargo", "", "bin registry git env", "credentials credentials.toml"},
    Toolchain{".rustup", "RUSTUP_HOME", "", ""},
    Toolchain{".local/share/rustup", "", "", ""},
    // Go
    Toolchain{"go", "GOPATH", "bin pkg", ""},
    Toolchain{".local/share/go", "", "bin pkg", ""},
    Toolchain{".gvm", "GVM_ROOT", "", ""},
    Toolchain{".goenv", "GOENV_ROOT", "", ""},
    // Python
    Toolchain{".pyenv", "PYENV_ROOT", "", ""},
    Toolchain{".local/lib", "", "", ""},
    Toolchain{".local/lib64", "", "", ""},
    Toolchain{".local/libexec", "", "", ""},
    Toolchain{".local/include", "", "", ""},
    Toolchain{".local/pipx", "PIPX_HOME", "", ""},
    Toolchain{".local/share/pipx", "", "", ""},
    Toolchain{".local/share/uv", "", "python tools", "credentials"},
    Toolchain{".local/share/virtualenv", "", "", ""},
    Toolchain{".local/share/virtualenvs", "", "", ""},
    Toolchain{".local/share/pypoetry", "", "venv", "auth.toml"},
    Toolchain{".local/share/hatch", "", "env pythons", ""},
    Toolchain{".local/share/pdm", "", "venvs python", ""},
    Toolchain{".local/share/jupyter", "", "kernels lab nbextensions", "runtime"},
    Toolchain{".virtualenvs", "WORKON_HOME", "", ""},
    Toolchain{"miniconda3", "", "", ""},
    Toolchain{"anaconda3", "", "", ""},
    Toolchain{"miniforge3", "", "", ""},
    Toolchain{"mambaforge", "", "", ""},
    Toolchain{"micromamba", "MAMBA_ROOT_PREFIX", "", ""},
    Toolchain{".conda", "", "envs pkgs environments.txt", ""},
    Toolchain{".rye", "RYE_HOME", "bin py self shims toolchains tools uv", "config.toml"},
    Toolchain{".pixi", "PIXI_HOME", "bin envs", "credentials.json"},
    Toolchain{"nltk_data", "NLTK_DATA", "", ""},
    // Node.js, Deno, Bun
    Toolchain{".nvm", "NVM_DIR", "", ""},
    Toolchain{".local/share/nvm", "", "", ""},
    Toolchain{".fnm", "FNM_DIR", "", ""},
    Toolchain{".local/share/fnm", "", "", ""},
    Toolchain{".volta", "VOLTA_HOME", "", ""},
    Toolchain{".n", "N_PREFIX", "", ""},
    Toolchain{".nodenv", "NODENV_ROOT", "", ""},
    Toolchain{".npm", "", "_cacache _npx", "_logs"},
    Toolchain{".npm-global", "", "", ""},
    Toolchain{".npm-packages", "", "", ""},
    Toolchain{".node_modules", "", "", ""},
    Toolchain{".node-gyp", "", "", ""},
    Toolchain{".local/share/pnpm", "PNPM_HOME", "", "auth.ini"},
    Toolchain{".pnpm-store", "", "", ""},
    Toolchain{".yarn", "", "bin berry cache global releases", ""},
    Toolchain{".config/yarn", "", "global", ""},
    Toolchain{".bun", "BUN_INSTALL", "bin install lib", ""},
    Toolchain{".deno", "DENO_INSTALL_ROOT", "bin", ""},
    // Java, Kotlin, Scala, Clojure
    Toolchain{".m2", "", "repository wrapper", "settings.xml settings-security.xml"},
    Toolchain{".gradle", "GRADLE_USER_HOME", "caches jdks native wrapper", "gradle.properties"},
    Toolchain{".sdkman", "SDKMAN_DIR", "bin candidates src", ""},
    Toolchain{".jdks", "", "", ""},
    Toolchain{".jabba", "JABBA_HOME", "", ""},
    Toolchain{".jenv", "JENV_ROOT", "", ""},
    Toolchain{".ivy2", "", "cache local", ".credentials"},
    Toolchain{".sbt", "", "boot launchers", ".credentials"},
    Toolchain{".local/share/coursier", "", "bin", ""},
    Toolchain{".konan", "KONAN_DATA_DIR", "", ""},
    Toolchain{".lein", "LEIN_HOME", "self-installs", "credentials.clj credentials.clj.gpg"},
    // .NET
    Toolchain{".dotnet", "",
              "dotnet host library-packs packs sdk sdk-manifests shared templates tools", "corefx"},
    Toolchain{".nuget", "", "packages", "NuGet"},
    // Ruby, PHP, Perl
    Toolchain{".rbenv", "RBENV_ROOT", "", ""},
    Toolchain{".rvm", "rvm_path", "bin environments gems lib rubies scripts wrappers", ""},
    Toolchain{".rubies", "", "", ""},
    Toolchain{".gem", "", "ruby specs", "credentials"},
    Toolchain{".local/share/gem", "", "ruby specs", "credentials"},
    Toolchain{".bundle", "BUNDLE_USER_HOME", "cache plugin", "config"},
    Toolchain{".composer", "COMPOSER_HOME", "cache vendor", "auth.json"},
    Toolchain{".config/composer", "", "vendor", "auth.json"},
    Toolchain{".phpenv", "PHPENV_ROOT", "", ""},
    Toolchain{"perl5", "", "", ""},
    Toolchain{".plenv", "PLENV_ROOT", "", ""},
    // Haskell, OCaml, Elixir, Erlang
    Toolchain{".ghcup", "", "", ""},
    Toolchain{".cabal", "CABAL_DIR", "bin lib packages store", "config"},
    Toolchain{".stack", "STACK_ROOT", "global-project pantry programs setup-exe-cache snapshots",
              "upload"},
    Toolchain{".opam", "OPAMROOT", "", ""},
    Toolchain{".mix", "MIX_HOME", "archives elixir escripts", ""},
    Toolchain{".hex", "HEX_HOME", "cache.ets packages", "hex.config"},
    // Dart, Swift, Julia, R, Zig, Nim, Lua
    Toolchain{".pub-cache", "PUB_CACHE", "bin git global_packages hosted hosted-hashes",
              "credentials.json"},
    Toolchain{"flutter", "FLUTTER_ROOT", "", ""},
    Toolchain{".swiftly", "", "", ""},
    Toolchain{".local/share/swiftly", "SWIFTLY_HOME_DIR", "", ""},
    Toolchain{".julia", "", "artifacts bin compiled juliaup packages registries", "servers"},
    Toolchain{".juliaup", "", "", ""},
    Toolchain{"R", "", "x86_64-pc-linux-gnu-library aarch64-unknown-linux-gnu-library", ""},
    Toolchain{".nimble", "NIMBLE_DIR", "bin pkgs pkgs2", "github_api_token"},
    Toolchain{".choosenim", "", "", ""},
    Toolchain{".luarocks", "", "bin lib lib64 share", "upload_config.lua"},
    // several languages
    Toolchain{".asdf", "ASDF_DATA_DIR", "", ""},
    Toolchain{".local/share/mise", "MISE_DATA_DIR", "bin installs plugins shims", ""},
    Toolchain{".proto", "PROTO_HOME", "bin plugins shims tools", ""},
    Toolchain{".nix-profile", "", "", ""},
    Toolchain{".local/state/nix", "", "profiles", ""},
    Toolchain{".linuxbrew", "HOMEBREW_PREFIX", "", ""},
    Toolchain{".local/share/aquaproj-aqua", "AQUA_ROOT_DIR", "", ""},
    // C, C++, devices, the web, infrastructure
    Toolchain{".conan", "", "data profiles settings.yml", ".conan.db"},
    Toolchain{".conan2", "CONAN_HOME", "p profiles settings.yml", "credentials.json"},
    Toolchain{".vcpkg", "", "", ""},
    Toolchain{"emsdk", "EMSDK", "", ""},
    Toolchain{".platformio", "", "packages penv platforms", "appstate.json"},
    Toolchain{".espressif", "", "", ""},
    Toolchain{"Android/Sdk", "ANDROID_HOME", "", ""},
    Toolchain{".wasmtime", "", "", ""},
    Toolchain{".wasmer", "WASMER_DIR", "bin lib", "wasmer.toml"},
    Toolchain{".foundry", "", "bin cache versions", "keystores"},
    Toolchain{".terraform.d", "", "plugin-cache plugins", "credentials.tfrc.json"},
    Toolchain{".tfenv", "", "", ""},
    Toolchain{".krew", "KREW_ROOT", "", ""},
    Toolchain{".local/share/helm", "HELM_DATA_HOME", "plugins", ""},
    Toolchain{"texmf", "TEXMFHOME", "", ""},
    // caches
    Toolchain{".cache/huggingface", "HF_HOME", "assets datasets hub modules",
              "stored_tokens token"},
    Toolchain{
        ".cache", "",
        ".wasm-pack Cypress R bazel bazelisk black bun ccache composer conda coursier deno dune "
        "electron electron-builder esbuild fontconfig go-build golangci-lint gopls hatch meson "
        "mise ms-playwright ms-playwright-go mypy node node-gyp org.swift.swiftpm pdm pex pip "
        "pipenv pnpm pre-commit puppeteer pylint pypoetry rattler rebar3 ruff sccache selenium "
        "staticcheck torch turbo typescript uv vcpkg virtualenv yarn zig",
        ""},
    // content and style of programs' output
    Toolchain{".local/bin", "", "", ""},
    Toolchain{".local/share", "", "bash-completion fonts man", ""},
    Toolchain{".terminfo", "", "", ""},
    Toolchain{".fonts", "", "", ""},
    Toolchain{".config/fontconfig", "", "", ""},
};

constexpr std::array<std::string_view, 28> kSettings{".npmrc",
                                                     ".yarnrc",
                                                     ".yarnrc.yml",
                                                     ".config/pnpm/rc",
                                                     ".bunfig.toml",
                                                     ".pip/pip.conf",
                                                     ".pydistutils.cfg",
                                                     ".config/pip/pip.conf",
                                                     ".config/uv/uv.toml",
                                                     ".condarc",
                                                     ".cargo/config",
                                                     ".cargo/config.toml",
                                                     ".config/go/env",
                                                     ".gemrc",
                                                     ".config/mise/config.toml",
                                                     ".config/ccache/ccache.conf",
                                                     ".ccache/ccache.conf",
                                                     ".curlrc",
                                                     ".wgetrc",
                                                     ".editorconfig",
                                                     ".inputrc",
                                                     ".tool-versions",
                                                     ".node-version",
                                                     ".nvmrc",
                                                     ".python-version",
                                                     ".ruby-version",
                                                     ".java-version",
                                                     ".manpath"};

constexpr std::array<std::string_view, 47> kVariables{"ANDROID_SDK_ROOT",
                                                      "CLASSPATH",
                                                      "CMAKE_PREFIX_PATH",
                                                      "CONDA_PREFIX",
                                                      "CPATH",
                                                      "CPLUS_INCLUDE_PATH",
                                                      "CUDA_HOME",
                                                      "CURL_CA_BUNDLE",
                                                      "CYPRESS_CACHE_FOLDER",
                                                      "C_INCLUDE_PATH",
                                                      "DENO_DIR",
                                                      "DENO_INSTALL",
                                                      "DOTNET_ROOT",
                                                      "GEM_HOME",
                                                      "GEM_PATH",
                                                      "GIT_SSL_CAINFO",
                                                      "GOMODCACHE",
                                                      "GOROOT",
                                                      "GRADLE_HOME",
                                                      "JAVA_HOME",
                                                      "LD_LIBRARY_PATH",
                                                      "LIBRARY_PATH",
                                                      "M2_HOME",
                                                      "MANPATH",
                                                      "MAVEN_HOME",
                                                      "NODE_EXTRA_CA_CERTS",
                                                      "NODE_PATH",
                                                      "NUGET_PACKAGES",
                                                      "PERL5LIB",
                                                      "PKG_CONFIG_PATH",
                                                      "PLAYWRIGHT_BROWSERS_PATH",
                                                      "PUPPETEER_CACHE_DIR",
                                                      "PYTHONHOME",
                                                      "PYTHONPATH",
                                                      "PYTHONUSERBASE",
                                                      "REQUESTS_CA_BUNDLE",
                                                      "RUBYLIB",
                                                      "R_LIBS",
                                                      "R_LIBS_USER",
                                                      "SDKROOT",
                                                      "SSL_CERT_DIR",
                                                      "SSL_CERT_FILE",
                                                      "TERMINFO",
                                                      "TORCH_HOME",
                                                      "UV_PYTHON_INSTALL_DIR",
                                                      "VCPKG_ROOT",
                                                      "VIRTUAL_ENV"};

// "3.11", "v20.1.0", "nodejs 20.1.0", "lts/iron"
bool is_version(std::string_view line) {
  if (line.starts_with("lts/")) return line.find_first_of(" =") == std::string_view::npos;
  const size_t blank = line.find(' ');
  if (blank != std::string_view::npos) {
    const std::string_view name = line.substr(0, blank);
    if (!std::all_of(name.begin(), name.end(),
                     [](char c) { return base::is_letter(c) || c == '-'; })) {
      return false;
    }
    line.remove_prefix(blank + 1);
  }
  if (line.starts_with('v')) line.remove_prefix(1);
  constexpr size_t kLongest = 20;
  return !line.empty() && line.size() <= kLongest && base::is_digit(line.front()) &&
         line.find('.') != std::string_view::npos &&
         std::all_of(line.begin(), line.end(),
                     [](char c) { return base::is_digit(c) || c == '.'; });
}

// Whether a text speaks of keys.
bool names_key(std::string_view name) {
  constexpr std::array<std::string_view, 11> kWords{"auth",   "cookie", "cred",    "header",
                                                    "key",    "login",  "netrc",   "passw",
                                                    "secret", "token",  "username"};
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::any_of(kWords.begin(), kWords.end(), [&lower](std::string_view word) {
    return lower.find(word) != std::string::npos;
  });
}

// Whether a value may be a key: letters and digits, mixed, and many in a row; or a name in an
// address.
bool looks_like_key(std::string_view value) {
  constexpr size_t kShortest = 16;
  if (value.find('@') != std::string_view::npos) return true;
  size_t begin = 0;
  bool letters = false, digits = false;
  for (size_t i = 0; i <= value.size(); ++i) {
    const char c = i < value.size() ? value[i] : '/';
    letters = letters || base::is_letter(c);
    digits = digits || base::is_digit(c);
    if (base::is_letter_or_digit(c) || c == '_' || c == '-' || c == '+') continue;
    if (i - begin >= kShortest && letters && digits) return true;
    begin = i + 1;
    letters = digits = false;
  }
  return false;
}

bool is_plain_line(std::string_view line) {
  if (line.empty()) return true;
  if (line.front() == '#' || line.front() == ';') return !names_key(line) && !looks_like_key(line);
  if (line.front() == '[' && line.back() == ']') return !names_key(line) && !looks_like_key(line);
  const size_t between = line.find_first_of("=:");
  if (between == std::string_view::npos) return is_version(line);
  const std::string_view name = base::trim(line.substr(0, between));
  const std::string_view value = base::trim(line.substr(between + 1));
  return name.find_first_of(" /\"'") == std::string_view::npos && !names_key(name) &&
         !looks_like_key(value) && !names_key(value);
}

}  // namespace

std::span<const Toolchain> toolchains() { return kToolchains; }
std::span<const std::string_view> settings_of_tools() { return kSettings; }
std::span<const std::string_view> variables_of_tools() { return kVariables; }

bool is_plain(std::string_view text) {
  const std::vector<std::string_view> lines = base::split_lines(text);
  return std::all_of(lines.begin(), lines.end(),
                     [](std::string_view line) { return is_plain_line(base::trim(line)); });
}

}  // namespace orch::fence
