/**
 * What the server and this extension say to each other beyond LSP, and the settings of the server.
 *
 * Generated from the server's models by tools/generate.py: change it there.
 */

export const PREVIEW = "prompt/preview";
export const DID_CHANGE = "prompt/didChange";
export const HARNESSES = "prompt/harnesses";
export const EXPLAIN = "prompt/explain";
/** The URI scheme of the virtual documents. */
export const SCHEME = "promptls";

/** Every setting of the server, as one names it in settings.json. */
export const SETTING_KEYS = [
  "harness",
  "model",
  "agent",
  "cwd",
  "args",
  "inlayHints",
  "checkWorkspace",
  "urls.enabled",
  "urls.slowMs",
] as const;

/** The settings that the server reads, from the section `promptls` or from `initializationOptions`. */
export interface Settings {
  harness?: string;
  model?: string;
  agent?: string;
  cwd?: string;
  args?: string[];
  inlayHints?: boolean;
  checkWorkspace?: boolean;
  urls?: { enabled?: boolean; slowMs?: number };
}

export interface InitializationOptions extends Settings {
  untrustedWorkspace: boolean;
}

/** A document by its URI. */
export interface TextDocumentIdentifier {
  uri: string;
}

/** Which prompt: what is left out is found from the document, the settings and the workspace. */
export interface PreviewParams {
  textDocument?: TextDocumentIdentifier | null;
  cwd?: string | null;
  harness?: string | null;
  model?: string | null;
  agent?: string | null;
  reads?: string[] | null;
  args?: string[] | null;
  rev?: string | null;
}

/** A place that the harness looks at, and what came of it. */
export interface Candidate {
  path?: string | null;
  url?: string | null;
  outcome: "loaded" | "missing" | "empty" | "shadowed" | "duplicate" | "outside" | "excluded" | "unscoped" | "cut" | "dropped" | "failed" | "pending" | "disabled";
  why: string;
  origin: Origin;
  use: "instruction" | "config" | "prompt" | "template";
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

/** A harness that the workspace is set up for, by these files. */
export interface Evidence {
  name: string;
  evidence: string[];
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
}

/** One content block of the request. */
export interface Message {
  role: "system" | "developer" | "user" | "tool" | "tools";
  index: number;
  block: number;
  at: string;
  text: string;
  cached: boolean;
  segments: Segment[];
}

/** Where a text or a rule comes from. */
export interface Origin {
  kind: "file" | "url" | "config" | "argument" | "builtin" | "computed";
  path?: string | null;
  /** Instead of `path`: a file that this message has named before. */
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
}

/** How the harness was started, and what it has read. */
export interface Session {
  cwd: string;
  reads: string[];
  model: string | null;
  agent: string | null;
  args: string[];
  hints: string[];
}

/** A tool that the harness offers. */
export interface Tool {
  name: string;
  enabled: boolean;
  why: string;
}

/** Sizes of the whole prompt; ``elided`` counts the segments that are not reproduced. */
export interface Totals {
  characters: number;
  bytes: number;
  tokens: number;
  token_method: string;
  files: number;
  elided: number;
}

/** The prompt, as on the command line, and its virtual document. */
export interface PreviewResult {
  harness: HarnessName;
  session: Session;
  messages: Message[];
  candidates: Candidate[];
  tools: Tool[] | null;
  totals: Totals;
  problems: Problem[];
  stopped: string | null;
  notes: string[];
  found: Evidence[];
  /** The virtual document that shows this prompt. */
  uri: string;
  /** The text of the virtual document. */
  text: string;
  /** Grows when this prompt changes. */
  version: number;
  /** The same for the same session. */
  cacheKey: string;
  /** Nothing that it looked at has changed. */
  cacheHit: boolean;
}

/** prompt/didChange: the virtual documents that show another prompt now. */
export interface DidChangeParams {
  uris: string[];
}

/** Which workspace: that of the document, else the first folder. */
export interface HarnessesParams {
  textDocument?: TextDocumentIdentifier | null;
}

/** The harness that is shown; ``setting`` is the one that the settings name. */
export interface CurrentHarness {
  name: string;
  version: string;
  setting: string | null;
}

/** A harness, and whether the workspace is set up for it. */
export interface Harness {
  name: string;
  title: string;
  versions: HarnessVersion[];
  loads: string[];
  found: boolean;
  evidence: string[];
}

/** A version of a harness. */
export interface HarnessVersion {
  version: string;
  verified: boolean;
  note: string;
}

/** Every harness that is known. */
export interface HarnessesResult {
  harnesses: Harness[];
  current: CurrentHarness;
}

/** Which file. */
export interface ExplainParams {
  textDocument: TextDocumentIdentifier;
}

/** What one harness does with a file; `found` says whether the workspace is set up for it. */
export interface Explanation {
  harness: HarnessName;
  found: boolean;
  loaded: Use[];
  outcome: string;
  why: string;
  other: string | null;
}

/** The tokens of a cached prompt that a change makes anew, and how many there are in all. */
export interface Invalidated {
  tokens: number;
  of: number;
}

/** A session whose prompt has the file: started in `cwd`, `at` start or on read. */
export interface Use {
  cwd: string;
  at: "start" | "read";
  role: "system" | "developer" | "user" | "tool" | "tools";
  layer: string;
  why: string;
  invalidates: Invalidated;
}

/** What each harness does with a file, those of the workspace first. */
export interface ExplainResult {
  path: string;
  harnesses: Explanation[];
}
