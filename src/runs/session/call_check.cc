#include "session/call_check.h"

#include <utility>

namespace orch::session {

using agent::CallDecision;
using Kind = adapters::CallSpec::Event::Kind;

namespace {

// An agent that works for days forgets its oldest calls.
constexpr size_t kMostRemembered = 4096;

bool was_denied(const CallDecision& decision) {
  return decision.answer == CallDecision::Answer::kDeny;
}

// Whether both do the same; their titles and reasons may differ.
bool does_the_same(const agent::ToolCall& one, const agent::ToolCall& other) {
  const agent::DialogRequest &a = one.request, &b = other.request;
  const bool same_body = a.action != agent::DialogRequest::Action::kOther || a.body == b.body;
  return a.tool == b.tool && a.action == b.action && a.likely == b.likely &&
         a.possible == b.possible && a.paths == b.paths && a.reads == b.reads && same_body &&
         one.cwd == other.cwd;
}

}  // namespace

CallCheck::CallCheck(const adapters::Manifest& manifest, std::string work_dir, std::string since,
                     Told told)
    : manifest_(manifest),
      work_dir_(std::move(work_dir)),
      told_(std::move(told)),
      reader_(manifest),
      record_(manifest, std::move(since)) {}

std::string CallCheck::take(std::string_view json, OnDecided on_decided) {
  std::string id = "c" + std::to_string(++taken_);
  std::optional<driver::CallEvent> event = reader_.read(json, work_dir_);
  if (!event) {
    on_decided(std::nullopt);
    told_.on_unread("the agent's hook has sent a report that orch does not understand");
    return id;
  }
  switch (event->event->kind) {
    case Kind::kStart:
      on_decided("");
      told_.on_start();
      return id;
    case Kind::kRan:
      on_decided("");
      hear_ran(*event);
      return id;
    case Kind::kCall:
      break;
  }
  if (const Decided* before = decided(*event)) {
    on_decided(driver::answer_to(*event->event, before->decision));
    return id;
  }
  event->call.id = id;
  agent::ToolCall call = event->call;
  waiting_.emplace(id, Waiting{*std::move(event), std::move(on_decided)});
  told_.on_call(std::move(call));
  return id;
}

void CallCheck::decide(const std::string& id, const CallDecision& decision) {
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return;
  const Waiting waiting = std::move(found->second);
  waiting_.erase(found);
  if (decision.answer != CallDecision::Answer::kDeny) ++answered_;
  if (!waiting.event.agent_id.empty()) {
    if (decided_.size() >= kMostRemembered) decided_before_ = std::exchange(decided_, {});
    decided_.insert_or_assign(waiting.event.agent_id,
                              Decided{waiting.event.input, decision, waiting.event.call, taken_});
  }
  waiting.on_decided(driver::answer_to(*waiting.event.event, decision));
}

const CallCheck::Decided* CallCheck::decided(const std::string& agent_id) const {
  for (const auto* calls : {&decided_, &decided_before_}) {
    if (const auto found = calls->find(agent_id); found != calls->end()) return &found->second;
  }
  return nullptr;
}

const CallCheck::Decided* CallCheck::decided_like(const agent::ToolCall& call) const {
  const Decided* last = nullptr;
  for (const auto* calls : {&decided_, &decided_before_}) {
    for (const auto& [id, one] : *calls) {
      const bool is_later = last == nullptr || one.number > last->number;
      if (is_later && does_the_same(one.call, call)) last = &one;
    }
  }
  return last;
}

const CallCheck::Decided* CallCheck::decided(const driver::CallEvent& event) const {
  if (event.agent_id.empty()) return decided_like(event.call);
  const Decided* found = decided(event.agent_id);
  return found != nullptr && found->input == event.input ? found : nullptr;
}

void CallCheck::forget(const std::string& id) {
  if (waiting_.erase(id) > 0) told_.on_gone(id);
}

// Another hook may have replaced the input after the decision, or kept orch from hearing of the
// call. A hook that is killed gives the agent no answer.
void CallCheck::hear_ran(const driver::CallEvent& ran) {
  if (ran.agent_id.empty()) return;
  const std::string& tool = ran.call.request.tool;
  const Decided* told = decided(ran.agent_id);
  if (told == nullptr || was_denied(told->decision) || told->input == ran.input) {
    return hear_ran(ran.agent_id, tool);
  }
  told_.on_unread("a call of " + tool + " ran with another input than the one that was read");
}

// If the hook reports no call ids, no more calls may have run than were allowed.
void CallCheck::hear_ran(const std::string& agent_id, const std::string& tool) {
  if (!manifest_.calls.id.empty()) {
    const Decided* told = decided(agent_id);
    if (told != nullptr && !was_denied(told->decision)) return;
    if (told != nullptr) return told_.on_unread("a call of " + tool + " ran that was denied");
  } else {
    if (!seen_ran_.insert(agent_id).second || seen_ran_.size() <= answered_) return;
  }
  told_.on_unread("a call of " + tool + " ran without a report before");
}

void CallCheck::hear_record(std::string_view line) {
  for (const driver::RanCalls::Call& call : record_.take(line)) hear_ran(call.id, call.tool);
}

void CallCheck::hear_tool(const event::Tool& tool) {
  if (!record_.has_run(tool)) return;
  if (manifest_.calls.stream_ids) return hear_ran(tool.id, tool.name);
  if (++ended_ > answered_) {
    told_.on_unread("a call of " + tool.name + " ran without a report before");
  }
}

}  // namespace orch::session
