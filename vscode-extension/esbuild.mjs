// Bundles the extension, or with --tests the tests, one file each. esbuild does not check types: `npm run check` does.
import { readdirSync, rmSync } from 'node:fs';

import { build } from 'esbuild';

const common = { bundle: true, platform: 'node', format: 'cjs', target: 'node20', logLevel: 'warning' };

if (process.argv.includes('--tests')) {
  rmSync('build', { recursive: true, force: true });
  const entryPoints = readdirSync('test')
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `test/${name}`);
  await build({ ...common, entryPoints, outdir: 'build', sourcemap: 'inline' });
} else {
  rmSync('dist', { recursive: true, force: true });
  const entryPoints = ['src/extension.ts'];
  await build({ ...common, entryPoints, outdir: 'dist', external: ['vscode'], minify: true });
}
