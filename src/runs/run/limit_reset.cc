#include "run/limit_reset.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <vector>

namespace orch::run {
namespace {

using Words = std::span<const ScreenWord>;

// The longest limits last a week; one more day is for clocks and time zones that differ.
constexpr int64_t kMaxWaitS = 8 * 24 * 3600;

// The delays of an exponential backoff, in seconds. A limit per minute has ended after the first
// delay (OpenAI, Anthropic and Google count requests and tokens per minute), and a limit of hours
// is tried no more than once an hour.
constexpr int64_t kFirstDelayS = 60;
constexpr int64_t kLongestDelayS = 3600;

constexpr int kMaxLinks = 6;      // words between "resets" and the time: "at about ("
constexpr size_t kMaxName = 20;   // letters in the name of a field
constexpr size_t kLookBack = 16;  // words before a phrase that are looked at

using Kind = LimitReset::Kind;

std::optional<LimitReset> read_duration(WordCursor& words) {
  const std::optional<int64_t> seconds = read_duration_s(words);
  if (!seconds) return std::nullopt;
  return LimitReset{*seconds, Kind::kDuration};
}

std::optional<LimitReset> read_moment(WordCursor& words, const LocalTime& now) {
  const std::optional<int64_t> seconds = read_moment_s(words, now);
  if (!seconds) return std::nullopt;
  return LimitReset{*seconds, Kind::kMoment};
}

// ---- fields: "Retry-After: 120", "retryDelay": "34s", "resets_in_seconds": 3600

enum class Field { kNone, kSeconds, kMilliseconds, kMoment };

Field field_named(std::string_view name) {
  struct Named {
    std::string_view name;
    Field field;
  };
  // The names without their "-" and "_", from HTTP (RFC 9110, 10.2.3), the headers of Anthropic and
  // OpenAI, Google's RetryInfo and Codex's usage_limit_reached.
  constexpr Named kFields[] = {
      {"retryafter", Field::kSeconds},        {"retryafterseconds", Field::kSeconds},
      {"retryafterms", Field::kMilliseconds}, {"retrydelay", Field::kSeconds},
      {"retrydelayms", Field::kMilliseconds}, {"resetsinseconds", Field::kSeconds},
      {"resetinseconds", Field::kSeconds},    {"quotaresettimestamp", Field::kMoment},
      {"resetsat", Field::kMoment},           {"resetat", Field::kMoment},
      {"resettime", Field::kMoment},
  };
  const auto* found = std::find_if(std::begin(kFields), std::end(kFields),
                                   [&](const Named& field) { return field.name == name; });
  return found == std::end(kFields) ? Field::kNone : found->field;
}

std::optional<LimitReset> read_field(WordCursor words, const LocalTime& now) {
  std::string name;
  do {
    if (!words.next() || words.next()->kind != ScreenWord::Kind::kWord) return std::nullopt;
    name += words.next()->text;
    words.skip();
    if (name.size() > kMaxName) return std::nullopt;
  } while (words.take_one_of({"-", "_"}));
  const Field field = field_named(name);
  while (words.take_one_of({"\"", "'", "\\"})) continue;
  if (field == Field::kNone || !words.take_one_of({":", "="})) return std::nullopt;
  while (words.take_one_of({"\"", "'", "\\"})) continue;
  if (const auto duration = read_duration(words)) return duration;
  if (const auto moment = read_moment(words, now)) return moment;
  const std::optional<int64_t> number = words.take_number(1, 9);
  if (!number || field == Field::kMoment) return std::nullopt;
  return LimitReset{field == Field::kMilliseconds ? (*number + 999) / 1000 : *number,
                    Kind::kDuration};
}

// ---- phrases: "resets at 3pm", "try again in 5m30s"

enum class Link { kNone, kDuration, kMoment, kEither };

// Skips the words between "resets" and the time, and returns what may follow them: after "in" only
// a duration, after "at" only a time of day.
Link read_link(WordCursor& words) {
  Link link = Link::kNone;
  for (int i = 0; i < kMaxLinks; ++i) {
    if (words.take_one_of({"in", "within"})) {
      link = Link::kDuration;
    } else if (words.take_one_of({"at", "on", "by", "until"})) {
      link = Link::kMoment;
    } else if (words.take_one_of({"after", ":", "="})) {
      if (link == Link::kNone) link = Link::kEither;
    } else if (!words.take_one_of({"again", "later", "time", "about", "around", "approximately",
                                   "~", "(", ",", "\"", "'"})) {
      break;
    }
  }
  return link;
}

std::optional<LimitReset> read_linked(WordCursor words, const LocalTime& now) {
  const Link link = read_link(words);
  if (link == Link::kDuration || link == Link::kEither) {
    if (const auto duration = read_duration(words)) return duration;
  }
  return link == Link::kDuration ? std::nullopt : read_moment(words, now);
}

// Reads "wait 30 seconds before trying again", from after "wait".
std::optional<LimitReset> read_wait(WordCursor words) {
  words.take("for");
  words.take_one_of({"about", "~"});
  const std::optional<LimitReset> duration = read_duration(words);
  words.take(",");
  words.take_one_of({"before", "and", "then", "to"});
  const bool again = words.take_one_of({"try", "trying", "retry", "retrying"});
  return again ? duration : std::nullopt;
}

Words last_few(Words words) { return words.last(std::min(kLookBack, words.size())); }

// Whether the words before mention a limit in the same sentence.
bool speaks_of_limit(Words before) {
  constexpr std::string_view kLimits[] = {"limit", "limits", "limited", "quota", "quotas"};
  const Words few = last_few(before);
  for (auto word = few.rbegin(); word != few.rend() && word->text != "."; ++word) {
    if (std::find(std::begin(kLimits), std::end(kLimits), word->text) != std::end(kLimits)) {
      return true;
    }
  }
  return false;
}

bool is_percentage(const ScreenWord& number, const ScreenWord& sign) {
  return number.kind == ScreenWord::Kind::kNumber && sign.text == "%";
}

// Whether the words before, in the same row, warn of a limit that is not reached yet:
// "approaching", or a percentage other than 0 (left) and 100 (used).
bool warns(Words before, size_t row) {
  const Words few = last_few(before);
  for (auto word = few.rbegin(); word != few.rend() && word->row == row; ++word) {
    if (word->text == "approaching") return true;
    if (word == few.rbegin() || !is_percentage(*word, *std::prev(word))) continue;
    if (word->text != "0" && word->text != "100") return true;
  }
  return false;
}

// Reads the phrase that begins at word `at`; nullopt if it names no end of a limit.
std::optional<LimitReset> read_phrase(Words all, size_t at, const LocalTime& now) {
  WordCursor words(all.subspan(at));
  if (const auto field = read_field(words, now)) return field;
  const Words before = all.first(at);
  if (words.take_one_of({"reset", "resets", "resetting", "retry"})) return read_linked(words, now);
  if (words.take("try")) return words.take("again") ? read_linked(words, now) : std::nullopt;
  if (words.take("available")) {
    const bool again = words.take("again") || (at > 0 && before.back().text == "next");
    return again ? read_linked(words, now) : std::nullopt;
  }
  if (words.take("wait")) return read_wait(words);
  if (words.take("reached")) {  // Claude Code's "usage limit reached|1755806400"
    const bool unix_time = words.next() && words.next()->kind == ScreenWord::Kind::kNumber &&
                           words.next()->text.size() == 10;
    return unix_time && speaks_of_limit(before) ? read_moment(words, now) : std::nullopt;
  }
  const WordCursor until = words;
  if (words.take("until")) return speaks_of_limit(before) ? read_linked(until, now) : std::nullopt;
  if (words.take_one_of({"ends", "expires", "lifts", "lifted", "renews", "refreshes"})) {
    return speaks_of_limit(before) ? read_linked(words, now) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<LimitReset> wait_until_reset(std::string_view screen_text, const LocalTime& now) {
  const std::vector<ScreenWord> words = screen_words(screen_text);
  for (size_t at = words.size(); at-- > 0;) {
    if (words[at].kind != ScreenWord::Kind::kWord) continue;
    const std::optional<LimitReset> wait = read_phrase(words, at, now);
    if (!wait || warns(Words(words).first(at), words[at].row)) continue;
    return wait->seconds <= kMaxWaitS ? wait : std::nullopt;
  }
  return std::nullopt;
}

int64_t growing_delay_s(int waits_before) {
  int64_t delay = kFirstDelayS;
  for (int i = 0; i < waits_before && delay < kLongestDelayS; ++i) delay *= 2;
  return std::min(delay, kLongestDelayS);
}

}  // namespace orch::run
