#include "base/pattern.h"

#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <array>

#include "base/literals.h"

namespace orch::base {
namespace {

// How much memory one expression may take (RE2's default is 8 MB); the expressions of a set share
// one limit.
constexpr int64_t kMemory = 1 << 20;
constexpr int64_t kSetMemory = 64 << 20;

RE2::Options options(int64_t memory) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(memory);
  return options;
}

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

struct Pattern::Compiled {
  explicit Compiled(std::string_view expression)
      : text(expression), re(piece(expression), options(kMemory)) {}
  std::string text;
  RE2 re;
};

Pattern::Pattern(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

Result<Pattern> Pattern::compile(std::string_view expression) {
  auto compiled = std::make_unique<Compiled>(expression);
  if (!compiled->re.ok()) {
    return usage_error("pattern \"" + std::string(expression) + "\": " + compiled->re.error());
  }
  return Pattern(std::move(compiled));
}

bool Pattern::matches(std::string_view text) const {
  return RE2::PartialMatch(piece(text), compiled_->re);
}

bool Pattern::capture(std::string_view text, std::string* captured) const {
  std::array<re2::StringPiece, 2> groups;
  const int count = compiled_->re.NumberOfCapturingGroups() > 0 ? 2 : 1;
  if (!compiled_->re.Match(piece(text), 0, text.size(), RE2::UNANCHORED, groups.data(), count)) {
    return false;
  }
  const re2::StringPiece& group = groups[static_cast<size_t>(count - 1)];
  captured->assign(group.data() != nullptr ? group.data() : "", group.size());
  return true;
}

const std::string& Pattern::expression() const { return compiled_->text; }

struct PatternSet::Compiled {
  Compiled()
      : set(options(kSetMemory), RE2::UNANCHORED), rest(options(kSetMemory), RE2::UNANCHORED) {}

  // Rules write "." for "not empty", so any printable ASCII character matches it.
  bool is_answered_by_any(std::string_view text) const {
    return rest_is_any &&
           std::any_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
  }

  PatternBits match_rest(std::string_view text) const {
    PatternBits bits;
    if (is_answered_by_any(text)) {
      for (const size_t bit : rest_bits) bits.set(bit);
      return bits;
    }
    if (rest_bits.empty()) return bits;
    rest.Match(piece(text), &hits);
    for (const int hit : hits) bits.set(rest_bits[static_cast<size_t>(hit)]);
    return bits;
  }

  RE2::Set set;   // all expressions
  RE2::Set rest;  // those that require no literal
  std::vector<size_t> rest_bits;
  bool rest_is_any = true;  // each expression in `rest` is "."
  LiteralScan scan;
  // Reused, so that a match does not allocate.
  mutable std::vector<int> hits;
  mutable std::string framed;
};

PatternSet::PatternSet() : compiled_(std::make_unique<Compiled>()) {}
PatternSet::PatternSet(PatternSet&&) noexcept = default;
PatternSet& PatternSet::operator=(PatternSet&&) noexcept = default;
PatternSet::~PatternSet() = default;

Result<size_t> PatternSet::add(std::string_view expression) {
  const auto known = std::find(expressions_.begin(), expressions_.end(), expression);
  if (known != expressions_.end()) return static_cast<size_t>(known - expressions_.begin());
  if (expressions_.size() == kMaxPatterns) {
    return usage_error("more than " + std::to_string(kMaxPatterns) + " patterns");
  }
  std::string error;
  if (compiled_->set.Add(piece(expression), &error) < 0) {
    return usage_error("pattern \"" + std::string(expression) + "\": " + error);
  }
  expressions_.emplace_back(expression);
  literals_.push_back(required_literals(expression));
  if (literals_.back().empty()) {
    compiled_->rest.Add(piece(expression), &error);
    compiled_->rest_bits.push_back(expressions_.size() - 1);
    compiled_->rest_is_any = compiled_->rest_is_any && expression == ".";
  } else {
    compiled_->scan.add(literals_.back());
  }
  return expressions_.size() - 1;
}

Status PatternSet::compile() {
  const bool rest_compiles = compiled_->rest_bits.empty() || compiled_->rest.Compile();
  if (!expressions_.empty() && (!compiled_->set.Compile() || !rest_compiles)) {
    return usage_error("the patterns together need more than " + std::to_string(kSetMemory >> 20) +
                       " MB");
  }
  return Ok{};
}

PatternBits PatternSet::match(std::string_view text) const {
  frame_text(text, compiled_->framed);
  const bool found = compiled_->scan.any_in(compiled_->framed);
  return found ? match_by_expressions(text) : compiled_->match_rest(text);
}

bool PatternSet::reaches_expressions(std::string_view text) const {
  const bool rest = !compiled_->rest_bits.empty() && !compiled_->is_answered_by_any(text);
  if (rest) return true;
  frame_text(text, compiled_->framed);
  return compiled_->scan.any_in(compiled_->framed);
}

PatternBits PatternSet::match_by_expressions(std::string_view text) const {
  PatternBits bits;
  if (expressions_.empty()) return bits;
  compiled_->set.Match(piece(text), &compiled_->hits);
  for (const int hit : compiled_->hits) bits.set(static_cast<size_t>(hit));
  return bits;
}

}  // namespace orch::base
