#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include "http/request.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "mask/secrets.h"
#include "meta/backoff.h"
#include "meta/provider.h"

namespace orch::meta {

inline constexpr const char* kOpenAiUrl = "https://api.openai.com/v1";

struct ChatConfig {
  std::string base_url = kOpenAiUrl;
  std::string key;  // never shown; "": none is sent, for servers that need none
  std::string model;
  std::string effort;   // "": not mentioned in the request
  std::string ca_file;  // "": the system's
  Backoff backoff;      // its total_ms is the limit of a whole question
};

// Asks OpenAI's Chat Completions, or any server that speaks them. Failures that may pass - no
// connection, a connection that breaks, 408, 409, 429, 5xx - are tried again.
class OpenAiChat final : public Provider {
 public:
  OpenAiChat(loop::Loop& loop, ChatConfig config);
  void ask(const Question& question, OnAnswer on_answer) override;
  std::optional<int64_t> limit_ms() const override { return limit_ms_; }

 private:
  void attempt();
  void on_done(std::variant<http::Response, http::Failure> outcome);
  void on_response(const http::Response& response);
  void try_again(std::optional<int64_t> asked_ms, const std::string& why);
  void fail(const std::string& why);
  void deliver(base::Result<Answer> result);

  loop::Loop& loop_;
  ChatConfig config_;
  std::shared_ptr<const mask::Secrets> secrets_;
  OnAnswer on_answer_;  // empty: no question is open
  std::string body_;
  int attempts_ = 0;
  int64_t began_ms_ = 0;
  // How long the server asked to wait, when that was too long to try again.
  std::optional<int64_t> limit_ms_;
  loop::Timer timer_;
  std::unique_ptr<http::Request> request_;
};

}  // namespace orch::meta
