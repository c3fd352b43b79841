// Counts the allocations of this program, by replacing operator new.
#include <cstdint>
#include <cstdlib>
#include <new>

#include "live/counters.h"

namespace {
uint64_t allocations = 0;  // not atomic: there is only one thread
}

uint64_t orch::live::allocations_so_far() { return allocations; }

void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes == 0 ? 1 : bytes);
}
void* operator new(size_t bytes) {
  void* memory = ::operator new(bytes, std::nothrow);
  if (memory == nullptr) std::abort();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
