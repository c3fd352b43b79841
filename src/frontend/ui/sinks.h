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

// A sink that writes a foreground run's output of one session to `out`, which must outlive it.
// Where several sessions share the output, `issue` is the session's issue and marks each line of
// text and each record; otherwise it is empty. Events come without secrets (session::RunLog). Raw
// bytes are masked here, unless they go to a terminal, where the user should see them at once.
std::unique_ptr<session::SessionSink> make_sink(OutputMode mode, OutputStream& out,
                                                std::string issue,
                                                const std::shared_ptr<const mask::Secrets>& secrets,
                                                const std::string& keyword = "");

// A sink as for kText that gives its lines to `write`. `dress` may give the words of a line colours
// and attributes; without it they stay plain.
struct TextSinkPlan {
  std::function<void(std::string)> write;
  std::string issue = {};    // see make_sink()
  std::string keyword = {};  // a line of the agent's with this word alone is left out; "": none is
  std::function<std::string(const std::string& words)> dress = {};
};
std::unique_ptr<session::SessionSink> make_text_sink(TextSinkPlan plan);

}  // namespace orch::ui
