// The official SDK's client of the Agent Client Protocol, driven by JSON lines on standard input, so that a script can
// use it: it refuses each message that does not fit the protocol's schema, and reports it as "refused".
//   node acp_client.mjs SDK COMMAND...   SDK: the folder of @agentclientprotocol/sdk
// Input:  {"n": 1, "method": "session/new", "params": {...}}    a request
//         {"method": "session/cancel", "params": {...}}         a notification
//         {"answer": 1, "result": {...}}                        to the agent's request number 1
// Output: {"at": seconds since 1970} with one of: response (of n), error (of n), update, asked (a request's number, with
// method and params), withdrawn (number), refused (text)
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";

const [sdk, ...command] = process.argv.slice(2);
const acp = await import(pathToFileURL(`${sdk}/dist/v1/stable/acp.js`));
const tell = (what) => process.stdout.write(JSON.stringify({ at: Date.now() / 1000, ...what }) + "\n");
console.error = (...words) => tell({ refused: words.map((word) => (word instanceof Error ? word.stack : typeof word === "string" ? word : JSON.stringify(word))).join(" ") });

const agent = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
agent.on("exit", (code, signal) => {
  tell({ ended: signal ?? code });
  process.exit(0);
});
const asked = new Map();
let number = 0;
const ask = (method) => ({ params, signal }) =>
  new Promise((resolve) => {
    const mine = ++number;
    asked.set(mine, resolve);
    signal?.addEventListener("abort", () => tell({ withdrawn: mine }));
    tell({ asked: mine, method, params });
  });
const { client: theirs } = acp.methods;
const app = acp
  .client({ name: "orch-canary" })
  .onNotification(theirs.session.update, ({ params }) => tell({ update: params }))
  .onRequest(theirs.session.requestPermission, ask("permission"))
  .onRequest(theirs.elicitation.create, ask("question"));
const stream = acp.ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));
await app.connectWith(stream, async (context) => {
  for await (const line of createInterface({ input: process.stdin })) {
    const said = JSON.parse(line);
    if (said.answer) {
      asked.get(said.answer)?.(said.result);
    } else if (said.n) {
      context.request(said.method, said.params).then(
        (result) => tell({ n: said.n, response: result }),
        (error) => tell({ n: said.n, error: { code: error.code, message: error.message, data: error.data } }),
      );
    } else {
      context.notify(said.method, said.params);
    }
  }
  agent.stdin.end();
  await new Promise(() => {});
});
