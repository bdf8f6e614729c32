/**
 * What the server and this extension say to each other beyond LSP, and the settings of the server.
 *
 * This file mirrors the server's models and holds nothing else, so that it can be written from them. The
 * properties `promptls.*` of package.json mirror `Settings` in the same way.
 */

/** The settings the server reads, from the section `promptls` or from `initializationOptions`. */
export interface Settings {
  harness?: string;
  model?: string;
  agent?: string;
  cwd?: string;
  args?: string[];
  urls?: { enabled?: boolean; slowMs?: number };
}

/** Every key of `Settings`, as one names it in settings.json. */
export const SETTING_KEYS = [
  'harness',
  'model',
  'agent',
  'cwd',
  'args',
  'urls.enabled',
  'urls.slowMs',
] as const;

export interface InitializationOptions extends Settings {
  untrustedWorkspace: boolean;
}

export interface TextDocumentIdentifier {
  uri: string;
}

/** `prompt/preview` */
export interface PreviewParams {
  textDocument?: TextDocumentIdentifier;
  cwd?: string;
  harness?: string;
  model?: string;
  agent?: string;
  reads?: string[];
  args?: string[];
}

/** The part of the reply to `prompt/preview` that this extension uses; `uri` is its virtual document. */
export interface PreviewResult {
  uri: string;
  harness: { name: string; version: string; verified: boolean };
  totals: { characters: number; tokens: number; files: number };
}

/** `prompt/didChange`: the virtual documents whose text is another one now. */
export interface DidChangeParams {
  uris: string[];
}

/** `prompt/harnesses` */
export interface HarnessesParams {
  textDocument?: TextDocumentIdentifier;
}

export interface Harness {
  name: string;
  title: string;
  versions: { version: string; verified: boolean }[];
  found: boolean;
  evidence: string[];
}

export interface HarnessesResult {
  harnesses: Harness[];
  current: { name: string; version: string };
}

export const PREVIEW = 'prompt/preview';
export const DID_CHANGE = 'prompt/didChange';
export const HARNESSES = 'prompt/harnesses';
/** The URI scheme of the virtual documents. */
export const SCHEME = 'promptls';
