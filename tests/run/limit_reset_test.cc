#include "run/limit_reset.h"

#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <vector>

namespace orch::run {
namespace {

constexpr int kHour = 3600;
constexpr int kDay = 24 * kHour;
constexpr int kBerlin = kHour;  // in winter

using Wait = std::optional<int64_t>;

// Sunday, 22 November 2026, 10:20:30 in Berlin.
constexpr LocalTime kNow{2026, 11, 22, 10, 20, 30, kBerlin};

Wait wait(const std::string& text, const LocalTime& now = kNow) {
  const std::optional<LimitReset> reset = wait_until_reset(text, now);
  if (!reset) return std::nullopt;
  return reset->seconds;
}

// Milliseconds from kNow to a time of day, `day` days later.
int64_t until(int day, int hour, int minute = 0, int second = 0) {
  return day * kDay + (hour - 10) * kHour + (minute - 20) * 60 + (second - 30);
}

struct Row {
  std::string text;
  int64_t wait;
};

void check(const std::vector<Row>& table) {
  for (const Row& row : table) {
    INFO(row.text);
    CHECK(wait(row.text) == Wait(row.wait));
  }
}

TEST_CASE("a time of day is the next one") {
  check({
      {"5-hour limit reached ∙ resets 3pm", until(0, 15)},
      {"You've hit your session limit · resets 3:30 PM (Europe/Berlin)", until(0, 15, 30)},
      {"Your limit will reset at 3pm (America/New_York).", until(0, 15)},
      {"resets at 9am", until(1, 9)},
      {"resets 12am", until(1, 0)},
      {"resets 12pm", until(0, 12)},
      {"resets 12:20pm", until(0, 12, 20)},
      {"resets at 3 p.m.", until(0, 15)},
      {"limit resets at noon", until(0, 12)},
      {"quota resets at midnight", until(1, 0)},
      {"Opus is available again at 14:05", until(0, 14, 5)},
      {"next available: 14:05", until(0, 14, 5)},
      {"You've hit your usage limit. Upgrade to Pro or try again at 2:48 PM.", until(0, 14, 48)},
      {"try again at 2:48\u202FPM", until(0, 14, 48)},
      {"5h limit: [░░░░] 0% left (resets 14:05)", until(0, 14, 5)},
      {"You've used 100% of your weekly limit · resets 3pm", until(0, 15)},
      {"rate limited until 14:05:10", until(0, 14, 5, 10)},
      {"Your plan's limit ends at 23:59", until(0, 23, 59)},
      {"resets tomorrow at 9:00", until(1, 9)},
      {"resets today at 5 PM", until(0, 17)},
      {"resets 5pm tomorrow", until(1, 17)},
      {"try again tomorrow", until(1, 0)},
  });
}

// Claude Code 2.1.197 and 2.1.330, Codex 0.169, Gemini 0.61 and opencode 1.18, as observed.
TEST_CASE("what the agents say of limits names their ends") {
  check({
      {"  ⎿  You've hit your session limit · resets 9:30am (UTC)", until(0, 10, 30)},
      {"  ⎿  You've hit your 5-hour limit · resets 3:16pm (UTC)\n\n"
       "● Usage limit reached · set to continue automatically at 4:16pm\n"
       "  ⚠ Usage limit reached · limit resets 4:16pm\n"
       "    Continuing automatically at 4:16pm · Esc to cancel",
       until(0, 16, 16)},
      {"  ⎿  You've hit your weekly limit · resets Nov 24, 9:16am (UTC)\n\n"
       "  What do you want to do?\n\n"
       "  ❯ 1. Stop and wait for limit to reset\n"
       "    2. Wait here, then continue automatically at Nov 24, 10:16am\n",
       until(2, 10, 16)},
      {"your 5-hour limit resets 9:30am (UTC)", until(0, 10, 30)},
      {"■ You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit\n"
       "https://chatgpt.com/settings/usage to purchase more credits or try again at 3:21 PM.",
       until(0, 15, 21)},
      {"credits or try again at Nov 28th, 2026 3:21 PM.", until(6, 15, 21)},
  });
}

TEST_CASE("a zone that is UTC's is honoured, any other is ours") {
  check({
      {"resets 10pm (UTC)", until(0, 23)},
      {"resets 10pm (Etc/UTC)", until(0, 23)},
      {"resets 9:21am UTC", until(0, 10, 21)},
      {"resets 9:20am UTC", 30},  // within this minute
      {"resets 9am UTC", until(1, 10)},
      {"resets 11:30pm UTC", until(1, 0, 30)},
      {"Access resets at 11:30 PM GMT+1.", until(0, 23, 30)},
      {"Access resets at 11:30 PM GMT-5.", until(1, 5, 30)},
      {"Access resets at 11:30 PM GMT+5:30.", until(0, 19)},
      {"resets 10pm PST", until(0, 22)},
  });
}

TEST_CASE("a day is named with or without its year and time") {
  check({
      {"resets Nov 25, 3pm", until(3, 15)},
      {"Weekly limit reached ∙ resets Nov 29 at 5am", until(7, 5)},
      {"try again on Nov 25th, 2026 9:12 AM", until(3, 9, 12)},
      {"try again at Nov 23rd, 2026 9:12 AM.", until(1, 9, 12)},
      {"(resets 09:12 on 25 Nov)", until(3, 9, 12)},
      {"Your limit resets on 25 November 2026 at 09:12", until(3, 9, 12)},
      {"resets Nov 25", until(3, 0)},
      {"resets Mon 9:00", until(1, 9)},
      {"resets on Sunday at 9am", until(7, 9)},
      {"resets Sunday, 11am", until(0, 11)},
      {"resets Wed, Nov 25, 3pm", until(3, 15)},
      {"\"quotaResetTimeStamp\": \"2026-11-22T15:00:00Z\"", until(0, 16)},
      {"anthropic-ratelimit-tokens-reset: 2026-11-22T15:00:00.250+02:00", until(0, 14)},
      {"Retry-After: Mon, 23 Nov 2026 07:28:00 GMT", until(1, 8, 28)},
  });
}

TEST_CASE("a duration counts from now, rounded up") {
  check({
      {"Try again in 3 hours 12 minutes", 3 * kHour + 12 * 60},
      {"try again in 5m30s", 330},
      {"Rate limit reached for gpt-5 on tokens per min. Please try again in 20s. Visit", 20},
      {"Please try again in 1.242s.", 2},
      {"Please try again in 28ms.", 1},
      {"Please try again in 6m0s.", 360},
      {"Please retry in 34.074824224s.", 35},
      {"retry after 30 seconds", 30},
      {"Your quota will reset after 3h15m20s.", 3 * kHour + 15 * 60 + 20},
      {"Your limit will be lifted in 2 days", 2 * kDay},
      {"limit resets in ~5 minutes", 300},
      {"Fast limit reached and temporarily disabled · resets in 1h 2m", 3720},
      {"try again in 1 day, 3 hours and 5 minutes", kDay + 3 * kHour + 300},
      {"Try again later (in about an hour)", kHour},
      {"Please wait 45 seconds before trying again", 45},
      {"wait for 2 minutes and try again", 120},
      {"try again in 20s 3 files changed", 20},
      {"reset in 0s", 0},
      {"resets in 1 week", 7 * kDay},
      {"resets in 8 days", 8 * kDay},
  });
}

TEST_CASE("a field of a header or of JSON names seconds, milliseconds or a moment") {
  check({
      {"Retry-After: 120", 120},
      {"retry-after-ms: 1200", 2},
      {R"("retryDelay": "34s")", 34},
      {R"("retryDelay":"34.5s")", 35},
      {R"({\"retry_after\":30})", 30},
      {R"("resets_in_seconds": 3600, "plan_type": "plus")", 3600},
      {R"("resets_at":1795340000})", 1795340000 - 1795339230},
      {"Claude AI usage limit reached|1795340000", 1795340000 - 1795339230},
  });
}

TEST_CASE("a phrase goes on in the next row, inside of a box too") {
  check({
      {"You've hit your limit · resets\n  3pm (Europe/Berlin)", until(0, 15)},
      {"try again\nat\n2:48\nPM", until(0, 14, 48)},
      {"│ Try again in 3 hours │\n│ 12 minutes           │", 3 * kHour + 12 * 60},
      {"resets Nov\n25,\n3pm", until(3, 15)},
      {"RESETS 3PM", until(0, 15)},
  });
}

TEST_CASE("of several moments the last on the screen counts, warnings do not") {
  check({
      {"Please try again in 20s\nmore\nlimit reached ∙ resets 3pm", until(0, 15)},
      {"limit reached ∙ resets 3pm\nYou've used 91% of your weekly limit · resets Nov 25, 3pm",
       until(0, 15)},
      {"limit reached ∙ resets 3pm\nApproaching usage limit · resets at 7pm", until(0, 15)},
      {"try again in 20s\ntry again later", 20},
  });
  CHECK(wait("You've used 91% of your session limit · resets 3pm") == std::nullopt);
  CHECK(wait("weekly limit: 7% left (resets 09:12 on 25 Nov)") == std::nullopt);
}

TEST_CASE("what names no moment, or none to believe, is nothing") {
  for (const std::string text : {
           "",
           "✻ Thinking… (4s · thinking)",
           "• Working (7s • esc to interrupt)",
           "✻ 500 Internal server error · Retrying in 2s · attempt 3/3",
           "✻ Worked for 3m 12s",
           "We meet at 3pm, in 5 minutes, or on Nov 25.",
           "The build took 5m30s and ended at 14:05",
           "The docs are available at 10:30",
           "Your token expires in 5 minutes",
           "The shop is open until 3pm",
           "wait 30 seconds for the server",
           "resets 3 files",
           "resets 3",
           "git reset --hard HEAD~3",
           "resets every 5 hours",
           "resets in 5-hour windows",
           "retry after 429",
           "retry 3 times in 5 minutes",
           "Retry-After: soon",
           "Try again in a moment.",
           "try again in a few minutes",
           "try again in 14:05",
           "resets at 5 minutes",
           "resets at 25:99",
           "resets at 24:00",
           "resets at 10:5",
           "resets at 13pm",
           "resets 0am",
           "resets 3 a day",
           "resets 10:20:61",
           "resets Nov 31, 3pm",
           "resets Feb 29 at 5am",
           "resets 11/25 3pm",
           "resets Nov 21, 3pm",
           "resets Nov 22, 9am",
           "try again on Nov 25th, 2025 9:12 AM",
           "resets Dec 5, 3pm",
           "try again in 9 days",
           "try again in 8 days 1 second",
           "Retry-After: 99999999",
           "Retry-After: 99999999999999999999",
           "try again in 99999999999999999999 s",
           "limit reached 1795340",
           "limit reached|1795330000",
           "Please try again in 20s\nTry again in 12 days",  // the older one is out of date
           "\xFF\xFE resets \xE2\x80",
       }) {
    INFO(text);
    CHECK(wait(text) == std::nullopt);
  }
}

TEST_CASE("a moment named to the minute is over when that minute is") {
  CHECK(wait("resets 10:20") == Wait(30));
  CHECK(wait("resets 10:19") == Wait(kDay - 90));
  CHECK(wait("resets 10:20:31") == Wait(1));
  CHECK(wait("resets 10:20:30") == Wait(1));
  CHECK(wait("resets 10:20:29") == Wait(kDay - 1));
  CHECK(wait("resets Nov 22, 10:20") == Wait(30));
}

TEST_CASE("midnight, the ends of months and years and leap days are crossed") {
  const LocalTime new_years_eve{2026, 12, 31, 23, 59, 50, 0};
  CHECK(wait("resets 12am", new_years_eve) == Wait(10));
  CHECK(wait("resets Jan 1, 12:01am", new_years_eve) == Wait(70));
  CHECK(wait("resets Jan 7 at 5am", new_years_eve) == Wait(10 + 6 * kDay + 5 * kHour));
  CHECK(wait("resets Dec 30, 3pm", new_years_eve) == std::nullopt);
  CHECK(wait("resets Jan 1, 2027 1:00", new_years_eve) == Wait(10 + kHour));

  CHECK(wait("resets May 1, 3pm", {2026, 4, 30, 15, 0, 0, 0}) == Wait(kDay));
  CHECK(wait("resets Feb 29, 3pm", {2028, 2, 28, 15, 0, 0, 0}) == Wait(kDay));
  CHECK(wait("resets Mar 1, 3pm", {2028, 2, 28, 15, 0, 0, 0}) == Wait(2 * kDay));
  CHECK(wait("resets Mar 1, 3pm", {2027, 2, 28, 15, 0, 0, 0}) == Wait(kDay));
  CHECK(wait("resets Feb 29, 3pm", {2027, 2, 28, 15, 0, 0, 0}) == std::nullopt);

  // The date is that of the named time zone: there it is January 1st already, or still December
  // 31st.
  CHECK(wait("resets Jan 1, 8am UTC", {2026, 12, 31, 20, 0, 0, -8 * kHour}) == Wait(4 * kHour));
  CHECK(wait("resets 11pm UTC", {2027, 1, 1, 1, 0, 0, 5 * kHour + 1800}) == Wait(3.5 * kHour));
}

TEST_CASE("an endless row is read in no time") {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "retry-after-1s limit resets in 1-";
  CHECK(wait(text) == std::nullopt);
}

TEST_CASE("delays double from a minute to an hour") {
  const std::vector<int64_t> delays{60, 120, 240, 480, 960, 1920, 3600, 3600, 3600};
  for (size_t i = 0; i < delays.size(); ++i) {
    CHECK(growing_delay_s(static_cast<int>(i)) == delays[i]);
  }
  CHECK(growing_delay_s(1'000'000) == 3600);
  CHECK(growing_delay_s(-1) == 60);
}

}  // namespace
}  // namespace orch::run
