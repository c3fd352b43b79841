#include "forge/answer.h"

#include <catch2/catch.hpp>

#include "base/json.h"

using namespace orch::forge;
using orch::base::ErrorCode;

TEST_CASE("an answer has a status, headers in any case, and a body") {
  const Answer answer = read_answer(
      "HTTP/2.0 403 Forbidden\r\nX-RateLimit-Reset: 17\r\nA:b\r\n\r\n{}\n\nx", "no\nmore", 1);
  CHECK(answer.status == 403);
  CHECK(answer.headers.at("x-ratelimit-reset") == "17");
  CHECK(answer.headers.at("a") == "b");
  CHECK(answer.body == "{}\n\nx");
  CHECK(answer.said == "no");
  CHECK(read_answer("", "error connecting to h", 1).status == 0);
}

TEST_CASE("an error may pass, or is for the user, and names the remedy") {
  struct Row {
    const char *output, *errors;
    int code;
    ErrorCode kind;
    const char* text;
  };
  for (const Row& row :
       {Row{"", "To get started with GitHub CLI, please run:  gh auth login", 4, ErrorCode::kUsage,
            "gh has no login for h: gh auth login --hostname h"},
        Row{"", "dial tcp: connection refused", 1, ErrorCode::kSystem,
            "h does not answer: dial tcp: connection refused"},
        Row{"HTTP/1.1 502 Bad\r\n\r\n<html>", "", 1, ErrorCode::kSystem, "h: HTTP 502"},
        Row{"HTTP/1.1 200 OK\r\n\r\n<html>", "", 0, ErrorCode::kSystem,
            "h answers with something that is not JSON, as a proxy or a login page does: <html>"},
        Row{"HTTP/1.1 404 No\r\n\r\n{\"message\":\"Not Found\"}", "", 1, ErrorCode::kUsage,
            "h: Not Found (HTTP 404)"},
        Row{"HTTP/1.1 409 No\r\n\r\n{\"message\":[\"Another one is open\"]}", "", 1,
            ErrorCode::kUsage, "h: Another one is open (HTTP 409)"},
        Row{"HTTP/1.1 400 No\r\n\r\n{\"error\":\"title is missing\"}", "", 1, ErrorCode::kUsage,
            "h: title is missing (HTTP 400)"},
        Row{"HTTP/1.1 403 No\r\nRetry-After: 9\r\n\r\n{\"message\":\"API rate limit exceeded\"}",
            "", 1, ErrorCode::kSystem, "h: API rate limit exceeded; try again in 9 s"}}) {
    INFO(row.output << row.errors);
    const auto json = json_of(read_answer(row.output, row.errors, row.code), "h");
    REQUIRE_FALSE(json.ok());
    CHECK(json.error().code == row.kind);
    CHECK(json.error().text == row.text);
  }
}
