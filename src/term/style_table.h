#pragma once

#include <cstddef>

#include "term/cell.h"
#include "term/intern_table.h"

namespace orch::term {

inline constexpr uint32_t kMaxStyles = 65536;  // what a StyleId can tell apart

struct StyleHash {
  size_t operator()(const Style& style) const;
};

using StyleTable = InternTable<Style, StyleHash>;

}  // namespace orch::term
