#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"

namespace orch::yaml {

// A position in a text; both numbers count from 1.
struct Place {
  int line = 1, column = 1;
  bool operator==(const Place&) const = default;
};

struct Key {
  std::string name;
  Place place;
};

// One value of a YAML document. Plain words are kept as text here: only the reader of a field knows
// whether it is a number or a flag.
struct Value {
  enum class Kind : uint8_t { kNothing, kText, kList, kMap };
  Kind kind = Kind::kNothing;
  Place place;
  std::string text = {};          // kText
  bool plain = false;             // for kText: written without quotes, so it may be a number
  std::vector<Value> items = {};  // for kList; for kMap the value of the key at the same index
  std::vector<Key> keys = {};     // kMap
};

struct Limits {
  size_t bytes = size_t{1} << 20;
  int depth = 16;
  size_t values = 20'000;
};

// Reads a text with one document. It is an error, with line and column, if the text contains bad
// syntax, anchors, aliases, tags, a second document, a key that is not a text or is there twice,
// more depth or values than `limits` allows, or control characters or invalid UTF-8 (which can be
// written as escapes). Errors are usage errors: "NAME:LINE:COLUMN: ...".
base::Result<Value> read_yaml(std::string_view text, std::string_view name,
                              const Limits& limits = {});

base::Error yaml_error(std::string_view name, Place place, std::string_view what);

// Describes a value for an error: "a list", "\"abc\"".
std::string describe(const Value& node);

// The value as JSON. A plain text that reads as a number, true or false becomes that.
base::Json to_json(const Value& node);

}  // namespace orch::yaml
