#pragma once

#include "base/json_fwd.h"
#include "wire/status_report.h"

// Users link nlohmann_json.
namespace orch::wire {

// The members of a report, written to and read from the object that an answer is.
void write_report(base::Json& json, const StatusReport& report);
StatusReport read_report(base::JsonMembers& in);

// As in a report: what lists sessions as JSON writes a dialog alike.
base::Json dialog_json(const DialogReport& dialog);
base::Json budget_json(const BudgetReport& budget);  // null: there is none

}  // namespace orch::wire
