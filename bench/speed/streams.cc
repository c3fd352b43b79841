#include "speed/streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string_view>

namespace orch::speed {
namespace {

constexpr size_t kTurn = 256 * 1024;  // bytes of one agent in the mix before the next one

std::string output_of(const AgentRecordings& recordings, term::Size size) {
  const auto fits = [size](const store::Cast& cast) {
    return cast.header.cols == size.cols && cast.header.rows == size.rows;
  };
  const bool any = std::any_of(recordings.casts.begin(), recordings.casts.end(), fits);
  std::string output;
  for (const store::Cast& cast : recordings.casts) {
    if (any && !fits(cast)) continue;
    for (const store::CastEvent& event : cast.events) {
      if (event.kind == store::CastKind::kOutput) output += event.data;
    }
  }
  return output;
}

// Repeats `once`; "" if that is empty.
std::string repeated(const std::string& once, size_t bytes) {
  if (once.empty()) return {};
  std::string stream;
  stream.reserve(bytes + once.size());
  while (stream.size() < bytes) stream += once;
  return stream;
}

std::string mixed(const std::vector<AgentRecordings>& agents, term::Size size, size_t bytes) {
  std::vector<std::string> outputs;
  for (const AgentRecordings& agent : agents) {
    outputs.push_back(repeated(output_of(agent, size), kTurn));
  }
  std::string stream;
  stream.reserve(bytes + kTurn);
  for (size_t turn = 0; stream.size() < bytes; ++turn) {
    const std::string& output = outputs[turn % outputs.size()];
    const size_t at = turn / outputs.size() * kTurn % output.size();
    stream.append(output, at, kTurn).append(output, 0, kTurn - std::min(kTurn, output.size() - at));
  }
  return stream;
}

// Pseudo-random words, the same every time.
class Words {
 public:
  std::string_view next() {
    constexpr std::string_view kWords[] = {"the",     "status", "of",    "a",       "run(42)",
                                           "changes", "when",   "every", "byte,",   "and",
                                           "each",    "row:",   "is",    "counted", "twice."};
    return kWords[random_() % std::size(kWords)];
  }
  unsigned number() { return static_cast<unsigned>(random_()); }

 private:
  std::mt19937 random_{1};
};

std::string plain_lines() {
  Words words;
  std::string out;
  for (int line = 0; line < 4000; ++line) {
    for (auto n = 4 + words.number() % 14; n > 0; --n) out.append(words.next()).append(" ");
    out += "\r\n";
  }
  return out;
}

std::string coloured_lines() {
  Words words;
  std::string out;
  for (int line = 0; line < 2000; ++line) {
    for (auto n = 4 + words.number() % 12; n > 0; --n) {
      out += fmt::format("\033[{}m{}\033[0m ", 30 + words.number() % 8, words.next());
    }
    out += "\r\n";
  }
  return out;
}

std::string repainted(term::Size size) {
  Words words;
  std::string out;
  for (int frame = 0; frame < 200; ++frame) {
    out += "\033[?2026h\033[?25l";
    for (int row = 1; row <= size.rows; ++row) {
      const unsigned col = 1 + words.number() % static_cast<unsigned>(size.cols);
      out += fmt::format("\033[{};{}H\033[38;2;{};120;80m{}\033[39m\033[K", row, col,
                         words.number() % 256, words.next());
    }
    out += "\033[?25h\033[?2026l";
  }
  return out;
}

std::string wide_lines() {
  constexpr std::string_view kPieces[] = {"状態を",      "変える", "程序", "终端", "한국어", "é",
                                          "👩‍💻", "🚀",      "─",    "●",    " ok "};
  Words words;
  std::string out;
  for (int line = 0; line < 2000; ++line) {
    for (auto n = 6 + words.number() % 14; n > 0; --n) {
      out += kPieces[words.number() % std::size(kPieces)];
    }
    out += "\r\n";
  }
  return out;
}

}  // namespace

base::Result<std::vector<AgentRecordings>> read_recordings(const std::string& folder) {
  const auto files =
      accuracy::find_recordings({.folder = folder, .ignore = "", .exclude = "", .agents = {}});
  if (!files) return files.error();
  std::vector<AgentRecordings> agents;
  for (const accuracy::RecordingFile& file : *files) {
    base::Result<store::Cast> cast = store::read_cast(file.path);
    if (!cast) return cast.error();
    if (agents.empty() || agents.back().agent != file.agent) agents.push_back({file.agent, {}});
    agents.back().casts.push_back(std::move(*cast));
  }
  return agents;
}

std::vector<std::string> stream_names(const std::vector<AgentRecordings>& agents) {
  std::vector<std::string> names;
  for (const AgentRecordings& agent : agents) names.push_back(agent.agent);
  for (const char* name : {"mix", "plain", "coloured", "repaint", "cjk+emoji"}) {
    names.push_back(name);
  }
  return names;
}

std::string make_stream(const std::string& name, const std::vector<AgentRecordings>& agents,
                        term::Size size, size_t bytes) {
  if (name == "mix") return mixed(agents, size, bytes);
  if (name == "plain") return repeated(plain_lines(), bytes);
  if (name == "coloured") return repeated(coloured_lines(), bytes);
  if (name == "repaint") return repeated(repainted(size), bytes);
  if (name == "cjk+emoji") return repeated(wide_lines(), bytes);
  const auto agent = std::find_if(agents.begin(), agents.end(),
                                  [&](const AgentRecordings& a) { return a.agent == name; });
  return agent == agents.end() ? std::string() : repeated(output_of(*agent, size), bytes);
}

}  // namespace orch::speed
