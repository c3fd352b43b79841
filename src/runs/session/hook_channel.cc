#include "session/hook_channel.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>

#include "adapters/hook.h"
#include "base/log.h"
#include "base/text.h"
#include "store/atomic_file.h"

namespace orch::session {

using base::Result;
using base::Status;

Status make_plugin_folder(const std::string& file) {
  constexpr mode_t kMode = 0755;  // in a container another user reads it
  const std::string folder = file.substr(0, file.rfind('/'));
  if (::mkdir(folder.c_str(), kMode) == 0 || errno == EEXIST) return base::Ok{};
  return base::system_error("create folder " + folder, errno);
}

Result<std::unique_ptr<HookChannel>> HookChannel::open(
    loop::Loop& loop, const store::RunDir& dir, const adapters::HookSpec& spec,
    const std::string& program, std::function<void(std::string_view)> on_notice) {
  const std::string path = dir.notices_pipe();
  if (::mkfifo(path.c_str(), 0600) != 0) return base::system_error("create pipe " + path, errno);
  // Open for writing too, so that the pipe does not report its end whenever no hook has it open.
  base::Fd pipe(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (!pipe.valid()) {
    const int error = errno;
    ::unlink(path.c_str());
    return base::system_error("open pipe " + path, error);
  }
  std::unique_ptr<HookChannel> channel(new HookChannel(loop, path, std::move(pipe)));
  channel->on_notice_ = std::move(on_notice);
  const auto with_file = [&dir](std::string text) {
    const size_t hole = text.find("{}");
    if (hole != std::string::npos) text.replace(hole, 2, dir.hook_settings_file());
    return text;
  };
  std::transform(spec.arguments.begin(), spec.arguments.end(),
                 std::back_inserter(channel->arguments_), with_file);
  channel->environment_ = {{adapters::kHookProgram, program},
                           {adapters::kHookPipe, path},
                           {adapters::kHookSecret, channel->secret_}};
  for (const auto& [name, value] : spec.env) channel->environment_[name] = with_file(value);
  if (!spec.settings.empty()) {
    const std::string file = spec.plugin ? dir.plugin_file() : dir.hook_settings_file();
    if (Status s = spec.plugin ? make_plugin_folder(file) : base::Ok{}; !s) return s.error();
    if (Status s = store::write_file_unsynced(file, spec.settings); !s) return s.error();
  }
  if (!spec.script.empty()) {
    const Status written = store::write_file_unsynced(dir.hook_script_file(), spec.script);
    if (!written) return written.error();
  }
  base::log_info("hooks", "the agent's hooks report it through " + path, dir.id());
  channel->pipe_.start(loop::kReadable, [raw = channel.get()](int) { raw->read(); });
  return channel;
}

HookChannel::HookChannel(loop::Loop& loop, std::string path, base::Fd pipe)
    : path_(std::move(path)), pipe_(loop, std::move(pipe)) {}

HookChannel::~HookChannel() { ::unlink(path_.c_str()); }

// Every process of this user can write to the pipe: a line is dropped if it lacks the secret that
// the agent was given, is too long or has no end.
void HookChannel::read() {
  std::array<char, 4096> buffer;
  const ssize_t count = ::read(pipe_.get(), buffer.data(), buffer.size());
  if (count <= 0) return;
  pending_.append(buffer.data(), static_cast<size_t>(count));
  size_t end = 0;
  while ((end = pending_.find('\n')) != std::string::npos) {
    const std::string line = pending_.substr(0, end);
    pending_.erase(0, end + 1);
    if (!line.starts_with(secret_ + " ")) continue;
    const std::string notice = base::printable(std::string_view(line).substr(secret_.size() + 1));
    if (!notice.empty() && notice.size() < adapters::kMaxNoticeBytes) on_notice_(notice);
  }
  if (pending_.size() > secret_.size() + adapters::kMaxNoticeBytes) pending_.clear();
}

}  // namespace orch::session
