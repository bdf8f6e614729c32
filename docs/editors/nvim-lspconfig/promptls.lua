---@brief
---
--- Shows the prompt that a coding agent really gets, and warns where an instruction file is broken, cut or never read.
--- To install the server, run `uv tool install .` in a clone of promptls.

---@type vim.lsp.Config
return {
  cmd = { 'promptls', 'serve' },
  filetypes = { 'markdown', 'json', 'jsonc', 'toml', 'yaml' },
  root_markers = { 'promptls.toml', '.git' },
}
