// Prints what the lists of fields in src say about the JSON of their records: an object with a JSON
// Schema for each. schemas.py makes the schemas of docs of it.
#include <cstdio>

#include "schemas/field_schema.h"
#include "store/run_record_fields.h"

using orch::schemas::FieldSchema;
using orch::schemas::Schema;
using namespace orch;

int main() {
  Schema all = Schema::object();
  all["result"] = FieldSchema::schema_of(store::RunResult(), store::kRunResultFields);
  std::puts(all.dump(2).c_str());
}
