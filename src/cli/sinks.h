#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cli/output_stream.h"
#include "session/session.h"

namespace orch::cli {

enum class OutputMode : uint8_t { kText, kRaw, kJson, kQuiet };

// What a foreground run shows of one session on `out`, which outlives the sink. `label` stands
// before each line of text when several sessions share the output; empty for none.
std::unique_ptr<session::SessionSink> make_sink(OutputMode mode, OutputStream& out,
                                                std::string label);

}  // namespace orch::cli
