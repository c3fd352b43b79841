#include "sandbox/engine.h"

#include <array>

#include "base/json.h"
#include "base/own_program.h"
#include "base/own_settings.h"
#include "base/text.h"
#include "sandbox/labels.h"
#include "session/environment.h"

namespace orch::sandbox {
namespace {

using base::usage_error;

base::Error no_daemon(const Engine& engine, const std::string& complaint) {
  return {base::ErrorCode::kSystem, "--sandbox " + std::string(name(engine.kind)) +
                                        ": no daemon answers: " + complaint +
                                        "; start it, or name it with DOCKER_HOST"};
}

bool begins_daemonless(std::string_view complaint) {
  return complaint.find("annot connect to") != std::string_view::npos ||
         complaint.find("permission denied") != std::string_view::npos ||
         complaint.find("error during connect") != std::string_view::npos;
}

// Takes the engines' name for the architecture.
bool is_foreign(std::string_view architecture) {
#if defined(__x86_64__)
  constexpr std::string_view kOurs = "amd64";
#elif defined(__aarch64__)
  constexpr std::string_view kOurs = "arm64";
#else
  const std::string_view kOurs = architecture;
#endif
  return architecture != kOurs;
}

}  // namespace

base::Result<pty::ToolEnd> ask_engine(const Engine& engine, std::vector<std::string> words) {
  // Its settings name programs, too: helpers for credentials, plugins, runtimes.
  if (base::Status s = base::check_settings_variables(
          {"DOCKER_CONFIG", "CONTAINERS_CONF", "CONTAINERS_CONF_OVERRIDE", "REGISTRY_AUTH_FILE"});
      !s) {
    return s.error();
  }
  if (base::Status s = base::check_settings_at_home(
          {".docker/config.json", ".docker/cli-plugins", ".config/containers/containers.conf"});
      !s) {
    return s.error();
  }
  words.insert(words.begin(), engine.program);
  base::Result<pty::ToolEnd> end = pty::run_tool(words, session::own_environment(), kEngineLimits);
  if (!end) return end;
  const std::string what = std::string(name(engine.kind)) + " " + words[1];
  const std::string unanswered = pty::why_unanswered(what, *end, kEngineLimits);
  if (!unanswered.empty()) return base::Error{base::ErrorCode::kSystem, unanswered};
  return end;
}

std::string_view name(EngineKind kind) {
  switch (kind) {
    case EngineKind::kDocker:
      return "docker";
    case EngineKind::kPodman:
      return "podman";
  }
  return "";
}

std::optional<EngineKind> engine_named(std::string_view name) {
  for (const EngineKind kind : {EngineKind::kDocker, EngineKind::kPodman}) {
    if (name == sandbox::name(kind)) return kind;
  }
  return std::nullopt;
}

std::string complaint_in(std::string_view errors) {
  constexpr std::array<std::string_view, 4> kLeads{
      "docker: ", "Error response from daemon: ", "Error: ", "ERROR: "};
  for (std::string_view line : base::split_lines(errors)) {
    line = base::trim(line);
    for (const std::string_view lead : kLeads) {
      if (line.starts_with(lead)) line.remove_prefix(lead.size());
    }
    if (line.ends_with('.')) line.remove_suffix(1);
    if (!line.empty()) return base::printable(line);
  }
  return "it does not say why";
}

std::optional<Engine> find_client(EngineKind kind) {
  base::Result<std::string> program = base::own_program(name(kind));
  if (!program) return std::nullopt;
  return Engine{kind, std::move(program).value(), false};
}

base::Result<Engine> find_engine(EngineKind kind) {
  base::Result<std::string> program = base::own_program(name(kind));
  if (!program && program.error().code != base::ErrorCode::kNotFound) return program.error();
  if (!program) {
    return usage_error("--sandbox " + std::string(name(kind)) + ": there is no " +
                       std::string(name(kind)) +
                       " along PATH: install it, or write --sandbox landlock");
  }
  Engine engine{kind, std::move(program).value(), false};
  const bool docker = kind == EngineKind::kDocker;
  const base::Result<pty::ToolEnd> said = ask_engine(
      engine,
      {"info", "--format", docker ? "{{.SecurityOptions}}" : "{{.Host.Security.Rootless}}"});
  if (!said) return said.error();
  if (!said->ok) return no_daemon(engine, complaint_in(said->errors));
  engine.rootless = said->output.find(docker ? "name=rootless" : "true") != std::string::npos;
  return engine;
}

base::Result<Image> find_image(const Engine& engine, const std::string& image) {
  const base::Result<pty::ToolEnd> said =
      ask_engine(engine, {"image", "inspect", "--format", "{{.Architecture}}", "--", image});
  if (!said) return said.error();
  if (said->ok) return Image{is_foreign(base::trim(said->output))};
  const std::string complaint = complaint_in(said->errors);
  if (begins_daemonless(complaint)) return no_daemon(engine, complaint);
  const std::string client(name(engine.kind));
  return usage_error("--image " + base::printable(image) + ": " + complaint +
                     "; orch fetches none: " + client + " pull " + base::printable(image) +
                     ", or build it");
}

base::Result<Running> find_running(const Engine& engine, const std::string& container) {
  const std::string what = "--container " + base::printable(container) + ": ";
  constexpr const char* kFormat =
      R"({"labels":{{json .Config.Labels}},"running":{{json .State.Running}},)"
      R"("network":{{json .HostConfig.NetworkMode}},"user":{{json .Config.User}}})";
  const base::Result<pty::ToolEnd> said =
      ask_engine(engine, {"container", "inspect", "--format", kFormat, "--", container});
  if (!said) return said.error();
  if (!said->ok) {
    const std::string complaint = complaint_in(said->errors);
    if (begins_daemonless(complaint)) return no_daemon(engine, complaint);
    return usage_error(what + complaint);
  }
  const base::Json json = base::parse_json(said->output);
  if (!json.is_object() || !json["labels"].is_object() || !json["labels"].contains(kWorkLabel) ||
      !json["labels"][kWorkLabel].is_string()) {
    return usage_error(what + "it is none of orch's containers; name an image with --image");
  }
  if (json.value("running", false) == false) return usage_error(what + "it does not run");
  return Running{json["labels"][kWorkLabel].get<std::string>(), json.value("network", ""),
                 json.value("user", "")};
}

}  // namespace orch::sandbox
