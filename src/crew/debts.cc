#include "crew/debts.h"

#include "base/json.h"
#include "base/json_members.h"

namespace orch::crew {
namespace {

using base::Json;
using base::JsonMembers;

constexpr base::JsonLimits kDebtsLimits{.bytes = size_t{16} << 20, .depth = 4};

Json json_of(const Debts::Purse& purse) {
  return {{"tokens", purse.tokens}, {"cost_usd", purse.cost_usd}};
}

void read_purse(JsonMembers& parent, const char* name, Debts::Purse& purse) {
  const Json* found = parent.find(name);
  if (found == nullptr || !found->is_object()) return;  // files of older versions have none
  JsonMembers in(parent, *found, name);
  in.optional("tokens", purse.tokens);
  const Json* cost = in.find("cost_usd");
  if (cost != nullptr && cost->is_number()) purse.cost_usd = cost->get<double>();
}

}  // namespace

std::string to_json(const Debts& debts) {
  Json json{{"version", 1}};
  Json handovers = Json::array(), told = Json::object(), notices = Json::object();
  for (const Debts::Handover& each : debts.handovers) {
    handovers.push_back({{"to", each.to},
                         {"from", each.from},
                         {"text", each.text},
                         {"message", base::or_null(each.message)}});
  }
  for (const auto& [agent, notice] : debts.notices) {
    notices[agent] = {{"message", notice.message}, {"bytes", notice.bytes}};
  }
  for (const auto& [agent, bytes] : debts.told) told[agent] = bytes;
  json["handovers"] = std::move(handovers);
  json["told"] = std::move(told);
  json["notices"] = std::move(notices);
  json["spent"] = json_of(debts.spent);
  json["budget"] = json_of(debts.budget);
  return base::json_text(json);
}

base::Result<Debts> debts_from_json(std::string_view text, std::string_view name) {
  base::JsonDocument document(name, text, base::JsonAuthor::kProgram, kDebtsLimits);
  Debts debts;
  {
    JsonMembers in(document);
    const Json* handovers = in.find("handovers");
    if (handovers == nullptr || !handovers->is_array()) in.fail("handovers", "must be an array");
    for (size_t i = 0; in.ok() && i < handovers->size(); ++i) {
      if (!(*handovers)[i].is_object()) {
        in.fail("handovers", "must be an array of objects");
        break;
      }
      JsonMembers each(in, (*handovers)[i], "handovers[" + std::to_string(i) + "]");
      Debts::Handover handover;
      each.required("to", handover.to);
      each.required("from", handover.from);
      each.required("text", handover.text);
      each.optional("message", handover.message);
      debts.handovers.push_back(std::move(handover));
    }
    const Json* told = in.find("told");
    if (in.ok() && told != nullptr && told->is_object()) {
      for (const auto& [agent, bytes] : told->items()) {
        if (bytes.is_number_unsigned()) debts.told[agent] = bytes.get<uint64_t>();
      }
    }
    read_purse(in, "spent", debts.spent);
    read_purse(in, "budget", debts.budget);
    const Json* notices = in.find("notices");
    if (in.ok() && notices != nullptr && notices->is_object()) {
      for (const auto& [agent, notice] : notices->items()) {
        const Json& message = notice.is_object() ? notice.value("message", Json()) : Json();
        const Json& bytes = notice.is_object() ? notice.value("bytes", Json()) : Json();
        if (!message.is_string() || !bytes.is_number_unsigned()) continue;
        debts.notices[agent] = {message.get<std::string>(), bytes.get<uint64_t>()};
      }
    }
  }
  return document.finish(std::move(debts));
}

}  // namespace orch::crew
