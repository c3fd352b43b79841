#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/pattern.h"

namespace orch::driver {

// Whether an input box that holds this text looks empty: the text has only blanks, glyphs that
// frame a box, and characters without width.
bool draws_nothing(std::string_view text);

// Whether the text in the box may come from the terminal's `replies`: an agent that no longer waits
// for a reply takes it for typed keys. All characters of the text must be in `replies`, in the same
// order.
bool may_be_replies(std::string_view box, std::string_view replies);

// The pattern of a manifest's paste_placeholder, for TypedText; nullopt if the expression is empty.
std::optional<base::Pattern> placeholder_pattern(const std::string& expression);

// A text that was typed into an input box, to be compared with the text that the box shows. Boxes
// wrap, indent, frame and scroll the text, compose accents, leave out characters without width, and
// show a short placeholder for a long paste.
class TypedText {
 public:
  // How much of its text a box shows.
  enum class Extent : uint8_t {
    kAll,
    kEnd,   // at least the end: the box has scrolled, or may have
    kPart,  // the text, with other words before or behind it, or its end
  };

  // `placeholder` matches the text that a box shows instead of a long paste. It may be null, and
  // must outlive this object.
  TypedText(std::string_view text, const base::Pattern* placeholder);
  bool is_shown_by(std::string_view box, Extent extent) const;

 private:
  bool is_shown_by_placeholders(std::string_view box, Extent extent) const;

  std::string text_;
  std::string letters_;   // text_ without characters that draw nothing
  std::string caret_;     // the same with each tab as "^I"; "" if there are none
  std::string skeleton_;  // skeleton_of(letters_); "" if no accents can be composed
  std::string plain_;     // letters_ without pictographs; "" if no characters are joined
  const base::Pattern* placeholder_;
};

}  // namespace orch::driver
