/** What the language status menu says: the harness and the size of the prompt, or what is wrong. */
import * as vscode from 'vscode';

import type { PreviewResult } from './protocol';
import { sizeText } from './words';

const CHOOSE_HARNESS = { command: 'promptls.selectHarness', title: 'Choose Harness' };
const SHOW_LOG = { command: 'promptls.showLog', title: 'Show Log' };

export class Status {
  private readonly item: vscode.LanguageStatusItem;

  constructor() {
    this.item = vscode.languages.createLanguageStatusItem('promptls', { scheme: 'file' });
    this.item.name = 'promptls';
    this.starting();
  }

  starting(): void {
    this.set('Prompt', 'starting', vscode.LanguageStatusSeverity.Information, SHOW_LOG);
    this.item.busy = true;
  }

  ready(): void {
    this.set('Prompt', '', vscode.LanguageStatusSeverity.Information, CHOOSE_HARNESS);
  }

  /** The prompt of the active file. */
  prompt(result: PreviewResult): void {
    const { version, verified } = result.harness;
    const detail = verified ? version : `${version}, not verified`;
    this.set(sizeText(result), detail, vscode.LanguageStatusSeverity.Information, CHOOSE_HARNESS);
  }

  /** `problem` is one sentence. */
  failed(problem: string): void {
    this.set('Prompt', problem, vscode.LanguageStatusSeverity.Error, SHOW_LOG);
  }

  dispose(): void {
    this.item.dispose();
  }

  private set(
    text: string,
    detail: string,
    severity: vscode.LanguageStatusSeverity,
    command: vscode.Command,
  ): void {
    this.item.text = text;
    this.item.accessibilityInformation = {
      label: `Effective prompt: ${text.replaceAll('~', 'about ')}, ${detail}`,
    };
    this.item.detail = detail;
    this.item.severity = severity;
    this.item.command = command;
    this.item.busy = false;
  }
}
