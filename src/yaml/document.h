#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"

namespace orch::yaml {

// Where something stands in a text; both from 1.
struct Place {
  int line = 1, column = 1;
  bool operator==(const Place&) const = default;
};

struct Key {
  std::string name;
  Place place;
};

// One value of a YAML document. Nothing is made of its words here: what a field may be is known to
// whoever reads it.
struct Value {
  enum class Kind : uint8_t { kNothing, kText, kList, kMap };
  Kind kind = Kind::kNothing;
  Place place;
  std::string text = {};          // kText
  bool plain = false;             // kText: written without quotes: it may be a number
  std::vector<Value> items = {};  // kList; kMap: the value of the key in the same place
  std::vector<Key> keys = {};     // kMap
};

struct Limits {
  size_t bytes = size_t{1} << 20;
  int depth = 16;
  size_t values = 20'000;
};

// Reads a text of one document. Refused, with its line and column: bad syntax, anchors, aliases,
// tags, a second document, a key that is no text or is there twice, what is deeper or has more
// values than the limits say, control characters and bytes that are not UTF-8 (write them as
// escapes). Errors are usage errors: "NAME:LINE:COLUMN: ...".
base::Result<Value> read_yaml(std::string_view text, std::string_view name,
                              const Limits& limits = {});

base::Error yaml_error(std::string_view name, Place place, std::string_view what);

// "a list", "the text \"abc\"": what stands there, for an error.
std::string describe(const Value& node);

// The value as JSON: what is written without quotes and reads as a number, true or false is one.
base::Json to_json(const Value& node);

}  // namespace orch::yaml
