#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace orch::agent {

// A user's answer to a dialog. It names an option by its meaning (as policies do), by its number or
// by its words.
struct DialogChoice {
  enum class Kind : uint8_t {
    kYes,     // the only option that allows the request once; never an option that allows more
    kNo,      // the only option that denies the request
    kNumber,  // the option that the agent draws with this number
    kText,    // the option with these words; without one, words to type where the dialog takes them
  };
  Kind kind = Kind::kYes;
  int number = 0;    // for kNumber, counted from 1
  std::string text;  // for kText
  bool operator==(const DialogChoice&) const = default;
};

std::string_view name(DialogChoice::Kind kind);  // "yes", "no", "number", "text"
std::optional<DialogChoice::Kind> choice_kind_named(std::string_view name);

// Reads an answer as a user writes it: "yes", "y", "no" or "n" in either case, or a number.
// Anything else is text.
DialogChoice dialog_choice_of(std::string_view word);

}  // namespace orch::agent
