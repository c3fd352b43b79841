#pragma once

#include <cstddef>

namespace orch::term {

// How far text goes: the offset of the first byte in [begin, end) that is a C0 control or DEL, or
// the length when there is none. The variants give the same answer; scan_text takes the fastest
// this machine can run.
size_t scan_text_scalar(const char* begin, const char* end);
size_t scan_text_avx2(const char* begin, const char* end);  // only where has_avx2()
bool has_avx2();                                            // and BMI, which came with it
size_t scan_text(const char* begin, const char* end);

}  // namespace orch::term
