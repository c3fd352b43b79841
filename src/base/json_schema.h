#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "base/result.h"

namespace orch::base {

// A JSON Schema of the keywords in json_schema_keywords(), for values that a model wrote. A schema
// with any other keyword is refused, because a check that is left out would pass unseen. Pure.
class JsonSchema {
 public:
  // Errors are usage errors: "/properties/a: format is a keyword that orch does not check".
  static Result<JsonSchema> parse(std::string_view text);
  JsonSchema(JsonSchema&&) noexcept;
  JsonSchema& operator=(JsonSchema&&) noexcept;
  ~JsonSchema();

  // Why the value does not fit, with its place: "/items/0: is not a number"; "" if it fits.
  std::string why_not(const Json& value) const;
  std::string text() const;  // on one line

 private:
  explicit JsonSchema(std::unique_ptr<Json> root);
  std::unique_ptr<Json> root_;
};

// "type, enum, ..."
std::string json_schema_keywords();

}  // namespace orch::base
