#pragma once

#include <vector>

#include "base/result.h"
#include "live/figure.h"

namespace orch::live {

// Measures pty::Pty::spawn, until the program has been executed, `times` times from a process of 16
// MB and as often from one of 512 MB.
base::Result<std::vector<Figure>> measure_spawn(int times);

}  // namespace orch::live
