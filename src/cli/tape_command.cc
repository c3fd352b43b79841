#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "cli/new_command.h"
#include "setup/paths.h"
#include "tape/comparison.h"
#include "tape/said.h"
#include "tape/tape.h"
#include "ui/table.h"

namespace orch::cli {
namespace {

constexpr int kTapesDiffer = 1;  // as of diff
constexpr size_t kMostDifferencesShown = 5;

struct ShowTapeOptions {
  std::string file;
  bool json = false;
};

struct DiffTapesOptions {
  std::string first, second;
  bool json = false;
};

base::Result<tape::Tape> read_tape(const std::string& file) {
  const base::Result<std::string> text = setup::read_text(file, tape::kMostTapeBytes);
  if (!text) return text.error();
  return tape::parse(file, *text);
}

size_t body_bytes(const tape::Entry& entry) {
  size_t bytes = 0;
  for (const tape::Piece& piece : entry.answer.body) bytes += piece.bytes.size();
  return bytes;
}

std::string_view end_word(tape::Answer::End end) {
  switch (end) {
    case tape::Answer::End::kWhole:
      return "whole";
    case tape::Answer::End::kCut:
      return "cut";
    case tape::Answer::End::kLeft:
      return "left";
  }
  return "";
}

base::Json json_of(const tape::Entry& entry) {
  const tape::Said said = tape::said(entry);
  return {{"n", entry.n},
          {"ms", entry.ms},
          {"kind", entry.kind},
          {"protocol", base::or_null(entry.protocol)},
          {"method", entry.method},
          {"path", entry.path},
          {"model", base::or_null(entry.model)},
          {"request_bytes", entry.request.size()},
          {"status", entry.answer.status},
          {"end", end_word(entry.answer.end)},
          {"answer_bytes", body_bytes(entry)},
          {"answer_ms", entry.answer.body.empty() ? 0 : entry.answer.body.back().ms},
          {"text", said.text},
          {"calls", said.calls}};
}

// The beginning of the answer's words, and its calls.
std::string first_words(const tape::Entry& entry) {
  constexpr size_t kMost = 60;
  const tape::Said said = tape::said(entry);
  std::string words(base::trim(said.text));
  std::ranges::replace(words, '\n', ' ');
  if (words.size() > kMost) words = std::string(base::beginning(words, kMost)) + "…";
  for (const std::string& call : said.calls) {
    const size_t name = std::min(call.find(' '), call.size());
    words += (words.empty() ? "[" : " [") + call.substr(0, name) + "]";
  }
  return words;
}

int show_tape(const ShowTapeOptions& options) {
  const base::Result<tape::Tape> tape = read_tape(options.file);
  if (!tape) return report(tape.error());
  if (options.json) {
    base::Json json{{"agent", tape->header.agent},
                    {"provider", base::or_null(tape->header.provider)},
                    {"requests", base::Json::array()}};
    for (const tape::Entry& entry : tape->entries) json["requests"].push_back(json_of(entry));
    std::fputs(base::json_text(json).c_str(), stdout);
    return 0;
  }
  constexpr int kAlways = ui::Table::kAlways;
  ui::Table table({{"N", kAlways, true},
                   {"KIND", kAlways},
                   {"MODEL", 1},
                   {"ASKED", 2, true},
                   {"STATUS", kAlways, true},
                   {"END", 3},
                   {"BYTES", 2, true},
                   {"SAYS", kAlways}});
  for (const tape::Entry& entry : tape->entries) {
    const bool asks_model = !entry.protocol.empty();
    table.add({{std::to_string(entry.n)},
               {entry.kind},
               {asks_model ? entry.model : entry.method + " " + std::string(plain_path(entry))},
               {std::to_string(entry.request.size())},
               {std::to_string(entry.answer.status)},
               {std::string(end_word(entry.answer.end))},
               {std::to_string(body_bytes(entry))},
               {first_words(entry)}});
  }
  std::fputs(table.text(ui::window_columns(), false).c_str(), stdout);
  return 0;
}

base::Json json_of(const std::vector<tape::Difference>& differences) {
  base::Json json = base::Json::array();
  for (const tape::Difference& one : differences) {
    json.push_back({{"path", one.path}, {"first", one.expected}, {"second", one.actual}});
  }
  return json;
}

base::Json json_of(const tape::Pair& pair) {
  return {{"kind", pair.kind},
          {"method", pair.method},
          {"path", pair.path},
          {"first", base::or_null(pair.first)},
          {"second", base::or_null(pair.second)},
          {"same", pair.is_same()},
          {"request", json_of(pair.request)},
          {"answer", json_of(pair.answer)}};
}

void print_differences(const char* of, const std::vector<tape::Difference>& differences) {
  for (const tape::Difference& one : differences) {
    std::printf("  %s %s\n    - %s\n    + %s\n", of, base::printable(one.path).c_str(),
                base::printable(one.expected).c_str(), base::printable(one.actual).c_str());
  }
}

void print_pair(const tape::Pair& pair) {
  const std::string what = base::printable(pair.kind + ", " + pair.method + " " + pair.path);
  if (!pair.second) {
    std::printf("request %lld (%s): only on the first tape\n", static_cast<long long>(*pair.first),
                what.c_str());
  } else if (!pair.first) {
    std::printf("request %lld (%s): only on the second tape\n",
                static_cast<long long>(*pair.second), what.c_str());
  } else {
    std::printf("request %lld and %lld (%s)\n", static_cast<long long>(*pair.first),
                static_cast<long long>(*pair.second), what.c_str());
  }
  print_differences("asks", pair.request);
  print_differences("answer", pair.answer);
}

int diff_tapes(const DiffTapesOptions& options) {
  const base::Result<tape::Tape> first = read_tape(options.first);
  if (!first) return report(first.error());
  const base::Result<tape::Tape> second = read_tape(options.second);
  if (!second) return report(second.error());
  const std::vector<tape::Pair> pairs = tape::compare(*first, *second, kMostDifferencesShown);
  const auto differ =
      std::ranges::count_if(pairs, [](const tape::Pair& pair) { return !pair.is_same(); });
  if (options.json) {
    base::Json json{{"same", differ == 0}, {"requests", base::Json::array()}};
    for (const tape::Pair& pair : pairs) json["requests"].push_back(json_of(pair));
    std::fputs(base::json_text(json).c_str(), stdout);
  } else {
    for (const tape::Pair& pair : pairs) {
      if (!pair.is_same()) print_pair(pair);
    }
    std::printf("%zu requests, %td different\n", pairs.size(), differ);
  }
  return differ > 0 ? kTapesDiffer : 0;
}

void add_show_tape(CLI::App& tape, Chosen& chosen) {
  CommandWith<ShowTapeOptions> command(tape, chosen, "show", "the requests and answers on a tape",
                                       show_tape);
  command.option("file", command->file, "a tape of --record-wire").required();
  command.flag("--json", command->json, "as JSON, with all words of the answers");
  command.footer(
      "ASKED, BYTES: the sizes of request and answer. END: whole, cut (the model broke off), left "
      "(the agent hung up).\n\nExample:\n  orch tape show run.tape");
}

void add_diff_tapes(CLI::App& tape, Chosen& chosen) {
  CommandWith<DiffTapesOptions> command(tape, chosen, "diff", "what differs between two tapes",
                                        diff_tapes);
  command.option("first", command->first, "a tape of --record-wire").required();
  command.option("second", command->second, "another one").required();
  command.flag("--json", command->json, "as JSON");
  command.footer(
      "Equal requests are paired, then those of a kind in order. A tape has replaced or left out "
      "what "
      "differs anyway: the folder, the home directory (also with - or %2F for /), dates, times, "
      "durations, ids, hashes and numbers of seven digits, Linux's version, secrets, "
      "cache_control, "
      "prompt_cache_key, client_metadata. Of answers status, words and calls count.\n\n"
      "Exit codes: 0 the same · 1 different · 2 wrong usage, or not a tape.\n\n"
      "Example:\n  orch tape diff monday.tape today.tape");
}

}  // namespace

void add_tape_command(CLI::App& app, Chosen& chosen) {
  NewCommand command(app, "tape", "look at tapes of an agent's requests to its model");
  command.takes_subcommand(true);
  command.footer(
      "A run with --record-wire TAPE makes one, and --replay-wire TAPE plays it.\n\n"
      "Example:\n  orch tape show run.tape");
  add_show_tape(command.app(), chosen);
  add_diff_tapes(command.app(), chosen);
}

}  // namespace orch::cli
