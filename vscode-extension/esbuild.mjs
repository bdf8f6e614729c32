// Bundles the extension, or with --tests the tests, one file each, with --host-tests those that run inside the editor. esbuild does not check types: `npm run check` does.
import { readdirSync, rmSync } from 'node:fs';

import { build } from 'esbuild';

const common = { bundle: true, platform: 'node', format: 'cjs', target: 'node20', logLevel: 'warning' };

if (process.argv.includes('--tests')) {
  rmSync('build', { recursive: true, force: true });
  const entryPoints = readdirSync('test')
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `test/${name}`);
  await build({ ...common, entryPoints, outdir: 'build', sourcemap: 'inline' });
} else if (process.argv.includes('--host-tests')) {
  const entryPoints = ['test/host/index.ts', 'test/host/extension.test.ts'];
  const outExtension = { '.js': '.cjs' };
  await build({ ...common, entryPoints, outdir: 'build-host', outExtension, external: ['vscode', 'mocha'] });
} else {
  rmSync('dist', { recursive: true, force: true });
  const entryPoints = ['src/extension.ts'];
  await build({ ...common, entryPoints, outdir: 'dist', external: ['vscode'], minify: true });
}
