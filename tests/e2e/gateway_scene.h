// An agent of the tests that asks its model through orch, and the model: small Python programs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "workspace.h"

namespace orch::e2e {

// Answers each request with 100 tokens in and 10 out, and keeps its path and headers.
inline constexpr const char* kModel = R"(import http.server, json, sys, time
class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *words): pass
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with open(sys.argv[1], "a") as log:
            log.write(json.dumps({"path": self.path, "headers": dict(self.headers)}) + "\n")
        word = asked.get("word")
        if word == "silent":
            self.connection.settimeout(60)
            try: left = self.connection.recv(1) == b""
            except OSError: left = True
            with open(sys.argv[1], "a") as log: log.write(json.dumps({"path": "left" if left else "stays"}) + "\n")
            return self.hang_up()
        if word == "garbage":
            self.wfile.write(b"\0\xff\r\n<html>no HTTP</html>\r\n\r\n")
            return self.hang_up()
        body = json.dumps({"model": "m", "content": [{"type": "text", "text": "go on"}],
                           "usage": {"input_tokens": 100, "output_tokens": 10}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if word == "slow":
            for byte in body:
                self.wfile.write(bytes([byte]))
                time.sleep(0.02)
        elif word == "cut":
            self.wfile.write(body[:20])
            self.hang_up()
        else:
            self.wfile.write(body)
    def hang_up(self):
        self.close_connection = True
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
print("port", server.server_port, flush=True)
server.serve_forever()
)";

// Asks its model up to eight times in one turn, as long as the model lets it.
inline constexpr const char* kAskingAgent =
    R"(import json, os, socket, sys, urllib.error, urllib.request
sys.stdin.read()
say = lambda text: print(json.dumps({"type": "say", "text": text}), flush=True)
print(json.dumps({"type": "session", "id": "c1"}), flush=True)
say("key " + os.environ.get("OWN_KEY", "none"))
for name in ("/proc/%d/environ" % os.getppid(), "/proc/self/environ", "/proc/1/environ"):
    try: say(name.split("/")[2][:1] + (" holds it" if b"real-key" in open(name, "rb").read() else " clean"))
    except OSError: say("closed")
def way(name, attempt):
    try: say(name + (" open" if attempt() else " closed"))
    except OSError: say(name + " closed")
def tcp(port): return lambda: socket.create_connection(("127.0.0.1", port), 5)
def connect(host):
    link = socket.create_connection(("127.0.0.1", int(os.environ["OWN_URL"].split(":")[2].split("/")[0])), 5)
    link.sendall(("CONNECT %s HTTP/1.1\r\n\r\n" % host).encode())
    return link.recv(100).startswith(b"HTTP/1.1 200")
if "OWN_PROBE" in os.environ:
    port = int(os.environ["OWN_PROBE"])
    way("loopback", tcp(port))
    way("datagrams", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("192.0.2.1", 53)))
    way("tcp", lambda: socket.create_connection(("192.0.2.1", 443), 1))
    way("another host", lambda: connect("example.com:443"))
    way("this machine", lambda: connect("named.localhost:%d" % port))
    way("abstract", lambda: socket.socket(socket.AF_UNIX).connect("\0own-abstract") is None)
for n in range(int(os.environ.get("OWN_ROUNDS", "8"))):
    request = urllib.request.Request(os.environ["OWN_URL"] + "/v1/messages",
        json.dumps({"model": "m", "tools": [{}], "cwd": os.getcwd(), "n": n, "word": os.environ.get("OWN_WORD", ""),
                    "pad": "x " * int(os.environ.get("OWN_PAD", "0"))}).encode(),
        {"x-api-key": os.environ.get("OWN_KEY", ""), "x-head": "h" * int(os.environ.get("OWN_HEAD", "0"))})
    try: answer = json.load(urllib.request.urlopen(request, timeout=float(os.environ.get("OWN_PATIENCE", "60"))))["content"][0]["text"]
    except urllib.error.HTTPError as error:
        say("HTTP %d %s" % (error.code, json.load(error)["error"]["message"]))
        sys.exit(1)
    except Exception as error:
        say("failed: " + type(error).__name__)
        sys.exit(1)
    say(answer)
    if "[orch]" in answer: break
say("LOOP_COMPLETE")
print(json.dumps({"type": "end"}), flush=True)
)";

struct GatewayScene {
  GatewayScene() {
    const std::string agent = workspace.write("agent.py", kAskingAgent);
    workspace.write(
        "home/.config/orch/adapters/own.json",
        R"({"manifest": 1, "name": "own", "title": "Own", "program": ["/usr/bin/python3"],
            "login": {"variables": ["OWN_KEY"], "files": ["$HOME/.own-login"], "how": "set OWN_KEY"},
            "gateway": {"address": "https://127.0.0.1:1", "variables": ["OWN_URL"],
                        "env": {"OWN_URL": "{url}"}, "blind": {"OWN_BLIND": "it sees nothing"},
                        "keys": [{"variable": "OWN_KEY", "header": "x-api-key"}],
                        "dummy": {"env": {"OWN_KEY": "{secret}"}}},
            "headless": {"arguments": [")" +
            agent + R"(", "{options}", "{resume}"], "resume": ["--resume", "{}"], "lines": [
              {"is": "session", "when": {"/type": "session"}, "id": "/id"},
              {"is": "words", "when": {"/type": "say"}, "text": "/text"},
              {"is": "end", "when": {"/type": "end"}}]}})");
    model.wait_for_output("\n");
  }

  Launch launch(Words words, std::vector<std::string> env = {}) const {
    Words all{"run", "7", "--agent", "own", "--mode", "headless", "-p", "x"};
    all.insert(all.end(), words.begin(), words.end());
    Launch launch = workspace.orch(std::move(all));
    launch.env.insert(launch.env.end(), env.begin(), env.end());
    return launch;
  }
  Outcome run(Words words, std::vector<std::string> env = {}) const {
    return Program(launch(std::move(words), std::move(env))).finish();
  }
  std::vector<Json> requests() const {
    std::vector<Json> out;
    if (!std::filesystem::exists(workspace.file("requests"))) return out;
    const std::string log = content_of(workspace.file("requests"));
    for (size_t at = 0; at < log.size();) {
      const size_t end = log.find('\n', at);
      out.push_back(Json::parse(log.substr(at, end - at)));
      at = end + 1;
    }
    return out;
  }

  Workspace workspace;
  Program model{launch_model(workspace)};
  static Launch launch_model(const Workspace& workspace) {
    Launch launch = workspace.shell("true");
    launch.argv = {"/usr/bin/python3", workspace.write("model.py", kModel),
                   workspace.file("requests")};
    return launch;
  }
  std::string url() {
    const std::string said = model.output();
    return "http://127.0.0.1:" + said.substr(5, said.find('\n') - 5);
  }
};

inline bool holds(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

}  // namespace orch::e2e
