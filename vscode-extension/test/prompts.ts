/** Prompts for the tests of rows. */
import type { Candidate, Message, PreviewResult, Segment } from '../src/protocol';

export const RANGE = { start: { line: 2, character: 0 }, end: { line: 5, character: 0 } };
export const CONFIG = { kind: 'config' as const, path: '/w/etcode.json', range: RANGE };

export function segment(title: string, parts: Partial<Segment> = {}): Segment {
  const origin = { kind: 'file' as const, path: title, range: RANGE };
  const why = 'a rule';
  return {
    layer: 'instructions',
    title,
    start: 0,
    end: 1,
    origin,
    why,
    cache: 'session',
    tokens: 10,
    cut: null,
    elided: null,
    ...parts,
  };
}

export function message(at: string, segments: Segment[], index = 0): Message {
  return { role: 'system', index, block: 0, at, text: '', cached: false, segments };
}

export function candidate(outcome: Candidate['outcome'], parts: Partial<Candidate> = {}): Candidate {
  const origin = { kind: 'computed' as const };
  return {
    path: `/w/${outcome}.md`,
    outcome,
    why: 'a rule',
    rule: 'a rule',
    reason: '',
    origin,
    use: 'instruction',
    at: 'start',
    ...parts,
  };
}

export function result(messages: Message[], candidates: Candidate[] = []): PreviewResult {
  const tokens = messages.flatMap(({ segments }) => segments).reduce((sum, each) => sum + each.tokens, 0);
  const totals = {
    characters: 0,
    bytes: 0,
    tokens,
    token_method: 'estimate',
    token_error: 5,
    files: 1,
    elided: 0,
  };
  return {
    harness: { name: 'etcode', version: 'design', verified: false },
    session: {
      cwd: '/w',
      reads: [],
      model: null,
      agent: null,
      counts_open: false,
      args: [],
      hints: [],
      turns: [],
      told: { line: 'etcode · started in .', assumed: null, facts: [] },
      interactive: null,
      editor: null,
      mode: null,
      request: null,
    },
    messages,
    candidates,
    tools: null,
    totals,
    problems: [],
    sizes: [],
    limits: [],
    stopped: null,
    fault: false,
    notes: [],
    found: [],
    uri: 'promptls:/a.md',
    text: '',
    version: 1,
    cacheKey: '',
    cacheHit: false,
  };
}
