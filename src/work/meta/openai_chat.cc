#include "meta/openai_chat.h"

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/random.h"
#include "base/text.h"
#include "http/retry_after.h"
#include "mask/text.h"
#include "meta/chat_format.h"

namespace orch::meta {
namespace {

// The longest useful answers have some 100 KB.
constexpr size_t kMostResponseBytes = 4 << 20;

bool may_pass(int status) {
  return status == 408 || status == 409 || status == 429 || status >= 500;
}

int64_t now_s() {
  using std::chrono::system_clock;
  return std::chrono::duration_cast<std::chrono::seconds>(system_clock::now().time_since_epoch())
      .count();
}

// A random number in [0, 1).
double random_share() {
  constexpr size_t kDigits = 8;
  constexpr double kValues = 4294967296.0;  // the number of values of kDigits hexadecimal digits
  return static_cast<double>(std::stoul(base::random_hex().substr(0, kDigits), nullptr, 16)) /
         kValues;
}

std::string endpoint(std::string base_url) {
  while (base_url.ends_with('/')) base_url.pop_back();
  return base_url + "/chat/completions";
}

}  // namespace

OpenAiChat::OpenAiChat(loop::Loop& loop, ChatConfig config)
    : loop_(loop),
      config_(std::move(config)),
      secrets_(std::make_shared<const mask::Secrets>(std::vector<std::string>{config_.key})),
      timer_(loop) {}

void OpenAiChat::ask(const Question& question, OnAnswer on_answer) {
  ORCH_CHECK(!on_answer_);  // one at a time
  on_answer_ = std::move(on_answer);
  body_ = chat_request(question, config_.model, config_.effort);
  limit_ms_.reset();
  attempts_ = 0;
  began_ms_ = loop_.now_ms();
  timer_.start(0, [this] { attempt(); });
}

void OpenAiChat::attempt() {
  ++attempts_;
  http::RequestPlan plan;
  plan.method = "POST";
  plan.url = endpoint(config_.base_url);
  plan.headers = {"Content-Type: application/json", "Accept: application/json"};
  if (!config_.key.empty()) plan.headers.push_back("Authorization: Bearer " + config_.key);
  plan.body = body_;
  plan.ca_file = config_.ca_file;
  const int64_t left_ms = config_.backoff.total_ms - (loop_.now_ms() - began_ms_);
  plan.limits.total_ms = plan.limits.silence_ms = std::max<int64_t>(left_ms, 1);
  plan.limits.response_bytes = kMostResponseBytes;
  base::Result<std::unique_ptr<http::Request>> request =
      http::Request::start(loop_, std::move(plan), [this](auto outcome) {
        request_.reset();
        on_done(std::move(outcome));
      });
  if (!request) return fail(request.error().text);
  request_ = std::move(request).value();
}

void OpenAiChat::on_done(std::variant<http::Response, http::Failure> outcome) {
  if (const auto* response = std::get_if<http::Response>(&outcome)) return on_response(*response);
  const auto& failure = std::get<http::Failure>(outcome);
  switch (failure.kind) {
    case http::Failure::Kind::kConnect:
    case http::Failure::Kind::kCut:
      return try_again(std::nullopt, failure.text);
    case http::Failure::Kind::kTls:
    case http::Failure::Kind::kTimeout:
    case http::Failure::Kind::kTooLarge:
    case http::Failure::Kind::kOther:
      return fail(failure.text);
  }
}

void OpenAiChat::on_response(const http::Response& response) {
  const int status = response.status;
  if (status >= 200 && status < 300) {
    base::Result<Answer> answer = read_chat_answer(response.body);
    if (!answer) return fail(answer.error().text);
    return deliver(std::move(answer));
  }
  std::string why = "the server says " + std::to_string(status);
  if (const std::string said = chat_error_text(response.body); !said.empty()) why += ": " + said;
  if (status >= 300 && status < 400) {
    why += ": it redirects to \"" + base::printable(response.header("location").substr(0, 200)) +
           "\", which is not followed; set that as the base URL if it is right";
  }
  if (!may_pass(status) || is_quota_error(response.body)) return fail(why);
  try_again(http::retry_after_ms(response.header("retry-after"), now_s()), why);
}

void OpenAiChat::try_again(std::optional<int64_t> asked_ms, const std::string& why) {
  const std::optional<int64_t> delay =
      delay_ms(config_.backoff, attempts_, loop_.now_ms() - began_ms_, asked_ms, random_share());
  if (delay) return timer_.start(*delay, [this] { attempt(); });
  std::string tried = " (attempt " + std::to_string(attempts_);
  limit_ms_ = asked_ms;
  if (asked_ms) tried += ", to be repeated in " + std::to_string((*asked_ms + 999) / 1'000) + " s";
  fail(why + tried + ")");
}

void OpenAiChat::fail(const std::string& why) {
  deliver(base::Error{base::ErrorCode::kSystem,
                      "openai-chat: " + mask::masked(secrets_, base::printable(why))});
}

void OpenAiChat::deliver(base::Result<Answer> result) {
  const OnAnswer on_answer = std::exchange(on_answer_, nullptr);
  on_answer(std::move(result));
}

}  // namespace orch::meta
