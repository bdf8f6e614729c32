// Steps of a test in an editor: counted, pictured, and written down for tests/editors/transcripts/vscode.md.
import fs from 'node:fs';
import path from 'node:path';

export const REPOSITORY = path.resolve(import.meta.dirname, '../../..');
export const OUTPUT = path.join(REPOSITORY, 'test-output/vscode');
export const RECORD = path.join(OUTPUT, 'vscode-tried.md');
export const TIMEOUT_MS = 40_000;
/** After so many failures the rest would fail as well, and take long. */
const MOST_FAILURES = Number(process.env.MOST_FAILURES ?? 3);

export class Steps {
  passed = 0;
  failed = 0;
  lines = [];
  log = [];

  /** `page` is what pictures are taken of; `title` heads the record. */
  constructor(title, scratch) {
    this.title = title;
    this.scratch = scratch;
    this.page = undefined;
    fs.mkdirSync(OUTPUT, { recursive: true });
  }

  /** Runs a step; what `saw` is called with is written down. A step that fails does not end the test. */
  async step(name, run) {
    const seen = [];
    this.pictures = [];
    const began = Date.now();
    try {
      await run((text) => seen.push(text));
      this.passed++;
      this.log.push(`ok    ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
      const links = this.pictures.map((each) => `[${each}](../../../docs/images/${each}.png)`);
      if (seen.length > 0) this.lines.push(`- **${name}**: ${[...seen, ...links].join('; ')}`);
    } catch (error) {
      this.failed++;
      this.log.push(`FAIL  ${name}\n${String(error).replace(/^/gm, '      ')}`);
      if (this.page !== undefined && !this.page.isClosed()) {
        await this.picture(`failed-${this.title.replace(/\W+/g, '-')}-${this.failed}`);
      }
      if (this.failed >= MOST_FAILURES) throw new Error('too many steps failed', { cause: error });
    }
  }

  /**
   * A picture of the whole window, or of what `of` names: an element, or a part of the window. With `hover` the
   * mouse stays where it is. One that is not `kept` is only to be looked at.
   */
  async picture(name, of, { hover = false, kept = true } = {}) {
    const options = { path: path.join(OUTPUT, `${name}.png`), animations: 'disabled' };
    if (!hover) await this.page.mouse.move(0, 0);
    if (kept) this.pictures.push(name);
    if (typeof of?.screenshot === 'function') await of.screenshot(options);
    else await this.page.screenshot({ ...options, ...(of && { clip: of }) });
  }

  /** What was seen, less the names of scratch folders. */
  get record() {
    const text = [`## ${this.title}`, '', ...this.lines, ''].join('\n');
    const plain = text.replaceAll(`${this.scratch}/`, '').replaceAll(this.scratch, '~').replace(/127\.0\.0\.1:\d+/g, '127.0.0.1');
    // A long name may be broken into two lines of the window.
    return plain.replace(/ ?“[^”]*\/tmp\/[^”]*”/g, '');
  }
}

/** A text of the window, as it stands in the record. */
export function quoted(text) {
  return `“${text.replaceAll('\u00a0', ' ').replace(/\s+/g, ' ').replace(' .md', '.md').trim()}”`;
}
