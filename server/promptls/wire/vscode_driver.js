// An extension of the scratch profile: says one thing to Copilot in VS Code, and tells how that went.
const fs = require('fs');
const { commands, extensions, lm, Selection, Uri, window, workspace } = require('vscode');

const COPILOT = 'GitHub.copilot-chat';
const LOOK_MS = 250;

exports.activate = () => {
  const asked = JSON.parse(process.env.PROMPTLS_ASKED);
  say(asked).then(() => fs.writeFileSync(asked.log, 'said'), (error) => fs.writeFileSync(asked.log, String(error)));
};

async function say(asked) {
  if (!extensions.getExtension(COPILOT)) {
    // In a new profile it is switched off until the user first asks for it; this is what the button does.
    await commands.executeCommand('workbench.extensions.installExtension', COPILOT, { enable: true });
  }
  await until(() => extensions.getExtension(COPILOT));
  await until(async () => (await lm.selectChatModels({ vendor: asked.vendor })).length);
  for (const { path, selection } of asked.open) {
    const editor = await window.showTextDocument(await workspace.openTextDocument(at(path)), { preview: false });
    if (selection) editor.selection = new Selection(...selection);
  }
  await commands.executeCommand('workbench.action.chat.open', {
    query: asked.typed,
    mode: asked.mode,
    attachFiles: asked.attached.map(at),
    modelSelector: { vendor: asked.vendor, id: asked.model },
    blockOnResponse: true,
  });
}

/** The address of a path, as the folder that is open has its own. */
function at(path) {
  return workspace.workspaceFolders[0].uri.with({ path });
}

async function until(isReady) {
  while (!(await isReady())) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}
