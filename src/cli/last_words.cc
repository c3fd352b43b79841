#include "cli/last_words.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string_view>

#include "base/text.h"
#include "run/completion.h"
#include "store/last_lines.h"

namespace orch::cli {
namespace {

constexpr uint64_t kMostTranscript = 64 << 20;

}  // namespace

std::vector<std::string> last_words(const std::string& run_folder, const std::string& keyword,
                                    size_t most) {
  std::vector<std::string> lines;
  const auto take = [&](std::string_view line) {
    if (line.starts_with(kEcho)) return lines.empty();  // what came before answers another message
    const bool is_end = lines.empty() && base::trim(line).empty();
    if (!is_end && !run::is_keyword(line, keyword)) lines.emplace_back(line);
    return lines.size() < most;
  };
  const std::string file = run_folder + "/transcript.txt";
  const auto read = store::each_line_from_end(file, 0, kMostTranscript, take);
  // A run without a record has no such file.
  if (!read && (::access(file.c_str(), F_OK) == 0 || errno != ENOENT)) {
    return {"[orch: " + read.error().text + "]"};
  }
  while (!lines.empty() && base::trim(lines.back()).empty()) lines.pop_back();
  std::reverse(lines.begin(), lines.end());
  return lines;
}

}  // namespace orch::cli
