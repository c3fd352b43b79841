#include "session/agent_fence.h"

#include <stdlib.h>  // mkdtemp
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/fd.h"
#include "base/text.h"
#include "fence/places.h"
#include "pty/program.h"
#include "repo/folder_at.h"
#include "session/environment.h"
#include "store/atomic_file.h"
#include "store/file_io.h"
#include "store/folder.h"

namespace orch::session {

namespace fs = std::filesystem;
using adapters::FenceSpec;

namespace {

// In the work directory, what names programs that are run for somebody who comes later.
const std::array<FenceSpec::Watched, 6> kWatchedInWork{{
    {".git/hooks", {}, ""},
    // What branches and remotes are called runs nothing.
    {".git/config",
     {},
     R"(^\s*(\[(core|branch|remote|user|init)\b.*\]|(remote|merge|rebase|url|fetch|pushurl|name|email|)"
     R"(bare|filemode|symlinks|ignorecase|logallrefupdates|repositoryformatversion)\s*=.*)?$)"},
    {".orch", {}, ""},
    {".claude/settings.json", {}, ""},
    {".claude/settings.local.json", {}, ""},
    {".vscode", {}, ""},
}};

base::Result<std::string> make_scratch() {
  for (const std::string_view folder : {"/tmp", "/var/tmp"}) {
    std::string path = std::string(folder) + "/orch-XXXXXX";
    if (::mkdtemp(path.data()) != nullptr) return path;
  }
  return base::system_error("fence: a folder for temporary files in /tmp", errno);
}

std::string folder_of(const std::string& path) { return fs::path(path).parent_path().string(); }

// The agent's program, and what it belongs to: npm's packages lie beside their links.
void add_program(std::vector<std::string>& needed, const std::string& name, const std::string& path,
                 const std::string& cwd) {
  const base::Result<std::string> file = pty::find_program(name, path);
  if (!file) return;
  const std::string absolute = (fs::path(cwd) / *file).string();
  needed.push_back(absolute);
  needed.push_back(folder_of(absolute));
  if (const auto real = fence::resolved(absolute)) needed.push_back(*real);
}

}  // namespace

base::Result<std::unique_ptr<AgentFence>> AgentFence::raise(
    const FenceWish& wish, const FenceSpec& spec, const store::RunDir& dir, const std::string& cwd,
    const std::vector<std::string>& argv, const std::vector<std::string>& environment) {
  base::Result<std::string> scratch = make_scratch();
  if (!scratch) return scratch.error();
  std::unique_ptr<AgentFence> fence(new AgentFence("/proc/self/exe", std::move(scratch).value()));
  const auto variables = [&environment](std::string_view name) {
    return std::string(value_in(environment, name));
  };
  fence::Request request;
  request.work_dir = cwd;
  request.home = variables("HOME");
  request.scratch = fence->scratch_;
  request.write = wish.write;
  request.readable = wish.read;
  request.network = wish.network;
  if (wish.snapshot) request.snapshot = dir.snapshot_folder();
  for (const std::string& folder : spec.folders) {
    const std::optional<std::string> path = adapters::expanded(folder, variables);
    if (!path || !wish.offer.any()) continue;
    std::vector<std::string> created;
    if (base::Status s = store::create_folders(*path, created); !s) return s.error();
    request.write.push_back(*path);
  }
  for (const std::string& file : spec.files) {
    if (const auto path = adapters::expanded(file, variables)) request.write.push_back(*path);
  }
  for (const std::string& secret : spec.secrets) {
    if (const auto path = adapters::expanded(secret, variables)) request.readable.push_back(*path);
  }
  request.write.push_back(dir.notices_pipe());
  request.needed = {request.home, dir.path(), wish.launcher, cwd};
  add_program(request.needed, argv.front(), variables("PATH"), cwd);
  for (const std::string& word : argv) {  // files that its options name
    if (word.starts_with('/')) request.needed.push_back(word);
  }
  request.needed.insert(request.needed.end(), wish.read.begin(), wish.read.end());
  request.answered = {wish.socket_folder};
  if (const std::string agent = variables("SSH_AUTH_SOCK"); !agent.empty()) {
    request.answered.push_back(agent);
  }
  base::Result<fence::Plan> plan = fence::make_plan(wish.offer, request);
  if (!plan) return plan.error();
  fence->plan_ = std::move(plan).value();
  fence->plan_file_ = dir.fence_file();
  base::Status written =
      store::write_file_unsynced(fence->plan_file_, fence::to_json(fence->plan_));
  if (!written) return written.error();

  std::vector<FenceSpec::Watched> watched = spec.watched;
  std::vector<std::string> places;
  places.reserve(watched.size() + kWatchedInWork.size());
  for (const FenceSpec::Watched& one : watched) {
    places.push_back(adapters::expanded(one.path, variables).value_or(""));
  }
  for (const FenceSpec::Watched& one : kWatchedInWork) {
    watched.push_back(one);
    places.push_back(cwd + "/" + one.path);
  }
  fence->watch_.emplace(std::move(watched), std::move(places));
  return fence;
}

// Tools make folders that cannot be written (go's module cache), and as deep as they like; somebody
// may still be at work in them. What cannot be removed stays.
AgentFence::~AgentFence() {
  const base::Fd parent = repo::open_root(folder_of(scratch_));
  (void)repo::remove_tree(parent, fs::path(scratch_).filename().string());
}

std::string AgentFence::snapshot() const {
  std::error_code failure;
  return !plan_.snapshot.empty() && fs::exists(plan_.snapshot + "/manifest", failure)
             ? plan_.snapshot
             : "";
}

std::string AgentFence::snapshot_note() const {
  constexpr size_t kMostBytes = 64 << 10;
  constexpr std::string_view kLead = "orch: ";  // the note is told with one of its own
  if (plan_.snapshot.empty()) return "";
  const base::Result<std::string> said = store::read_file(plan_.snapshot + ".txt", kMostBytes);
  std::string_view text = said ? base::trim(*said) : std::string_view();
  if (text.starts_with(kLead)) text.remove_prefix(kLead.size());
  return std::string(text.substr(0, text.find('\n')));
}

std::vector<std::string> AgentFence::around(const std::vector<std::string>& argv) const {
  std::vector<std::string> words{launcher_, "launch", plan_file_, "--"};
  words.insert(words.end(), argv.begin(), argv.end());
  return words;
}

}  // namespace orch::session
