#include "live/counters.h"

#include <filesystem>
#include <fstream>
#include <string>

namespace orch::live {
namespace {

double milliseconds_of(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

base::Error gone(pid_t pid) {
  return {base::ErrorCode::kNotFound, "process " + std::to_string(pid) + " is gone"};
}

// The number after `field` in a file of "field: number" lines; 0 if there is none.
double field_of(const std::string& file, const std::string& field) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(field + ":")) return std::stod(line.substr(field.size() + 1));
  }
  return 0;
}

uint64_t count_of(const std::string& file, const std::string& field) {
  return static_cast<uint64_t>(field_of(file, field));
}

}  // namespace

Counters operator-(const Counters& a, const Counters& b) {
  return {.cpu_ms = a.cpu_ms - b.cpu_ms,
          .sleeps = a.sleeps - b.sleeps,
          .preempted = a.preempted - b.preempted,
          .reads = a.reads - b.reads,
          .writes = a.writes - b.writes,
          .read_bytes = a.read_bytes - b.read_bytes,
          .written_bytes = a.written_bytes - b.written_bytes};
}

base::Result<Counters> counters_of(pid_t pid) {
  const std::string folder = "/proc/" + std::to_string(pid);
  Counters counters;
  double cpu_ns = 0;
  if (!(std::ifstream(folder + "/schedstat") >> cpu_ns)) return gone(pid);
  counters.cpu_ms = cpu_ns / 1e6;
  std::error_code error;
  for (const auto& thread : std::filesystem::directory_iterator(folder + "/task", error)) {
    const std::string status = thread.path().string() + "/status";
    counters.sleeps += count_of(status, "voluntary_ctxt_switches");
    counters.preempted += count_of(status, "nonvoluntary_ctxt_switches");
  }
  counters.reads = count_of(folder + "/io", "syscr");
  counters.writes = count_of(folder + "/io", "syscw");
  counters.read_bytes = count_of(folder + "/io", "rchar");
  counters.written_bytes = count_of(folder + "/io", "wchar");
  return counters;
}

base::Result<Memory> memory_of(pid_t pid) {
  const std::string file = "/proc/" + std::to_string(pid) + "/smaps_rollup";
  const Memory memory{field_of(file, "Pss"),
                      field_of(file, "Private_Dirty") + field_of(file, "Private_Clean")};
  if (memory.proportional_kb == 0) return gone(pid);
  return memory;
}

double thread_cpu_ms() { return milliseconds_of(CLOCK_THREAD_CPUTIME_ID); }
double monotonic_ms() { return milliseconds_of(CLOCK_MONOTONIC); }

}  // namespace orch::live
