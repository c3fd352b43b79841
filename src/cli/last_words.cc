#include "cli/last_words.h"

#include <algorithm>
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
  (void)store::each_line_from_end(run_folder + "/transcript.txt", 0, kMostTranscript, take);
  while (!lines.empty() && base::trim(lines.back()).empty()) lines.pop_back();
  std::reverse(lines.begin(), lines.end());
  return lines;
}

}  // namespace orch::cli
