// The parts of the window that the tests look at and work with.
import { command, focus, openFile, within } from '../code_server.mjs';
import { TIMEOUT_MS } from './steps.mjs';

export class Window {
  constructor(page) {
    this.page = page;
    /** The columns of the editor, from the left. */
    this.files = this.column(0);
    this.preview = this.column(1);
    this.view = page.locator('.pane').filter({ hasText: 'Effective Prompt' });
    this.pick = page.locator('.quick-input-widget:visible');
  }

  column(n) {
    return this.page.locator('.editor-group-container').nth(n);
  }

  /** Runs the command as a person would: once more if a busy editor let the first time pass. */
  async openPreview(name) {
    for (const patience of [TIMEOUT_MS / 2, TIMEOUT_MS]) {
      await focus(this.files);
      await command(this.page, 'Prompt: Preview for Active File');
      const opened = this.tab(this.preview, name).waitFor({ timeout: patience });
      if (await opened.then(() => true, () => false)) return;
    }
    throw new Error(`the preview of ${name} did not open`);
  }

  async openInFiles(file, text) {
    if ((await this.files.locator('.tab').count()) > 0) await focus(this.files);
    await openFile(this.page, file);
    await this.line(this.files, text).first().waitFor();
  }

  async closeEditor() {
    const active = this.page.locator('.editor-group-container.active .tab.active');
    const closing = await active.elementHandle();
    await active.locator('.tab-actions .action-label').click();
    await closing.waitForElementState('hidden');
  }

  /** Closes an editor that stands before all others, if VS Code has opened it so; else the active one. */
  async closeModal() {
    const modal = this.page.locator('.monaco-modal-editor-block');
    if (!(await modal.isVisible())) return this.closeEditor();
    await within(TIMEOUT_MS, 'the editor is still open', async () => {
      if (await modal.isVisible()) await this.page.keyboard.press('Escape');
      return !(await modal.isVisible());
    });
  }

  /** A line of an editor that has the text. */
  line(group, text) {
    return group.locator('.view-line').filter({ hasText: text.replaceAll(' ', '\u00a0') });
  }

  /** Opens a view by its icon in the activity bar. */
  async openView(name = 'Effective Prompt') {
    const heading = this.page.locator('.part.sidebar .title-label').getByText(name, { exact: true });
    if (await heading.isVisible()) return;
    await this.page.locator('.activitybar .action-item').filter({ has: this.page.getByLabel(new RegExp(`^${name}`)) }).first().click();
    await heading.waitFor();
  }

  /** A row of the view: of a file by its path in the folder, which is its label where others have its name. */
  row(file) {
    const { name, folder } = partsOf(file);
    const labels = this.page.locator('.label-name').getByText(name, { exact: true });
    const rows = this.view.locator('.monaco-list-row').filter({ has: labels });
    const byPath = this.view
      .locator('.monaco-list-row')
      .filter({ has: this.page.locator('.label-name').getByText(file, { exact: true }) });
    return folder ? rows.filter({ hasText: folder }).or(byPath) : rows;
  }

  /** How that row is read out; empty if it is not there. */
  async spoken(file) {
    const { name, folder } = partsOf(file);
    const rows = await this.rows();
    const is = (text) => text.startsWith(`${file}, `) || (text.startsWith(`${name}, `) && text.includes(folder));
    return rows.find(is) ?? '';
  }

  /** The rows of the view that can be seen, as they are read out. */
  async rows() {
    const rows = this.view.locator('.monaco-list-row');
    return rows.evaluateAll((all) => all.map((row) => row.getAttribute('aria-label') ?? ''));
  }

  /** A harness in the open quick pick. */
  choice(name) {
    return this.page.locator('.quick-input-list .label-description').getByText(name, { exact: true });
  }

  tab(group, name) {
    return group.locator('.tab').filter({ hasText: `${name} (prompt)` });
  }

  activeTab(group, name) {
    return this.page.locator('.editor-group-container.active').and(group).locator('.tab.active').filter({ hasText: name });
  }

  /** A notification that has the text. */
  notification(text) {
    return this.page.locator('.notification-toast').filter({ hasText: text });
  }

  statusBar(text) {
    return this.page.locator('.statusbar-item').filter({ hasText: text });
  }

  /** What is shown when pointed at. A busy editor may let it pass, so the mouse leaves and comes back. */
  async hover(text, point) {
    const hover = this.page.locator('.monaco-hover, .workbench-hover').filter({ hasText: text }).first();
    await within(TIMEOUT_MS, `${text} is not shown`, async () => {
      await this.page.mouse.move(700, 400);
      await point();
      return hover.waitFor({ timeout: TIMEOUT_MS / 4 }).then(() => true, () => false);
    });
    return hover;
  }

  /** The same of a line of an editor, so many pixels right of its corner. A lens that comes late moves the line. */
  async hoverOver(text, corner, right) {
    return this.hover(text, async () => {
      const { x, y } = await corner();
      for (const each of [right, right + 20]) await this.page.mouse.move(x + each, y + 5);
    });
  }

  /** Whether the command can be found by its title. */
  async offers(title) {
    await this.page.keyboard.press('F1');
    await this.pick.locator('input[type=text]').fill(`>${title}`);
    const found = this.pick.locator('.monaco-list-row').filter({ hasText: title });
    const none = this.pick.locator('.monaco-list-row, .quick-input-message').filter({ hasText: /No matching (commands|results)|similar commands/ });
    await found.or(none).first().waitFor();
    const isThere = (await found.count()) > 0;
    await this.page.keyboard.press('Escape');
    await this.pick.waitFor({ state: 'hidden' });
    return isThere;
  }

  /** Waits until the preview has a text, in view or not. */
  async shows(text) {
    await this.findInPreview(text, (count) => /of/.test(count), 'is not in the preview');
  }

  async showsNot(text) {
    await this.findInPreview(text, (count) => /No results/.test(count), 'is in the preview');
  }

  /** Looks for `text` with the preview's own search, which sees the lines out of view, too; then goes back. */
  async findInPreview(text, is, problem) {
    await focus(this.preview);
    await this.page.keyboard.press('Control+F');
    const widget = this.preview.locator('.find-widget.visible');
    const input = widget.locator('textarea').first();
    await input.fill(text);
    await within(TIMEOUT_MS, `“${text}” ${problem}`, async () => {
      // What stands in the box when the search opens may come only now.
      if ((await input.inputValue()) !== text) await input.fill(text);
      return is(await widget.locator('.matchesCount').innerText());
    });
    // The first Escape may go to a hover that has come up meanwhile.
    await within(TIMEOUT_MS, 'the search is still open', async () => {
      if (await widget.isVisible()) await this.page.keyboard.press('Escape');
      return !(await widget.isVisible());
    });
    await focus(this.files);
  }
}

/** A path, but not a URL or a sentence, has a name and a folder. */
function partsOf(file) {
  const end = /^[^ :]+$/.test(file) ? file.lastIndexOf('/') : -1;
  return { name: file.slice(end + 1), folder: file.slice(0, Math.max(end, 0)) };
}
