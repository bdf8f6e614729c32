// Answers a case of conformance/ by what rulesync takes for the files of a program:
//
//     promptls conformance score "node conformance/adapters/rulesync.mjs node_modules/rulesync/dist/index.js"
//
// rulesync imports the configuration of a program, of a project and of the user. What it imports is the answer: rules
// whole, and of skills, agents and commands the front matter. It knows no roles, no reads and no limits.
import { readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const TARGETS = {
  "auggie": "augmentcode", "claude-code": "claudecode", "cline": "cline", "codex": "codexcli", "continue": "continue",
  "copilot-cli": "copilotcli", "copilot-vscode": "copilot", "deepagents-code": "deepagents", "droid": "factorydroid",
  "goose": "goose", "grok-build": "grokcli", "hermes": "hermesagent", "kilo-code": "kilo", "kimi-code": "kimi-code",
  "mistral-vibe": "vibe", "opencode": "opencode", "pi": "pi", "qwen-code": "qwencode",
};
const asked = JSON.parse(readFileSync(0, "utf8"));
const target = TARGETS[asked.program];
const say = (answer) => process.stdout.write(JSON.stringify(answer) + "\n");
const { importFromTool } = await import(pathToFileURL(resolve(process.argv[2])));

function* texts(directory) {
  let names = [];
  try { names = readdirSync(directory, { recursive: true }).map(String).sort(); } catch { return; }
  for (const name of names) {
    const path = join(directory, name);
    if (!statSync(path).isFile()) continue;
    const text = readFileSync(path, "utf8");
    const matter = /^---\r?\n[^]*?\r?\n---/.exec(text);
    yield name.startsWith("rules") || name === "overview.md" ? text : matter ? matter[0] : "";
  }
}

if (target === undefined) {
  say({ unknown: "rulesync has no target for this program" });
} else {
  process.chdir(asked.start.cwd);
  const places = [join(asked.start.cwd, ".rulesync"), join(asked.home, ".rulesync")];
  const said = [];
  let failed = "";
  for (const global of [true, false]) {
    for (const feature of ["rules", "skills", "subagents", "commands"]) {
      try {
        await importFromTool({ target, features: [feature], global, silent: true });
      } catch (error) {
        // A program without a feature is no failure, and neither is one without files for all folders.
        failed = feature === "rules" && !global ? String(error) : failed;
      }
    }
    // Both imports write the same files.
    said.push(...places.flatMap((place) => [...texts(place)]));
    for (const place of places) rmSync(place, { recursive: true, force: true });
  }
  const is = (name) => new RegExp(`${name}(?![A-Za-z0-9-])`).test(said.join("\n"));
  say(failed ? { unknown: failed } : { sentinels: asked.sentinels.filter(is) });
}
