#include "term/engine.h"

#include "term/simd/kernels_avx2.h"
#include "term/terminal_fast.h"

namespace orch::term {

void Engine::feed_portable(std::string_view bytes) {
  terminal.remember_in(SgrCache::of_this_thread());
  parser.feed<Portable>(bytes);
}

#if defined(__x86_64__)

// Everything is inlined into this one function, so that all of it may use the instructions that the
// function's attribute allows.
ORCH_AVX2 __attribute__((flatten)) void Engine::feed_avx2(std::string_view bytes) {
  terminal.remember_in(SgrCache::of_this_thread());
  parser.feed<Avx2>(bytes);
}

void Engine::feed(std::string_view bytes) {
  static const bool kAvx2 = has_avx2();
  if (kAvx2) {
    feed_avx2(bytes);
  } else {
    feed_portable(bytes);
  }
}

#else

void Engine::feed_avx2(std::string_view bytes) { feed_portable(bytes); }
void Engine::feed(std::string_view bytes) { feed_portable(bytes); }

#endif

}  // namespace orch::term
