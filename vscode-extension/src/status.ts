/** The status bar item: the harness, the size of the prompt and its problems, or what is wrong. */
import * as vscode from 'vscode';

import { typed, type Unknown, unknownsOf } from './how';
import type { FilePrompt } from './preview';
import { hereText } from './verified';
import { percentText, sizesText, sizeText } from './words';

const CHOOSE = 'promptls.selectHarness';
const SHOW_LOG = 'promptls.showLog';
const ASK = 'promptls.ask';
const FIND_OUT = 'promptls.findOut';

/** A command that finds out more, as a link that asks before it runs it. */
function linkTo({ how }: Unknown): string {
  const argument = encodeURIComponent(JSON.stringify([how]));
  return `\n\nTo know the rest: [\`${typed(how).replaceAll('`', '')}\`](command:${FIND_OUT}?${argument})`;
}

export class Status {
  private readonly item = vscode.window.createStatusBarItem('prompt', vscode.StatusBarAlignment.Right, 100);

  constructor() {
    this.item.name = 'Effective Prompt';
    this.starting();
    this.item.show();
  }

  starting(): void {
    this.say('$(loading~spin) Prompt', 'The promptls server is starting.', SHOW_LOG);
  }

  noFile(): void {
    this.say('$(comment-discussion) Prompt', 'Open a file to see its prompt.', CHOOSE);
  }

  /** The prompt of the active file. */
  prompt({ result, isEmpty }: FilePrompt): void {
    if (isEmpty) {
      const tooltip = 'No coding agent is set up here. Click to choose one.';
      this.say('$(comment-discussion) No harness', tooltip, CHOOSE);
      return;
    }
    const { harness, totals, problems } = result;
    const { name, version, verified } = harness;
    const percent = percentText(totals);
    const bad = problems.length;
    const found = `${bad} problem${bad === 1 ? '' : 's'}`;
    const size = sizeText(result);
    const here = hereText(result);
    const tooltip = new vscode.MarkdownString()
      .appendMarkdown('**')
      .appendText(`${name} ${version}`)
      .appendMarkdown('**')
      .appendText(here ? `, ${here}` : verified ? '' : ' (not verified)')
      .appendCodeblock(sizesText(result), 'text')
      .appendText([percent && `${percent} of the model's window`, found].filter(Boolean).join(' · '))
      .appendMarkdown(unknownsOf(result).map(linkTo).join(''))
      .appendMarkdown('\n\nClick to choose another harness.');
    tooltip.isTrusted = { enabledCommands: [FIND_OUT] };
    const share = percent && ` · ${percent}`;
    const text = `$(comment-discussion) ${name} ${size}${share}${bad > 0 ? ` $(warning) ${bad}` : ''}`;
    const spoken = `${name}, ${size.replace('~', 'about ')} tokens${share}, ${found}`;
    this.set(text, tooltip, CHOOSE, spoken);
  }

  /** `problem` is one sentence; a click asks what to do about it. `canInstall`: the server can be installed. */
  failed(problem: string, canInstall = false): void {
    const what = canInstall ? '$(cloud-download) Install promptls' : '$(error) Prompt';
    this.say(what, `${problem} Click to choose what to do.`, ASK);
    this.item.backgroundColor = new vscode.ThemeColor('statusBarItem.warningBackground');
  }

  dispose(): void {
    this.item.dispose();
  }

  private say(text: string, sentence: string, command: string): void {
    this.set(text, sentence, command, sentence);
  }

  private set(text: string, tooltip: string | vscode.MarkdownString, command: string, spoken: string): void {
    this.item.backgroundColor = undefined;
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.command = command;
    this.item.accessibilityInformation = { label: `Effective prompt: ${spoken}`, role: 'button' };
  }
}
