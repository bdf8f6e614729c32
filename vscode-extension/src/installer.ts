/** Offers to install the server and installs it: never without asking, and never in an untrusted workspace. */
import * as vscode from 'vscode';

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
  /** What has already been asked in this session. */
  private readonly asked = new Set<'to install' | 'for trust'>();
  private updateFailed = false;
  private running: Promise<Installed | undefined> | undefined;

  constructor(
    private readonly extensionPath: string,
    private readonly storage: string,
    private readonly log: vscode.LogOutputChannel,
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

  /** Reports that there is no server and what can be done: one question of each kind per session. */
  async offer(trusted: boolean): Promise<void> {
    const isPossible = trusted && (await this.wheel()) !== undefined;
    void vscode.commands.executeCommand('setContext', 'promptls.canInstall', isPossible);
    const question = trusted ? 'to install' : 'for trust';
    if (this.asked.has(question) || (trusted && !isPossible)) return;
    this.asked.add(question);
    await (trusted ? this.ask() : this.askForTrust());
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
    const answer = await vscode.window.showInformationMessage(QUESTION, INSTALL, CHOOSE, NOT_NOW);
    if (answer === INSTALL && (await this.install()) !== undefined) this.done();
    if (answer === CHOOSE) await this.choose();
  }

  private async askForTrust(): Promise<void> {
    const says = 'promptls is not installed. Trust this folder to install it, or install it yourself.';
    if ((await vscode.window.showInformationMessage(says, MANAGE_TRUST)) !== MANAGE_TRUST) return;
    await vscode.commands.executeCommand('workbench.trust.manage');
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
