#include "term/cluster_table.h"

#include <functional>

namespace orch::term {

size_t ClusterHash::operator()(const Cluster& cluster) const {
  return std::hash<std::u32string_view>{}(cluster);
}

Cluster with_mark(const ClusterTable& table, CellCode cell, char32_t mark) {
  Cluster cluster = cell >= kClusterBase ? table[cell - kClusterBase] : Cluster(1, cell);
  if (cluster.size() > kMaxMarks) return {};
  cluster.push_back(mark);
  return cluster;
}

}  // namespace orch::term
