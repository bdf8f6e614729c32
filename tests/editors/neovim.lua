-- Neovim with the configuration of docs/editors/neovim.md, against the server that `promptls` on PATH is:
--     neovim_emacs.sh
-- FOLDER holds the files, REPOSITORY the configuration; WAIT_SECONDS is how long to wait for anything.
local FOLDER, REPOSITORY = vim.env.FOLDER, vim.env.REPOSITORY
local WAIT_MS = tonumber(vim.env.WAIT_SECONDS) * 1000
local LOOK_MS = 20
local passed, failed = 0, 0

local function say(text)
  io.stdout:write(text .. '\n')
end

local function read(name)
  local file = assert(io.open(FOLDER .. '/' .. name))
  local text = file:read('*a')
  file:close()
  return text
end

local function step(name, run)
  local ok, problem = pcall(run)
  passed, failed = passed + (ok and 1 or 0), failed + (ok and 0 or 1)
  say((ok and 'ok    ' or 'FAIL  ') .. name .. (ok and '' or '\n      ' .. tostring(problem)))
end

local function within(problem, condition)
  assert(vim.wait(WAIT_MS, condition, LOOK_MS), problem)
end

-- The blocks of Lua on the page: the first is for Neovim 0.11, the second for those before.
local function configuration()
  local page = assert(io.open(REPOSITORY .. '/docs/editors/neovim.md')):read('*a')
  local blocks = {}
  for block in page:gmatch('```lua\n(.-)```') do
    table.insert(blocks, block)
  end
  return blocks[vim.fn.has('nvim-0.11') == 1 and 1 or 2]
end

local function client()
  local clients = vim.tbl_values((vim.lsp.get_clients or vim.lsp.get_active_clients)())
  return assert(#clients == 1 and clients[1], #clients .. ' servers run, not 1')
end

local function open(name)
  vim.cmd('edit ' .. vim.fn.fnameescape(FOLDER .. '/' .. name))
end

local function split()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    local buffer = vim.api.nvim_win_get_buf(window)
    if vim.bo[buffer].buftype == 'nofile' then
      return buffer
    end
  end
  error('no split shows the prompt')
end

local function prompt()
  return table.concat(vim.api.nvim_buf_get_lines(split(), 0, -1, false), '\n')
end

local function has(text)
  return prompt():find(text, 1, true) ~= nil
end

local function shows(text)
  within('"' .. text .. '" is not in the split', function()
    return has(text)
  end)
end

vim.cmd('filetype on')
package.path = REPOSITORY .. '/docs/editors/?.lua;' .. package.path
assert(loadstring(configuration()))()

step('a missing file is a diagnostic of exactly its entry', function()
  open('etcode.json')
  within('no diagnostic came', function()
    return #vim.diagnostic.get(0) > 0
  end)
  local found = vim.diagnostic.get(0)
  assert(#found == 1, vim.inspect(found))
  local line = vim.api.nvim_buf_get_lines(0, found[1].lnum, found[1].lnum + 1, false)[1]
  local marked = line:sub(found[1].col + 1, found[1].end_col)
  say(('      %d:%d-%d %s  %s: %s'):format(found[1].lnum, found[1].col, found[1].end_col, marked, found[1].code, found[1].message))
  assert(marked == '"docs/missing.md"' and found[1].lnum == 3, 'it marks ' .. marked)
  assert(found[1].code == 'instruction-missing' and found[1].source == 'promptls', vim.inspect(found[1]))
end)

step('the prompt of the current file opens beside it', function()
  client()
  open('pkg/api/src/app.py')
  local window = vim.api.nvim_get_current_win()
  vim.cmd('PromptPreview')
  shows('Prices are integers in cents.')
  shows('Every route checks the token first.')
  assert(window == vim.api.nvim_get_current_win(), 'the split took the focus')
  assert(not vim.bo[split()].modifiable, 'the split can be edited')
end)

step('it follows the current file', function()
  client()
  open('pkg/web/main.py')
  within('what another folder brings is still in the split', function()
    return has('Prices are integers in cents.') and not has('Every route checks the token first.')
  end)
end)

step('it follows what is typed and not saved', function()
  client()
  open('AGENTS.md')
  shows('Effective prompt of AGENTS.md')
  local before = read('AGENTS.md')
  vim.cmd('normal! GoRound half up, never to even.')
  shows('Round half up, never to even.')
  assert(vim.bo.modified and read('AGENTS.md') == before, 'the file was saved')
end)

step('the file made, the diagnostic is gone', function()
  client()
  open('etcode.json')
  assert(#vim.diagnostic.get(0) == 1, 'there is no diagnostic to begin with')
  local file = assert(io.open(FOLDER .. '/docs/missing.md', 'w'))
  file:write('No line is longer than a hundred.\n')
  file:close()
  within('the diagnostic stays', function()
    return #vim.diagnostic.get(0) == 0
  end)
  shows('No line is longer than a hundred.')
end)

step('another harness in the settings is another prompt', function()
  client()
  assert(not has('Workspace root folder:'), 'it is that of opencode already')
  client().config.settings.promptls.harness = 'opencode'
  local settings = client().config.settings
  if vim.fn.has('nvim-0.11') == 1 then
    client().settings = settings
    client():notify('workspace/didChangeConfiguration', { settings = settings })
  else
    client().notify('workspace/didChangeConfiguration', { settings = settings })
  end
  shows('Workspace root folder:')
end)

local _, text = pcall(prompt)
say('\nThe split at the end:\n' .. tostring(text) .. '\n')
local version = vim.version()
say(('Neovim %d.%d.%d: %d passed, %d failed'):format(version.major, version.minor, version.patch, passed, failed))
vim.cmd(failed == 0 and 'qall!' or 'cquit 1')
