-- The effective prompt of the current file, in a split:  :PromptPreview [harness]
-- It asks the client named `promptls`, follows the current file, and is drawn anew when the prompt changes.
-- For Neovim 0.7 and later: save it as lua/promptls.lua on the runtime path and call require('promptls').
local M = {}
local split, file, harness, shown -- the buffer, what it is the prompt of, and the URI of the virtual document

local function is_visible()
  return split ~= nil and vim.fn.bufwinid(split) ~= -1
end

-- The client of the innermost root that holds `path`, else any.
local function client_of(path)
  local found, length = nil, -1
  for _, client in pairs((vim.lsp.get_clients or vim.lsp.get_active_clients)()) do
    local root = client.config.root_dir or ''
    local holds = vim.startswith(path, root .. '/') and #root or 0
    if client.name == 'promptls' and holds > length then
      found, length = client, holds
    end
  end
  return found
end

local function ask()
  local client, asked = client_of(file), file
  if not client then
    return vim.notify('promptls is not running: open a file that it is started for.', vim.log.levels.WARN)
  end
  local function draw(error, result)
    if is_visible() and asked == file then
      shown = result and result.uri
      local text = result and result.text or error.message
      vim.bo[split].modifiable = true
      vim.api.nvim_buf_set_lines(split, 0, -1, false, vim.split((text:gsub('\n$', '')), '\n', { plain = true }))
      vim.bo[split].modifiable = false
    end
  end
  local self = vim.fn.has('nvim-0.11') == 1 and { client } or {} -- a method since 0.11
  local params = { textDocument = { uri = vim.uri_from_fname(file) }, harness = harness }
  client.request(unpack(vim.list_extend(self, { 'prompt/preview', params, draw })))
end

function M.preview(name)
  if vim.bo.buftype ~= '' or vim.api.nvim_buf_get_name(0) == '' then
    return vim.notify('Open a file first: this buffer has none.', vim.log.levels.WARN)
  end
  file, harness = vim.api.nvim_buf_get_name(0), name ~= '' and name or nil
  if not is_visible() then
    local window = vim.api.nvim_get_current_win()
    vim.cmd('rightbelow vnew')
    split = vim.api.nvim_get_current_buf()
    vim.bo.buftype, vim.bo.bufhidden, vim.bo.swapfile = 'nofile', 'wipe', false
    vim.bo.filetype, vim.bo.modifiable = 'markdown', false
    vim.api.nvim_set_current_win(window)
  end
  ask()
end

local function follow()
  local name = vim.api.nvim_buf_get_name(0)
  if is_visible() and vim.bo.buftype == '' and name ~= '' and name ~= file then
    file = name
    ask()
  end
end

vim.lsp.handlers['prompt/didChange'] = function(_, result)
  if is_visible() and vim.tbl_contains(result.uris, shown) then
    ask()
  end
end
local group = vim.api.nvim_create_augroup('promptls', {})
vim.api.nvim_create_autocmd('BufEnter', { group = group, callback = follow })
vim.api.nvim_create_user_command('PromptPreview', function(options) M.preview(options.args) end, { nargs = '?' })
return M
