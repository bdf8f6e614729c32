-- The effective prompt of the current file, in a split:
--     :PromptPreview [harness]   follows the current file, and is refreshed when the prompt changes
--     :PromptHarness [harness]   another harness; asks for one without a name
--     :PromptCompare [harness]   this prompt and that of another harness, as a diff in a new tab
--     :PromptExplain             which harnesses load the current file, and why others do not
-- In the split, <CR> and gd open the source of a line, q closes it.
-- For Neovim 0.7 and later: save it as lua/promptls.lua on the runtime path and call require('promptls').
local M = {}
local split -- the buffer of the preview
local file, harness -- the file whose prompt is shown; the chosen harness, nil for the one of the folder
local shown -- the URI of the virtual document, as the server names it
local source -- a file opened by <CR>: the preview does not follow it
local is_new = vim.fn.has('nvim-0.11') == 1

local function warn(text)
  vim.notify(text, vim.log.levels.WARN)
end

local function is_visible()
  return split ~= nil and vim.fn.bufwinid(split) ~= -1
end

-- The file of the current window, nil if it shows something else.
local function current_file()
  local name = vim.api.nvim_buf_get_name(0)
  return vim.bo.buftype == '' and name ~= '' and name or nil
end

-- The client of the innermost root that contains `path`.
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

-- The file for a command, nil if there is none or no server for it.
local function file_at_hand()
  local path = current_file() or (is_visible() and file)
  if not path then
    return warn('Open a file first: this buffer has none.')
  end
  -- Right after Neovim starts, it may not be ready yet.
  if vim.wait(3000, function() return client_of(path) ~= nil end, 20) then
    return path
  end
  warn('promptls is not running: open a file that it is started for.')
end

-- Ask the server of `path`; `show` gets the result and the client.
local function ask(path, method, params, show)
  local client = client_of(path)
  if not client then
    return
  end
  local function answer(problem, result)
    if problem then
      warn(problem.message)
    else
      show(result, client)
    end
  end
  local self = is_new and { client } or {} -- a method since 0.11
  client.request(unpack(vim.list_extend(self, { method, params, answer })))
end

local function of_file(path, name)
  return { textDocument = { uri = vim.uri_from_fname(path) }, harness = name }
end

local function lines_of(text)
  return vim.split((text:gsub('\n$', '')), '\n', { plain = true })
end

-- Write only what has changed, so that cursor, scroll position and folds stay.
local function draw(buffer, text)
  local old = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), '\n') .. '\n'
  local new = lines_of(text)
  local diff = vim.text and vim.text.diff or vim.diff
  local hunks = diff(old, table.concat(new, '\n') .. '\n', { result_type = 'indices' })
  local window = vim.fn.bufwinid(buffer)
  local before -- lines of the window above its cursor
  vim.api.nvim_win_call(window, function() before = vim.fn.line('.') - vim.fn.line('w0') end)
  vim.bo[buffer].modifiable = true
  for number = #hunks, 1, -1 do
    local old_first, old_count, new_first, new_count = unpack(hunks[number])
    local start = old_count == 0 and old_first or old_first - 1
    local lines = vim.list_slice(new, new_first, new_first + new_count - 1)
    vim.api.nvim_buf_set_lines(buffer, start, start + old_count, false, lines)
  end
  vim.bo[buffer].modifiable = false
  vim.api.nvim_win_call(window, function()
    vim.fn.winrestview({ topline = math.max(1, vim.fn.line('.') - before) })
  end)
end

-- Since 0.11 the split is a document of the server: symbols and folds come from there.
local function name_split(uri, client)
  if uri == shown then
    return
  end
  if not shown then
    vim.api.nvim_win_set_cursor(vim.fn.bufwinid(split), { 1, 0 })
  elseif is_new then
    vim.lsp.buf_detach_client(split, client.id)
  end
  shown = uri
  local before = vim.api.nvim_buf_get_name(split)
  vim.api.nvim_buf_set_name(split, (uri:gsub('^promptls:/', 'promptls:///')))
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if before ~= '' and vim.api.nvim_buf_get_name(buffer) == before then
      vim.api.nvim_buf_delete(buffer, { force = true }) -- Neovim keeps one of the old name
    end
  end
  if is_new then
    vim.lsp.buf_attach_client(split, client.id)
  end
end

local function refresh()
  local asked, asked_harness = file, harness
  ask(file, 'prompt/preview', of_file(file, harness), function(result, client)
    if is_visible() and asked == file and asked_harness == harness then
      draw(split, result.text)
      name_split(result.uri, client)
      local window = vim.fn.bufwinid(split)
      local title = 'Prompt of ' .. vim.fn.fnamemodify(file, ':t') .. ' · ' .. result.harness.name
      vim.wo[window].statusline = title:gsub('%%', '%%%%') .. '%=%l/%L '
    end
  end)
end

-- The window to open a source in: the one that was left last, else any that shows a file.
local function go_to_file_window()
  local windows = vim.api.nvim_tabpage_list_wins(0)
  table.insert(windows, 1, vim.fn.win_getid(vim.fn.winnr('#')))
  for _, window in ipairs(windows) do
    if window ~= 0 and vim.bo[vim.api.nvim_win_get_buf(window)].buftype == '' then
      return vim.api.nvim_set_current_win(window)
    end
  end
  vim.cmd('leftabove vsplit')
end

function M.source()
  if not shown then
    return -- it is not here yet
  end
  local position = { line = vim.api.nvim_win_get_cursor(0)[1] - 1, character = 0 }
  ask(file, 'textDocument/definition', { textDocument = { uri = shown }, position = position }, function(places)
    local place = places and places[1]
    if not place then
      return warn('This line comes from no file.')
    end
    local path = vim.uri_to_fname(place.uri)
    go_to_file_window()
    vim.cmd("normal! m'")
    source = path
    vim.cmd('drop ' .. vim.fn.fnameescape(path))
    vim.api.nvim_win_set_cursor(0, { place.range.start.line + 1, 0 })
    vim.cmd('normal! zv')
  end)
end

local function make_scratch()
  vim.bo.buftype, vim.bo.bufhidden, vim.bo.swapfile, vim.bo.modifiable = 'nofile', 'wipe', false, false
  vim.bo.filetype = 'markdown' -- after the buffer type, so that no server is started
end

local function open_split()
  local window = vim.api.nvim_get_current_win()
  vim.cmd(vim.o.columns < 100 and 'rightbelow new' or 'rightbelow vnew')
  split, shown = vim.api.nvim_get_current_buf(), nil
  make_scratch()
  vim.bo.undolevels = -1
  vim.wo.wrap, vim.wo.linebreak, vim.wo.spell = true, true, false
  if is_new then
    vim.wo.foldmethod, vim.wo.foldexpr, vim.wo.foldlevel = 'expr', 'v:lua.vim.lsp.foldexpr()', 99
  end
  for _, key in ipairs({ '<CR>', 'gd' }) do
    vim.keymap.set('n', key, M.source, { buffer = true, desc = 'Go to the source of this line' })
  end
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = true, nowait = true, desc = 'Close the preview' })
  vim.api.nvim_set_current_win(window)
end

function M.preview(name)
  local path = file_at_hand()
  if not path then
    return
  end
  file, source = path, nil
  harness = name and name ~= '' and name or harness
  if not is_visible() then
    open_split()
  end
  refresh()
end

-- Ask which harness, those of the folder first; `show` gets its name, nil for the one that the folder is configured for.
local function choose(path, prompt, has_default, show)
  ask(path, 'prompt/harnesses', of_file(path), function(result)
    local choices = has_default and { { title = 'the one that this folder is set up for' } } or {}
    for _, is_found in ipairs({ true, false }) do
      for _, each in ipairs(result.harnesses) do
        if each.found == is_found then
          local evidence = is_found and ' (found ' .. vim.fn.fnamemodify(each.evidence[1], ':t') .. ')' or ''
          table.insert(choices, { name = each.name, title = each.title .. evidence })
        end
      end
    end
    local options = { prompt = prompt, format_item = function(choice) return choice.title end }
    vim.ui.select(choices, options, function(choice)
      if choice then
        show(choice.name)
      end
    end)
  end)
end

function M.harness(name)
  local function show(chosen)
    harness = chosen
    M.preview()
  end
  if name and name ~= '' then
    return show(name)
  end
  local path = file_at_hand()
  if path then
    choose(path, 'Show the prompt of', true, show)
  end
end

function M.compare(name)
  local path = file_at_hand()
  if not path then
    return
  end
  local function side(result, command)
    vim.cmd(command)
    vim.api.nvim_buf_set_lines(0, 0, -1, false, lines_of(result.text))
    make_scratch()
    vim.wo.statusline = result.harness.name .. ' ' .. result.harness.version .. '%=%l/%L '
    vim.keymap.set('n', 'q', '<Cmd>tabclose<CR>', { buffer = true, nowait = true, desc = 'Close the comparison' })
    vim.cmd('diffthis')
  end
  local function show(other)
    ask(path, 'prompt/preview', of_file(path, harness), function(left)
      ask(path, 'prompt/preview', of_file(path, other), function(right)
        side(left, 'tabnew')
        side(right, 'rightbelow vnew')
      end)
    end)
  end
  if name and name ~= '' then
    show(name)
  else
    choose(path, 'Compare with', false, show)
  end
end

local function explained(each, root)
  local lines, name = {}, ('**%s %s**: '):format(each.harness.name, each.harness.version)
  for _, use in ipairs(each.loaded) do
    local at = use.at == 'read' and 'on reading a file near it' or 'at start'
    local how = ('%s, started in %s, as %s in the %s message.'):format(at, use.cwd, use.layer, use.role)
    table.insert(lines, '- ' .. name .. how .. ' ' .. use.why .. '.')
  end
  if #lines == 0 then
    lines = { '- ' .. name .. 'not loaded. ' .. each.why .. '.' .. (each.other and ' Instead: ' .. each.other or '') }
  end
  return lines
end

function M.explain()
  local path = file_at_hand()
  if not path then
    return
  end
  ask(path, 'prompt/explain', of_file(path), function(result)
    local lines, others = { '# Who loads ' .. vim.fn.fnamemodify(path, ':t'), '' }, {}
    for _, each in ipairs(result.harnesses) do
      if each.found then
        vim.list_extend(lines, explained(each))
      elseif #each.loaded > 0 then
        table.insert(others, each.harness.name)
      end
    end
    if #others > 0 then
      vim.list_extend(lines, { '', 'Not in use here, but would load it: ' .. table.concat(others, ', ') .. '.' })
    end
    local options = { border = 'rounded', focus_id = 'promptls', max_width = math.min(100, vim.o.columns - 4) }
    vim.lsp.util.open_floating_preview(lines, 'markdown', options)
  end)
end

local function entered()
  if is_visible() and vim.api.nvim_get_current_buf() == split and vim.fn.winnr('$') == 1 then
    return vim.schedule(function() vim.cmd('quit') end) -- only the preview is left
  end
  local path = current_file()
  if is_visible() and path and path ~= source then
    source = nil
    if path ~= file then
      file = path
      refresh()
    end
  end
end

-- The names of the harnesses, as completion of the commands.
local function names(typed)
  local client = client_of(current_file() or file or '')
  local self = is_new and { client } or {}
  local arguments = vim.list_extend(self, { 'prompt/harnesses', vim.empty_dict(), 1000, 0 })
  local reply = client and client.request_sync(unpack(arguments))
  local all = vim.tbl_map(function(each) return each.name end, reply and reply.result and reply.result.harnesses or {})
  return vim.tbl_filter(function(name) return vim.startswith(name, typed) end, all)
end

-- The command of the code lens above an instruction file.
vim.lsp.commands['promptls.preview'] = function() M.preview() end
vim.lsp.handlers['prompt/didChange'] = function(_, result)
  if is_visible() and vim.tbl_contains(result.uris, shown) then
    refresh()
  end
end
vim.api.nvim_create_autocmd('BufEnter', { group = vim.api.nvim_create_augroup('promptls', {}), callback = entered })
for name, run in pairs({ PromptPreview = M.preview, PromptHarness = M.harness, PromptCompare = M.compare }) do
  local command = function(options) run(options.args) end
  vim.api.nvim_create_user_command(name, command, { nargs = '?', complete = names })
end
vim.api.nvim_create_user_command('PromptExplain', M.explain, {})
return M
