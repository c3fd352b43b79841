#include "task_run/task_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <utility>

#include "store/atomic_file.h"
#include "store/file_io.h"
#include "store/file_lock.h"
#include "store/folder.h"
#include "store/state_file.h"
#include "store/time_text.h"

namespace orch::task_run {
namespace {

using base::Result;
using base::Status;

constexpr size_t kMaxAuthorBytes = 256;

Result<base::Fd> take_lock(const std::string& state_dir, const std::string& id) {
  const std::string path = state_dir + "/tasks/" + id + ".lock";
  Result<base::Fd> lock = store::open_for_writing(path, 0);
  if (!lock) return lock;
  if (store::lock_open(*lock, 0)) return lock;
  if (errno != EWOULDBLOCK) return base::system_error("lock " + path, errno);
  return base::usage_error("task " + id + " runs already; wait for its end, or end that orch");
}

// Renames the folder of an earlier task of that name.
Result<std::string> move_away(const std::string& path) {
  const std::string stem = path + "." + store::compact_utc(std::chrono::system_clock::now());
  std::string to = stem;
  for (int i = 2; store::is_there(to); ++i) to = stem + "-" + std::to_string(i);
  if (::rename(path.c_str(), to.c_str()) == 0) return to;
  return base::system_error("rename " + path, errno);
}

Result<TaskTexts> read_task_texts(const std::string& folder) {
  TaskTexts texts;
  for (const auto& [name, text] :
       {std::pair{"/task.yaml", &texts.spec}, std::pair{"/prd.md", &texts.prd},
        std::pair{"/script.yaml", &texts.script}}) {
    Result<std::string> read = store::read_regular_file(folder + name, task::kMaxPrdBytes);
    if (!read) return read.error();
    *text = std::move(read).value();
  }
  // Tasks begun by an earlier orch have no author file.
  Result<std::string> author = store::read_regular_file(folder + "/author", kMaxAuthorBytes);
  if (author) texts.author = std::move(author).value();
  return texts;
}

task::TimeMs read_clock_of(const std::string& folder) {
  constexpr size_t kMostBytes = 64;
  const Result<std::string> text = store::read_regular_file(folder + "/clock", kMostBytes);
  task::TimeMs ms = 0;
  if (text) (void)std::from_chars(text->data(), text->data() + text->size(), ms);
  return std::max<task::TimeMs>(ms, 0);
}

}  // namespace

TaskFolder::TaskFolder(std::string path, std::string id, base::Fd lock)
    : path_(std::move(path)), id_(std::move(id)), lock_(std::move(lock)) {}

Result<std::unique_ptr<TaskFolder>> TaskFolder::create(const std::string& state_dir,
                                                       const std::string& id,
                                                       const TaskTexts& texts, std::string& moved) {
  const std::string path = state_dir + "/tasks/" + id;
  if (Status s = store::create_folders(state_dir + "/tasks"); !s) return s.error();
  Result<base::Fd> lock = take_lock(state_dir, id);
  if (!lock) return lock.error();
  if (store::is_there(path)) {
    Result<std::string> to = move_away(path);
    if (!to) return to.error();
    moved = std::move(to).value();
  }
  for (const char* part : {"", "/prompts", "/questions"}) {
    if (Status s = store::create_folders(path + part); !s) return s.error();
  }
  std::unique_ptr<TaskFolder> folder(new TaskFolder(path, id, std::move(lock).value()));
  for (const auto& [name, text] :
       {std::pair{"task.yaml", &texts.spec}, std::pair{"prd.md", &texts.prd},
        std::pair{"script.yaml", &texts.script}, std::pair{"author", &texts.author}}) {
    if (Status s = store::write_file(path + "/" + name, *text); !s) return s.error();
  }
  if (Status s = folder->open_journal(); !s) return s.error();
  return folder;
}

Result<std::unique_ptr<TaskFolder>> TaskFolder::open(const std::string& state_dir,
                                                     const std::string& id) {
  const std::string path = state_dir + "/tasks/" + id;
  if (!store::is_there(path)) {
    return base::Error{base::ErrorCode::kNotFound, "there is no task " + id + " in " + state_dir +
                                                       "/tasks; orch task FILE begins one"};
  }
  Result<base::Fd> lock = take_lock(state_dir, id);
  if (!lock) return lock.error();
  std::unique_ptr<TaskFolder> folder(new TaskFolder(path, id, std::move(lock).value()));
  if (Status s = folder->open_journal(); !s) return s.error();
  return folder;
}

Status TaskFolder::open_journal() {
  Result<base::Fd> file = store::open_for_writing(journal_file(), O_APPEND);
  if (!file) return file.error();
  journal_ = std::move(file).value();
  return base::Ok{};
}

std::string TaskFolder::prompt_file(int n) const {
  return path_ + "/prompts/" + std::to_string(n) + ".md";
}

Result<TaskTexts> TaskFolder::texts() const { return read_task_texts(path_); }

Result<TaskFolder::Look> TaskFolder::look(const std::string& state_dir, const std::string& id) {
  const std::string path = state_dir + "/tasks/" + id;
  Look look;
  Result<TaskTexts> texts = read_task_texts(path);
  if (!texts) return texts.error();
  look.texts = std::move(texts).value();
  const std::string file = path + "/journal.jsonl";
  Result<std::string> text = store::read_regular_file(file, task::kMaxJournalBytes);
  if (!text) return text.error();
  Result<std::vector<task::JournalEntry>> journal = task::read_journal(*text, file);
  if (!journal) return journal.error();
  look.journal = std::move(journal).value();
  look.clock_ms = read_clock_of(path);
  const base::Fd lock(::open((path + ".lock").c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!lock.valid() && !store::means_absent(errno)) {
    return base::system_error("look at the lock " + path + ".lock", errno);
  }
  look.is_at_work = lock.valid() && ::flock(lock.get(), LOCK_SH | LOCK_NB) != 0;
  return look;
}

Result<std::vector<task::JournalEntry>> TaskFolder::read_journal() {
  Result<std::string> text = store::read_file(journal_file(), task::kMaxJournalBytes);
  if (!text) return text.error();
  const size_t whole = task::whole_lines(*text);
  if (whole < text->size()) store::cut_file(journal_, static_cast<int64_t>(whole));
  return task::read_journal(*text, journal_file());
}

Status TaskFolder::append(const task::JournalEntry& entry) {
  return store::write_all(journal_, journal_file(), task::to_json(entry) + "\n");
}

Status TaskFolder::write_prompt(int n, std::string_view text) {
  return store::write_file_unsynced(prompt_file(n), text);
}

Status TaskFolder::write_question(int n, const task::QuestionText& text) {
  return store::write_file_unsynced(path_ + "/questions/" + std::to_string(n) + ".yaml",
                                    text.document);
}

Status TaskFolder::write_note(std::string_view text) {
  return store::write_file_unsynced(path_ + "/note.md", text);
}

// Best effort: a failure only loses the time of one step.
void TaskFolder::write_clock(task::TimeMs now) {
  (void)store::write_file_unsynced(path_ + "/clock", std::to_string(now) + "\n");
}

task::TimeMs TaskFolder::read_clock() const { return read_clock_of(path_); }

}  // namespace orch::task_run
