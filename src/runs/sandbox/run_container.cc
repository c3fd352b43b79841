#include "sandbox/run_container.h"

#include <unistd.h>

#include <utility>

#include "base/path.h"
#include "base/random.h"
#include "base/text.h"
#include "pty/proc_file.h"
#include "pty/process_identity.h"
#include "pty/run_mark.h"
#include "sandbox/exec_words.h"
#include "sandbox/labels.h"
#include "sandbox/program_files.h"
#include "session/environment.h"
#include "store/file_io.h"

namespace orch::sandbox {

std::string new_container_name(const std::string& what_for) {
  constexpr size_t kDigits = 12;
  return "orch-" + what_for + "-" + base::random_hex().substr(0, kDigits);
}

std::optional<std::string> RunContainer::place_of(const std::string& path,
                                                  const std::string& work) {
  if (!base::is_within(path, work)) return std::nullopt;
  return std::string(kWorkspace) + path.substr(work.size());
}

session::SourceFactory RunContainer::source(std::shared_ptr<RunContainer> self,
                                            ContainerSource::Client client) {
  return [self = std::move(self), client = std::move(client)](
             loop::Loop& loop, const pty::SpawnPlan& plan,
             session::SourceObserver& observer) -> base::Result<std::unique_ptr<session::Source>> {
    const std::string run(session::value_in(plan.env, pty::kRunMark));
    return std::unique_ptr<session::Source>(
        std::make_unique<ContainerSource>(loop, self->begin(loop, run), client, plan, observer));
  };
}

// The container is made here, because it must belong to the process that runs the loop. That is not
// always the one that planned it.
Container& RunContainer::begin(loop::Loop& loop, const std::string& run) {
  if (container_) return *container_;
  using Ownership = Container::Ownership;
  container_ = std::make_unique<Container>(
      loop, Container::Plan{.engine = plan_.engine,
                            .name = plan_.name,
                            .ownership = plan_.joins ? Ownership::kJoined : Ownership::kOwned,
                            .what = plan_.joins ? "container " + plan_.name
                                                : "a container of " + plan_.wanted.image,
                            .program = plan_.run_program,
                            .mark = run});
  if (plan_.joins) {
    container_->start(join_words(plan_.engine, plan_.name, plan_.run_program, run));
    return *container_;
  }
  ContainerRequest wanted = plan_.wanted;
  wanted.labels.emplace(kUserLabel, std::to_string(::getuid()));
  wanted.labels.emplace(kSessionLabel, plan_.session);
  wanted.labels.emplace(kRunLabel, run);
  container_->start(run_words(
      plan_.engine, wanted,
      {plan_.name, pty::identity_text(pty::own_identity()), plan_.run_program, id_file_}));
  return *container_;
}

void RunContainer::enter(const Entry& entry, std::vector<std::string>& argv,
                         std::vector<std::string>& env) const {
  ExecPlan plan =
      exec_plan(plan_.engine,
                {.container = plan_.name,
                 .folder = place_of(entry.cwd, plan_.wanted.work).value_or(std::string(kWorkspace)),
                 .talk = entry.talk,
                 .env = entry.env,
                 .mark = entry.mark},
                argv);
  argv = std::move(plan.argv);
  env.insert(env.end(), plan.env.begin(), plan.env.end());
}

RunContainer::Shown RunContainer::show(const std::string& folder, const std::string& id_file) {
  ProgramFiles program = own_program_files();
  plan_.wanted.shown = std::move(program.mounts);
  plan_.wanted.shown.push_back({folder, std::string(kShownFolder), true});
  id_file_ = id_file;
  return {std::string(kShownFolder), std::move(program.words)};
}

// A container's processes are in its control group, which is named after it, and cannot leave it.
bool RunContainer::holds(pid_t pid) const {
  constexpr size_t kIdDigits = 64;
  if (id_file_.empty() || pid <= 0) return false;
  const base::Result<std::string> text = store::read_regular_file(id_file_, kIdDigits + 1);
  const std::string id(text ? base::trim(*text) : "");
  return id.size() == kIdDigits && pty::read_proc(pid, "cgroup").find(id) != std::string::npos;
}

void RunContainer::end_marked(const std::string& mark) {
  if (container_) container_->end_marked(mark);
}

void RunContainer::find_life_signs(const std::string& mark,
                                   std::function<void(std::optional<pty::LifeSigns>)> found) {
  if (!container_) return found(std::nullopt);
  container_->find_life_signs(mark, std::move(found));
}

void RunContainer::close(std::function<void()> on_closed) {
  if (!container_) return on_closed();
  container_->close(std::move(on_closed));
}

}  // namespace orch::sandbox
