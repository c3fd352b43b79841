#include "gateway/recording.h"

#include <utility>

#include "base/text.h"

namespace orch::gateway {
namespace {

std::string normal_line(tape::Entry entry, const tape::Normaliser& normaliser) {
  entry.path = normaliser.path(entry.path);
  entry.request = normaliser.request(entry.request);
  normaliser.answer(entry.answer);
  return tape::line_of(entry);
}

}  // namespace

class Recording::Job final : public loop::Background::Job {
 public:
  Job(Recording& recording, std::shared_ptr<const tape::Entry> entry)
      : recording_(recording), normaliser_(recording.normaliser_), entry_(std::move(entry)) {}
  void run() override { line_ = normal_line(*entry_, *normaliser_); }
  void on_done() override { recording_.write_first(line_); }

 private:
  Recording& recording_;  // only in the loop's thread
  std::shared_ptr<const tape::Normaliser> normaliser_;
  std::shared_ptr<const tape::Entry> entry_;
  std::string line_;
};

Recording::Recording(loop::Loop& loop, TapeFile file,
                     std::shared_ptr<const tape::Normaliser> normaliser,
                     std::function<void(const std::string&)> on_failure)
    : file_(std::move(file)),
      normaliser_(std::move(normaliser)),
      on_failure_(std::move(on_failure)),
      background_(std::make_unique<loop::Background>(loop)) {}

void Recording::add(tape::Entry entry) {
  if (has_failed_) return;
  waiting_.push_back(std::make_shared<const tape::Entry>(std::move(entry)));
  background_->submit(std::make_unique<Job>(*this, waiting_.back()));
}

std::string Recording::end() {
  background_.reset();
  while (!waiting_.empty()) write_first(normal_line(*waiting_.front(), *normaliser_));
  if (has_failed_) return "";
  return std::to_string(file_.entries()) + " requests are on tape " + base::printable(file_.path());
}

void Recording::write_first(const std::string& line) {
  waiting_.pop_front();
  if (has_failed_) return;
  const base::Status written = file_.write(line);
  if (written) return;
  has_failed_ = true;
  on_failure_(written.error().text);
}

}  // namespace orch::gateway
