#pragma once

#include <string>
#include <vector>

#include "speed/contenders.h"
#include "speed/recorded_time.h"

namespace orch::speed {

double median(std::vector<double> values);

// How fast each of contenders() reads a stream, in MB/s.
struct StreamFigures {
  std::string name;
  double megabytes = 0;
  std::vector<double> speeds;
};

// Measures thread CPU time; the figures are medians of `rounds` rounds, in each of which every
// contender runs once.
StreamFigures measure(const std::string& name, const Task& task, int rounds);

std::string table_of(const std::vector<StreamFigures>& streams);
std::string table_of(const std::vector<RecordedTime>& agents);
std::string json_of(const std::vector<StreamFigures>& streams,
                    const std::vector<RecordedTime>& agents);

}  // namespace orch::speed
