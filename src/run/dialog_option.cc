#include "run/dialog_option.h"

#include <optional>
#include <string_view>

#include "base/text.h"
#include "policy/dialog_answer.h"

namespace orch::run {

using agent::DialogChoice;
using agent::DialogRequest;
using base::Result;
using base::usage_error;

namespace {

// The options of the dialog, for an error: "its options are 1. Yes, 2. No".
std::string offer_of(const DialogRequest& request) {
  constexpr size_t kMostBytes = 400;
  std::string offer;
  for (size_t i = 0; i < request.options.size(); ++i) {
    offer += (offer.empty() ? "its options are " : ", ") +
             std::to_string(request.first + static_cast<int>(i)) + ". " +
             base::printable(request.options[i].text);
    if (offer.size() > kMostBytes) return offer + ", ...";
  }
  return offer;
}

std::string lowered(std::string_view text) {
  std::string out(base::trim(text));
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

// The index of the only option for which `fits` holds; nothing if there is none or more than one.
std::optional<size_t> only_option(const DialogRequest& request, const auto& fits) {
  std::optional<size_t> found;
  for (size_t i = 0; i < request.options.size(); ++i) {
    if (!fits(request.options[i])) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

Result<ChosenOption> by_meaning(const DialogRequest& request, policy::Answer answer) {
  if (const std::optional<size_t> option = policy::option_for(request, answer)) {
    return ChosenOption{*option, ""};
  }
  const std::string word = answer == policy::Answer::kAllow ? "yes" : "no";
  return usage_error("not exactly one option of the dialog means " + word +
                     "; answer it by number: " + offer_of(request));
}

Result<ChosenOption> by_number(const DialogRequest& request, int number) {
  const int64_t index = int64_t{number} - request.first;
  if (index >= 0 && index < static_cast<int64_t>(request.options.size())) {
    return ChosenOption{static_cast<size_t>(index), ""};
  }
  return usage_error("the dialog has no option " + std::to_string(number) + ": " +
                     offer_of(request));
}

Result<ChosenOption> by_text(const DialogRequest& request, const std::string& text) {
  const std::string wanted = lowered(text);
  if (wanted.empty()) return usage_error("the answer is empty");
  const auto reads_so = [&wanted](const agent::DialogOption& option) {
    return lowered(option.text) == wanted;
  };
  if (const std::optional<size_t> option = only_option(request, reads_so)) {
    return ChosenOption{*option, ""};
  }
  const auto takes_words = [](const agent::DialogOption& option) { return option.wants_words; };
  if (const std::optional<size_t> option = only_option(request, takes_words)) {
    return ChosenOption{*option, text};
  }
  return usage_error("no option of the dialog reads so, and it takes no words of your own: " +
                     offer_of(request));
}

}  // namespace

Result<ChosenOption> option_chosen(const DialogRequest& request, const DialogChoice& choice) {
  if (request.options.empty()) {
    return usage_error("the dialog shows no options that can be read; see orch attach");
  }
  using Kind = DialogChoice::Kind;
  if (choice.kind != Kind::kNumber && !request.complete) {
    return usage_error("not all of the dialog could be read; answer it by number: " +
                       offer_of(request));
  }
  switch (choice.kind) {
    case Kind::kYes:
      return by_meaning(request, policy::Answer::kAllow);
    case Kind::kNo:
      return by_meaning(request, policy::Answer::kDeny);
    case Kind::kNumber:
      return by_number(request, choice.number);
    case Kind::kText:
      return by_text(request, choice.text);
  }
  return usage_error("no answer");
}

}  // namespace orch::run
