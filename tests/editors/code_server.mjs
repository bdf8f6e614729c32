// VS Code as code-server, in a headless Chromium: started in a scratch home, without any way out of this machine.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

const TOOLS = process.env.EDITOR_TOOLS;
const ENTRY = path.join(TOOLS, 'node_modules/code-server/out/node/entry.js');
const { chromium } = createRequire(TOOLS + '/')('playwright-core');

const START_MS = 60_000;
const END_MS = 10_000;
const LOCAL = ['127.0.0.1', 'localhost'];

// Nothing in the picture that is not about the editor and the file.
const SETTINGS = {
  'workbench.colorTheme': 'Light Modern',
  'workbench.startupEditor': 'none',
  'workbench.quickOpen.closeOnFocusLost': false,
  'workbench.reduceMotion': 'on',
  'workbench.editor.enablePreviewFromQuickOpen': true,
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.layoutControl.enabled': false,
  'window.commandCenter': false,
  'window.menuBarVisibility': 'compact',
  'window.restoreWindows': 'none',
  'breadcrumbs.enabled': false,
  'editor.minimap.enabled': false,
  'editor.renderWhitespace': 'none',
  'editor.accessibilitySupport': 'off',
  'explorer.compactFolders': false,
  'chat.disableAIFeatures': true,
  'files.autoSave': 'off',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': 'off',
  'extensions.ignoreRecommendations': true,
  'git.enabled': false,
  'security.workspace.trust.startupPrompt': 'never',
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
};

/** Where each package was installed, once for all parts: it takes a start of VS Code's server. */
const INSTALLED = new Map();

/**
 * Opens `folder` in a code-server that has the extension `vsix`; `scratch` is a folder for all it writes, and
 * `settings` are those of the machine. With `trust` a folder is restricted until it is trusted; `searchPath` is the
 * PATH of its processes, `options` are given to VS Code's server, and `variables` are of its environment. With
 * `webviews`, what is drawn in one is drawn by VS Code's service worker.
 * Returns the page, its address, and `stop`, after which nothing that was started is left.
 */
export async function startEditor({ scratch, vsix, folder, settings = {}, trust = false, searchPath = process.env.PATH, options = [], variables = {}, webviews = false }) {
  const data = path.join(scratch, 'data');
  const config = path.join(scratch, 'config.yaml');
  write(path.join(data, 'User/settings.json'), JSON.stringify(SETTINGS));
  // Where the server is, is a matter of the machine that it runs on: the user's own settings do not count there.
  write(path.join(data, 'Machine/settings.json'), JSON.stringify(settings));
  write(config, 'auth: none\n');
  const extensions = path.join(scratch, 'extensions');
  fs.cpSync(installed(vsix), extensions, { recursive: true });
  const places = ['--config', config, '--user-data-dir', data, '--extensions-dir', extensions];
  const env = {
    PATH: searchPath,
    LANG: 'C.UTF-8',
    HOME: scratch,
    EXTENSIONS_GALLERY: '{}', // no gallery: it would be asked for extensions
    ...variables,
  };

  const port = await freePort();
  const log = fs.openSync(path.join(scratch, 'code-server.log'), 'w');
  const address = ['--auth', 'none', '--bind-addr', `127.0.0.1:${port}`];
  const quiet = ['--disable-telemetry', '--disable-update-check', ...(trust ? [] : ['--disable-workspace-trust'])];
  const plain = ['--disable-getting-started-override', '--ignore-last-opened'];
  const given = options.flatMap((option) => ['--vscode-option', option]);
  const server = spawn(process.execPath, [ENTRY, ...places, ...address, ...quiet, ...plain, ...given, folder], {
    env,
    stdio: ['ignore', log, log],
    detached: true, // a process group of its own, which `stop` ends as a whole
  });
  let browser;
  const stop = async () => {
    await browser?.close();
    await endGroup(server);
  };
  try {
    await answers(`http://127.0.0.1:${port}/healthz`);
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM,
      env,
      args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    });
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US', extraHTTPHeaders: { 'Accept-Encoding': 'identity' }, serviceWorkers: webviews ? 'allow' : 'block' });
    await context.route((url) => url.protocol.startsWith('http') && !LOCAL.includes(url.hostname), (route) => route.abort());
    await context.addInitScript(standStill);
    const page = await context.newPage();
    const home = `http://127.0.0.1:${port}/?folder=${encodeURIComponent(folder)}`;
    return { page, address: home, port, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** In the page: nothing moves or fades, such as a scroll bar does. While anything does, a page without a GPU draws as much as it can. */
function standStill() {
  const still = new CSSStyleSheet();
  still.replaceSync('*, ::before, ::after { animation: none !important; } .scrollbar { transition: none !important; }');
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, still];
}

/** A folder of extensions that has this one, as VS Code installs it. What it notes of places is relative to the folder. */
function installed(vsix) {
  if (!INSTALLED.has(vsix)) {
    const place = fs.mkdtempSync(path.join(os.tmpdir(), 'promptls-installed-'));
    process.on('exit', () => fs.rmSync(place, { recursive: true, force: true }));
    const places = ['--user-data-dir', path.join(place, 'data'), '--extensions-dir', path.join(place, 'extensions')];
    const env = { PATH: process.env.PATH, LANG: 'C.UTF-8', HOME: place, EXTENSIONS_GALLERY: '{}' };
    execFileSync(process.execPath, [ENTRY, ...places, '--install-extension', vsix], { env });
    INSTALLED.set(vsix, path.join(place, 'extensions'));
  }
  return INSTALLED.get(vsix);
}

/** Opens the editor in its page and waits until it shows the folder. */
export async function open({ page, address }) {
  await page.goto(address);
  await page.locator('.explorer-folders-view .monaco-list-row').first().waitFor({ timeout: START_MS });
}

/** The processes that were started with `scratch` as their home and are still there: id to command line. */
export function processes(scratch) {
  const found = new Map();
  for (const pid of fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (!fs.readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${scratch}`)) continue;
      found.set(Number(pid), fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim());
    } catch {
      // gone, or not ours
    }
  }
  return found;
}

/** Writes a file, and the folders above it. */
export function write(file, text) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}

async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Waits until there is an answer. */
async function answers(url) {
  await within(START_MS, `no answer from ${url}`, async () => (await fetch(url).catch(() => undefined))?.ok);
}

async function endGroup(leader) {
  const signal = (name) => {
    try {
      return process.kill(-leader.pid, name);
    } catch {
      return false; // nobody of the group is left
    }
  };
  signal('SIGTERM');
  await within(END_MS, 'still running', () => !signal(0)).catch(() => signal('SIGKILL'));
}

/** Asks again and again, until `done` says something true. */
export async function within(limit, what, done) {
  const end = Date.now() + limit;
  while (!(await done())) {
    if (Date.now() > end) throw new Error(`${what} after ${limit} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Runs a command by its title. */
export async function command(page, title) {
  await page.keyboard.press('F1');
  await choose(page, `>${title}`, title);
}

/** Opens a file of the workspace, by its path in it, in the active column. */
export async function openFile(page, file) {
  await page.keyboard.press('Control+P');
  await choose(page, file, path.basename(file));
  await page.locator('.editor-group-container.active .tab.active').filter({ hasText: path.basename(file) }).waitFor();
}

/** Puts the text into the open quick pick and takes the row chosen by it. A click could hit another row: they move. */
async function choose(page, input, text) {
  await page.locator('.quick-input-widget:visible input[type=text]').fill(input);
  await page.locator('.quick-input-list .monaco-list-row.focused').filter({ hasText: text }).waitFor();
  await page.keyboard.press('Enter');
}

/** Puts the focus into a column of the editor. */
export async function focus(group) {
  const focused = group.locator('.monaco-editor.focused');
  if (await focused.isVisible()) return; // a click would move the focus away and back again
  await group.locator('.tab.active').click();
  await focused.waitFor();
}
