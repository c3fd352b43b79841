// Prints what the lists of fields in src say about the JSON of their records: an object with a JSON
// Schema for each. schemas.py makes the schemas of docs of it.
#include <cstdio>
#include <string>
#include <type_traits>

#include "base/text.h"
#include "cli/standing_fields.h"
#include "event/event_fields.h"
#include "options/run_option.h"
#include "schemas/field_schema.h"
#include "store/run_record_fields.h"
#include "wire/status_report_fields.h"

using orch::schemas::FieldSchema;
using orch::schemas::Schema;
using namespace orch;

namespace {

// Some events have fields only when they tell of an end, or that a message was accepted.
template <typename Kind, typename Fields>
Schema event_schema(const char* word, const Fields& fields) {
  Kind event{};
  FieldSchema schema;
  schema.constant("event", word);
  fields(schema, event);
  if constexpr (requires { event.ended; }) event.ended = true;
  if constexpr (std::is_same_v<Kind, event::Message>) event.phase = event::MessagePhase::kAccepted;
  FieldSchema later;
  fields(later, event);
  schema.merge(later);
  return schema.schema();
}

// The table of options says more of a request than its list of fields.
Schema request_schema() {
  Schema schema = FieldSchema::schema_of(options::RunRequest(), options::kRunRequestFields);
  for (const options::RunOption& option : options::run_options()) {
    if (option.record == nullptr) continue;
    Schema& field = schema["properties"][option.record];
    const std::string_view given = option.name.starts_with("--no-") ? " is given if false: " : ": ";
    field["description"] = std::string(long_name(option)).append(given).append(option.help);
    if (option.form != options::Form::kOneOf) continue;
    field = {{"enum", base::split_at_blanks(option.words)}, {"description", field["description"]}};
  }
  return schema;
}

}  // namespace

int main() {
  Schema all = Schema::object();
  const auto add = [&all](const char* name, const auto& record, const auto& fields) {
    all[name] = FieldSchema::schema_of(record, fields);
  };
  add("result", store::RunResult(), store::kRunResultFields);
  all["request"] = request_schema();
  add("gate", store::GateRun(), store::kGateFields);
  add("changes", store::FoundChanges(), store::kChangesFields);
  add("worktree", store::WorktreeEnd(), store::kWorktreeFields);
  add("usage", event::Usage(), event::kUsageFields);
  add("budget", wire::BudgetReport(), wire::kBudgetFields);
  add("dialog", wire::DialogReport(), wire::kDialogFields);
  add("identity", cli::RunStanding(), cli::kIdentityFields);
  add("standing", cli::RunStanding(), cli::kStandingFields);
  add("session", cli::SessionStanding(), cli::kSessionFields);
  add("run", cli::RunAndStanding(), cli::kRunFields);
  event::kEachKind(
      [&all]<typename Kind>(std::type_identity<Kind>, const char* word, const auto& fields) {
        all[std::string("event ") + word] = event_schema<Kind>(word, fields);
      });
  std::puts(all.dump(2).c_str());
}
