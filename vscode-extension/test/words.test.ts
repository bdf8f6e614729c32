import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  asServer,
  bar,
  linesText,
  percentText,
  placeText,
  relative,
  sizesText,
  sizeText,
  tokensText,
} from '../src/words';

test('estimated tokens say so', () => {
  assert.equal(tokensText(1234, 'estimate'), '~1,234 tokens');
  assert.equal(tokensText(1, 'o200k_base'), '1 token');
});

test('a size that is not fully known has a plus, and a window that is not known no percentage', () => {
  const totals = {
    characters: 0,
    bytes: 0,
    tokens: 1234,
    token_method: 'estimate',
    token_error: 5,
    files: 1,
    elided: 0,
    at_least: true,
    window: 200_000,
  };
  assert.equal(sizeText({ totals }), '~1,234+');
  assert.equal(percentText(totals), '0.6%');
  assert.equal(percentText({ tokens: 1 }), '');
});

test('the largest parts are listed, the rest together', () => {
  const file = (name: string, tokens: number) => ({
    name,
    kind: 'file' as const,
    tokens,
    files: 1,
    at_least: false,
  });
  const sizes = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name, i) => file(`/w/${name}.md`, 1000 - i));
  const session = {
    cwd: '/w',
    reads: [],
    turns: [],
    model: null,
    agent: null,
    args: [],
    hints: [],
    interactive: null,
    editor: null,
    mode: null,
    request: null,
    told: { line: 'etcode · started in .', assumed: null, facts: [] },
  };
  const totals = {
    characters: 0,
    bytes: 0,
    tokens: 7972,
    token_method: 'o200k_base',
    token_error: 0,
    files: 8,
    elided: 0,
  };
  const lines = sizesText({ sizes, session: { ...session, counts_open: false }, totals }).split('\n');
  assert.deepEqual(
    [lines[0], lines[5], lines[6], lines[7], lines.length],
    ['1,000  a.md', '  995  f.md', '1,987  2 more', '7,972  tokens in all', 8],
  );
});

test('a file is its name and its folder', () => {
  assert.deepEqual(placeText('/w/pkg/api/AGENTS.md', '/w'), { name: 'AGENTS.md', folder: 'pkg/api' });
  assert.deepEqual(placeText('/w/AGENTS.md', '/w'), { name: 'AGENTS.md', folder: '' });
  assert.deepEqual(placeText('/etc/AGENTS.md', '/w'), { name: 'AGENTS.md', folder: '/etc' });
});

test('a bar is empty or full only for nothing or all', () => {
  const filled = (kept: number, total: number) =>
    bar({ kept, total, unit: 'bytes', limit: '' }).lastIndexOf('▰') + 1;
  assert.deepEqual([filled(0, 100), filled(1, 100), filled(50, 100), filled(99, 100)], [0, 1, 3, 4]);
  assert.deepEqual([filled(100, 100), filled(0, 0)], [5, 0]);
});

test('a range that ends where a line begins does not touch that line', () => {
  const range = (line: number, character: number) => ({
    start: { line: 0, character: 0 },
    end: { line, character },
  });
  assert.equal(linesText(range(1, 0)), 'line 1');
  assert.equal(linesText(range(1, 1)), 'lines 1 to 2');
});

test('paths below a folder are relative to it, whatever the separator', () => {
  assert.equal(relative('reading /w/a/b.py', '/w'), 'reading a/b.py');
  assert.equal(relative('C:\\w\\a.md', 'C:\\w'), 'a.md');
  assert.equal(relative('/a/b', '/'), '/a/b');
  assert.equal(relative('/a/b', ''), '/a/b');
});

test('paths below the home directory are short, those of the folder shorter', () => {
  assert.equal(relative('/home/me/.claude/CLAUDE.md', '/home/me/work', '/home/me'), '~/.claude/CLAUDE.md');
  assert.equal(relative('/home/me/work/a.md', '/home/me/work', '/home/me'), 'a.md');
  assert.equal(relative('/srv/a.md', '/home/me/work', '/home/me'), '/srv/a.md');
  assert.equal(relative('/srv/a.md', '/work', '/'), '/srv/a.md');
});

test('paths of Windows are as the server writes them', () => {
  assert.equal(asServer('c:\\Users\\me'), 'C:/Users/me');
  assert.equal(asServer('\\\\server\\share'), '//server/share');
  assert.equal(asServer('/a\\b'), '/a\\b');
  assert.equal(relative('C:/w/a.md', asServer('c:\\w')), 'a.md');
});
