#include "duties/hook.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adapters/hook.h"
#include "base/fd.h"
#include "setup/paths.h"

namespace orch::duties {
namespace {

constexpr size_t kMaxHookBytes = 64 << 20;  // the JSON may contain a tool's input or output

}  // namespace

int run_hook(std::span<const std::string> arguments) {
  std::string json;
  if (!arguments.empty()) {
    json = arguments.front();
  } else if (base::Result<std::string> text = setup::read_text("-", kMaxHookBytes)) {
    json = std::move(text).value();
  }
  const std::string path = setup::environment(adapters::kHookPipe);
  std::string notice = adapters::notice_of(json);
  if (path.empty() || notice.empty()) return 0;
  const base::Fd pipe(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!pipe.valid() || ::fstat(pipe.get(), &status) != 0 || !S_ISFIFO(status.st_mode)) return 0;
  notice = setup::environment(adapters::kHookSecret) + " " + notice + "\n";
  [[maybe_unused]] const ssize_t written = ::write(pipe.get(), notice.data(), notice.size());
  return 0;
}

}  // namespace orch::duties
