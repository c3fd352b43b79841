#include "agent/delivery_result.h"

#include "base/words.h"

namespace orch::agent {
namespace {

constexpr base::Words<DeliveryResult, 7> kResults{{
    {DeliveryResult::kAccepted, "accepted"},
    {DeliveryResult::kUnfinished, "unfinished"},
    {DeliveryResult::kUnconfirmed, "unconfirmed"},
    {DeliveryResult::kBlocked, "blocked"},
    {DeliveryResult::kTimeout, "timeout"},
    {DeliveryResult::kExited, "exited"},
    {DeliveryResult::kWouldBeCommand, "would_be_command"},
}};

}  // namespace

std::string_view name(DeliveryResult result) { return base::word_of(kResults, result); }

std::optional<DeliveryResult> delivery_result_named(std::string_view name) {
  return base::value_of(kResults, name);
}

}  // namespace orch::agent
