#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detect/rules.h"

namespace orch::accuracy {

using CharRange = std::pair<char32_t, char32_t>;  // both ends included

// A part of an RE2 expression that stands for something an agent draws: a maximal run of literal
// characters, or a character class with glyphs in it. Alternatives are separate parts, and so is a
// character with a quantifier. Blanks, negated classes and ranges of ASCII letters or digits are
// not counted: they say where something is, not what it is. Nor are Unicode categories (\pS) and
// the glyphs that the detector itself knows (cursors of lists, edges of frames).
struct Literal {
  size_t begin = 0, end = 0;  // the range in the expression
  std::string text;           // the run without blanks at its ends, or the class as it is written
  // The characters of a class, without \s and the like; empty for a run.
  std::vector<CharRange> members;
};
std::vector<Literal> literals_in(std::string_view expression);

// Whether `other` cannot match any more when a vendor draws something else in place of `literal`:
// - they differ at most in case, or the words of `literal` are in `other`;
// - the words of `other` are in `literal`: if these change on the screen, they are gone for every
// rule, so that removing them from the expressions has the same effect;
// - one of them is a class with a glyph (not ASCII) that is in the other. When a run of words and
// glyphs is reworded, its glyphs stay.
bool falls_with(const Literal& other, const Literal& literal);

// The expressions of a manifest by which statuses are detected: those of the box, the user's
// messages, conditions, causes and notices.
std::vector<std::string*> expressions_of(detect::RuleSetSpec& rules);

// All literals that differ in more than case, and each word of three letters or more in them, in
// the order of their first appearance.
std::vector<Literal> distinct_literals(detect::RuleSetSpec rules);

// The rules in which private-use characters replace `literal` and all that falls with it. A class
// only loses the members that both have.
detect::RuleSetSpec without(detect::RuleSetSpec rules, const Literal& literal);

// The expression in which private-use characters replace `literal`, one of its literals_in().
std::string without(std::string_view expression, const Literal& literal);

}  // namespace orch::accuracy
