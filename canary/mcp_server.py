"""A server of the Model Context Protocol on standard input and output: python3 mcp_server.py FILE. Its one tool, ping, does
nothing. Each method that it is asked for becomes a line of FILE, with the value of ORCH_CANARY_SECRET."""

import json
import os
import sys
from pathlib import Path

TOOL = {"name": "ping", "description": "Answers pong.", "inputSchema": {"type": "object", "properties": {}}}


def result_of(method: str, params: dict) -> dict:
    if method == "initialize":
        return {"protocolVersion": params.get("protocolVersion", "2025-06-18"), "capabilities": {"tools": {}},
                "serverInfo": {"name": "canary", "version": "1"}}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": "pong"}]}
    return {}


def main() -> None:
    told = Path(sys.argv[1])
    for line in sys.stdin:
        message = json.loads(line)
        with told.open("a", encoding="utf-8") as file:
            file.write(f"{message.get('method')} {os.environ.get('ORCH_CANARY_SECRET', '')}\n")
        if "id" in message:
            result = result_of(message["method"], message.get("params") or {})
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)


if __name__ == "__main__":
    main()
