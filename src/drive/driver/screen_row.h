#pragma once

#include <string>

#include "driver/ink.h"

namespace orch::driver {

// A row of the screen: its text without trailing blanks, unless the row is wrapped.
struct ScreenRow {
  std::string text;
  bool wrapped = false;  // the text goes on in the next row
  Ink ink = Ink::kPlain;
  bool called = false;  // a tool's result, or a sign that it runs, hangs below the row
  bool shaded = false;  // its first character stands on a background colour
  bool faint = false;   // its first character is faint
};

}  // namespace orch::driver
