#include "driver/turn_words.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "driver/told_words.h"

namespace orch::driver {
namespace {

using agent::Line;
using agent::Speaker;

// The most lines that are held back. If a turn has more lines after a gap, all are reported, with
// the gap.
constexpr size_t kMaxHeld = 10'000;

// The texts that the agent recorded: their lines, and all their words in one string, for finding
// lines of the transcript.
class Record {
 public:
  explicit Record(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      for (const std::string_view line : base::split_lines(text)) {
        starts_.push_back(words_.size());
        lines_.emplace_back(line);
        words_ += words_of(line);
      }
    }
  }

  bool empty() const { return words_.empty(); }
  size_t end() const { return words_.size(); }
  size_t find(std::string_view words, size_t from) const { return words_.find(words, from); }

  // The lines, or parts of lines, whose words are in [from, to) of all words.
  std::vector<Line> lines(size_t from, size_t to) const {
    std::vector<Line> lines;
    for (size_t i = 0; i < lines_.size(); ++i) {
      const size_t begin = starts_[i];
      const size_t end = i + 1 < starts_.size() ? starts_[i + 1] : words_.size();
      if (end <= from || begin >= to || begin == end) continue;
      std::string text = begin < from ? after_words(lines_[i], from - begin) : lines_[i];
      if (end > to) {
        const std::string rest = after_words(lines_[i], to - begin);
        text.resize(text.size() - std::min(text.size(), rest.size()));
      }
      text = std::string(base::trim(text));
      if (!text.empty()) lines.push_back({.text = std::move(text)});
    }
    return lines;
  }

 private:
  std::vector<std::string> lines_;
  std::vector<size_t> starts_;  // where the words of each line begin in words_
  std::string words_;
};

bool is_agents(const Line& line) { return line.speaker == Speaker::kAgent && !line.gap; }

}  // namespace

std::vector<Line> TurnWords::pass(std::vector<Line> lines) {
  if (holds() && held_.size() + lines.size() > kMaxHeld) {
    std::vector<Line> all = std::exchange(held_, {});
    std::move(lines.begin(), lines.end(), std::back_inserter(all));
    return all;
  }
  auto gap = lines.begin();
  if (!holds()) {
    gap = std::find_if(lines.begin(), lines.end(), [](const Line& line) { return line.gap; });
  }
  for (auto line = lines.begin(); line != gap; ++line) {
    if (line->speaker == Speaker::kUser) last_words_.clear();
    if (is_agents(*line) && !line->text.empty()) last_words_ = words_of(line->text);
  }
  std::move(gap, lines.end(), std::back_inserter(held_));
  lines.erase(gap, lines.end());
  return lines;
}

bool TurnWords::outrun(const std::vector<std::string>& texts) const {
  return !last_words_.empty() && Record(texts).find(last_words_, 0) == std::string::npos;
}

std::vector<Line> TurnWords::finish(const std::vector<std::string>& texts) {
  std::vector<Line> held = std::exchange(held_, {});
  const std::string before = std::exchange(last_words_, {});
  const Record record(texts);
  if (held.empty() || record.empty()) return held;
  size_t at = before.empty() ? 0 : record.find(before, 0);
  if (at == std::string::npos) return held;
  at += before.size();
  std::vector<Line> whole;
  for (size_t i = 0; i < held.size(); ++i) {
    if (!held[i].gap) {
      const std::string words = is_agents(held[i]) ? words_of(held[i].text) : std::string();
      const size_t found = words.empty() ? std::string::npos : record.find(words, at);
      if (found != std::string::npos) at = found + words.size();
      whole.push_back(std::move(held[i]));
      continue;
    }
    // The gap ends at the first line after it that is long enough to be found for certain; without
    // any line after it, it ends at the end of the record.
    const auto next = std::find_if(held.begin() + static_cast<ptrdiff_t>(i), held.end(), is_agents);
    size_t to = next == held.end() ? record.end() : std::string::npos;
    for (auto line = next; line != held.end() && !line->gap; ++line) {
      const std::string words = is_agents(*line) ? words_of(line->text) : std::string();
      if (words.size() < kCertainWords) continue;
      to = record.find(words, at);
      if (line != next) to = std::string::npos;  // the lines before it would be reported twice
      break;
    }
    if (to == std::string::npos) {
      whole.push_back(std::move(held[i]));
      continue;
    }
    for (Line& line : record.lines(at, to)) whole.push_back(std::move(line));
    at = to;
  }
  return whole;
}

}  // namespace orch::driver
