#include "driver/usage_counts.h"

#include <catch2/catch.hpp>
#include <string>

#include "adapters/embedded.h"

namespace orch::driver {
namespace {

constexpr const char* kSince = "2026-11-22T10:00:00.000Z";

adapters::RecordSpec spec_of(std::string_view agent) {
  for (const adapters::EmbeddedManifest& embedded : adapters::embedded_manifests()) {
    auto manifest = adapters::parse_manifest(embedded.text, embedded.file);
    if (manifest->name == agent) return manifest->record;
  }
  return {};
}

event::Usage sum_of(const std::string& agent, const std::string& lines) {
  UsageSum sum(spec_of(agent), kSince);
  RecordLines cut;
  // Feeds small pieces, so that every line is cut.
  for (size_t at = 0; at < lines.size(); at += 7) {
    cut.feed(std::string_view(lines).substr(at, 7), [&sum](std::string_view l) { sum.take(l); });
  }
  return sum.sum();
}

std::string claude_line(const std::string& id, const std::string& time, int in, int out) {
  return R"({"type":"assistant","isSidechain":false,"message":{"id":")" + id +
         R"(","model":"m","usage":{"input_tokens":)" + std::to_string(in) +
         R"(,"cache_creation_input_tokens":10,"cache_read_input_tokens":100,"output_tokens":)" +
         std::to_string(out) + R"(}},"timestamp":")" + time + "\"}\n";
}

std::string codex_line(const std::string& id, int in, int thread) {
  return R"({"timestamp":"2026-11-22T10:00:01.000Z","type":"token_usage_record","payload":{)"
         R"("response_id":")" +
         id + R"(","usage":{"input_tokens":)" + std::to_string(in) +
         R"(,"cached_input_tokens":200,"output_tokens":4},"thread_token_usage":{"input_tokens":)" +
         std::to_string(thread) + "}}}\n";
}

std::string gemini_line(const std::string& id, int out) {
  return R"({"id":")" + id +
         R"(","timestamp":"2026-11-22T10:00:01.000Z","type":"gemini","content":"x","tokens":)"
         R"({"input":1200,"output":)" +
         std::to_string(out) + R"(,"cached":50,"thoughts":7,"tool":0,"total":1211}})";
}

TEST_CASE("claude repeats a request's tokens on each of its lines, and it counts once") {
  const std::string later = "2026-11-22T10:00:01.000Z";
  const event::Usage sum = sum_of(
      "claude", claude_line("msg_1", later, 1000, 1) + claude_line("msg_1", later, 1000, 4) +
                    claude_line("msg_2", later, 2000, 5) + claude_line("msg_1", later, 1000, 4));
  CHECK(sum.in == 1110 + 2110);
  CHECK(sum.cached == 200);
  CHECK(sum.out == 9);
  CHECK_FALSE(sum.cost_usd);
}

TEST_CASE("what was written before the run began is of another run") {
  const event::Usage sum =
      sum_of("claude", claude_line("msg_1", "2026-11-22T09:59:59.999Z", 1000, 4) +
                           claude_line("msg_2", "2026-11-22T10:00:00.000Z", 2000, 5));
  CHECK(sum.in == 2110);
}

TEST_CASE("codex says what a request took beside what its thread took") {
  const event::Usage sum =
      sum_of("codex", codex_line("resp_1", 1200, 1200) + codex_line("resp_2", 1300, 2500));
  CHECK(sum.in == 2500);
  CHECK(sum.cached == 400);
  CHECK(sum.out == 8);
}

TEST_CASE("gemini writes a message again with its tools, and replaces all of them at once") {
  const std::string all =
      R"({"$set":{"messages":[)" + gemini_line("a", 4) + "," + gemini_line("c", 6) + "]}}\n";
  const event::Usage sum = sum_of("gemini", gemini_line("a", 4) + "\n" + gemini_line("a", 4) +
                                                "\n" + gemini_line("b", 5) + "\n" + all);
  CHECK(sum.in == 3600);
  CHECK(sum.out == 4 + 5 + 6 + 3 * 7);
  CHECK(sum.cached == 150);
}

TEST_CASE("lines that lie, are torn or are no JSON count as nothing") {
  const std::string time = "2026-11-22T10:00:01.000Z";
  const event::Usage sum =
      sum_of("claude", "{\"input_tokens\": \n" + claude_line("msg_1", time, -5, -1) +
                           R"({"type":"assistant","timestamp":")" + time +
                           R"(","message":{"id":"msg_2","usage":{"input_tokens":1e300,)"
                           R"("output_tokens":"7"}}})"
                           "\n" +
                           R"({"type":"assistant","message":{"id":"msg_3","usage":{)"
                           R"("input_tokens":5}}})"
                           "\n");
  CHECK(sum.in == 110);  // msg_1 counts with what its cache reports
  CHECK(sum.out == 0);
}

TEST_CASE("a line beyond all measure is left out, and what follows is read") {
  RecordLines lines;
  int taken = 0;
  const auto take = [&taken](std::string_view line) {
    CHECK(line == "short");
    ++taken;
  };
  const std::string part(1 << 20, 'x');
  for (int i = 0; i < 40; ++i) lines.feed(part, take);
  lines.feed("\nshort\nshort\n", take);
  CHECK(taken == 2);
}

}  // namespace
}  // namespace orch::driver
