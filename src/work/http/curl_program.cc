#include "http/curl_program.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/own_program.h"
#include "base/text.h"
#include "loop/loop.h"
#include "store/atomic_file.h"

extern char** environ;

namespace orch::http {
namespace {

using base::Result;

constexpr size_t kMostHead = 64 << 10, kMostSaid = 4 << 10;

// A value of curl's configuration file: curl(1), --config.
std::string config_value(std::string_view value) {
  std::string out = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::vector<std::string> environment() {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  return all;
}

std::string seconds(int64_t ms) { return std::to_string((ms + 999) / 1'000); }

// Takes the heads of interim responses and that of the response from the answer. False: it has
// none.
bool take_head(std::string& answer, Response& response) {
  constexpr int kLastInterim = 199;
  do {
    const size_t end = answer.find("\r\n\r\n");
    if (!answer.starts_with("HTTP/") || end == std::string::npos) return false;
    response.headers.clear();
    for (std::string_view line : base::split(std::string_view(answer).substr(0, end), '\n')) {
      line = base::trim(line);
      if (const size_t colon = line.find(':'); colon != std::string_view::npos) {
        response.headers.emplace_back(base::lower(line.substr(0, colon)),
                                      base::trim(line.substr(colon + 1)));
      } else if (const size_t blank = line.find(' '); blank != std::string_view::npos) {
        std::from_chars(line.data() + blank + 1, line.data() + line.size(), response.status);
      }
    }
    answer.erase(0, end + 4);
  } while (response.status <= kLastInterim);
  return true;
}

// curl(1), "EXIT CODES".
Failure::Kind kind_of(int code) {
  switch (code) {
    case 5:
    case 6:
    case 7:
      return Failure::Kind::kConnect;
    case 35:
    case 51:
    case 58:
    case 60:
    case 77:
    case 83:
      return Failure::Kind::kTls;
    case 18:
    case 52:
    case 55:
    case 56:
      return Failure::Kind::kCut;
    case 28:
      return Failure::Kind::kTimeout;
    case 63:
      return Failure::Kind::kTooLarge;
    default:
      return Failure::Kind::kOther;
  }
}

}  // namespace

CurlProgram::CurlProgram(loop::Loop& loop, RequestPlan plan, std::string name,
                         store::TemporaryFolder folder, Request::OnDone on_done)
    : plan_(std::move(plan)),
      name_(std::move(name)),
      folder_(std::move(folder)),
      on_done_(std::move(on_done)),
      deadline_(loop) {}

Result<std::unique_ptr<CurlProgram>> CurlProgram::start(loop::Loop& loop, RequestPlan plan,
                                                        std::string name, Request::OnDone on_done) {
  // It gets the key, so it may be none that an agent could have written.
  const Result<std::string> curl = base::own_program("curl");
  if (!curl) return curl.error();
  Result<store::TemporaryFolder> folder = store::TemporaryFolder::make("http");
  if (!folder) return folder.error();
  std::unique_ptr<CurlProgram> made(new CurlProgram(loop, std::move(plan), std::move(name),
                                                    std::move(folder).value(), std::move(on_done)));
  const base::Status written =
      store::write_file_unsynced(made->folder_.path() + "/body", made->plan_.body);
  if (!written) return written.error();
  // --disable has to be the first word: curl's own configuration file stays unread.
  pty::ProcessPlan process{.argv = {*curl, "--disable", "--config", "-"},
                           .cwd = "",
                           .env = environment(),
                           .input = made->configuration()};
  Result<std::unique_ptr<pty::Process>> spawned =
      pty::Process::spawn(loop, std::move(process), *made);
  if (!spawned) return spawned.error();
  made->process_ = std::move(spawned).value();
  // curl has the limit, too; this one is for a curl that does not keep it.
  constexpr int64_t kGraceMs = 5'000;
  if (const int64_t most = made->plan_.limits.total_ms; most > 0) {
    made->deadline_.start(most + kGraceMs, [request = made.get()] {
      request->timed_out_ = true;
      request->process_->stop(0);
    });
  }
  return made;
}

std::string CurlProgram::configuration() const {
  const Limits& limits = plan_.limits;
  std::string text =
      "silent\nshow-error\ninclude\nno-buffer\nhttp1.1\nsuppress-connect-headers\ngloboff\n"
      "proto = \"=http,https\"\nheader = \"Expect:\"\n";
  text += "url = " + config_value(plan_.url) + "\nrequest = " + config_value(plan_.method) + "\n";
  for (const std::string& header : plan_.headers) text += "header = " + config_value(header) + "\n";
  if (plan_.method == "POST")
    text += "data-binary = " + config_value("@" + folder_.path() + "/body") + "\n";
  if (!plan_.ca_file.empty()) text += "cacert = " + config_value(plan_.ca_file) + "\n";
  text += "connect-timeout = " + seconds(limits.connect_ms) + "\n";
  if (limits.total_ms > 0) text += "max-time = " + seconds(limits.total_ms) + "\n";
  if (limits.silence_ms > 0) {
    text += "speed-limit = 1\nspeed-time = " + seconds(limits.silence_ms) + "\n";
  }
  return text;
}

void CurlProgram::on_output(std::string_view bytes) {
  if (too_large_) return;
  answer_ += bytes;
  if (answer_.size() <= plan_.limits.response_bytes + kMostHead) return;
  too_large_ = true;
  process_->stop(0);
}

void CurlProgram::on_error_output(std::string_view bytes) {
  errors_ += bytes.substr(0, kMostSaid - std::min(errors_.size(), kMostSaid));
}

void CurlProgram::on_end(pty::ExitStatus status) {
  deadline_.stop();
  const Request::OnDone done = std::move(on_done_);
  Response response;
  if (too_large_ || status != pty::ExitStatus{}) return done(failure_of(status));
  if (!take_head(answer_, response)) {
    return done(Failure{Failure::Kind::kOther, name_ + ": curl printed no response"});
  }
  if (answer_.size() > plan_.limits.response_bytes) {
    too_large_ = true;
    return done(failure_of(status));
  }
  response.body = std::move(answer_);
  done(std::move(response));
}

Failure CurlProgram::failure_of(pty::ExitStatus status) const {
  if (too_large_) {
    return {Failure::Kind::kTooLarge, name_ + ": the response is larger than " +
                                          std::to_string(plan_.limits.response_bytes) + " bytes"};
  }
  if (timed_out_) return {Failure::Kind::kTimeout, name_ + ": curl did not end in time"};
  // "curl: (7) Failed to connect to ..."
  std::string_view why = base::trim(errors_);
  why.remove_prefix(std::min(why.find(") ") + 2, why.size()));
  return {kind_of(status.code),
          name_ + ": " + (why.empty() ? "curl failed" : base::printable(why))};
}

}  // namespace orch::http
