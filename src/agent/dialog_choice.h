#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace orch::agent {

// What a person answers a dialog with: by meaning, as policies do, by an option's number or by its
// words.
struct DialogChoice {
  enum class Kind : uint8_t {
    kYes,     // the one option that allows this once; never one that allows more
    kNo,      // the one option that denies
    kNumber,  // the option that the agent draws under this number
    kText,    // the option with these words, else typed where the dialog takes words
  };
  Kind kind = Kind::kYes;
  int number = 0;    // of kNumber, from 1
  std::string text;  // of kText
  bool operator==(const DialogChoice&) const = default;
};

std::string_view name(DialogChoice::Kind kind);  // "yes", "no", "number", "text"
std::optional<DialogChoice::Kind> choice_kind_named(std::string_view name);

// As a person writes it: "yes", "y", "no", "n" in either case, a number; anything else is text.
DialogChoice dialog_choice_of(std::string_view word);

}  // namespace orch::agent
