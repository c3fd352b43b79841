#include "base/pattern.h"

#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <utility>

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

// Compiled once, by the first thread that searches.
struct Pattern::Expression {
  explicit Expression(std::string_view expression) : text(expression) {}
  const RE2& compiled() const {
    std::call_once(once, [this] { re.emplace(text, options(kMemory)); });
    return *re;
  }
  const std::string text;
  mutable std::once_flag once;
  mutable std::optional<RE2> re;
};

Pattern::Pattern(std::unique_ptr<Expression> expression) : expression_(std::move(expression)) {}
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

Result<Pattern> Pattern::compile(std::string_view expression, Compiled when) {
  auto held = std::make_unique<Expression>(expression);
  if (when == Compiled::kNow && !held->compiled().ok()) {
    return usage_error("pattern \"" + std::string(expression) + "\": " + held->compiled().error());
  }
  return Pattern(std::move(held));
}

bool Pattern::matches(std::string_view text) const {
  return RE2::PartialMatch(piece(text), expression_->compiled());
}

bool Pattern::capture(std::string_view text, std::string* captured) const {
  const RE2& re = expression_->compiled();
  std::array<re2::StringPiece, 2> groups;
  const int count = re.NumberOfCapturingGroups() > 0 ? 2 : 1;
  if (!re.Match(piece(text), 0, text.size(), RE2::UNANCHORED, groups.data(), count)) {
    return false;
  }
  const re2::StringPiece& group = groups[static_cast<size_t>(count - 1)];
  captured->assign(group.data() != nullptr ? group.data() : "", group.size());
  return true;
}

const std::string& Pattern::expression() const { return expression_->text; }

struct PatternSet::Search {
  // An RE2::Set that is filled and compiled at once, or at the first match.
  class Expressions {
   public:
    explicit Expressions(Compiled when) {
      if (when == Compiled::kNow) set_.emplace(options(kSetMemory), RE2::UNANCHORED);
    }

    // The error is RE2's; "": none, or not known yet.
    std::string add(const std::string& expression) {
      std::string error;
      if (set_) {
        set_->Add(piece(expression), &error);
      } else {
        later_.push_back(expression);
      }
      return error;
    }

    bool compile() { return !set_ || set_->Compile(); }

    void prepare() {
      if (later_.empty()) return;
      set_.emplace(options(kSetMemory), RE2::UNANCHORED);
      for (const std::string& expression : std::exchange(later_, {})) {
        // Each index must belong to its expression, so a bad expression is replaced by one without
        // a match.
        if (set_->Add(piece(expression), nullptr) < 0) set_->Add("[^\\x00-\\x{10FFFF}]", nullptr);
      }
      if (!set_->Compile()) set_.reset();
    }

    // Puts the indices of the matching expressions into `hits`, whose memory is reused.
    void match(std::string_view text, std::vector<int>& hits) {
      prepare();
      hits.clear();
      if (set_) set_->Match(piece(text), &hits);
    }

   private:
    std::optional<RE2::Set> set_;
    std::vector<std::string> later_;  // not in the set yet
  };

  explicit Search(Compiled when) : set(when), rest(when) {}

  // Rules write "." for "not empty", so any printable ASCII character matches it.
  bool is_answered_by_any(std::string_view text) const {
    return rest_is_any &&
           std::any_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
  }

  PatternBits match_rest(std::string_view text) {
    PatternBits bits;
    if (is_answered_by_any(text)) {
      for (const size_t bit : rest_bits) bits.set(bit);
      return bits;
    }
    if (rest_bits.empty()) return bits;
    rest.match(text, hits);
    for (const int hit : hits) bits.set(rest_bits[static_cast<size_t>(hit)]);
    return bits;
  }

  // The last result for a text: screens show the same rows again and again. Two texts with one hash
  // are too unlikely to matter.
  struct Known {
    size_t hash = 0;
    PatternBits bits;
  };
  static constexpr size_t kMostKnown = 4096;

  Expressions set;   // all expressions
  Expressions rest;  // expressions without a required literal
  std::vector<size_t> rest_bits;
  bool rest_is_any = true;  // each expression in `rest` is "."
  LiteralScan scan;
  // Reused, so that a match does not allocate.
  std::vector<int> hits;
  std::string framed;
  std::vector<Known> known;  // by hash; empty before the first match
};

PatternSet::PatternSet(Compiled when) : search_(std::make_unique<Search>(when)) {}
PatternSet::PatternSet(PatternSet&&) noexcept = default;
PatternSet& PatternSet::operator=(PatternSet&&) noexcept = default;
PatternSet::~PatternSet() = default;

Result<size_t> PatternSet::add(std::string_view expression) {
  const auto known = std::find(expressions_.begin(), expressions_.end(), expression);
  if (known != expressions_.end()) return static_cast<size_t>(known - expressions_.begin());
  if (expressions_.size() == kMaxPatterns) {
    return usage_error("more than " + std::to_string(kMaxPatterns) + " patterns");
  }
  if (const std::string error = search_->set.add(std::string(expression)); !error.empty()) {
    return usage_error("pattern \"" + std::string(expression) + "\": " + error);
  }
  search_->known.clear();
  expressions_.emplace_back(expression);
  literals_.push_back(required_literals(expression));
  if (literals_.back().empty()) {
    search_->rest.add(expressions_.back());
    search_->rest_bits.push_back(expressions_.size() - 1);
    search_->rest_is_any = search_->rest_is_any && expression == ".";
  } else {
    search_->scan.add(literals_.back());
  }
  return expressions_.size() - 1;
}

Status PatternSet::compile() {
  const bool rest_compiles = search_->rest_bits.empty() || search_->rest.compile();
  if (!expressions_.empty() && (!search_->set.compile() || !rest_compiles)) {
    return usage_error("the patterns together need more than " + std::to_string(kSetMemory >> 20) +
                       " MB");
  }
  return Ok{};
}

void PatternSet::prepare() const {
  search_->set.prepare();
  search_->rest.prepare();
}

PatternBits PatternSet::match(std::string_view text) const {
  if (search_->known.empty()) search_->known.resize(Search::kMostKnown);
  const size_t hash = std::hash<std::string_view>()(text) | 1;
  Search::Known& known = search_->known[(hash >> 1) % Search::kMostKnown];
  if (known.hash != hash) known = {hash, match_anew(text)};
  return known.bits;
}

PatternBits PatternSet::match_anew(std::string_view text) const {
  frame_text(text, search_->framed);
  const bool found = search_->scan.any_in(search_->framed);
  return found ? match_by_expressions(text) : search_->match_rest(text);
}

bool PatternSet::reaches_expressions(std::string_view text) const {
  const bool rest = !search_->rest_bits.empty() && !search_->is_answered_by_any(text);
  if (rest) return true;
  frame_text(text, search_->framed);
  return search_->scan.any_in(search_->framed);
}

PatternBits PatternSet::match_by_expressions(std::string_view text) const {
  PatternBits bits;
  if (expressions_.empty()) return bits;
  search_->set.match(text, search_->hits);
  for (const int hit : search_->hits) bits.set(static_cast<size_t>(hit));
  return bits;
}

}  // namespace orch::base
