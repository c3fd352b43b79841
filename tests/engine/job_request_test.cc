#include "engine/job_request.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "base/author.h"
#include "base/json.h"
#include "base/sha256.h"
#include "options/run_option.h"
#include "store/temporary_folder.h"

using namespace orch;
using namespace orch::engine;

namespace {

JobRequest sample() {
  JobRequest job;
  job.submission = "20261127T163000123-slurm-0a1b";
  job.index = 3;
  job.issue = "42";
  job.retries = 3;
  job.state_dir = "/shared/state";
  job.request.agent = "demo";
  job.request.prompt = "Say 'hi' to \"$HOME\" `id` $(id) ${{ x }}\n\ttwice; \\n é \x01";
  job.request.prompt->append(200'000, '"');
  job.request.agent_flags = {"--a=$(touch x)", "b c\nd", "'"};
  job.request.verify = {"test \"$X\" = '1'\n"};
  job.request.env = {"TOKEN"};
  job.request.timeout = "2h";
  job.request.command = {};
  job.request.folder = "/work/it's \"here\"";
  job.request.worktree = true;
  return job;
}

struct Folder {
  Folder() : made(store::TemporaryFolder::make("orch-engine-test-")) {}
  std::string write(const std::string& name, const std::string& text, mode_t mode = 0600) const {
    const std::string path = made->path() + "/" + name;
    std::ofstream(path) << text;
    ::chmod(path.c_str(), mode);
    return path;
  }
  base::Result<store::TemporaryFolder> made;
};

std::string with(const std::string& key, const base::Json& value) {
  base::Json json = base::Json::parse(to_json(sample()));
  json[base::Json::json_pointer(key)] = value;
  return json.dump();
}

}  // namespace

TEST_CASE("a request comes back as it was, with quotes, $, line feeds and 200 KB") {
  const base::Result<JobRequest> read = job_request_from_json(to_json(sample()));
  REQUIRE(read);
  CHECK(*read == sample());
}

TEST_CASE("every option that a run records travels in a request") {
  JobRequest job = sample();
  for (const options::RunOption& option : options::run_options()) {
    if (option.record == nullptr) continue;
    const std::string_view word = option.words.substr(
        option.words.find(' ') == std::string_view::npos ? 0 : option.words.rfind(' ') + 1);
    const bool plain = !word.empty() && word.find('{') == std::string_view::npos;
    for (const std::string& value :
         {std::string(plain ? word : ""), std::string("7"), std::string("7m"), std::string("64K"),
          std::string("100x30"), std::string(option.member.index() == 4 ? "true" : "7")}) {
      if (!value.empty() && options::set_value(option, value, job.request)) break;
    }
  }
  const base::Result<JobRequest> read = job_request_from_json(to_json(job));
  REQUIRE(read);
  CHECK(read->request == job.request);
}

TEST_CASE("a request says nothing that an option of orch run does not") {
  for (const auto& [key, value] : std::vector<std::pair<std::string, base::Json>>{
           {"/request/parent", "20261121T225100123-42-0a1b"},
           {"/request/mcp", true},
           {"/request/resume", "11111111-2222-3333-4444-555555555555"},
           {"/request/masked", true},
           {"/request/detach", true},
           {"/request/notify", "touch /tmp/x"},
           {"/request/artifacts", "/etc"},
           {"/request/shell", "id"},
           {"/request/mode", "odd"},
           {"/request/max_turns", -1},
           {"/request/timeout", "soon"},
           {"/program", "/bin/sh"},
           {"/orch_job", 2},
           {"/engine", "pbs"},
           {"/issue", "../42"},
           {"/issue", "4\n2"},
           {"/retries", 101},
           {"/index", "3"}}) {
    INFO(key << " " << value);
    const base::Result<JobRequest> read = job_request_from_json(with(key, value));
    REQUIRE_FALSE(read);
    CHECK(read.error().code == base::ErrorCode::kUsage);
    CHECK(read.error().text.find('\n') == std::string::npos);
  }
  CHECK_FALSE(job_request_from_json(""));
  CHECK_FALSE(job_request_from_json("[]"));
  CHECK_FALSE(job_request_from_json("{}"));
}

TEST_CASE("a request is read from a plain file that nobody else can write") {
  const Folder folder;
  const std::string good = folder.write("good.json", to_json(sample()));
  CHECK(read_job_request(good));
  CHECK(read_job_request(folder.write("readable.json", to_json(sample()), 0644)));
  CHECK_FALSE(read_job_request(folder.write("group.json", to_json(sample()), 0660)));
  CHECK_FALSE(read_job_request(folder.write("others.json", to_json(sample()), 0606)));
  CHECK_FALSE(read_job_request(folder.made->path() + "/missing.json"));
  CHECK_FALSE(read_job_request(folder.made->path()));
  const std::string link = folder.made->path() + "/link.json";
  REQUIRE(::symlink(good.c_str(), link.c_str()) == 0);
  const base::Result<JobRequest> followed = read_job_request(link);
  REQUIRE_FALSE(followed);
  CHECK(followed.error().text.find("it is a link") != std::string::npos);
  const std::string pipe = folder.made->path() + "/pipe.json";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_FALSE(read_job_request(pipe));
  if (::geteuid() == 0) {
    const std::string foreign = folder.write("foreign.json", to_json(sample()));
    REQUIRE(::chown(foreign.c_str(), 12345, 12345) == 0);
    CHECK_FALSE(read_job_request(foreign));
  }
}

TEST_CASE("a request with a hash is what the hash says, whoever could write it") {
  const Folder folder;
  const std::string text = to_json(sample()), hash = base::sha256_hex(text);
  const std::string shared = folder.write("shared.json", text, 0666);
  CHECK_FALSE(read_job_request(shared));
  CHECK(read_job_request(shared, hash));
  CHECK_FALSE(read_job_request(shared, ""));
  CHECK_FALSE(read_job_request(shared, base::sha256_hex("else")));
  const base::Result<JobRequest> changed =
      read_job_request(folder.write("changed.json", text + " ", 0600), hash);
  REQUIRE_FALSE(changed);
  CHECK(changed.error().text.find("it is not what orch submit wrote") != std::string::npos);
  CHECK(changed.error().text.find('\n') == std::string::npos);
}

TEST_CASE("a request without a hash is not read where agents may write") {
  const Folder folder;
  const std::string text = to_json(sample()), file = folder.write("good.json", text);
  base::know_folder_of_agents(folder.made->path());
  const base::Result<JobRequest> read = read_job_request(file);
  CHECK(read_job_request(file, base::sha256_hex(text)));
  base::know_nothing();
  REQUIRE_FALSE(read);
  CHECK(read.error().text.find("where agents may write") != std::string::npos);
}
