#include "run/dialog_option.h"

#include <optional>
#include <string_view>

#include "base/check.h"
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
             base::printable(agent::label(request.options[i]));
    if (offer.size() > kMostBytes) return offer + ", ...";
  }
  return offer;
}

std::string lowered(std::string_view text) { return base::lower(base::trim(text)); }

// The index of the only option that satisfies `fits`; nullopt if there is none or more than one.
std::optional<size_t> only_option(const DialogRequest& request, const auto& fits) {
  std::optional<size_t> found;
  for (size_t i = 0; i < request.options.size(); ++i) {
    if (!fits(request.options[i])) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

Result<ChosenOptions> by_meaning(const DialogRequest& request, policy::Answer answer) {
  if (auto options = policy::options_for(request, answer)) {
    return ChosenOptions{*std::move(options), ""};
  }
  const std::string word = answer == policy::Answer::kAllow ? "yes" : "no";
  return usage_error("not exactly one option of the dialog means " + word +
                     "; answer it by number: " + offer_of(request));
}

Result<ChosenOptions> by_number(const DialogRequest& request, int number) {
  const int64_t index = int64_t{number} - request.first;
  if (index >= 0 && index < static_cast<int64_t>(request.options.size())) {
    return ChosenOptions{{static_cast<size_t>(index)}, ""};
  }
  return usage_error("the dialog has no option " + std::to_string(number) + ": " +
                     offer_of(request));
}

Result<ChosenOptions> by_text(const DialogRequest& request, const std::string& text) {
  const std::string wanted = lowered(text);
  if (wanted.empty()) return usage_error("the answer is empty");
  const auto reads_so = [&wanted](const agent::DialogOption& option) {
    return lowered(option.text) == wanted ||
           lowered(option.text + " " + option.description) == wanted;
  };
  if (const std::optional<size_t> option = only_option(request, reads_so)) {
    return ChosenOptions{{*option}, ""};
  }
  const auto takes_words = [](const agent::DialogOption& option) { return option.wants_words; };
  if (const std::optional<size_t> option = only_option(request, takes_words)) {
    return ChosenOptions{{*option}, text};
  }
  return usage_error("no option of the dialog reads so, and it takes no words of your own: " +
                     offer_of(request));
}

// The option for a dialog that takes a single one.
Result<ChosenOptions> option_chosen(const DialogRequest& request, const DialogChoice& choice) {
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

// The options to tick. An option without a tick box can only be chosen alone.
Result<ChosenOptions> ticks_chosen(const DialogRequest& request,
                                   std::span<const DialogChoice> choices) {
  ChosenOptions all;
  for (const DialogChoice& choice : choices) {
    Result<ChosenOptions> one = option_chosen(request, choice);
    if (!one) return one;
    const bool whole = one->options.empty() || !one->words.empty() ||
                       !request.options[one->options.front()].ticked;
    if (whole && choices.size() == 1) return one;
    if (whole)
      return usage_error("of several answers each must name a tick box: " + offer_of(request));
    all.options.push_back(one->options.front());
  }
  return all;
}

}  // namespace

Result<ChosenOptions> options_chosen(const DialogRequest& request,
                                     std::span<const DialogChoice> choices) {
  ORCH_CHECK(!choices.empty());
  if (request.options.empty()) {
    return usage_error("the dialog shows no options that can be read; see orch attach");
  }
  if (request.is_set()) return ticks_chosen(request, choices);
  if (choices.size() == 1) return option_chosen(request, choices.front());
  return usage_error("the dialog takes one answer: " + offer_of(request));
}

}  // namespace orch::run
