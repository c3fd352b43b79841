#include "task/trust_needs.h"

#include <catch2/catch.hpp>

namespace orch::task {
namespace {

using Fields = std::vector<std::string>;

Fields fields_of(const std::string& meta, const std::string& worker, const std::string& sandbox) {
  const std::string text = "id: t\nprd: x\ntest: make test\nrunner:\n  meta: {kind: claude-cli" +
                           meta + "}\n  worker: {kind: claude" + worker +
                           "}\n  sandbox: " + sandbox + "\n";
  const base::Result<TaskSpec> spec = parse_task_spec(text, "t.yaml");
  if (!spec) FAIL(spec.error().text);
  return fields_that_need_trust(*spec);
}

}  // namespace

TEST_CASE("anybody may write what starts no program and opens nothing") {
  CHECK(fields_of("", "", "landlock").empty());
  CHECK(fields_of(", model: m, effort: high, timeout: 1m",
                  ", model: m, effort: low, mode: headless, max_loops: 3, timeout: 1m, "
                  "allow: [prompt, model, workdir, use_stdin]",
                  "{kind: docker, network: none, memory: 1g, cpus: 2, pids: 100}")
            .empty());
  CHECK(fields_of(", tool_specific: {json_output: true}", "", "{kind: landlock, network: '443'}")
            .empty());
}

TEST_CASE("only the user may choose programs, words, variables, servers and what is open") {
  struct Row {
    const char *meta, *worker, *sandbox;
    Fields fields;
  };
  const std::vector<Row> rows{
      {", cli_path: ./x", "", "landlock", {"runner.meta.cli_path"}},
      {", flags: [--mcp-config, x]", "", "landlock", {"runner.meta.flags"}},
      {", env: {PATH: ., NODE_OPTIONS: x}",
       "",
       "landlock",
       {"runner.meta.env.NODE_OPTIONS", "runner.meta.env.PATH"}},
      {", base_url: 'http://evil.example'", "", "landlock", {"runner.meta.base_url"}},
      {", tool_specific: {api_key_env: GITHUB_TOKEN}",
       "",
       "landlock",
       {"runner.meta.tool_specific.api_key_env"}},
      {", tool_specific: {docker_mode: true}",
       "",
       "landlock",
       {"runner.meta.tool_specific.docker_mode"}},
      {"", ", cli_path: ./x", "landlock", {"runner.worker.cli_path"}},
      {"", ", flags: [--yolo]", "landlock", {"runner.worker.flags"}},
      {"", ", env: {A: 'env:SECRET'}", "landlock", {"runner.worker.env.A"}},
      {"",
       ", allow: [prompt, cli_path, env]",
       "landlock",
       {"runner.worker.allow: cli_path", "runner.worker.allow: env"}},
      {"",
       ", allow: [flags, tool_specific]",
       "landlock",
       {"runner.worker.allow: flags", "runner.worker.allow: tool_specific"}},
      {"", "", "none", {"runner.sandbox: none"}},
      {"", "", "{kind: none}", {"runner.sandbox: none"}},
      {"", "", "{kind: docker, image: evil}", {"runner.sandbox.image"}},
      {"", "", "{kind: podman, mounts: ['/:/all']}", {"runner.sandbox.mounts"}},
      {"", "", "{kind: docker, network: host}", {"runner.sandbox.network"}},
      {"", "", "{kind: docker, network: other}", {"runner.sandbox.network"}},
  };
  for (const Row& row : rows) {
    INFO(row.meta << row.worker << " " << row.sandbox);
    CHECK(fields_of(row.meta, row.worker, row.sandbox) == row.fields);
  }
}

}  // namespace orch::task
