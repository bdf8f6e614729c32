// The pages of `promptls map --html` and `promptls sessions ID --html` in a real browser:
//     tools.sh run page.mjs
// Pictures of it, dark and light, go to test-output/page/.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

const REPOSITORY = path.resolve(import.meta.dirname, '../..');
const OUTPUT = path.join(REPOSITORY, 'test-output/page');
const { chromium } = createRequire(`${process.env.EDITOR_TOOLS}/`)('playwright-core');
const EVIL = '<img src=x onerror="document.title=1">';
/** What WCAG asks of text (AA). */
const CONTRAST = 4.5;
/** The pixels that the sizes of page.css count in. */
const REM = 16;

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'promptls-page-'));
const address = pathToFileURL(path.join(scratch, 'map.html')).href;
const session = pathToFileURL(path.join(scratch, 'session.html')).href;
const RECORDS = path.join(REPOSITORY, 'tests/records');
let browser;
/** What most tests open their page in, one after another. */
let shared;

before(async () => {
  fs.rmSync(OUTPUT, { recursive: true, force: true });
  fs.mkdirSync(OUTPUT, { recursive: true });
  layOut(path.join(scratch, 'shop'), fs.readFileSync(path.join(REPOSITORY, 'tests/pictures/shop.txt'), 'utf8'));
  const env = { ...process.env, HOME: scratch };
  execFileSync(path.join(REPOSITORY, '.venv/bin/promptls'), ['map', '--html', '../map.html'], { cwd: `${scratch}/shop`, env });
  const folder = layOutRecords(path.join(scratch, 'home'));
  const home = { ...process.env, HOME: path.join(scratch, 'home') };
  const line = ['sessions', '11111111', folder, '--html', path.join(scratch, 'session.html')];
  execFileSync(path.join(REPOSITORY, '.venv/bin/promptls'), line, { env: home, stdio: 'ignore' });
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
});

after(async () => {
  await browser?.close();
  fs.rmSync(scratch, { recursive: true, force: true });
});

for (const colorScheme of ['light', 'dark']) {
  test(`it needs nothing else and can be read, ${colorScheme}`, async () => {
    const page = await open({ colorScheme });
    await page.screenshot({ path: path.join(OUTPUT, `${colorScheme}.png`), fullPage: true });
    assert.equal(await page.title(), 'Prompt map of shop');
    const weakest = await page.evaluate(contrasts);
    assert.ok(weakest.length > 20, 'texts are looked at');
    assert.deepEqual(weakest.filter(({ ratio }) => ratio < CONTRAST), []);
    await page.done();
  });
}

test('boxes are where they should be, and their names can be read', async () => {
  const page = await open();
  const map = await page.locator('.map').boundingBox();
  for (const harness of await page.locator('.map > li').all()) {
    const box = await harness.boundingBox();
    assert.ok(box.x >= map.x - 1 && box.y >= map.y - 1);
    assert.ok(box.x + box.width <= map.x + map.width + 1 && box.y + box.height <= map.y + map.height + 1);
  }
  for (const text of await page.locator('.map :is(a, span):visible').all()) {
    const box = await text.boundingBox();
    const isShown = (await text.evaluate((element) => getComputedStyle(element).color)) !== 'rgba(0, 0, 0, 0)';
    assert.ok(isShown || box.width < 4.5 * REM || box.height < REM, `a box of ${box.width} by ${box.height} has its name`);
  }
  assert.match(await page.locator('.map a[data-path="AGENTS.md"]').first().innerText(), /^AGENTS\.md \d/);
  await page.done();
});

test('by keyboard alone', async () => {
  const page = await open();
  const said = page.locator('#said');
  const focused = () => page.evaluate(() => document.activeElement.textContent);
  for (let presses = 0; presses < 6; presses++) await page.keyboard.press('Tab');
  assert.match(await focused(), / · [\d,]+ tokens/, 'the map is one stop after the links to the sections and the button');
  const harness = await focused();
  await page.keyboard.press('ArrowRight');
  assert.match(await said.innerText(), /, [\d,]+ tokens$/);
  await page.keyboard.press('Home');
  assert.equal(await focused(), harness);
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('.map > li:visible').count(), 1, 'one part is enlarged');
  const [map, large] = [await page.locator('.map').boundingBox(), await page.locator('.map > li.large').boundingBox()];
  assert.ok(Math.abs(map.width - large.width) < 2);
  await page.screenshot({ path: path.join(OUTPUT, 'large.png') });
  await page.keyboard.press('End');
  assert.ok(await page.evaluate(() => document.activeElement.closest('.large') !== null), 'only visible boxes are visited');
  await page.keyboard.press('Escape');
  assert.ok((await page.locator('.map > li:visible').count()) > 1);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.closest('section').id), 'files', 'Tab leaves the map');
  await page.done();
});

test('the own text alone', async () => {
  const page = await open();
  await page.getByRole('button', { name: 'Only my own text' }).click();
  assert.equal(await page.locator('.map .tools:visible, .map .harness:visible').count(), 0);
  const box = await page.locator('.map a[data-path="AGENTS.md"]').first().boundingBox();
  assert.ok(box.width * box.height > 5000, 'there is more room for it');
  await page.screenshot({ path: path.join(OUTPUT, 'own.png') });
  await page.getByRole('button', { name: 'Only my own text' }).click();
  assert.ok((await page.locator('.map .tools:visible').count()) > 1);
  await page.done();
});

test('what is pointed at is named in full', async () => {
  const page = await open();
  await page.locator('.map .skills').first().hover();
  assert.match(await page.locator('#said').innerText(), /skills.*, [\d,]+ tokens/);
  await page.done();
});

test('a name is a name, whatever is in it', async () => {
  const page = await open();
  assert.ok((await page.getByText(EVIL).count()) > 0);
  assert.equal(await page.locator('img').count(), 0);
  await page.done();
});

test('in a webview a click asks the editor to open the source', async () => {
  const page = await open({}, () => {
    window.posted = [];
    window.acquireVsCodeApi = () => ({ postMessage: (message) => window.posted.push(message) });
  });
  await page.locator('#files a[data-path="AGENTS.md"]').first().click();
  assert.deepEqual(await page.evaluate(() => window.posted), [{ command: 'open', path: 'AGENTS.md', line: 0 }]);
  assert.equal(page.url(), address);
  await page.done();
});

test('in a browser a link leads to the file', async () => {
  const page = await open();
  const href = await page.locator('#files a[data-path="AGENTS.md"]').first().evaluate((link) => link.href);
  assert.equal(href, pathToFileURL(path.join(scratch, 'shop/AGENTS.md')).href);
  await page.done();
});

test('in a webview the theme of the editor counts', async () => {
  for (const [colorScheme, name] of [['light', 'vscode-dark'], ['dark', 'vscode-light']]) {
    const page = await open({ colorScheme });
    await page.evaluate((name) => document.body.classList.add(name), name);
    const back = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(back === 'rgb(255, 255, 255)', name === 'vscode-light');
    assert.deepEqual((await page.evaluate(contrasts)).filter(({ ratio }) => ratio < CONTRAST), []);
    await page.done();
  }
});

test('in a narrow window only the tables scroll', async () => {
  const page = await open({ viewport: { width: 360, height: 700 } });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth));
  await page.screenshot({ path: path.join(OUTPUT, 'narrow.png') });
  await page.done();
});

for (const colorScheme of ['light', 'dark']) {
  test(`a session needs nothing else and can be read, ${colorScheme}`, async () => {
    const page = await open({ colorScheme }, undefined, session);
    await page.screenshot({ path: path.join(OUTPUT, `session-${colorScheme}.png`), fullPage: true });
    assert.equal(await page.title(), 'A session in workspace');
    const weakest = await page.evaluate(contrasts);
    assert.ok(weakest.length > 20, 'texts are looked at');
    assert.deepEqual(weakest.filter(({ ratio }) => ratio < CONTRAST), []);
    await page.done();
  });
}

test('the bars of a session are in proportion up to the gap, and tell what they are made of', async () => {
  const page = await open({}, undefined, session);
  const rows = await page.locator('#requests tbody tr:has(.bar)').evaluateAll((all) =>
    all.map((row) => {
      const pieces = [...row.querySelectorAll('.bar rect:not(.cached, .again, .gap)')].map((each) => each.getBoundingClientRect().width);
      return [Number(row.children[2].textContent.replaceAll(',', '')), pieces.reduce((one, other) => one + other)];
    }),
  );
  assert.equal(rows.length, 18);
  const [, told] = /at ([\d,]+) tokens, the rest of it is drawn shorter/.exec(await page.locator('#requests').innerText());
  const knee = Number(told.replaceAll(',', ''));
  const near = rows.filter(([tokens]) => tokens <= knee);
  const [most, widest] = near.reduce((one, other) => (other[0] > one[0] ? other : one));
  for (const [tokens, width] of near) assert.ok(Math.abs(width / widest - tokens / most) < 0.02, `${tokens} tokens are ${width} pixels`);
  const beyond = rows.filter(([tokens]) => tokens > knee);
  assert.equal(beyond.length, 1);
  assert.ok(beyond[0][1] > widest * (knee / most), 'it is no longer than where it is drawn shorter');
  assert.equal(await page.locator('.bar .gap').count(), 1);
  assert.match(await page.locator('.bar').first().getAttribute('aria-label'), /tools of the coding agent [\d,]+, its own prompt [\d,]+/);
  assert.equal(await page.locator('.agent').innerText(), '↳ sub-agent digger · 2 requests');
  await page.done();
});

test('a session by keyboard alone: only what changed, and the files', async () => {
  const page = await open({}, undefined, session);
  const shown = () => page.locator('#requests tbody tr:visible').count();
  const all = await shown();
  for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'changed');
  await page.keyboard.press('Space');
  assert.ok((await shown()) < all);
  assert.equal(await page.locator('#requests .plain:visible').count(), 0);
  await page.keyboard.press('Space');
  assert.equal(await shown(), all);
  for (let presses = 0; presses < 2; presses++) await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), '~/.claude/CLAUDE.md');
  await page.done();
});

test('in a webview a click in a session asks the editor to open the source', async () => {
  const page = await open({}, () => {
    window.posted = [];
    window.acquireVsCodeApi = () => ({ postMessage: (message) => window.posted.push(message) });
  }, session);
  await page.locator('#files a[data-path="pkg/CLAUDE.md"]').first().click();
  assert.deepEqual(await page.evaluate(() => window.posted), [{ command: 'open', path: 'pkg/CLAUDE.md', line: 0 }]);
  await page.done();
});

test('a session in a narrow window', async () => {
  const page = await open({ viewport: { width: 400, height: 900 } }, undefined, session);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth));
  const room = await page.locator('#requests .scroll').evaluate((each) => each.scrollWidth <= each.clientWidth);
  assert.ok(room, 'the table scrolls');
  await page.screenshot({ path: path.join(OUTPUT, 'session-narrow.png') });
  await page.done();
});

/**
 * The page, watched: `done` fails if it has said, asked for or refused anything. A window of its own has only what needs
 * a `script`: Chromium takes a second of a processor to draw its own buttons and tabs, which nobody sees.
 */
async function open({ colorScheme = 'light', viewport = { width: 1280, height: 900 } } = {}, script = undefined, at = address) {
  const page = script ? await browser.newPage() : (shared ??= await browser.newPage());
  const seen = [];
  const watched = {
    console: (message) => seen.push(message.text()),
    pageerror: (error) => seen.push(String(error)),
    request: (request) => request.url() === at || seen.push(request.url()),
  };
  for (const [event, listener] of Object.entries(watched)) page.on(event, listener);
  if (script) await page.addInitScript(script);
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.mouse.move(0, 0);
  await page.goto(at);
  page.done = async () => {
    assert.deepEqual(seen, []);
    for (const [event, listener] of Object.entries(watched)) page.off(event, listener);
    if (script) await page.close();
  };
  return page;
}

/** The records of a session over two days in a home directory; returns the folder that they are of. */
function layOutRecords(home) {
  const folder = path.join(home, 'workspace');
  const { files } = JSON.parse(fs.readFileSync(path.join(RECORDS, 'short/workspace.json'), 'utf8'));
  for (const [name, text] of Object.entries(files)) write(path.join(home, name.replace(/^home\//, '')), text);
  const from = path.join(RECORDS, 'long/claude-code/home');
  for (const entry of fs.readdirSync(from, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())) {
    const file = path.join(entry.parentPath, entry.name);
    const text = fs.readFileSync(file, 'utf8').replaceAll('/mnt/workspace', folder).replaceAll('/mnt/home', home);
    const slug = folder.replace(/[^A-Za-z0-9]/g, '-').slice(0, 200);
    write(path.join(home, path.relative(from, file).replace('-mnt-workspace', slug)), text);
  }
  return folder;
}

function layOut(top, text) {
  const parts = text.split(/^-- (.+) --\n/m).slice(1);
  for (let at = 0; at < parts.length; at += 2) write(path.join(top, parts[at]), parts[at + 1]);
  write(path.join(top, '.git/HEAD'), 'ref: refs/heads/main\n');
  for (const name of ['AGENTS.md', 'CLAUDE.md', 'a.py']) write(path.join(top, EVIL, name), 'x\n');
}

function write(file, text) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}

/** In the page: each text that is shown, with the ratio of its colour to what is behind it. */
function contrasts() {
  const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });
  const luminance = (layers) => {
    canvas.clearRect(0, 0, 1, 1);
    for (const layer of layers) {
      canvas.fillStyle = layer;
      canvas.fillRect(0, 0, 1, 1);
    }
    const [red, green, blue] = [...canvas.getImageData(0, 0, 1, 1).data].map((each) => {
      const part = each / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || element.tagName === 'SCRIPT') continue;
    // A small box of the map leaves its name to what is said of it.
    if (element.hasAttribute('aria-label') && getComputedStyle(element).color === 'rgba(0, 0, 0, 0)') continue;
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.unshift(getComputedStyle(at).backgroundColor);
    const [one, two] = [luminance(layers), luminance([...layers, getComputedStyle(element).color])].sort((a, b) => b - a);
    found.push({ text: walker.currentNode.data, ratio: (one + 0.05) / (two + 0.05) });
  }
  return found;
}
