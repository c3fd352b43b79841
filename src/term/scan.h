#pragma once

#include <cstddef>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace orch::term {

// How far text goes: the offset of the first byte in [begin, end) that is a C0 control or DEL, or
// the length when there is none. The variants give the same answer; scan_text picks the fastest
// this machine can run.
size_t scan_text_scalar(const char* begin, const char* end);
size_t scan_text_avx2(const char* begin, const char* end);  // only where has_avx2()
bool has_avx2();
size_t scan_text(const char* begin, const char* end);

// How many bytes at `begin` are printable ASCII (0x20 to 0x7E).
size_t scan_ascii(const char* begin, const char* end);

}  // namespace orch::term
