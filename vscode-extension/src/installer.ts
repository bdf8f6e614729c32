/** Offers to install the server and installs it: never without asking, and never in an untrusted workspace. */
import * as vscode from 'vscode';

import type { Memory } from './choices';
import { findWheel, install, type Installed, installed, type Wheel } from './installation';
import { sentence } from './logging';
import { SECTION } from './settings';

const QUESTION = 'promptls is not installed. Install it for this extension?';
const INSTALL = 'Install';
const CHOOSE = 'Choose Path…';
const NOT_NOW = 'Not Now';
const MANAGE_TRUST = 'Manage Workspace Trust';
const SHOW_LOG = 'Show Log';

export class Installer {
  /** What is being asked now: it stays until it is answered. */
  private readonly asking = new Set<'to install' | 'for trust'>();
  private updateFailed = false;
  private running: Promise<Installed | undefined> | undefined;

  constructor(
    private readonly extensionPath: string,
    private readonly storage: string,
    private readonly log: vscode.LogOutputChannel,
    /** Whether the user wants none now is kept here: only who asks for it is asked again. */
    private readonly memory: Memory,
    /** Called when there may be a server now. */
    private readonly done: () => void,
  ) {}

  /**
   * The Python of the installed environment, if there is one. An older extension's environment is recreated:
   * whoever wanted the server then wants it now.
   */
  async python(trusted: boolean): Promise<string | undefined> {
    const [wheel, all] = await Promise.all([this.wheel(), installed(this.storage)]);
    const current = all.find(({ version }) => version === wheel?.version);
    const older = all.at(-1);
    if (current !== undefined || older === undefined) return current?.python;
    if (wheel === undefined || !trusted || this.updateFailed) return older.python;
    const updated = await this.install('Updating promptls');
    this.updateFailed = updated === undefined;
    return (updated ?? older).python;
  }

  /**
   * Reports that there is no server and what can be done, in a question that stays until it is answered; `isWanted`:
   * the user asks for it, whatever the answer was before.
   */
  async offer(trusted: boolean, isWanted = false): Promise<void> {
    const isPossible = await this.isPossible(trusted);
    void vscode.commands.executeCommand('setContext', 'promptls.canInstall', isPossible);
    const question = trusted ? 'to install' : 'for trust';
    const isAnswered = this.memory.get(question) === true && !isWanted;
    if (isAnswered || (trusted && !isPossible)) return;
    if (this.asking.has(question)) {
      if (isWanted) await vscode.commands.executeCommand('notifications.showList');
      return;
    }
    this.asking.add(question);
    try {
      await (trusted ? this.ask() : this.askForTrust());
    } finally {
      this.asking.delete(question);
    }
  }

  /** Whether the server can be installed from here. */
  async isPossible(trusted: boolean): Promise<boolean> {
    return trusted && (await this.wheel()) !== undefined;
  }

  /** A server has been found. */
  found(): void {
    void vscode.commands.executeCommand('setContext', 'promptls.canInstall', false);
  }

  /** Installs the server and reports errors. */
  install(title = 'Installing promptls'): Promise<Installed | undefined> {
    this.running ??= this.withProgress(title).finally(() => (this.running = undefined));
    return this.running;
  }

  private wheel(): Promise<Wheel | undefined> {
    return findWheel(vscode.Uri.joinPath(vscode.Uri.file(this.extensionPath), 'server').fsPath);
  }

  private async ask(): Promise<void> {
    // As an error, the only message that stays: without a server, there is nothing.
    const answer = await vscode.window.showErrorMessage(QUESTION, INSTALL, CHOOSE, NOT_NOW);
    if (answer === INSTALL && (await this.install()) !== undefined) this.done();
    if (answer === CHOOSE) await this.choose();
    if (answer === NOT_NOW) await this.memory.update('to install', true);
  }

  private async askForTrust(): Promise<void> {
    const says = 'promptls is not installed. Trust this folder to install it, or install it yourself.';
    const answer = await vscode.window.showErrorMessage(says, MANAGE_TRUST, NOT_NOW);
    if (answer === MANAGE_TRUST) await vscode.commands.executeCommand('workbench.trust.manage');
    if (answer === NOT_NOW) await this.memory.update('for trust', true);
  }

  /** The choice becomes a setting, which starts the server. */
  private async choose(): Promise<void> {
    const title = 'promptls, or a Python in which it is installed';
    const [file] = (await vscode.window.showOpenDialog({ title, openLabel: 'Choose' })) ?? [];
    if (file === undefined) return;
    const isPython = /^(python|py)[\d.]*(\.exe)?$/i.test(file.path.split('/').at(-1) ?? '');
    const settings = vscode.workspace.getConfiguration(SECTION);
    const [key, value]: [string, unknown] = isPython
      ? ['interpreter', file.fsPath]
      : ['path', [file.fsPath, 'serve']];
    await settings.update(key, value, vscode.ConfigurationTarget.Global);
  }

  private async withProgress(title: string): Promise<Installed | undefined> {
    const wheel = await this.wheel();
    if (wheel === undefined || !vscode.workspace.isTrusted) return undefined;
    const location = vscode.ProgressLocation.Notification;
    try {
      return await vscode.window.withProgress({ location, title, cancellable: true }, (progress, token) => {
        const aborter = new AbortController();
        token.onCancellationRequested(() => {
          aborter.abort();
        });
        return install({
          wheel,
          storage: this.storage,
          env: process.env,
          signal: aborter.signal,
          progress: (message) => {
            progress.report({ message });
          },
          log: (text) => {
            this.log.info(text);
          },
        });
      });
    } catch (error) {
      this.log.error(sentence(error));
      // Not awaited: the caller continues without the server.
      void vscode.window.showErrorMessage(sentence(error), SHOW_LOG).then((answer) => {
        if (answer === SHOW_LOG) this.log.show();
      });
      return undefined;
    }
  }
}
