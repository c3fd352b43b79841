#pragma once

#include "term/cell.h"
#include "term/intern_table.h"

namespace orch::term {

// A base character and its marks (accents, joiners, variation selectors, the other parts of an
// emoji sequence), in order.
using Cluster = std::u32string;
// Further marks of a cell are dropped. The longest sequence of Unicode 15, a kiss, has nine.
inline constexpr size_t kMaxMarks = 16;
inline constexpr uint32_t kMaxClusters = 8192;

struct ClusterHash {
  size_t operator()(const Cluster& cluster) const;
};

using ClusterTable = InternTable<Cluster, ClusterHash>;

// The cluster of `cell` with one more mark; empty if the cell has kMaxMarks marks already.
Cluster with_mark(const ClusterTable& table, CellCode cell, char32_t mark);

}  // namespace orch::term
