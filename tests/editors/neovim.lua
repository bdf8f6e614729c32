-- Neovim with the configuration of docs/editors/neovim.md, against the server that `promptls` on PATH is:
--     neovim_emacs.sh
-- FOLDER holds the files, REPOSITORY the configuration; WAIT_SECONDS is how long to wait for anything. What was asked
-- and shown goes to the file TRANSCRIPT.
local FOLDER, REPOSITORY = vim.env.FOLDER, vim.env.REPOSITORY
local WAIT_MS = tonumber(vim.env.WAIT_SECONDS) * 1000
local LOOK_MS = 20
local is_new = vim.fn.has('nvim-0.11') == 1 -- else 0.7 to 0.10
local version = vim.version()
local title = ('Neovim %d.%d.%d'):format(version.major, version.minor, version.patch)
local passed, failed = 0, 0
local transcript = {}

local function say(text)
  io.stdout:write(text .. '\n')
end

-- Text without the paths, the ports and the date of this machine.
local function plain(text)
  local home = vim.pesc(vim.env.HOME)
  text = text:gsub(vim.pesc(FOLDER), '/shop'):gsub(home, '~'):gsub('127%.0%.0%.1:%d+', '127.0.0.1:PORT')
  return (text:gsub("(Today's date:)[^\n]*", '%1 ...'):gsub('(promptls:[^? ]*)%?[%w_-]+', '%1'):gsub('[ \t]+\n', '\n'))
end

-- Write down what was asked, and what was shown: lines or a text, nothing where `asked` says it all.
local function note(asked, shown)
  local text = type(shown) == 'table' and table.concat(shown, '\n') or shown
  table.insert(transcript, asked .. (text and ':\n\n````text\n' .. plain(text) .. '\n````\n' or '.\n'))
end

local function step(name, run)
  table.insert(transcript, '## ' .. name:sub(1, 1):upper() .. name:sub(2) .. '\n')
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
  return blocks[is_new and 1 or 2]
end

local function client()
  local clients = vim.tbl_values((vim.lsp.get_clients or vim.lsp.get_active_clients)())
  local roots = vim.tbl_map(function(each) return tostring(each.config.root_dir) end, clients)
  assert(#clients == 1, #clients .. ' servers run, not 1, in ' .. table.concat(roots, ', '))
  return clients[1]
end

local function request(method, params)
  local self = is_new and { client() } or {}
  local reply, problem = client().request_sync(unpack(vim.list_extend(self, { method, params, WAIT_MS, 0 })))
  assert(reply and not reply.err, vim.inspect(reply or problem))
  return reply.result
end

local function set(key, value)
  local settings = client().config.settings
  settings.promptls[key] = value
  client().settings = settings -- since 0.11
  local self = is_new and { client() } or {}
  client().notify(unpack(vim.list_extend(self, { 'workspace/didChangeConfiguration', { settings = settings } })))
end

local function open(name)
  vim.cmd('edit ' .. vim.fn.fnameescape(FOLDER .. '/' .. name))
end

local function on_disk(name)
  return table.concat(vim.fn.readfile(FOLDER .. '/' .. name), '\n')
end

local function lines()
  return vim.api.nvim_buf_get_lines(0, 0, -1, false)
end

local function keys(typed)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(typed, true, false, true), 'x', false)
end

local function here()
  local place = vim.api.nvim_win_get_cursor(0)
  return ('%s:%d'):format(vim.api.nvim_buf_get_name(0), place[1])
end

-- Put the cursor on the first place of `text` in the current buffer.
local function go_to(text)
  for number, line in ipairs(lines()) do
    local column = line:find(text, 1, true)
    if column then
      return vim.api.nvim_win_set_cursor(0, { number, column - 1 })
    end
  end
  error('"' .. text .. '" is not in ' .. here())
end

-- The split: it has its name as soon as it shows a prompt.
local function split()
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(window)):find('^promptls:') then
      return window, vim.api.nvim_win_get_buf(window)
    end
  end
  error('no split shows the prompt')
end

local function in_split(run)
  local window = vim.api.nvim_get_current_win()
  vim.api.nvim_set_current_win((split()))
  local result = run()
  vim.api.nvim_set_current_win(window)
  return result
end

local function prompt()
  return table.concat(vim.api.nvim_buf_get_lines(select(2, split()), 0, -1, false), '\n')
end

local function has(text)
  local ok, shown = pcall(prompt)
  return ok and shown:find(text, 1, true) ~= nil
end

local function shows(text)
  within('"' .. text .. '" is not in the split', function()
    return has(text)
  end)
end

-- The lines of the window that comes up above the text; it is closed.
local function floating()
  local window
  within('no window came up', function()
    for _, each in ipairs(vim.api.nvim_list_wins()) do
      window = vim.api.nvim_win_get_config(each).relative ~= '' and each or window
    end
    return window
  end)
  local shown = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
  vim.api.nvim_win_close(window, true)
  return shown
end

-- The entries of the list of places that `run` opens; it is closed.
local function listed(run)
  local window, found = vim.api.nvim_get_current_win(), {}
  vim.fn.setqflist({}, 'r')
  vim.fn.setloclist(window, {}, 'r')
  run()
  within('no list of places came', function()
    found = vim.fn.getqflist()
    found = #found > 0 and found or vim.fn.getloclist(window)
    return #found > 0
  end)
  vim.cmd('cclose | lclose')
  vim.api.nvim_set_current_win(window)
  return vim.tbl_map(function(each)
    return ('%s:%d  %s'):format(vim.api.nvim_buf_get_name(each.bufnr), each.lnum, vim.trim(each.text))
  end, found)
end

-- What `run` lets the user choose from; the first that begins with `wanted` is chosen.
local function choosing(wanted, run)
  local original, titles, is_chosen = vim.ui.select, nil, false
  vim.ui.select = function(items, options, choose)
    titles = vim.tbl_map(options.format_item or tostring, items)
    for number, each in ipairs(titles) do
      if not is_chosen and vim.startswith(each, wanted) then
        is_chosen = true
        choose(items[number], number)
      end
    end
  end
  run()
  local is_asked = vim.wait(WAIT_MS, function() return titles ~= nil end, LOOK_MS)
  vim.ui.select = original
  assert(is_asked, 'nothing was to be chosen')
  assert(is_chosen, wanted .. ' is none of ' .. vim.inspect(titles))
  return titles
end

-- The menu that comes up when `typed` is typed at the cursor.
local function completed(typed)
  local words, before = nil, lines()
  local timer, ends = vim.loop.new_timer(), vim.loop.now() + WAIT_MS
  timer:start(LOOK_MS, LOOK_MS, vim.schedule_wrap(function()
    if timer:is_active() and (vim.fn.pumvisible() == 1 or vim.loop.now() > ends) then
      timer:stop()
      words = vim.tbl_map(function(each) return vim.trim(each.word .. '  ' .. each.menu) end, vim.fn.complete_info({ 'items' }).items)
      vim.api.nvim_input('<C-e><Esc>')
    end
  end))
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(typed, true, false, true), 'x!', false)
  timer:close()
  io.stdout:write('\n') -- behind what Neovim says of its mode
  vim.api.nvim_buf_set_lines(0, 0, -1, false, before)
  assert(words and #words > 0, 'no menu came up')
  return words
end

-- A server for URLs on this machine that answers when it is told to, and from then on.
local function held_server(text)
  local server, waiting, is_held = vim.loop.new_tcp(), {}, true
  local head = 'HTTP/1.1 200 OK\r\nContent-Type: text/markdown\r\nConnection: close\r\nContent-Length: %d\r\n\r\n'
  local function answer(socket)
    socket:write(head:format(#text) .. text, function() socket:close() end)
  end
  assert(server:bind('127.0.0.1', 0))
  server:listen(8, function()
    local socket = vim.loop.new_tcp()
    server:accept(socket)
    socket:read_start(function(_, data)
      if data and is_held then
        table.insert(waiting, socket)
      elseif data then
        answer(socket)
      end
    end)
  end)
  return ('http://127.0.0.1:%d/rules.md'):format(server:getsockname().port), function()
    is_held = false
    vim.tbl_map(answer, waiting)
  end
end

local progress = {}
local show_progress = vim.lsp.handlers['$/progress']
vim.lsp.handlers['$/progress'] = function(problem, result, ...)
  table.insert(progress, vim.trim(result.value.kind .. '  ' .. (result.value.title or '')))
  return show_progress(problem, result, ...)
end

vim.cmd('filetype on')
vim.o.hidden, vim.o.columns, vim.o.lines = true, 160, 50
vim.o.completeopt = 'menu,menuone,noselect' -- a menu also for one word, and nothing typed by itself
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
  local shown = ('line %d, %s: %s [%s]'):format(found[1].lnum + 1, marked, found[1].message, found[1].code)
  say('      ' .. shown)
  assert(marked == '"docs/missing.md"' and found[1].lnum == 3, 'it marks ' .. marked)
  assert(found[1].code == 'instruction-missing' and found[1].source == 'promptls', vim.inspect(found[1]))
  note('`:edit etcode.json`; `vim.diagnostic.get(0)` marks', shown)
end)

step('hovers say what an entry brings and who reads a file', function()
  client()
  go_to('docs/style.md')
  vim.lsp.buf.hover()
  local entry = floating()
  assert(table.concat(entry, ' '):find('as instructions in the system message', 1, true), vim.inspect(entry))
  note('`vim.lsp.buf.hover()` on `"docs/style.md"`', entry)
  open('pkg/api/AGENTS.md')
  vim.lsp.buf.hover()
  local readers = floating()
  assert(table.concat(readers, ' '):find('on reading a file near it', 1, true), vim.inspect(readers))
  note('`vim.lsp.buf.hover()` on the first line of `pkg/api/AGENTS.md`', readers)
end)

step('an entry leads to its file, and the file to who names it', function()
  client()
  open('etcode.json')
  go_to('docs/style.md')
  vim.lsp.buf.definition()
  within('the file was not opened', function()
    return here() == FOLDER .. '/docs/style.md:1'
  end)
  note('`vim.lsp.buf.definition()` on `"docs/style.md"` goes to', here())
  local found = listed(vim.lsp.buf.references)
  assert(#found == 2 and found[1]:find('AGENTS.md:4', 1, true) and found[2]:find('etcode.json:3', 1, true), vim.inspect(found))
  note('`vim.lsp.buf.references()` there', found)
end)

step('links of a document', function()
  client()
  open('AGENTS.md')
  local found = request('textDocument/documentLink', vim.lsp.util.make_position_params(0, 'utf-16'))
  assert(#found == 1 and found[1].target == vim.uri_from_fname(FOLDER .. '/docs/style.md'), vim.inspect(found))
  note('Neovim shows no links of servers; definitions do their work. The reply to `textDocument/documentLink` in `AGENTS.md`', vim.tbl_map(function(each)
    return ('line %d -> %s'):format(each.range.start.line + 1, each.target)
  end, found))
end)

step('completion of paths and of keys', function()
  client()
  open('etcode.json')
  vim.bo.omnifunc = 'v:lua.vim.lsp.omnifunc' -- set by Neovim itself since 0.8
  go_to('style.md')
  local paths = completed('i<C-x><C-o>')
  assert(vim.startswith(paths[1], 'docs/style.md'), vim.inspect(paths))
  note('`CTRL-X CTRL-O` behind `"docs/`', paths)
  go_to('"instructions"')
  local names = completed('i""<Left><C-x><C-o>')
  assert(vim.tbl_contains(vim.tbl_map(function(each) return vim.startswith(each, 'instructions') end, names), true), vim.inspect(names))
  note('`CTRL-X CTRL-O` in a new key', names)
end)

step('a quick fix takes the entry out', function()
  client()
  go_to('docs/missing.md')
  local place = vim.tbl_extend('error', vim.lsp.util.make_range_params(0, 'utf-16'), { context = { diagnostics = {} } })
  within('there is no fix', function()
    return vim.tbl_contains(vim.tbl_map(function(each) return each.title end, request('textDocument/codeAction', place)), 'Remove the entry')
  end)
  local titles = choosing('Remove the entry', vim.lsp.buf.code_action)
  within('the entry stays', function()
    return not table.concat(lines()):find('missing', 1, true)
  end)
  within('a diagnostic stays', function()
    return #vim.diagnostic.get(0) == 0
  end)
  note('`vim.lsp.buf.code_action()` on `"docs/missing.md"` offers', titles)
  note('Then, with "Remove the entry"', lines())
  vim.cmd('silent undo')
  within('the diagnostic does not come back', function()
    return #vim.diagnostic.get(0) == 1
  end)
end)

step('lenses above an instruction file; a click opens the prompt', function()
  client()
  open('AGENTS.md')
  within('no lens came', function()
    vim.lsp.codelens.refresh()
    return #vim.lsp.codelens.get(0) > 0
  end)
  local titles = vim.tbl_map(function(each) return each.command.title end, vim.lsp.codelens.get(0))
  note('`vim.lsp.codelens.refresh()` in `AGENTS.md` shows above its first line', titles)
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  if #titles == 1 then
    vim.lsp.codelens.run()
  else
    choosing('', vim.lsp.codelens.run)
  end
  shows('Effective prompt of AGENTS.md')
  note('`vim.lsp.codelens.run()`; the split begins with', vim.api.nvim_buf_get_lines(select(2, split()), 0, 4, false))
end)

step('sizes behind the headings', function()
  client()
  if not vim.lsp.inlay_hint then
    return note('This Neovim has no inlay hints; 0.10 is the first that does')
  end
  set('inlayHints', true)
  vim.lsp.inlay_hint.enable(true)
  within('no hint came', function()
    return #vim.lsp.inlay_hint.get({ bufnr = 0 }) > 0
  end)
  note('`vim.lsp.inlay_hint.enable(true)`, and `inlayHints` in the settings', vim.tbl_map(function(each)
    local line = each.inlay_hint.position.line
    return ('line %d: %s %s'):format(line + 1, lines()[line + 1], each.inlay_hint.label)
  end, vim.lsp.inlay_hint.get({ bufnr = 0 })))
end)

step('the prompt of the current file opens beside it', function()
  client()
  vim.api.nvim_set_current_win((split()))
  keys('q')
  open('pkg/api/src/app.py')
  local window = vim.api.nvim_get_current_win()
  vim.cmd('PromptPreview')
  shows('Prices are integers in cents.')
  shows('Every route checks the token first.')
  assert(window == vim.api.nvim_get_current_win(), 'the split took the focus')
  assert(not vim.bo[select(2, split())].modifiable, 'the split can be edited')
  note('`:PromptPreview` in `pkg/api/src/app.py`; the split shows', prompt())
end)

step('it follows the current file', function()
  client()
  open('pkg/web/main.py')
  within('what another folder brings is still in the split', function()
    return has('Prices are integers in cents.') and not has('Every route checks the token first.')
  end)
  note('`:edit pkg/web/main.py`; the split begins with', vim.api.nvim_buf_get_lines(select(2, split()), 0, 4, false))
end)

step('a line of it leads to its source, and it stays', function()
  client()
  open('pkg/api/src/app.py')
  shows('Every route checks the token first.')
  vim.api.nvim_set_current_win((split()))
  go_to('Every route checks')
  keys('<CR>')
  within('the source was not opened', function()
    return here() == FOLDER .. '/pkg/api/AGENTS.md:3'
  end)
  note('`<CR>` on "Every route checks the token first." in the split goes to', here())
  assert(has('Effective prompt of app.py'), 'it went to the source, too')
end)

step('it follows what is typed and not saved, and keeps its cursor and its first line', function()
  client()
  open('AGENTS.md')
  shows('Effective prompt of AGENTS.md')
  local function place()
    return in_split(function()
      return { vim.fn.getline('.'), vim.fn.getline('w0') }
    end)
  end
  in_split(function()
    go_to('docs/style.md ·')
    vim.cmd('normal! zt')
  end)
  local on_top, before = place(), on_disk('AGENTS.md')
  vim.cmd('normal! GoRound half up, never to even.')
  shows('Round half up, never to even.')
  assert(vim.bo.modified and on_disk('AGENTS.md') == before, 'the file was saved')
  assert(vim.deep_equal(on_top, place()), vim.inspect({ on_top, place() }))
  note('"Round half up, never to even." is typed at the end of `AGENTS.md`; the split shows it, and its window still begins with', place()[2])
end)

step('symbols and folds of the preview', function()
  client()
  if not is_new then
    return note('The split has them since Neovim 0.11 only')
  end
  local symbols = in_split(function()
    return listed(vim.lsp.buf.document_symbol)
  end)
  assert(table.concat(symbols, '\n'):find('AGENTS.md · instructions', 1, true), vim.inspect(symbols))
  note('`vim.lsp.buf.document_symbol()` in the split', symbols)
  in_split(function()
    local folded = {}
    within('there are no folds', function()
      vim.cmd('normal! zM')
      folded = {}
      local number = 1
      while number <= vim.fn.line('$') do
        local last = vim.fn.foldclosedend(number)
        if last ~= -1 then
          table.insert(folded, ('%d-%d  %s'):format(number, last, vim.fn.getline(number)))
        end
        number = math.max(number, last) + 1
      end
      return #folded > 3
    end)
    vim.cmd('normal! zR')
    note('`zM` in the split folds', folded)
  end)
end)

step('headings of all instruction files', function()
  client()
  local found = listed(function() vim.lsp.buf.workspace_symbol('shop') end)
  assert(#found == 1 and found[1]:find('AGENTS.md:1', 1, true), vim.inspect(found))
  note('`vim.lsp.buf.workspace_symbol("shop")`', found)
end)

step('who loads a file', function()
  client()
  open('pkg/api/AGENTS.md')
  vim.cmd('PromptExplain')
  local explained = floating()
  assert(table.concat(explained, ' '):find('etcode design', 1, true), vim.inspect(explained))
  note('`:PromptExplain` in `pkg/api/AGENTS.md`', explained)
end)

step('another harness is chosen, and compared', function()
  client()
  local titles = choosing('opencode', function() vim.cmd('PromptHarness') end)
  shows('Workspace root folder:')
  note('`:PromptHarness` offers', titles)
  note('With "opencode" the split begins with', vim.api.nvim_buf_get_lines(select(2, split()), 0, 4, false))
  choosing('the one', function() vim.cmd('PromptHarness') end)
  within('it stays that of opencode', function()
    return has('etcode design') and not has('Workspace root folder:')
  end)
  vim.cmd('PromptCompare opencode')
  within('no comparison came up', function()
    return vim.fn.tabpagenr('$') == 2 and vim.fn.winnr('$') == 2
  end)
  local sides = vim.tbl_map(function(window)
    assert(vim.wo[window].diff, 'a side is not compared')
    return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 2, 3, false)[1]
  end, vim.api.nvim_tabpage_list_wins(0))
  assert(sides[1]:find('^etcode') and sides[2]:find('^opencode'), vim.inspect(sides))
  note('`:PromptCompare opencode` shows in a new tab, as a diff, the prompts of', sides)
  keys('q')
  assert(vim.fn.tabpagenr('$') == 1, 'q does not close the comparison')
end)

step('names follow a file that is renamed', function()
  client()
  open('etcode.json')
  local files = { { oldUri = vim.uri_from_fname(FOLDER .. '/docs/style.md'), newUri = vim.uri_from_fname(FOLDER .. '/docs/names.md') } }
  vim.lsp.util.apply_workspace_edit(request('workspace/willRenameFiles', { files = files }), 'utf-16')
  assert(table.concat(lines()):find('docs/names.md', 1, true), 'the entry has the old name')
  note('Neovim itself renames no files; plugins do that tell servers of it. The reply to `workspace/willRenameFiles` from `docs/style.md` to `docs/names.md`, applied: `etcode.json` is', lines())
  vim.cmd('silent undo')
  vim.cmd('buffer ' .. vim.fn.bufnr(FOLDER .. '/AGENTS.md'))
  assert(table.concat(lines()):find('docs/names.md', 1, true), 'the link has the old name')
  note('And `AGENTS.md`', lines())
  vim.cmd('silent undo')
end)

step('the file made, the diagnostic is gone', function()
  client()
  open('etcode.json')
  within('there is no diagnostic to begin with', function()
    return #vim.diagnostic.get(0) == 1
  end)
  vim.fn.writefile({ 'No line is longer than a hundred.' }, FOLDER .. '/docs/missing.md')
  within('the diagnostic stays', function()
    return #vim.diagnostic.get(0) == 0
  end)
  shows('No line is longer than a hundred.')
  note('`docs/missing.md` is written by another program; its diagnostic goes, and the split shows its text')
end)

step('a URL that takes long has its progress', function()
  client()
  local url, release = held_server('Money is never a float.\n')
  progress = {}
  go_to('"docs/missing.md"')
  vim.api.nvim_set_current_line('    "' .. url .. '"')
  within('no progress was shown', function()
    return #progress > 0
  end)
  release()
  shows('Money is never a float.')
  within('the progress does not end', function()
    return progress[#progress] == 'end'
  end)
  note('An entry `' .. plain(url) .. '` is typed whose server holds its answer back; `$/progress` says', progress)
  vim.cmd('silent undo')
end)

step('another harness in the settings is another prompt', function()
  client()
  assert(not has('Workspace root folder:'), 'it is that of opencode already')
  set('harness', 'opencode')
  shows('Workspace root folder:')
  note('`harness` in the settings is now "opencode"; the split begins with', vim.api.nvim_buf_get_lines(select(2, split()), 0, 4, false))
end)

step('the split closes, also when only it is left', function()
  client()
  vim.api.nvim_set_current_win((split()))
  keys('q')
  assert(not pcall(split), 'q does not close it')
  vim.cmd('tabnew')
  open('pkg/web/main.py')
  vim.cmd('PromptPreview')
  shows('Effective prompt of main.py')
  vim.cmd('close')
  within('the split is left alone', function()
    return vim.fn.tabpagenr('$') == 1
  end)
  note('`q` in the split closes it; so does the end of the last other window of its tab')
end)

local version_line = ('%s: %d passed, %d failed'):format(title, passed, failed)
say(version_line)
local file = assert(io.open(vim.env.TRANSCRIPT, 'w'))
file:write('# Tried in ' .. title .. '\n\nWritten by the test of this editor: what it asked, and what Neovim showed.\n\n')
file:write(table.concat(transcript, '\n'))
file:close()
vim.cmd(failed == 0 and 'qall!' or 'cquit 1')
