/** Runs the tests in the extension host, and writes what came of each to the file PROMPTLS_REPORT. */
import { writeFileSync } from 'node:fs';
import * as path from 'node:path';

import Mocha from 'mocha';

export async function run(): Promise<void> {
  const mocha = new Mocha({ ui: 'tdd', timeout: 20_000, reporter: 'dot' });
  mocha.addFile(path.join(__dirname, 'extension.test.cjs'));
  const results: { title: string; error?: string }[] = [];
  const failures = await new Promise<number>((resolve) => {
    mocha
      .run(resolve)
      .on('pass', ({ title }) => results.push({ title }))
      .on('fail', ({ title }, error: Error) => results.push({ title, error: error.stack ?? error.message }));
  });
  writeFileSync(process.env.PROMPTLS_REPORT ?? '', JSON.stringify(results));
  if (failures > 0) throw new Error(`${failures} tests failed`);
}
