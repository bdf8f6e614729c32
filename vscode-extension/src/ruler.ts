/** The ruler of the budget: a line across the editor, with a sentence, where a coding agent cuts the file. */
import * as vscode from 'vscode';

import { cuts } from './cuts';

export class Ruler implements vscode.Disposable {
  readonly #mark = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    borderStyle: 'dashed',
    borderWidth: '1px 0 0 0',
    borderColor: new vscode.ThemeColor('editorWarning.foreground'),
    after: {
      margin: '0 0 0 3em',
      color: new vscode.ThemeColor('editorCodeLens.foreground'),
      fontStyle: 'italic',
    },
  });
  readonly #listening = vscode.Disposable.from(
    vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      const changed = new Set(uris.map(String));
      draw(
        this.#mark,
        vscode.window.visibleTextEditors.filter(({ document }) => changed.has(String(document.uri))),
      );
    }),
    vscode.window.onDidChangeVisibleTextEditors((editors) => {
      draw(this.#mark, editors);
    }),
  );

  dispose(): void {
    this.#listening.dispose();
    this.#mark.dispose();
  }
}

function draw(mark: vscode.TextEditorDecorationType, editors: readonly vscode.TextEditor[]): void {
  for (const editor of editors) {
    const found = cuts(vscode.languages.getDiagnostics(editor.document.uri));
    const marks = [...found].map(([line, contentText]) => ({
      range: new vscode.Range(line, 0, line, 0),
      renderOptions: { after: { contentText } },
    }));
    editor.setDecorations(mark, marks);
  }
}
