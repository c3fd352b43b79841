#include "crew/debts.h"

#include "base/json_writer.h"

namespace orch::crew {
namespace {

constexpr base::JsonLimits kDebtsLimits{.bytes = size_t{16} << 20, .depth = 4};

constexpr auto kPurseFields = [](auto& in, auto& purse) {
  in.optional("tokens", purse.tokens);
  in.optional("cost_usd", purse.cost_usd);
};

constexpr auto kHandoverFields = [](auto& in, auto& handover) {
  in.required("to", handover.to);
  in.required("from", handover.from);
  in.required("text", handover.text);
  in.nullable("message", handover.message);
  in.nullable("entered", handover.entered);
};

constexpr auto kNoticeFields = [](auto& in, auto& notice) {
  in.required("message", notice.message);
  in.required("bytes", notice.bytes);
  in.nullable("entered", notice.entered);
};

constexpr auto kDebtsFields = [](auto& in, auto& debts) {
  in.list("handovers", debts.handovers, kHandoverFields);
  in.optional("told", debts.told);
  in.map("notices", debts.notices, kNoticeFields);
  in.object("spent", debts.spent, kPurseFields);
  in.object("budget", debts.budget, kPurseFields);
};

}  // namespace

std::string to_json(const Debts& debts) {
  base::Json json{{"version", 1}};
  base::JsonWriter out(json);
  kDebtsFields(out, debts);
  return base::json_text(json);
}

base::Result<Debts> debts_from_json(std::string_view text, std::string_view name) {
  base::JsonDocument document(name, text, base::JsonAuthor::kProgram, kDebtsLimits);
  Debts debts;
  {
    base::JsonMembers in(document);
    if (!in.has("handovers")) in.fail("handovers", "is missing");
    kDebtsFields(in, debts);
  }
  return document.finish(std::move(debts));
}

}  // namespace orch::crew
