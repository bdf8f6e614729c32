/** The ruler of the budget: a line across the editor, with a sentence above it, where a coding agent cuts the file. */
import * as vscode from 'vscode';

import { cuts } from './cuts';

/** The sentence is a code lens: a line of its own, which is in view however long the line is and however it wraps. */
export class Ruler implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#changed.event;
  readonly #mark = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    borderStyle: 'dashed',
    borderWidth: '1px 0 0 0',
    borderColor: new vscode.ThemeColor('editorWarning.foreground'),
  });
  readonly #listening = vscode.Disposable.from(
    vscode.languages.registerCodeLensProvider({ scheme: 'file' }, this),
    vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      const changed = new Set(uris.map(String));
      const editors = vscode.window.visibleTextEditors.filter(({ document }) =>
        changed.has(String(document.uri)),
      );
      draw(this.#mark, editors);
      if (editors.length > 0) this.#changed.fire();
    }),
    vscode.window.onDidChangeVisibleTextEditors((editors) => {
      draw(this.#mark, editors);
    }),
  );

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    return [...cuts(vscode.languages.getDiagnostics(uri))].flatMap(([line, sentences]) =>
      sentences.map(
        (title) =>
          new vscode.CodeLens(new vscode.Range(line, 0, line, 0), {
            title,
            command: 'promptls.explain',
            arguments: [uri],
          }),
      ),
    );
  }

  dispose(): void {
    this.#listening.dispose();
    this.#changed.dispose();
    this.#mark.dispose();
  }
}

function draw(mark: vscode.TextEditorDecorationType, editors: readonly vscode.TextEditor[]): void {
  for (const editor of editors) {
    const found = cuts(vscode.languages.getDiagnostics(editor.document.uri));
    editor.setDecorations(
      mark,
      [...found.keys()].map((line) => new vscode.Range(line, 0, line, 0)),
    );
  }
}
