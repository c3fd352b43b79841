#include "agent/dialog_choice.h"

#include <charconv>

#include "base/ascii.h"
#include "base/words.h"

namespace orch::agent {
namespace {

using Kind = DialogChoice::Kind;

constexpr base::Words<Kind, 4> kKinds{{
    {Kind::kYes, "yes"},
    {Kind::kNo, "no"},
    {Kind::kNumber, "number"},
    {Kind::kText, "text"},
}};

bool is_either(std::string_view word, std::string_view whole) {
  if (word.size() != 1 && word.size() != whole.size()) return false;
  for (size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    if (base::lower(c) != whole[i]) return false;
  }
  return true;
}

}  // namespace

std::string_view name(Kind kind) { return base::word_of(kKinds, kind); }

std::optional<Kind> choice_kind_named(std::string_view name) {
  return base::value_of(kKinds, name);
}

DialogChoice dialog_choice_of(std::string_view word) {
  if (is_either(word, "yes")) return {.kind = Kind::kYes, .number = 0, .text = {}};
  if (is_either(word, "no")) return {.kind = Kind::kNo, .number = 0, .text = {}};
  int number = 0;
  const char* const end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data(), end, number);
  if (error == std::errc() && rest == end && number > 0) {
    return {.kind = Kind::kNumber, .number = number, .text = {}};
  }
  return {.kind = Kind::kText, .number = 0, .text = std::string(word)};
}

}  // namespace orch::agent
