#include "agent/delivery_result.h"

#include <array>
#include <utility>

namespace orch::agent {
namespace {

constexpr std::array<std::pair<DeliveryResult, std::string_view>, 6> kResults{{
    {DeliveryResult::kAccepted, "accepted"},
    {DeliveryResult::kUnconfirmed, "unconfirmed"},
    {DeliveryResult::kBlocked, "blocked"},
    {DeliveryResult::kTimeout, "timeout"},
    {DeliveryResult::kExited, "exited"},
    {DeliveryResult::kWouldBeCommand, "would_be_command"},
}};

}  // namespace

std::string_view name(DeliveryResult result) {
  for (const auto& [value, text] : kResults) {
    if (value == result) return text;
  }
  return {};
}

std::optional<DeliveryResult> delivery_result_named(std::string_view name) {
  for (const auto& [value, text] : kResults) {
    if (text == name) return value;
  }
  return std::nullopt;
}

}  // namespace orch::agent
