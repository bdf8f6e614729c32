/**
 * The messages between the server and this extension beyond LSP, and the settings of the server.
 *
 * Generated from the server's models by tools/generate.py: change it there.
 */

export const PREVIEW = "prompt/preview";
export const DID_CHANGE = "prompt/didChange";
export const HARNESSES = "prompt/harnesses";
export const USE = "prompt/use";
export const EXPLAIN = "prompt/explain";
export const SESSIONS = "prompt/sessions";
export const SESSION = "prompt/session";
export const RULES = "prompt/rules";
export const MAP = "prompt/map";
export const TABLE = "prompt/table";
export const VERIFY = "prompt/verify";
/** The URI scheme of the virtual documents. */
export const SCHEME = "promptls";

/** Every setting of the server, as it is named in settings.json. */
export const SETTING_KEYS = [
  "harness",
  "harnesses",
  "model",
  "agent",
  "cwd",
  "args",
  "inlayHints",
  "checkWorkspace",
  "fade",
  "habits",
  "urls.enabled",
  "urls.slowMs",
  "urls.allow",
] as const;

/** The settings that the server reads, from the section `promptls` or from `initializationOptions`. */
export interface Settings {
  harness?: string;
  harnesses?: string[];
  model?: string;
  agent?: string;
  cwd?: string;
  args?: string[];
  inlayHints?: boolean;
  checkWorkspace?: boolean;
  fade?: boolean;
  habits?: boolean;
  urls?: { enabled?: boolean; slowMs?: number; allow?: string[] };
}

export interface InitializationOptions extends Settings {
  untrustedWorkspace: boolean;
}

/** A call of a tool: `read` a file, or `tool` with its `input`; or a compaction between two steps. */
export interface CallOptions {
  /** A file that the tool for reading reads. */
  read?: string | null;
  /** The tool, as the harness names it. */
  tool?: string | null;
  /** The arguments of the tool, also as JSON; a text where the tool takes one. */
  input?: Record<string, unknown> | string | null;
  /** The group that the tool is in, where the harness has groups. */
  namespace?: string | null;
  /** The call starts a sub-agent: what this does then, step by step; an empty list, its start. */
  steps?: CallOptions[][] | null;
  /** No call: the harness compacts the session here. */
  compact?: "auto" | null;
  /** With `compact`: what the model made of the history. */
  summary?: string | null;
}

/** A file that is open in the editor. */
export interface OpenOptions {
  path: string;
  /** Line, character, line, character, from 0. */
  selection?: number[] | null;
  /** The selected text, where it is known. */
  text?: string | null;
}

/** A session; the preview shows its last request. */
export interface SessionOptions {
  /** The harness, with `@` and a version if another than the newest one is meant. */
  harness: string;
  /** Where the harness is started. */
  cwd: string;
  /** The folders of a workspace that has several. */
  folders?: string[];
  /** The model, as the harness names it. */
  model?: string | null;
  /** The agent, as the harness names it. */
  agent?: string | null;
  /** The command line of the harness. */
  args?: string[];
  /** Runtime hints, for some harnesses. */
  hints?: string[];
  /** What has been said and done. */
  turns?: TurnOptions[];
  /** true: the program on the screen; false: the one that prints an answer. */
  interactive?: boolean | null;
  /** true: an editor runs the program, and shows it in a panel. */
  editor?: boolean | null;
  /** The mode, such as `plan`, where the command line does not say it. */
  mode?: string | null;
  /** Another request of the last turn: the one for a summary, or for a title. */
  request?: "summary" | "title" | null;
}

/** A document by its URI. */
export interface TextDocumentIdentifier {
  uri: string;
}

/** What the user sends at once, and what the model calls then. */
export interface TurnOptions {
  /** What the user typed. */
  prompt?: string | null;
  /** What was piped to the program with the prompt. */
  stdin?: string | null;
  /** Attached files. */
  attached?: string[];
  /** Files that are open in the editor. */
  open?: OpenOptions[];
  /** The steps of the model; the calls of one step are parallel. */
  steps?: CallOptions[][];
  /** A new process took the session up and sent this, as with `--continue`. */
  resume?: boolean;
  /** With `resume`, the command line of that process, where it is not that of the session. */
  args?: string[] | null;
  /** The history was compacted here: true, or what was typed for the summary. */
  compact?: boolean | string;
  /** With `compact`: what the model made of the history. */
  summary?: string | null;
  /** The agent from this turn on. */
  agent?: string | null;
}

/** Selects the prompt: missing values come from the document, the settings and the workspace. */
export interface PreviewParams {
  textDocument?: TextDocumentIdentifier | null;
  cwd?: string | null;
  harness?: string | null;
  model?: string | null;
  agent?: string | null;
  reads?: string[] | null;
  args?: string[] | null;
  rev?: string | null;
  session?: SessionOptions | null;
  open?: OpenOptions[] | null;
  recorded?: string | null;
  subagent?: string | null;
}

/** What came of an instruction file in a recorded session, and why. */
export interface Arrival {
  path: string;
  outcome: "start" | "arrived" | "expected" | "never";
  why: string;
}

/** A call of a tool: `read`, or `tool` with its `input` as JSON; or a compaction between two steps. */
export interface Call {
  read?: string | null;
  tool?: string | null;
  input?: string | null;
  /** The group that the tool is in. */
  namespace?: string | null;
  /** What the sub-agent does that the call starts. */
  steps?: Call[][] | null;
  /** No call: the session was compacted here. */
  compact?: string | null;
  /** With `compact`: what the model made of the history. */
  summary?: string | null;
}

/** A place that the harness looks at, and the outcome. */
export interface Candidate {
  path?: string | null;
  url?: string | null;
  outcome: "loaded" | "missing" | "empty" | "shadowed" | "duplicate" | "outside" | "excluded" | "unscoped" | "cut" | "dropped" | "failed" | "pending" | "disabled";
  /** Rule and reason in one clause, for people. */
  why: string;
  /** Why the harness looks there. */
  rule: string;
  /** The reason for this outcome; empty if the rule says it all. */
  reason: string;
  origin: Origin;
  use: "instruction" | "config" | "prompt" | "template" | "skill" | "command" | "agent" | "style" | "hook" | "server";
  at: string;
  other?: string | null;
  cut?: Cut | null;
  fetched?: Fetched | null;
}

/** What a limit removed. */
export interface Cut {
  kept: number;
  total: number;
  unit: string;
  limit: string;
  setting?: Origin | null;
}

/** Prose of the harness's own that is not reproduced. */
export interface Elided {
  name: string;
  size: number | null;
}

/** A harness that the workspace is configured for, and the files that show it. */
export interface Evidence {
  name: string;
  evidence: string[];
}

/** Something of a session, and a clause that says what it was taken from; `source` may name files of the user. */
export interface Fact {
  kind: "program" | "version" | "start" | "interactive" | "mode" | "model" | "agent" | "trust" | "records";
  value: string | boolean | null;
  /** The value, for people. */
  says?: string;
  source: string;
}

/** What is known of a URL; seconds. */
export interface Fetched {
  state: "ok" | "pending" | "disabled" | "timeout" | "unreachable" | "status" | "empty" | "refused";
  status: number | null;
  final_url: string | null;
  headers_seconds: number | null;
  total_seconds: number | null;
  from_cache: boolean;
}

/** A harness and version; ``verified`` by captured sessions. */
export interface HarnessName {
  name: string;
  version: string;
  verified: boolean;
  /** How well the version is known: see docs/harnesses.md. */
  tier?: "captured" | "source" | "documented" | null;
}

/** The command that finds out what a preview does not know, as arguments. */
export interface How {
  kind: "capture" | "servers" | "hooks" | "fetch" | "probe" | "learn";
  command: string[];
  /** It finds that out only once the user trusts the folder. */
  once_trusted?: boolean;
}

/** Of so many rules of the version `base`, so many hold in this one, as it is installed here; `moved`: those not. */
export interface Learned {
  date: string;
  base: string;
  holds: number;
  rules: number;
  moved: string[];
  untried: string[];
  inherited: number;
  open: number;
  sessions: number;
  planned: number;
  whole: boolean;
}

/** A limit of the harness: `used` of `most` units; `left` is 0 where they are over it. */
export interface Limit {
  name: string;
  used: number;
  most: number;
  left: number;
  unit: string;
  setting?: Origin | null;
}

/** One content block of the request. */
export interface Message {
  role: "system" | "developer" | "user" | "assistant" | "tool" | "tools" | "agent_message" | "workspace_guidelines" | "rules" | "skills";
  index: number;
  block: number;
  at: string;
  text: string;
  cached: boolean;
  segments: Segment[];
}

/** Which session an answer is about: `line` says it; `assumed` is what nothing says, null where all is known. */
export interface NamedSession {
  line: string;
  assumed: string | null;
  facts: Fact[];
}

/** A file that is open in the editor; `selection` is line, character, line, character. */
export interface OpenFile {
  path: string;
  selection: number[] | null;
  /** The selected text, where it is known. */
  text?: string | null;
}

/** The source of a text or a rule. */
export interface Origin {
  kind: "file" | "url" | "config" | "argument" | "builtin" | "computed";
  path?: string | null;
  /** Instead of `path`: a file that this message has already named. */
  again?: string | null;
  url?: string | null;
  range?: Range | null;
  name?: string | null;
}

/** An LSP position: UTF-16. */
export interface Position {
  line: number;
  character: number;
}

/** A check's finding. */
export interface Problem {
  path: string;
  range: Range;
  code: string;
  severity: "error" | "warning" | "information" | "hint";
  message: string;
}

/** An LSP range. */
export interface Range {
  start: Position;
  end: Position;
}

/** A session that a program recorded: paths and sizes, no text of it. */
export interface RecordedSession {
  harness: string;
  version: string | null;
  id: string;
  /** The record. */
  path: string;
  cwd: string;
  started: string | null;
  model: string | null;
  agent: string | null;
  branch: string | null;
  commit: string | null;
  parent: string | null;
  reads: string[];
  touched: Touched[];
  /** The prompt of each request, as the program counted it. */
  tokens: number[];
  compactions: number;
  subagents: number;
  not_recorded: string;
  arrivals?: Arrival[] | null;
}

/** The tokens that the service will report: with its own around messages, and tools as it writes them. */
export interface Reported {
  tokens: number;
  /** `calibrated` by requests of the user's that programs recorded, else `estimate`. */
  method: string;
  /** How far the tokens may be off, in percent: nine of ten are not further off. */
  error: number;
  requests: number;
  sessions: number;
}

/** A run of the message's text with one origin; offsets in code points. */
export interface Segment {
  layer: "provider" | "environment" | "instructions" | "tools" | "memory" | "runtime";
  title: string;
  start: number;
  end: number;
  origin: Origin;
  why: string;
  cache: "static" | "session" | "turn";
  tokens: number;
  cut: Cut | null;
  elided: Elided | null;
  /** The day on which the text was captured from the program. */
  captured?: string | null;
  /** How to know what stands here, where a command finds it out. */
  how?: How | null;
}

/** How the harness was started, and what has been said and done since. */
export interface Session {
  cwd: string;
  reads: string[];
  turns: Turn[];
  model: string | null;
  agent: string | null;
  /** Whether the open editor changes the prompt, so that `open` has an effect. */
  counts_open: boolean;
  args: string[];
  hints: string[];
  /** Whether it is the program on the screen; null where nobody says. */
  interactive: boolean | null;
  /** Whether an editor runs it in a panel; null where nobody says. */
  editor: boolean | null;
  /** The mode that the user has chosen in the program. */
  mode: string | null;
  /** The session in a line, and what each part of that was taken from. */
  told: NamedSession | null;
  /** Another request of the last turn, such as that for a summary. */
  request: string | null;
}

/** A part of the prompt: a file, all skills, the tools, the harness itself; all of them are the whole prompt. */
export interface Size {
  name: string;
  kind: "file" | "url" | "skills" | "commands" | "agents" | "servers" | "hooks" | "typed" | "tools" | "harness";
  /** Null where nobody knows any of them. */
  tokens: number | null;
  files: number;
  at_least: boolean;
}

/** A tool that the harness offers. */
export interface Tool {
  name: string;
  enabled: boolean;
  why: string;
  /** The characters of its definition; null where they are not known. */
  size: number | null;
  origin: Origin;
  /** How to know its size, where a command finds it out. */
  how?: How | null;
}

/** Sizes of the whole prompt; ``elided`` counts the segments that are not reproduced. */
export interface Totals {
  characters: number;
  bytes: number;
  tokens: number;
  token_method: string;
  /** How far the tokens may be off, in percent; 0 where they are exact. */
  token_error: number;
  /** What the service will report; null where that is not known. */
  reported?: Reported | null;
  files: number;
  elided: number;
  /** Some sizes are unknown: the total is larger. */
  at_least?: boolean;
  /** The context window of the model in tokens, if it is known. */
  window?: number | null;
}

/** A call of a recorded session that is not the program's own way to read a file. */
export interface Touched {
  tool: string;
  failed: boolean;
}

/** What the user sent at once, and what the model called then. */
export interface Turn {
  prompt: string | null;
  stdin: string | null;
  attached: string[];
  open: OpenFile[];
  steps: Call[][];
  /** True if a new process took the session up to send it. */
  resume?: boolean | null;
  /** The command line of that process. */
  args?: string[] | null;
  /** True if the history was compacted here, or what was typed for that. */
  compact?: boolean | string | null;
  /** What the model made of the history. */
  summary?: string | null;
  /** The agent from this turn on. */
  agent?: string | null;
}

/** The program that is installed here sent this prompt. */
export interface VerifiedHere {
  version: string;
  date: string;
  whole: boolean;
  /** Nothing was left out that changes the prompt, such as MCP servers and hooks. */
  all: boolean;
  unknown: number;
}

/** The prompt, as on the command line, and its virtual document. */
export interface PreviewResult {
  harness: HarnessName;
  /** What `promptls verify` found on this machine. */
  verified_here?: VerifiedHere | null;
  /** What `promptls learn` found on this machine. */
  learned?: Learned | null;
  /** How to know what an unknown version does, where another one is shown. */
  how?: How | null;
  session: Session;
  messages: Message[];
  candidates: Candidate[];
  tools: Tool[] | null;
  totals: Totals;
  sizes: Size[];
  limits: Limit[];
  problems: Problem[];
  stopped: string | null;
  /** Whether promptls failed: `stopped` says so, and what is sent is not known. */
  fault: boolean;
  notes: string[];
  found: Evidence[];
  recorded?: RecordedSession | null;
  /** The virtual document that shows this prompt. */
  uri: string;
  /** The text of the virtual document. */
  text: string;
  /** The line of that text at which what is the user's own begins; 0 where nothing is. */
  ownLine?: number;
  /** Increases when this prompt changes. */
  version: number;
  /** Identifies the session: equal for two previews of the same session. */
  cacheKey: string;
  /** Nothing that the prompt depends on has changed. */
  cacheHit: boolean;
}

/** prompt/didChange: the virtual documents whose prompt has changed. */
export interface DidChangeParams {
  uris: string[];
}

/** Selects the workspace: that of the document, else the first folder; `all`: also uncommon harnesses. */
export interface HarnessesParams {
  textDocument?: TextDocumentIdentifier | null;
  all?: boolean;
}

/** The harness that is shown; ``setting`` is the one that the settings name. */
export interface CurrentHarness {
  name: string;
  version: string;
  setting: string | null;
}

/** A harness, and whether the workspace is configured for it. */
export interface Harness {
  name: string;
  title: string;
  /** How well the default version is known. */
  tier: "captured" | "source" | "documented";
  versions: HarnessVersion[];
  loads: string[];
  found: boolean;
  evidence: string[];
}

/** A version of a harness. */
export interface HarnessVersion {
  version: string;
  verified: boolean;
  /** How well the version is known. */
  tier: "captured" | "source" | "documented";
  note: string;
}

/** The supported harnesses; uncommon ones only if they are in use or named. */
export interface HarnessesResult {
  harnesses: Harness[];
  current: CurrentHarness;
  /** Those that the settings, or else the user's own file, name as in use. */
  chosen?: string[];
  /** The user has not said which harnesses they use, and several read AGENTS.md. */
  undecided?: boolean;
}

/** The harnesses that the user has, the one to show first, with a version if they say so (`NAME@VERSION`). */
export interface UseParams {
  harnesses?: string[] | null;
}

/** What the user has said of their harnesses, for all their folders, and the file of theirs that says so. */
export interface UseResult {
  path: string;
  harnesses: string[];
  /** Whether they have said anything, if only to go by what is found. */
  answered: boolean;
}

/** Selects the file. */
export interface ExplainParams {
  textDocument: TextDocumentIdentifier;
}

/** A program that reads a file by its documentation; nothing was measured. */
export interface Documented {
  program: string;
  title: string;
  tier: "documented";
  when: string;
  sources: string[];
}

/** What one harness does with a file; `found` says whether it is in use in the workspace. */
export interface Explanation {
  harness: HarnessName;
  found: boolean;
  loaded: Use[];
  /** Whether promptls failed, as `reason` says: what the harness does is not known. */
  fault: boolean;
  outcome: string;
  why: string;
  rule: string;
  reason: string;
  other: string | null;
  /** What it is used as, or would be. */
  use?: "instruction" | "config" | "prompt" | "template" | "skill" | "command" | "agent" | "style" | "hook" | "server";
  /** Only in a folder that the user trusts, as far as is known. */
  once_trusted?: boolean;
  cut?: Cut | null;
  /** With a file near it that is read, its path is sent, not its text. */
  named?: boolean | null;
  /** The commands that find out what is not known of the prompts that have it. */
  how?: How[];
}

/** A place in a folder `.agents`, and which harnesses have read it there when they were recorded. */
export interface InAgents {
  place: string;
  read_by: string[];
  not_read_by: string[];
}

/** The tokens of a cached prompt that a change invalidates, and their total number. */
export interface Invalidated {
  tokens: number;
  of: number;
  /** Some sizes are unknown. */
  at_least?: boolean;
}

/** A session whose prompt has the file: started in `cwd`, `at` start or on read. */
export interface Use {
  cwd: string;
  at: "start" | "read";
  role: "system" | "developer" | "user" | "assistant" | "tool" | "tools" | "agent_message" | "workspace_guidelines" | "rules" | "skills";
  layer: string;
  why: string;
  /** The other name it is loaded by, if there are links. */
  by?: string | null;
  /** The patterns of a rule that applies to some files. */
  scope?: string | null;
  /** What the file is used as. */
  use?: "instruction" | "config" | "prompt" | "template" | "skill" | "command" | "agent" | "style" | "hook" | "server";
  /** Only in a folder that the user trusts, as far as is known. */
  once_trusted?: boolean;
  /** What a compaction of the session does to it, where that is known: it comes back, or it is gone. */
  after_compaction?: string | null;
  /** Those of its text in the message. */
  tokens?: number;
  cut?: Cut | null;
  /** Its place in the messages of the prompt, from 0. */
  message?: number;
  invalidates: Invalidated;
}

/** Whether programs get a file where their user starts them: `says` is the sentence for people. */
export interface Verdict {
  harnesses: string[];
  answer: "yes" | "part" | "no" | "later" | "?";
  says: string;
  start: string | null;
  remedy: string | null;
}

/** What each harness does with a file, those of the workspace first; `verdicts` are for its reader. */
export interface ExplainResult {
  path: string;
  /** Which sessions the verdicts are about. */
  sessions?: NamedSession[];
  verdicts: Verdict[];
  harnesses: Explanation[];
  /** What reads it by its documentation, without a preview. */
  documented?: Documented[];
  /** Of a folder `.agents`: who read such a file when recorded. */
  in_agents?: InAgents | null;
}

/** Selects the folder: that of the document, else the first one. */
export interface SessionsParams {
  textDocument?: TextDocumentIdentifier | null;
}

/** The recorded sessions of a folder, the newest first, and what could not be read. */
export interface SessionsResult {
  sessions: RecordedSession[];
  unread: string[];
}

/** Selects a recorded session of a folder, by its identifier or ``last``. */
export interface SessionPageParams {
  textDocument?: TextDocumentIdentifier | null;
  harness?: string | null;
  id: string;
}

/** A recorded session as a page that needs no network; its links are relative to ``root``. */
export interface SessionPageResult {
  root: string;
  html: string;
}

/** Selects the folder: that of the document, else the first one. */
export interface RulesParams {
  textDocument?: TextDocumentIdentifier | null;
}

/** The rules of one program, and how many sessions were counted. */
export interface ProgramRules {
  harness: string;
  sessions: number;
  rules: RuleCount[];
}

/** In how many sessions a file was sent, in `cut` of these only in part; `last` says when, `why` why not. */
export interface RuleCount {
  path: string;
  use: "instruction" | "config" | "prompt" | "template" | "skill" | "command" | "agent" | "style" | "hook" | "server";
  stood: number;
  cut: number;
  last: string | null;
  why: string | null;
  computed: boolean;
}

/** Of the `last` sessions of each program, in how many each rule stood: as lines of text, and as a table. */
export interface RulesResult {
  root: string;
  text: string;
  last: number;
  programs: ProgramRules[];
}

/** Selects the folder: that of the document, else the first one. */
export interface MapParams {
  textDocument?: TextDocumentIdentifier | null;
}

/** The map of a folder as a page that needs no network; its links are relative to ``root``. */
export interface MapResult {
  root: string;
  html: string;
}

/** Selects the file; without one, the first folder. */
export interface TableParams {
  textDocument?: TextDocumentIdentifier | null;
}

/** A command that finds out a size that is missing in the total of a harness. */
export interface HarnessHow {
  kind: "capture" | "servers" | "hooks" | "fetch" | "probe" | "learn";
  command: string[];
  /** It finds that out only once the user trusts the folder. */
  once_trusted?: boolean;
  harness: string;
}

/** What a harness takes of a row: `at` start, on reading a file near it, or elsewhere: only if started near it. */
export interface TableCell {
  tokens: number | null;
  at: "start" | "read" | "elsewhere";
  cut: boolean;
  at_least: boolean;
}

/** A harness, and the size of its prompt; `title` is its name for people. */
export interface TableColumn {
  harness: string;
  title: string;
  version: string;
  model: string | null;
  tokens: number;
  token_method: string;
  /** How far the tokens may be off, in percent; 0 where they are exact. */
  token_error: number;
  at_least: boolean;
  window: number | null;
  stopped: string | null;
  fault: boolean;
  /** Whether only the user's own text is counted. */
  own_text_only: boolean;
  /** The virtual document of that prompt. */
  uri: string;
}

/** A file by its names, which are links to one another, or a part; `cells` are one a column. */
export interface TableRow {
  names: string[];
  kind: "file" | "url" | "skills" | "commands" | "agents" | "servers" | "hooks" | "typed" | "tools" | "harness";
  files: number;
  cells: (TableCell | null)[];
}

/** What each harness in use takes for a file, or at a start in the folder: as lines of text, and as a table. */
export interface TableResult {
  text: string;
  harnesses: string[];
  root: string;
  columns: TableColumn[];
  rows: TableRow[];
  /** The commands that find out what is not known. */
  how?: HarnessHow[];
}

/** Selects the file, and the harness if it is not the one that is shown. */
export interface VerifyParams {
  textDocument: TextDocumentIdentifier;
  harness?: string | null;
  workDoneToken?: number | string | null;
}

/** Where the program sent something else: `rule` is what the preview goes by, `diff` are lines with `-` and `+`. */
export interface Difference {
  kind: "missing" | "text" | "role" | "order" | "size" | "extra" | "tool";
  says: string;
  message: number | null;
  rule: string | null;
  path: string | null;
  diff: string[];
}

/** What the program was not given, because it could run it: a noun, and the file that has it (null: an argument). */
export interface LeftOut {
  what: string;
  path: string | null;
}

/** The program that was run, and the model that it asked for. */
export interface Program {
  version: string;
  model: string | null;
  /** Whether it was the program on the screen; null where it has none, or where nobody can type on it. */
  interactive: boolean | null;
  /** Whether it was run as an editor runs it. */
  editor: boolean;
}

/** The characters of a tool's definition: in the preview, 0 for its name alone, and as sent. */
export interface ToolSize {
  name: string;
  shown: number;
  sent: number;
}

/** A message of the preview, and what became of it; `number` is that of the block that was sent. */
export interface VerifiedMessage {
  role: string;
  state: string;
  number: number | null;
  characters: number | null;
}

/** The tools that were `sent`, the `characters` of their definitions, and which differ from those of the preview. */
export interface VerifiedTools {
  sent: number;
  characters: number;
  only_sent: string[];
  only_shown: string[];
  sizes: ToolSize[];
}

/** A preview and what the installed program sent, as ``promptls verify`` compares them. */
export interface VerifyResult {
  harness: HarnessName;
  program: Program;
  cwd: string;
  date: string;
  notes: string[];
  same: boolean;
  /** Nothing was left out that changes the prompt, and the preview knows all of the request. */
  whole: boolean;
  /** Nothing was left out that changes the prompt, such as MCP servers and hooks. */
  all: boolean;
  /** What the program was not given, because it could run it. */
  left_out: LeftOut[];
  /** What the preview says that it does not know, and so was not compared. */
  unknown: string[];
  /** The commands that find out what is not known. */
  how?: HarnessHow[];
  /** What of the program's own is nearly as long as the preview says; no difference. */
  near?: string[];
  /** What the program itself sends otherwise each time; no difference. */
  not_fixed: string[];
  /** What MCP servers that did not start have changed; no difference. */
  of_servers: string[];
  /** What hooks that said nothing have changed; no difference. */
  of_hooks?: string[];
  /** The program that prints an answer was run; the preview is that of the screen. */
  printed?: boolean;
  tools: VerifiedTools | null;
  expected: string;
  sent: string;
  messages: VerifiedMessage[];
  differences: Difference[];
}
