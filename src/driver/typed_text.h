#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/pattern.h"

namespace orch::driver {

// Whether a box that holds this text looks empty: it has nothing but blanks, glyphs that frame a
// box, and characters that take no place.
bool draws_nothing(std::string_view text);

// Whether what is drawn in the box may be what an agent made of a terminal's `replies` that came
// when it no longer waited for them: all of it stands in them, in that order.
bool may_be_replies(std::string_view box, std::string_view replies);

// The pattern of a manifest's paste_placeholder, for TypedText; nothing where it has none.
std::optional<base::Pattern> placeholder_pattern(const std::string& expression);

// A text that was typed into an input box, to be compared with what the box shows: boxes wrap,
// indent, frame and scroll, compose accents, leave out what takes no place, and show something
// short in place of a long paste.
class TypedText {
 public:
  // What a box shows of the text that it holds.
  enum class Extent : uint8_t {
    kAll,
    kEnd,  // it has scrolled, or may have: its end at least
  };

  // `placeholder` is what the box shows instead of a long paste; it may be null, and outlives this.
  TypedText(std::string_view text, const base::Pattern* placeholder);
  bool is_shown_by(std::string_view box, Extent extent) const;

 private:
  bool is_shown_by_placeholders(std::string_view box, Extent extent) const;

  std::string text_;
  std::string letters_;   // without what draws nothing
  std::string skeleton_;  // ... and with all that may be composed made alike; "" if nothing may
  std::string plain_;     // ... without pictographs; "" if none of them is joined of several
  const base::Pattern* placeholder_;
};

}  // namespace orch::driver
