#pragma once

#include <span>
#include <string>
#include <string_view>

#include "detect/rules.h"
#include "term/screen.h"

namespace orch::speed {

// A stream to read, in pieces of kChunk bytes that may end anywhere.
struct Task {
  std::string_view stream;
  term::Size size;
  const detect::RuleSet& rules;
};
struct Contender {
  const char* name;
  void (*run)(const Task&);
};

inline constexpr size_t kChunk = 4096;  // what one read of a pty master gives

// Indexes in contenders().
enum ContenderIndex { kOrch, kOrchDetecting, kLibvterm, kBareScan };
std::span<const Contender> contenders();

double thread_seconds();  // CPU time

// Calls take(piece) for each piece of the stream.
template <class Take>
void in_chunks(std::string_view stream, Take take) {
  for (size_t at = 0; at < stream.size(); at += kChunk) take(stream.substr(at, kChunk));
}

// Removes escape sequences and control characters, as tools that look at output do. The result is
// in `scratch`.
std::string_view strip(std::string_view bytes, std::string& scratch);

}  // namespace orch::speed
