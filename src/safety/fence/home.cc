#include "fence/home.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <deque>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "base/fd.h"
#include "base/text.h"
#include "fence/mounts.h"
#include "fence/places.h"
#include "fence/toolchains.h"
#include "store/file_io.h"
#include "store/folder.h"

namespace orch::fence {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMostSettings = 64 << 10;  // bytes of one of a tool's files
constexpr size_t kMostLinks = 500;          // of those in folders of programs that lead into homes

// Homes of the system's own accounts: they contain files that every program needs.
constexpr std::array<std::string_view, 16> kSystemTrees{
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64",   "/proc",
    "/run", "/sbin", "/sys", "/usr", "/nix", "/snap",  "/var/run", "/var/lock"};
constexpr std::array<std::string_view, 9> kFoldersOfSystem{
    "/", "/home", "/opt", "/srv", "/var", "/var/lib", "/var/cache", "/var/spool", "/tmp"};

bool is_of_system(const std::string& home) {
  const auto holds = [&home](std::string_view tree) { return is_within(home, tree); };
  return std::any_of(kSystemTrees.begin(), kSystemTrees.end(), holds) ||
         std::find(kFoldersOfSystem.begin(), kFoldersOfSystem.end(), home) !=
             kFoldersOfSystem.end();
}

// Sorts the paths, and drops those inside another one.
void tidy(std::vector<std::string>& paths) {
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> outer;
  for (std::string& path : paths) {
    if (!is_in_one_of(outer, path)) outer.push_back(std::move(path));
  }
  paths = std::move(outer);
}

class View {
 public:
  View(const HomeRequest& request, const SecretPlaces& secrets)
      : request_(request), secrets_(secrets) {
    empty_homes();
  }

  // Shows a path, the links on its way, and their targets. Returns the path without links; nullopt
  // if it does not exist.
  std::optional<std::string> show(const std::string& path) {
    const std::optional<std::string> real = walk(path);
    if (real) add(*real);
    return real;
  }

  // The same for a path named by the user; it may be a whole home.
  void show_named(const std::string& path) {
    const std::optional<std::string> real = show(path);
    if (!real) return;
    std::copy_if(view_.emptied.begin(), view_.emptied.end(), std::back_inserter(view_.shown),
                 [&real](const std::string& home) { return is_within(home, *real); });
  }

  // Shows a program with its own packages: those of npm, or the folders of libraries next to it.
  void show_program(const std::string& path) {
    const std::optional<std::string> real = walk(path);
    if (!real || !is_in_one_of(view_.emptied, *real)) return;
    add(*real);
    show_around(fs::path(*real).parent_path().string());
    show_interpreter(*real);
  }

  // A folder of programs, and the targets of its links.
  void show_programs_in(const std::string& folder) {
    const std::optional<std::string> real = walk(folder);
    if (!real || !is_in_one_of(view_.emptied, *real)) return;
    add(*real);
    show_around(*real);
    follow_links_in(*real);
  }

  void follow_links_in(const std::string& folder) {
    if (is_written(folder)) return;
    std::error_code failure;
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure)) {
      std::error_code gone;
      if (links_ >= kMostLinks || !entry->is_symlink(gone)) continue;
      const std::optional<std::string> real = walk(entry->path().string());
      if (!real || is_within(*real, folder) || !is_in_one_of(view_.emptied, *real)) continue;
      ++links_;
      add(*real);
      show_around(fs::path(*real).parent_path().string());
    }
  }

  HomeView take() {
    tidy(view_.shown);
    std::erase_if(view_.shown,
                  [this](const std::string& path) { return is_in_one_of(request_.granted, path); });
    return std::move(view_);
  }

 private:
  void empty_homes() {
    const std::vector<Mount> mounts = mounts_of_this_process();
    for (const std::string& home : request_.homes) {
      const std::optional<std::string> real = resolved(home);
      if (!real || !fs::is_directory(*real)) continue;
      std::vector<std::string> names = other_names(mounts, *real);
      names.push_back(*real);
      for (std::string& name : names) {
        const bool granted = is_in_one_of(request_.granted, name);
        if (!is_of_system(name) && !granted && store::is_there(name)) {
          view_.emptied.push_back(std::move(name));
        }
      }
    }
    tidy(view_.emptied);
  }

  bool is_written(const std::string& folder) {
    if (!request_.written) return false;
    const auto [found, is_new] = written_.try_emplace(folder, false);
    if (is_new) found->second = request_.written(folder);
    return found->second;
  }

  bool holds_home(const std::string& path) const {
    return std::any_of(view_.emptied.begin(), view_.emptied.end(),
                       [&path](const std::string& home) { return is_within(home, path); });
  }

  void add(const std::string& path) {
    if (holds_home(path) || !is_in_one_of(view_.emptied, path)) return;
    // A key's place is shown only where it was opened.
    if (is_in_one_of(secrets_.closed, path) && !is_in_one_of(secrets_.open, path)) return;
    view_.shown.push_back(path);
  }

  // Follows a path step by step, and returns its end. Links in the homes are shown.
  std::optional<std::string> walk(const std::string& path) {
    constexpr int kMostHops = 40;  // as many as the kernel follows
    std::deque<std::string> names;
    for (const fs::path& name : fs::path(path).relative_path()) names.push_back(name.string());
    fs::path at = "/";
    int hops = 0;
    while (!names.empty()) {
      const std::string name = std::move(names.front());
      names.pop_front();
      if (name.empty() || name == ".") continue;
      if (name == "..") {
        at = at.parent_path();
        continue;
      }
      const fs::path next = at / name;
      std::error_code failure;
      const fs::file_status status = fs::symlink_status(next, failure);
      if (!fs::exists(status)) return std::nullopt;
      if (!fs::is_symlink(status)) {
        at = next;
        continue;
      }
      if (++hops > kMostHops || is_written(at.string())) return std::nullopt;
      add(next.string());
      const fs::path target = fs::read_symlink(next, failure);
      if (failure) return std::nullopt;
      if (target.is_absolute()) at = "/";
      std::deque<std::string> more;
      for (const fs::path& step : target.relative_path()) more.push_back(step.string());
      names.insert(names.begin(), more.begin(), more.end());
    }
    return at.string();
  }

  void show_around(const std::string& folder) {
    constexpr std::string_view kModules = "/node_modules";
    const std::string whole = folder + "/";
    if (const size_t at = whole.find(std::string(kModules) + "/"); at != std::string::npos) {
      return add(whole.substr(0, at + kModules.size()));
    }
    constexpr std::array<std::string_view, 7> kFolders{"bin",     "sbin",     "shims", "libexec",
                                                       "Scripts", "condabin", "cmd"};
    const fs::path at(folder);
    const std::string name = at.filename().string();
    if (std::find(kFolders.begin(), kFolders.end(), name) != kFolders.end()) {
      show_prefix(at.parent_path().string());
    }
  }

  // Shows an installation folder: programs in bin, libraries in lib. If it is also a work folder,
  // only these are shown.
  void show_prefix(const std::string& prefix) {
    constexpr std::array<std::string_view, 6> kMarks{"lib",        "lib64", "libexec",
                                                     "pyvenv.cfg", "jmods", "pkg"};
    if (holds_home(prefix) || fs::path(prefix).filename() == ".local") return;
    const auto has = [&prefix](std::string_view name) {
      return store::is_there(prefix + "/" + std::string(name));
    };
    if (std::none_of(kMarks.begin(), kMarks.end(), has)) return;
    if (!has(".git")) return add(prefix);
    for (const std::string_view mark : kMarks) {
      if (has(mark)) add(prefix + "/" + std::string(mark));
    }
  }

  // "#!/home/me/venv/bin/python"
  void show_interpreter(const std::string& program) {
    if (is_written(fs::path(program).parent_path().string())) return;
    constexpr size_t kLongest = 256;  // as the kernel reads
    const base::Result<base::Fd> file = store::open_regular_file(program);
    std::string text(kLongest, '\0');
    const ssize_t count = file ? ::read(file->get(), text.data(), text.size()) : 0;
    text.resize(static_cast<size_t>(std::max(count, ssize_t{0})));
    if (!text.starts_with("#!")) return;
    const std::string_view line = base::trim(std::string_view(text).substr(2, text.find('\n') - 2));
    const std::string name(line.substr(0, line.find(' ')));
    if (!name.starts_with('/')) return;
    const std::optional<std::string> real = walk(name);
    if (!real || !is_in_one_of(view_.emptied, *real)) return;
    add(*real);
    // A virtual environment is known by the link's own place.
    show_around(fs::path(name).parent_path().string());
    show_around(fs::path(*real).parent_path().string());
  }

  const HomeRequest& request_;
  const SecretPlaces& secrets_;
  HomeView view_;
  size_t links_ = 0;
  std::map<std::string, bool> written_;  // the answers of request_.written
};

void show_toolchain(const std::string& folder, const Toolchain& chain, View& view) {
  if (!store::is_there(folder)) return;
  if (chain.parts.empty()) {
    view.show(folder);
    return;
  }
  for (const std::string_view part : base::split(chain.parts, ' ')) {
    view.show(folder + "/" + std::string(part));
  }
}

// The places of this folder: the one in the home, and others named by variables.
std::vector<std::string> places_of(const std::string& home, std::string_view folder,
                                   const std::function<std::string(std::string_view)>& variables) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kMoved{
      {{".config/", "XDG_CONFIG_HOME"},
       {".local/share/", "XDG_DATA_HOME"},
       {".cache/", "XDG_CACHE_HOME"}}};
  std::vector<std::string> places{home + "/" + std::string(folder)};
  for (const auto& [beginning, variable] : kMoved) {
    const bool is_moved = (std::string(folder) + "/").starts_with(beginning);
    const std::string to = is_moved ? variables(variable) : std::string();
    if (!to.starts_with('/')) continue;
    const size_t rest = std::min(beginning.size(), folder.size());
    places.push_back(to + "/" + std::string(folder.substr(rest)));
  }
  return places;
}

void show_tools(const HomeRequest& request, View& view) {
  for (const std::string& home : request.persons) {
    for (const Toolchain& chain : toolchains()) {
      for (const std::string& folder : places_of(home, chain.folder, request.variables)) {
        show_toolchain(folder, chain, view);
      }
    }
    for (const std::string_view name : settings_of_tools()) {
      for (const std::string& file : places_of(home, name, request.variables)) {
        const base::Result<std::string> text = store::read_regular_file(file, kMostSettings);
        if (text && is_plain(*text)) view.show(file);
      }
    }
    view.follow_links_in(home + "/.local/bin");
  }
  for (const Toolchain& chain : toolchains()) {
    const std::string moved =
        chain.variable.empty() ? std::string() : request.variables(chain.variable);
    for (const std::string_view folder : base::split(moved, ':')) {
      if (folder.starts_with('/')) show_toolchain(std::string(folder), chain, view);
    }
  }
  for (const std::string_view variable : variables_of_tools()) {
    const std::string value = request.variables(variable);
    for (const std::string_view path : base::split(value, ':')) {
      if (path.starts_with('/')) view.show(std::string(path));
    }
  }
  const std::string programs = request.variables("PATH");
  for (const std::string_view folder : base::split(programs, ':')) {
    if (folder.starts_with('/')) view.show_programs_in(std::string(folder));
  }
}

}  // namespace

HomeView view_of_homes(const HomeRequest& request, const SecretPlaces& secrets) {
  View view(request, secrets);
  for (const std::string& path : request.shown) view.show(path);
  for (const std::string& path : request.followed) {
    if (const std::optional<std::string> real = view.show(path)) view.follow_links_in(*real);
  }
  for (const std::string& path : request.named) view.show_named(path);
  for (const std::string& path : secrets.open) view.show(path);
  for (const std::string& program : request.programs) view.show_program(program);
  show_tools(request, view);
  return view.take();
}

bool is_emptied(const HomeView& view, std::string_view path) {
  return is_in_one_of(view.emptied, path) && !is_in_one_of(view.shown, path);
}

}  // namespace orch::fence
