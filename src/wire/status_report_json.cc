#include "wire/status_report_json.h"

#include <utility>

#include "base/json_members.h"

namespace orch::wire {
namespace {

using base::Json;
using base::JsonMembers;
using base::or_null;

std::vector<DialogReport::Option> read_options(JsonMembers& in) {
  std::vector<DialogReport::Option> options;
  const Json* list = in.find("options");
  if (list == nullptr) return options;
  if (!list->is_array()) {
    in.fail("options", "must be an array");
    return options;
  }
  options.reserve(list->size());
  for (size_t i = 0; i < list->size(); ++i) {
    JsonMembers one(in, (*list)[i], in.place_of("options") + "[" + std::to_string(i) + "]");
    DialogReport::Option option;
    one.required("number", option.number);
    one.required("text", option.text);
    one.required("meaning", option.meaning);
    options.push_back(std::move(option));
  }
  return options;
}

DialogReport read_dialog(JsonMembers& report, const Json& json) {
  JsonMembers in(report, json, "dialog");
  DialogReport dialog;
  in.required("id", dialog.id);
  in.word("kind", event::cause_named, dialog.kind);
  in.optional("title", dialog.title);
  in.required("text", dialog.text);
  in.optional("command", dialog.command);
  in.optional("complete", dialog.complete);
  dialog.options = read_options(in);
  return dialog;
}

}  // namespace

Json dialog_json(const DialogReport& dialog) {
  Json json;
  json["id"] = dialog.id;
  json["kind"] = or_null(event::name(dialog.kind));
  json["title"] = dialog.title;
  json["text"] = dialog.text;
  json["command"] = or_null(dialog.command);
  json["complete"] = dialog.complete;
  json["options"] = Json::array();
  for (const DialogReport::Option& option : dialog.options) {
    Json entry;
    entry["number"] = option.number;
    entry["text"] = option.text;
    entry["meaning"] = option.meaning;
    json["options"].push_back(std::move(entry));
  }
  return json;
}

Json budget_json(const BudgetReport& budget) {
  if (budget == BudgetReport()) return nullptr;
  const auto bound = [](auto most) { return most > 0 ? Json(most) : Json(nullptr); };
  return {{"tokens", bound(budget.tokens)},
          {"cost_usd", bound(budget.cost_usd)},
          {"ms", bound(budget.ms)}};
}

void write_report(Json& json, const StatusReport& report) {
  json["session"] = report.session;
  json["run"] = report.run;
  json["agent"] = report.agent;
  json["status"] = event::name(report.status);
  json["cause"] = or_null(event::name(report.cause));
  json["since_ms"] = report.since_ms;
  json["ms"] = report.ms;
  json["turns"] = report.turns;
  json["pending"] = report.pending;
  json["pid"] = report.pid;
  json["issue"] = report.issue;
  json["repository"] = report.repository;
  json["run_dir"] = report.run_dir;
  json["dialog"] = report.dialog ? dialog_json(*report.dialog) : Json(nullptr);
  json["last_words"] = or_null(report.last_words);
  json["words_ms"] = report.words_ms;
  json["cols"] = report.cols;
  json["rows"] = report.rows;
  json["viewers"] = report.viewers;
  json["manager"] = report.manager;
  json["usage"] = event::json_of(report.usage);
  json["budget"] = budget_json(report.budget);
}

StatusReport read_report(JsonMembers& in) {
  StatusReport report;
  in.required("session", report.session);
  in.required("run", report.run);
  in.required("agent", report.agent);
  in.word("status", event::status_named, report.status);
  in.word("cause", event::cause_named, report.cause);
  in.required("since_ms", report.since_ms);
  in.required("ms", report.ms);
  in.required("turns", report.turns);
  in.optional("pending", report.pending);
  in.required("pid", report.pid);
  in.required("issue", report.issue);
  in.required("repository", report.repository);
  in.required("run_dir", report.run_dir);
  if (const Json* dialog = in.find("dialog")) report.dialog = read_dialog(in, *dialog);
  in.optional("last_words", report.last_words);
  in.optional("words_ms", report.words_ms);
  in.optional("cols", report.cols);
  in.optional("rows", report.rows);
  in.optional("viewers", report.viewers);
  in.optional("manager", report.manager);
  event::read_usage(in, report.usage);
  if (const Json* budget = in.find("budget"); budget != nullptr && budget->is_object()) {
    JsonMembers bounds(in, *budget, "budget");
    bounds.optional("tokens", report.budget.tokens);
    const Json* cost = bounds.find("cost_usd");
    if (cost != nullptr && cost->is_number()) report.budget.cost_usd = cost->get<double>();
    bounds.optional("ms", report.budget.ms);
  }
  return report;
}

}  // namespace orch::wire
