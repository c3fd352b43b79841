#include "forge/verdict.h"

#include <catch2/catch.hpp>

using namespace orch::forge;

namespace {

LookedAt green() {
  LookedAt look;
  look.pr.number = 43;
  look.pr.name = "pull request #43";
  look.pr.state = "OPEN";
  look.pr.base = "main";
  look.pr.head_oid = "abc";
  look.pull_requests = 1;
  look.mergeable = "MERGEABLE";
  look.knows_commit = true;
  look.rollup = "SUCCESS";
  look.checks = {{"test", "CI", CheckState::kGreen, "SUCCESS", 1, ""}};
  look.checks_in_all = 1;
  return look;
}

Verdict verdict_of(const LookedAt& look) {
  return judge(look, {.commit = "abc", .seen_checks = checks_text(look)}).verdict;
}

}  // namespace

TEST_CASE("each thing that is missing or unknown keeps a pull request from being green") {
  CHECK(verdict_of(green()) == Verdict::kGreen);
  struct Row {
    const char* what;
    void (*change)(LookedAt&);
    Verdict verdict;
  };
  for (const Row& row : {
           Row{"no pull request", [](LookedAt& l) { l.pr = {}; }, Verdict::kUser},
           Row{"an unknown state", [](LookedAt& l) { l.pr.state = "NEW"; }, Verdict::kUser},
           Row{"another head", [](LookedAt& l) { l.pr.head_oid = "def"; }, Verdict::kUser},
           Row{"an unknown commit", [](LookedAt& l) { l.knows_commit = false; }, Verdict::kPending},
           Row{"a merge queue", [](LookedAt& l) { l.in_merge_queue = true; }, Verdict::kPending},
           Row{"no checks", [](LookedAt& l) { l.checks.clear(); }, Verdict::kPending},
           Row{"a page to read", [](LookedAt& l) { l.next_checks = "x"; }, Verdict::kPending},
           Row{"fewer checks than said", [](LookedAt& l) { l.checks_in_all = 2; },
               Verdict::kPending},
           Row{"a rollup that lags", [](LookedAt& l) { l.rollup = "PENDING"; }, Verdict::kPending},
           Row{"a rollup that is red", [](LookedAt& l) { l.rollup = "FAILURE"; },
               Verdict::kPending},
           Row{"an unknown word", [](LookedAt& l) { l.checks[0].state = CheckState::kUnclear; },
               Verdict::kUser},
           Row{"more remarks", [](LookedAt& l) { l.has_more_remarks = true; }, Verdict::kUser},
           Row{"requested changes", [](LookedAt& l) { l.review_decision = "CHANGES_REQUESTED"; },
               Verdict::kRed},
       }) {
    INFO(row.what);
    LookedAt look = green();
    row.change(look);
    CHECK(verdict_of(look) == row.verdict);
  }
}

TEST_CASE("a stranger's review decides nothing") {
  LookedAt look = green();
  look.reviews = {{"1", "mal", "NONE", "CHANGES_REQUESTED", true}};
  CHECK(verdict_of(look) == Verdict::kGreen);
  look.reviews[0].role = "MEMBER";
  CHECK(verdict_of(look) == Verdict::kRed);
  look.reviews[0].is_of_head = false;
  CHECK(verdict_of(look) == Verdict::kPending);
}
