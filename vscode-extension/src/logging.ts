/** The output channels: one log, and a trace that does not exist until something is traced. */
import * as vscode from 'vscode';

import { SECTION } from './settings';

export function createLog(): vscode.LogOutputChannel {
  return vscode.window.createOutputChannel('Prompt', { log: true });
}

/** What went wrong, for the user: the message of an error without the name of its class. */
export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * The channel for the traffic between editor and server. The client traces only at log level Trace, which
 * a user would have to set on a channel that is not there yet: so the level follows `promptls.trace.server`.
 */
export class TraceChannel implements vscode.LogOutputChannel {
  readonly name = 'Prompt Trace';
  private channel: vscode.OutputChannel | undefined;
  private readonly levels = new vscode.EventEmitter<vscode.LogLevel>();
  readonly onDidChangeLogLevel = this.levels.event;
  private readonly listener = vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration(`${SECTION}.trace.server`)) this.levels.fire(this.logLevel);
  });

  get logLevel(): vscode.LogLevel {
    const trace = vscode.workspace.getConfiguration(SECTION).get<string>('trace.server', 'off');
    return trace === 'off' ? vscode.LogLevel.Off : vscode.LogLevel.Trace;
  }

  trace(message: string): void {
    if (this.logLevel === vscode.LogLevel.Trace) this.appendLine(message);
  }
  debug(message: string): void {
    this.trace(message);
  }
  info(message: string): void {
    this.trace(message);
  }
  warn(message: string): void {
    this.trace(message);
  }
  error(error: string | Error): void {
    this.trace(String(error));
  }

  append(value: string): void {
    this.opened().append(value);
  }
  appendLine(value: string): void {
    this.opened().appendLine(value);
  }
  replace(value: string): void {
    this.opened().replace(value);
  }
  clear(): void {
    this.channel?.clear();
  }
  show(): void {
    this.opened().show(true);
  }
  hide(): void {
    this.channel?.hide();
  }
  dispose(): void {
    this.listener.dispose();
    this.levels.dispose();
    this.channel?.dispose();
  }

  private opened(): vscode.OutputChannel {
    this.channel ??= vscode.window.createOutputChannel(this.name);
    return this.channel;
  }
}
