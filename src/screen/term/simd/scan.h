#pragma once

#include <cstddef>

namespace orch::term {

// The length of the text at `begin`: the offset of the first C0 control or DEL in [begin, end), or
// the whole length if there is none. All variants give the same result; scan_text() takes the
// fastest that this machine can run.
size_t scan_text_scalar(const char* begin, const char* end);
size_t scan_text_avx2(const char* begin, const char* end);  // only where has_avx2()
bool has_avx2();                                            // also looks for BMI and BMI2
size_t scan_text(const char* begin, const char* end);

}  // namespace orch::term
