#include "words/score.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "base/pattern.h"
#include "words/alignment.h"
#include "words/word_text.h"

namespace orch::words {
namespace {

constexpr size_t kMinRepeat = 12;  // characters; a line of this length is not repeated by chance
// Characters; a line of this length does not begin another by chance.
constexpr size_t kMinPartial = 4;
constexpr size_t kMostOfAKind = 3;  // how many differences are kept

// Matches frames and bars, key hints, counters and banners.
const base::Pattern& chrome_pattern() {
  static const base::Result<base::Pattern> kPattern = base::Pattern::compile(
      "(?i)[╭╮╰╯│┃╹▀▄█▌▐]|(esc|ctrl\\+\\w|shift\\+tab|enter) to |\\? for shortcuts|"
      "\\btokens\\b.*\\bused|context left|/help|tab to cycle|no sandbox|YOLO|"
      "^[\\s\\pZ]*[─━═]{8,}[\\s\\pZ]*$");
  return *kPattern;
}

// How often `part` is in `text`, without overlaps.
size_t occurrences(std::string_view text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

// Differences of one kind: counts all of them, and keeps the first ones.
class Kind {
 public:
  Kind(std::string_view name, std::vector<std::string>& differences)
      : name_(name), differences_(differences) {}

  void add(std::string_view text, size_t count = 1) {
    if (kept_++ < kMostOfAKind) {
      differences_.push_back(fmt::format("{:<8} \"{}\"", name_, trimmed(text)));
    }
    count_ += count;
  }
  size_t count() const { return count_; }

 private:
  std::string_view name_;
  std::vector<std::string>& differences_;
  size_t kept_ = 0, count_ = 0;
};

void score_words(std::string_view said, const std::vector<std::string>& lines, Score& score) {
  const std::vector<std::string> words = words_of(said);
  std::vector<std::string> all_told;
  for (const std::string& line : lines) {
    for (std::string& word : words_of(line)) all_told.push_back(std::move(word));
  }
  const std::vector<bool> told = told_words(words, all_told);
  Kind missing("missing", score.differences);
  for (size_t i = 0; i < words.size(); ++i) {
    if (told[i]) continue;
    const size_t first = i;
    std::string stretch = words[i];
    while (i + 1 < words.size() && !told[i + 1]) stretch += ' ' + words[++i];
    missing.add(stretch, i + 1 - first);
  }
  score.said = words.size();
  score.told = words.size() - missing.count();
}

size_t count_repeats(const std::string& said, const std::vector<std::string>& lines,
                     std::vector<std::string>& differences) {
  std::map<std::string, size_t> times_told;
  for (const std::string& line : lines) ++times_told[plain(line)];
  Kind repeats("repeat", differences);
  for (const auto& [line, times] : times_told) {
    if (characters(line) < kMinRepeat) continue;
    const size_t allowed = std::max<size_t>(1, occurrences(said, line));
    if (times > allowed) repeats.add(line, times - allowed);
  }
  return repeats.count();
}

size_t count_partial(const std::vector<std::string>& lines, std::vector<std::string>& differences) {
  Kind partial("partial", differences);
  for (size_t i = 0; i + 1 < lines.size(); ++i) {
    const std::string_view line = trimmed(lines[i]), next = trimmed(lines[i + 1]);
    if (characters(line) >= kMinPartial && line != next && next.starts_with(line)) {
      partial.add(line);
    }
  }
  return partial.count();
}

size_t count_chrome(const std::string& said, const std::vector<std::string>& lines,
                    std::vector<std::string>& differences) {
  Kind chrome("chrome", differences);
  for (const std::string& line : lines) {
    if (chrome_pattern().matches(line) && said.find(plain(line)) == std::string::npos) {
      chrome.add(line);
    }
  }
  return chrome.count();
}

}  // namespace

std::optional<double> Score::recall() const {
  if (said == 0) return std::nullopt;
  return static_cast<double>(told) / static_cast<double>(said);
}

std::vector<std::string> lines_told(const std::vector<session::ReplayedEvent>& events) {
  std::vector<std::string> lines;
  for (const session::ReplayedEvent& replayed : events) {
    const auto* output = std::get_if<event::Output>(&replayed.event);
    if (output != nullptr) lines.push_back(output->text);
  }
  return lines;
}

Score score(std::string_view said, const std::vector<std::string>& lines) {
  Score score;
  score.recordings = 1;
  score.lines = lines.size();
  score_words(said, lines, score);
  const std::string plain_said = plain(said);
  score.repeats = count_repeats(plain_said, lines, score.differences);
  score.partial = count_partial(lines, score.differences);
  score.chrome = count_chrome(plain_said, lines, score.differences);
  score.inexact = score.missing() + score.too_many() > 0 ? 1 : 0;
  return score;
}

void add(Score& sum, const Score& score) {
  sum.recordings += score.recordings;
  sum.inexact += score.inexact;
  sum.lines += score.lines;
  sum.said += score.said;
  sum.told += score.told;
  sum.repeats += score.repeats;
  sum.partial += score.partial;
  sum.chrome += score.chrome;
}

}  // namespace orch::words
