#pragma once

#include <string>
#include <string_view>

#include "base/pattern.h"

namespace orch::driver {

// A text that was typed into an input box, to be compared with what the box shows: boxes wrap,
// indent, frame and scroll, compose accents, and show something short in place of a long paste.
class TypedText {
 public:
  // `placeholder` is what the box shows instead of a long paste; it may be null, and outlives this.
  TypedText(std::string_view text, const base::Pattern* placeholder);
  bool is_shown_by(std::string_view box) const;

 private:
  std::string letters_;   // without blanks
  std::string skeleton_;  // ... and with all that may be composed made alike; "" if nothing may
  const base::Pattern* placeholder_;
};

}  // namespace orch::driver
