// In a webview of an editor, which opens the file itself.
const editor = typeof acquireVsCodeApi === "function" ? acquireVsCodeApi() : null;
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-path]");
  if (!editor || !link) return;
  event.preventDefault();
  editor.postMessage({ command: "open", path: link.dataset.path, line: Number(link.dataset.line ?? 0) });
});
