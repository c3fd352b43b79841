#include "propose/traits.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "base/ascii.h"
#include "base/text.h"

namespace orch::propose {
namespace {

constexpr size_t kMostTraits = 4;
constexpr size_t kLeast = 2;
constexpr int kMostRows = 24;
constexpr size_t kLeastLetters = 3;
constexpr size_t kMostBytes = 48;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The row with each number as one 0: counters and times differ from screen to screen.
std::string without_numbers(std::string_view row) {
  std::string out;
  for (const char c : row) {
    if (!is_digit(c)) {
      out += c;
    } else if (out.empty() || out.back() != '0') {
      out += '0';
    }
  }
  return out;
}

// An RE2 for the text of without_numbers().
std::string pattern_of(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '0') {
      out += "\\d+";
    } else {
      const bool plain = base::is_letter_or_digit(c) || c == ' ' || static_cast<uint8_t>(c) >= 0x80;
      out.append(plain ? "" : "\\") += c;
    }
  }
  return out;
}

size_t letters(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(
      text, [](char c) { return base::is_letter_or_digit(c) && !is_digit(c); }));
}

// The phrases of a row: runs of letters, digits and single blanks, with a few signs of keys.
std::vector<std::string> phrases_of(std::string_view row) {
  std::vector<std::string> phrases;
  std::string phrase;
  const auto end_phrase = [&] {
    while (phrase.ends_with(' ')) phrase.pop_back();
    if (letters(phrase) >= kLeastLetters && phrase.size() <= kMostBytes) phrases.push_back(phrase);
    phrase.clear();
  };
  for (const char c : row) {
    const bool joins =
        base::is_letter_or_digit(c) || std::string_view("+-'/?").find(c) != std::string_view::npos;
    if (joins || (c == ' ' && !phrase.empty() && !phrase.ends_with(' '))) {
      phrase += c;
    } else {
      end_phrase();
    }
  }
  end_phrase();
  return phrases;
}

// The sign, not a letter, that begins a row and that a blank follows; "" if there is none.
std::string sign_of(std::string_view row) {
  const std::string_view text = base::trim(row);
  const size_t end = text.find(' ');
  if (end == std::string_view::npos || end < 2 || end > 4) return "";
  const std::string_view sign = text.substr(0, end);
  // Signs of agents are those from U+2000 on, of three bytes; letters of Latin and Greek have two.
  const bool is_sign = sign.size() == 3 && static_cast<uint8_t>(sign[0]) == 0xE2;
  return is_sign ? std::string(sign) : "";
}

// A screen's last rows, made comparable.
struct Shown {
  bool wanted = false;                        // it is of the status
  std::vector<std::string> rows;              // the last one first
  std::map<std::string, int> phrases, signs;  // and the nearest row to the end that has each
};

Shown shown(const Example& example, event::AgentStatus status) {
  Shown screen{.wanted = example.status == status, .rows = {}, .phrases = {}, .signs = {}};
  for (auto row = example.rows.rbegin();
       row != example.rows.rend() && screen.rows.size() < kMostRows; ++row) {
    const int distance = static_cast<int>(screen.rows.size());
    screen.rows.push_back(without_numbers(*row));
    for (const std::string& phrase : phrases_of(screen.rows.back())) {
      screen.phrases.emplace(phrase, distance);
    }
    if (const std::string sign = sign_of(*row); !sign.empty()) screen.signs.emplace(sign, distance);
  }
  return screen;
}

struct Candidate {
  Trait trait;
  std::set<size_t> screens;  // with it
};

bool has_phrase(const Shown& screen, const std::string& phrase, int rows) {
  const auto end = screen.rows.begin() +
                   std::min<std::ptrdiff_t>(rows, static_cast<std::ptrdiff_t>(screen.rows.size()));
  return std::any_of(screen.rows.begin(), end,
                     [&](const std::string& row) { return row.find(phrase) != std::string::npos; });
}

std::vector<Candidate> phrase_candidates(const std::vector<Shown>& screens) {
  std::map<std::string, Candidate> all;
  for (size_t i = 0; i < screens.size(); ++i) {
    if (!screens[i].wanted) continue;
    for (const auto& [phrase, distance] : screens[i].phrases) {
      Candidate& candidate = all[phrase];
      candidate.screens.insert(i);
      candidate.trait.rows = std::max(candidate.trait.rows, distance + 1);
    }
  }
  std::vector<Candidate> candidates;
  for (auto& entry : all) {
    const std::string& phrase = entry.first;
    Candidate& candidate = entry.second;
    const bool elsewhere = std::ranges::any_of(screens, [&](const Shown& screen) {
      return !screen.wanted && has_phrase(screen, phrase, candidate.trait.rows + 1);
    });
    if (elsewhere) continue;
    candidate.trait.pattern = pattern_of(phrase);
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

// One candidate of all signs that begin rows of the status alone: the pictures of a spinner.
std::optional<Candidate> sign_candidate(const std::vector<Shown>& screens) {
  std::set<std::string> signs, others;
  for (const Shown& screen : screens) {
    for (const auto& [sign, distance] : screen.signs) (screen.wanted ? signs : others).insert(sign);
  }
  std::erase_if(signs, [&](const std::string& sign) { return others.contains(sign); });
  if (signs.empty()) return std::nullopt;
  Candidate candidate;
  std::string all;
  for (const std::string& sign : signs) all += sign;
  for (size_t i = 0; i < screens.size(); ++i) {
    for (const auto& [sign, distance] : screens[i].signs) {
      if (!screens[i].wanted || !signs.contains(sign)) continue;
      candidate.screens.insert(i);
      candidate.trait.rows = std::max(candidate.trait.rows, distance + 1);
    }
  }
  candidate.trait.pattern = "^\\s*[" + all + "] ";
  return candidate;
}

}  // namespace

std::vector<Trait> traits_of(event::AgentStatus status, const std::vector<Example>& examples) {
  std::vector<Shown> screens;
  size_t wanted = 0;
  for (const Example& example : examples) {
    screens.push_back(shown(example, status));
    wanted += screens.back().wanted ? 1 : 0;
  }
  std::vector<Candidate> candidates = phrase_candidates(screens);
  if (auto sign = sign_candidate(screens)) candidates.push_back(std::move(*sign));
  if (screens.size() - wanted < kLeast) return {};
  const size_t least = std::max(kLeast, wanted / 4);
  std::vector<Trait> traits;
  while (traits.size() < kMostTraits && !candidates.empty()) {
    const auto best = std::ranges::max_element(candidates, {}, [](const Candidate& one) {
      return std::tuple(one.screens.size(), -one.trait.rows,
                        -static_cast<int>(one.trait.pattern.size()));
    });
    if (best->screens.size() < least) break;
    best->trait.seen = static_cast<int>(best->screens.size());
    traits.push_back(best->trait);
    const std::set<size_t> covered = best->screens;
    for (Candidate& other : candidates) {
      std::erase_if(other.screens, [&](size_t screen) { return covered.contains(screen); });
    }
    std::erase_if(candidates, [](const Candidate& one) { return one.screens.empty(); });
  }
  return traits;
}

}  // namespace orch::propose
