#include "fence/namespaces.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <initializer_list>
#include <string_view>

#include "base/fd.h"
#include "base/text.h"
#include "fence/places.h"

extern char** environ;

namespace orch::fence {
namespace {

using Words = std::vector<std::string>;

void add(Words& words, std::initializer_list<std::string_view> more) {
  words.insert(words.end(), more.begin(), more.end());
}

// The frame that every fenced process gets.
Words frame(const std::string& bubblewrap) {
  return {bubblewrap, "--unshare-pid", "--unshare-ipc", "--ro-bind", "/",       "/",
          "--dev",    "/dev",          "--proc",        "/proc",     "--tmpfs", "/run"};
}

bool is_hidden(const Plan& plan, const std::string& path) {
  const auto shows = [&path](const std::string& shown) { return is_within(path, shown); };
  const bool covered = is_within(path, "/tmp") || is_within(path, "/run");
  return covered && std::none_of(plan.visible.begin(), plan.visible.end(), shows) &&
         std::none_of(plan.write.begin(), plan.write.end(), shows);
}

void cover(Words& words, const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return;
  if (S_ISDIR(info.st_mode)) {
    add(words, {"--tmpfs", path, "--remount-ro", path});
  } else {
    add(words, {"--ro-bind", "/dev/null", path});  // a device where none may be opened: EACCES
  }
}

int run(const Words& words, std::string& said) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return errno;
  const base::Fd from(ends[0]);
  base::Fd to(ends[1]);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(&files, to.get(), 2);
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_t pid = 0;
  const int failure = ::posix_spawn(&pid, argv[0], &files, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  if (failure != 0) return failure;
  to.reset();
  std::array<char, 512> buffer{};
  ssize_t count = 0;
  while ((count = ::read(from.get(), buffer.data(), buffer.size())) > 0) {
    said.append(buffer.data(), static_cast<size_t>(count));
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

std::vector<std::string> in_namespaces(const Plan& plan, const std::vector<std::string>& command) {
  Words words = frame(plan.bubblewrap);
  if (plan.network.kind == Network::Kind::kNone) words.emplace_back("--unshare-net");
  add(words, {"--bind", plan.scratch, "/tmp"});
  for (const std::string& path : plan.visible) add(words, {"--ro-bind", path, path});
  for (const std::string& path : plan.write) {
    const bool device = is_within(path, "/dev");
    add(words, {device ? "--dev-bind" : "--bind", path, path});
  }
  for (const std::string& path : plan.secrets) {
    if (!is_hidden(plan, path)) cover(words, path);
  }
  for (const std::string& path : plan.sockets) {
    if (!is_hidden(plan, path)) cover(words, path);
  }
  add(words, {"--chdir", plan.work_dir, "--"});
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

base::Result<std::string> find_bubblewrap(const std::string& path) {
  std::string program;
  for (std::string_view rest = path; !rest.empty() && program.empty();) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
    const std::string file = std::string(folder) + "/bwrap";
    if (folder.starts_with('/') && ::access(file.c_str(), X_OK) == 0) program = file;
  }
  if (program.empty()) {
    return base::Error{base::ErrorCode::kNotFound, "bubblewrap (bwrap) is not installed"};
  }
  Words words = frame(program);
  add(words, {"--", program, "--version"});
  std::string said;
  if (run(words, said) == 0) return program;
  const std::vector<std::string_view> lines = base::split_lines(said);
  return base::Error{base::ErrorCode::kSystem,
                     lines.empty() ? program + " failed" : base::printable(lines.front())};
}

}  // namespace orch::fence
