// Reads any bytes as a client's input: however it is split, the lines are the same, every answer is
// one line of JSON, and a started request gets exactly one answer when it has ended.

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/line_cutter.h"
#include "mcp/server.h"

namespace {

using namespace orch::mcp;

constexpr size_t kMostLineBytes = 512;

std::vector<std::string> lines_in(std::string_view bytes, size_t piece) {
  std::vector<std::string> lines;
  orch::base::LineCutter reader(kMostLineBytes);
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    reader.cut(
        bytes.substr(0, piece), [&](std::string_view line) { lines.emplace_back(line); },
        [&] { lines.emplace_back("too long"); });
  }
  return lines;
}

void check_answer(const Action& action) {
  const std::string& line = std::get<Say>(action).line;
  ORCH_CHECK(line.find('\n') == line.size() - 1 && nlohmann::json::accept(line));
}

void serve(const std::vector<std::string>& lines, Caller caller) {
  Server server({caller, "R1", "1", "/state"});
  for (const std::string& line : lines) {
    const auto action = server.hear(line);
    if (!action) continue;
    const auto* start = std::get_if<Start>(&*action);
    if (start == nullptr) {
      if (!std::holds_alternative<Stop>(*action)) check_answer(*action);
      continue;
    }
    const auto answer = server.ended(start->call, {line.size() % 2 == 0 ? 0 : 1, line, line});
    ORCH_CHECK(answer.has_value() && server.calls() == 0);
    check_answer(*answer);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::vector<std::string> lines = lines_in(bytes, std::max<size_t>(bytes.size(), 1));
  ORCH_CHECK(lines_in(bytes, 1) == lines);
  ORCH_CHECK(lines_in(bytes, 1 + data[0]) == lines);
  serve(lines, Caller::kOutside);
  serve(lines, Caller::kInRun);
  return 0;
}
