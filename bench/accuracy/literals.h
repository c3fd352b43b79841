#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detect/rules.h"

namespace orch::accuracy {

using CharRange = std::pair<char32_t, char32_t>;  // both ends included

// A place of an RE2 expression that stands for something an agent draws: a maximal run of literal
// characters, or a character class with glyphs of its own. Alternatives are places of their own, a
// character with a quantifier too. Blanks, negated classes and ranges of ASCII letters or digits
// are none: they say where something stands, not what it is.
// Unicode categories (\pS) and the glyphs that the detector itself knows (the cursors of lists, the
// edges of frames) are not taken away either.
struct Literal {
  size_t begin = 0, end = 0;       // in the expression
  std::string text;                // the run without blanks at its ends, or the class as written
  std::vector<CharRange> members;  // of a class, without \s and the like; empty: a run
};
std::vector<Literal> literals_in(std::string_view expression);

// Whether `other` cannot be found any more once a vendor draws something else for `literal`:
// - they are the same but for case, or `literal` is words within `other`;
// - `other` is words within `literal`: replaced in a row of the screen, they are gone for every
//   rule, so removal from the expressions covers rewording on the screen;
// - one is a class with a glyph (no ASCII) that the other holds. A run of words and glyphs is
//   reworded, its glyphs stay.
bool falls_with(const Literal& other, const Literal& literal);

// The expressions by which a manifest detects: the box, messages of the user, conditions, causes,
// notices.
std::vector<std::string*> expressions_of(detect::RuleSetSpec& rules);

// All that differ but for case, and the words of three letters or more in them, each by itself, in
// the order of their first appearance.
std::vector<Literal> distinct_literals(detect::RuleSetSpec rules);

// The rules with private-use characters for `literal` and all that falls with it. A class loses the
// members they share.
detect::RuleSetSpec without(detect::RuleSetSpec rules, const Literal& literal);

}  // namespace orch::accuracy
