// flood ORCH CHATTER [MB [LINE]]: runs one host with three sessions. One agent floods MB (1024)
// megabytes in lines of LINE (100) bytes; the other two print the time every 100 ms. Measures for
// these two how late their output reaches a follower, and how long they take to answer. Bounds: 100
// ms, and 64 MB of resident memory.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "chatter_host.h"
#include "client/client.h"
#include "loop/loop.h"
#include "loop/timer.h"

namespace orch::soak {
namespace {

constexpr int64_t kLimitUs = 100'000;
constexpr int64_t kLimitKb = 64 << 10;
constexpr int64_t kAskEveryMs = 50;

int64_t now_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "flood: %s\n", why.c_str());
  std::exit(2);
}

std::unique_ptr<client::Client> connect(loop::Loop& loop, const store::SessionRecord& session) {
  auto client = client::Client::connect(loop, "", session);
  if (!client) give_up(client.error().text);
  return std::move(client).value();
}

// A follower of one of the sessions that print the time.
class Beating final : public client::Follower {
 public:
  Beating(loop::Loop& loop, const store::SessionRecord& session)
      : output_(connect(loop, session)), questions_(connect(loop, session)), again_(loop) {
    output_->follow({.events = false, .raw = true}, *this);
    ask();
  }
  const std::vector<int64_t>& lags_us() const { return lags_us_; }
  const std::vector<int64_t>& answers_us() const { return answers_us_; }

 private:
  void on_started(uint64_t) override {}
  // Finds "@<ns>@" in the output; it may come in pieces.
  void on_raw(std::string_view bytes) override {
    pending_ += bytes;
    for (;;) {
      const size_t begin = pending_.find('@');
      const size_t end = pending_.find('@', begin == pending_.npos ? begin : begin + 1);
      if (end == pending_.npos) return;
      lags_us_.push_back(now_us() - std::atoll(pending_.c_str() + begin + 1) / 1000);
      pending_.erase(0, end + 1);
    }
  }
  void on_lagged(const client::Gap&) override { give_up("a session that says little has a gap"); }
  void on_end(std::string_view) override { give_up("a session has ended"); }
  void on_lost(const base::Error& error) override { give_up(error.text); }

  void ask() {
    questions_->request(wire::AskStatus{}, [this, asked = now_us()](const auto& answer) {
      if (!answer) give_up(answer.error().text);
      answers_us_.push_back(now_us() - asked);
      again_.start(kAskEveryMs, [this] { ask(); });
    });
  }

  std::unique_ptr<client::Client> output_, questions_;
  loop::Timer again_;
  std::string pending_;
  std::vector<int64_t> lags_us_, answers_us_;
};

// A follower that waits for the end of the flood.
class Flooding final : public client::Follower {
 public:
  Flooding(loop::Loop& loop, const store::SessionRecord& session, ChatterHost& host)
      : loop_(loop), host_(host), client_(connect(loop, session)) {
    client_->follow({}, *this);
  }
  int64_t took_us() const { return took_us_; }

 private:
  void on_started(uint64_t) override {
    started_us_ = now_us();
    host_.let_go();
  }
  void on_lagged(const client::Gap&) override {}
  void on_end(std::string_view) override {
    took_us_ = now_us() - started_us_;
    loop_.stop();
  }
  void on_lost(const base::Error& error) override { give_up(error.text); }

  loop::Loop& loop_;
  ChatterHost& host_;
  std::unique_ptr<client::Client> client_;
  int64_t started_us_ = 0, took_us_ = 0;
};

bool print_times(const char* what, const std::vector<int64_t>& us) {
  const auto ms = [&us](double percent) {
    return static_cast<double>(percentile(us, percent)) / 1000.0;
  };
  std::printf("%-32s median %6.1f  p99 %6.1f  max %6.1f ms of %zu (limit 100)\n", what, ms(50),
              ms(99), ms(100), us.size());
  return !us.empty() && percentile(us, 100) <= kLimitUs;
}

int run(const ChatterHost::Plan& plan) {
  ChatterHost host(plan);
  loop::Loop loop;
  std::vector<std::unique_ptr<Beating>> others;
  std::unique_ptr<Flooding> flooding;
  for (const store::SessionRecord& session : host.sessions()) {
    if (host.floods(session)) {
      flooding = std::make_unique<Flooding>(loop, session, host);
    } else {
      others.push_back(std::make_unique<Beating>(loop, session));
    }
  }
  loop.run();

  std::vector<int64_t> lags, answers;
  for (const auto& other : others) {
    lags.insert(lags.end(), other->lags_us().begin(), other->lags_us().end());
    answers.insert(answers.end(), other->answers_us().begin(), other->answers_us().end());
  }
  const double seconds = static_cast<double>(flooding->took_us()) / 1e6;
  const double megabytes = static_cast<double>(plan.flood_bytes) / (1 << 20);
  std::printf("%.0f MB in lines of %zu bytes took %.1f s, %.1f MB/s\n", megabytes, plan.line_bytes,
              seconds, megabytes / seconds);
  bool good = print_times("from another session's agent", lags);
  good = print_times("another session's answers", answers) && good;
  const int64_t kb = host.peak_kb();
  std::printf("%-32s %.1f MB at most (limit %lld)\n", "resident memory of the host",
              static_cast<double>(kb) / 1024, static_cast<long long>(kLimitKb >> 10));
  host.print_files();
  return good && kb < kLimitKb ? 0 : 1;
}

}  // namespace
}  // namespace orch::soak

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: flood ORCH CHATTER [MB [LINE]]\n");
    return 2;
  }
  orch::soak::ChatterHost::Plan plan{
      .orch = argv[1], .chatter = argv[2], .issues = {"1", "2", "3"}};
  plan.flood_bytes = (argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1024) << 20;
  if (argc > 4) plan.line_bytes = std::strtoull(argv[4], nullptr, 10);
  return orch::soak::run(plan);
}
