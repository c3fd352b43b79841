#pragma once

#include "base/json_writer.h"

// For lists of fields (base/json_writer.h) of records with renamed or redundant fields.
namespace orch::store {

// The name of a field that earlier versions called `before`: it is written as `key`, and read under
// either name.
inline const char* name_in(base::JsonMembers& in, const char* key, const char* before) {
  return !in.has(key) && in.has(before) ? before : key;
}
template <typename Writer>
const char* name_in(Writer& /*out*/, const char* key, const char* /*before*/) {
  return key;
}

// Writes a value that follows from the record's other fields, so that no reader has to compute it;
// null if it is not known. It is not read.
template <typename T>
void derived(base::JsonMembers& /*in*/, const char* /*key*/, const T& /*value*/) {}
template <typename Writer, typename T>
void derived(Writer& out, const char* key, const T& value) {
  out.nullable(key, value);
}

}  // namespace orch::store
