#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "mask/secrets.h"
#include "session/session.h"
#include "ui/output_stream.h"

namespace orch::ui {

enum class OutputMode : uint8_t { kText, kRaw, kJson, kQuiet };

// What a foreground run shows of one session on `out`, which outlives the sink. Where several
// sessions share the output, `issue` is the session's, so that each line of text and each record
// says whose it is; else it is empty. Events come without secrets (session::RunLog); raw bytes are
// covered here, unless they go to a terminal: what a person looks at comes at once.
std::unique_ptr<session::SessionSink> make_sink(
    OutputMode mode, OutputStream& out, std::string issue,
    const std::shared_ptr<const mask::Secrets>& secrets);

// As kText, for whoever collects the lines.
std::unique_ptr<session::SessionSink> make_text_sink(std::function<void(std::string)> write);

}  // namespace orch::ui
