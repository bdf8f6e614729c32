;;; emacs.el --- Emacs with the configuration of docs/editors/emacs.md  -*- lexical-binding: t -*-

;; Started by neovim_emacs.sh. FOLDER holds the files, REPOSITORY the configuration; WAIT_SECONDS is how long to wait for
;; anything. What was asked and shown goes to the file TRANSCRIPT.

;;; Code:
(require 'package)
(package-initialize) ; what apt installed
(require 'eglot)
(require 'flymake)

(defvar test-folder (file-name-as-directory (getenv "FOLDER")))
(defvar test-page (expand-file-name "docs/editors/emacs.md" (getenv "REPOSITORY")))
(defvar test-seconds (string-to-number (getenv "WAIT_SECONDS")))
(defvar test-passed 0)
(defvar test-failed 0)
(defvar test-transcript nil "Sections of Markdown, the last first.")

(setq eglot-sync-connect test-seconds
      flymake-no-changes-timeout 0.1
      create-lockfiles nil
      make-backup-files nil)

(defun test-say (&rest format-and-arguments)
  (princ (concat (apply #'format format-and-arguments) "\n")))

(defun test-plain (text)
  "TEXT without the paths, the ports and the date of this machine."
  (let ((text (substring-no-properties text)))
    (pcase-dolist (`(,pattern . ,new)
                   `((,(regexp-quote (directory-file-name test-folder)) . "/shop")
                     (,(regexp-quote (directory-file-name (expand-file-name "~"))) . "~")
                     ("127\\.0\\.0\\.1:[0-9]+" . "127.0.0.1:PORT")
                     ("\\(Today's date:\\).*" . "\\1 ...")
                     ("[ \t]+$" . "")))
      (setq text (replace-regexp-in-string pattern new text t)))
    text))

(defun test-note (asked &optional shown)
  "Write down what was ASKED, and what was SHOWN: a text, or a list of lines."
  (let ((text (if (listp shown) (string-join shown "\n") shown)))
    (push (if shown (format "%s:\n\n````text\n%s\n````\n" asked (string-trim-right (test-plain text)))
            (concat asked ".\n"))
          test-transcript)))

(defmacro test-step (name &rest body)
  (declare (indent 1))
  `(condition-case problem
       (progn
         (push (format "## %s%s\n" (upcase (substring ,name 0 1)) (substring ,name 1)) test-transcript)
         ,@body (cl-incf test-passed) (test-say "ok    %s" ,name))
     (error (cl-incf test-failed) (test-say "FAIL  %s\n      %s" ,name (error-message-string problem)))))

(defun test-check (is problem &rest arguments)
  (unless is (error "%s" (apply #'format problem arguments))))

(defun test-within (problem is)
  (let ((end (+ (float-time) test-seconds)) found)
    (while (not (or (setq found (funcall is)) (> (float-time) end)))
      (accept-process-output nil 0.02))
    (test-check found problem)))

(defun test-idle ()
  "Run what waits until the user does nothing: batch mode has no user."
  (dolist (timer (copy-sequence timer-idle-list)) (timer-event-handler timer)))

(defun test-configure ()
  "Evaluate the first block of the page, as if promptls.el were in the user's folder."
  (let ((user-emacs-directory (expand-file-name "home/" (file-name-directory (directory-file-name test-folder)))))
    (make-directory user-emacs-directory t)
    (make-symbolic-link (file-name-directory test-page) (locate-user-emacs-file "lisp") t)
    (with-temp-buffer
      (insert-file-contents test-page)
      (search-forward "```elisp\n")
      (let ((start (point)))
        (search-forward "```")
        (eval-region start (match-beginning 0))))))

(defun test-open (name)
  (switch-to-buffer (find-file-noselect (expand-file-name name test-folder))))

(defun test-disk (name)
  (with-temp-buffer (insert-file-contents (expand-file-name name test-folder)) (buffer-string)))

(defun test-server ()
  (test-check (and promptls--servers (jsonrpc-running-p (car promptls--servers))) "no server runs")
  (car promptls--servers))

(defun test-prompt ()
  (test-check (get-buffer-window "*Effective Prompt*") "no window shows the prompt")
  (with-current-buffer "*Effective Prompt*" (buffer-string)))

(defun test-has (text) (string-search text (test-prompt)))

(defun test-head () "The first lines of the prompt." (seq-take (split-string (test-prompt) "\n") 4))

(defun test-go-to (text)
  (goto-char (point-min))
  (search-forward text)
  (goto-char (match-beginning 0)))

(defun test-here ()
  (format "%s:%d" buffer-file-name (line-number-at-pos)))

(defun test-lines () (buffer-substring-no-properties (point-min) (point-max)))

(defun test-select-prompt () (select-window (get-buffer-window "*Effective Prompt*")))

(defun test-choosing (wanted run)
  "What RUN lets the user choose from; WANTED is chosen."
  (let (choices)
    (cl-letf (((symbol-function 'completing-read)
               (lambda (_prompt table &rest _) (setq choices (all-completions "" table)) wanted)))
      (funcall run))
    (test-check choices "nothing was to be chosen")
    (mapcar #'substring-no-properties choices)))

(defun test-places (found)
  "The xref items FOUND, as lines."
  (mapcar (lambda (each)
            (let ((place (xref-item-location each)))
              (format "%s:%d  %s" (xref-location-group place) (xref-location-line place)
                      (string-trim (xref-item-summary each)))))
          found))

(defun test-completed (place before behind)
  "What is offered between BEFORE and BEHIND, typed at PLACE and taken out again."
  (test-go-to place)
  (insert before)
  (save-excursion (insert behind))
  (pcase-let ((`(,start ,end ,table . ,_) (eglot-completion-at-point)))
    (prog1 (mapcar #'substring-no-properties (all-completions (buffer-substring start end) table))
      (delete-region (- (point) (length before)) (+ (point) (length behind)))
      (set-buffer-modified-p nil)
      (test-idle))))

(defun test-hover ()
  "What eldoc shows at point."
  (let (shown)
    (eglot-hover-eldoc-function (lambda (text &rest _) (setq shown text)))
    (test-within "nothing was shown" (lambda () shown))
    (substring-no-properties shown)))

(defun test-shows (text)
  (test-within (format "“%s” is not in the window" text) (lambda () (test-has text))))

(test-configure)

(test-step "a missing file is a diagnostic of exactly its entry"
  (test-open "etcode.json")
  (test-check (memq 'eglot-ensure js-json-mode-hook) "no hook starts eglot")
  (call-interactively #'eglot) ; batch mode has no command loop, in which eglot-ensure would do it
  (flymake-start)
  (test-within "no diagnostic came" #'flymake-diagnostics)
  (let* ((found (car (flymake-diagnostics)))
         (start (flymake-diagnostic-beg found))
         (marked (buffer-substring-no-properties start (flymake-diagnostic-end found))))
    (test-say "      line %d %s  %s" (line-number-at-pos start) marked (flymake-diagnostic-text found))
    (test-check (= 1 (length (flymake-diagnostics))) "there is more than one")
    (test-check (and (equal marked "\"docs/missing.md\"") (= 4 (line-number-at-pos start))) "it marks %s" marked)
    (test-check (string-search "instruction-missing" (flymake-diagnostic-text found)) "it is another one")
    (test-note "`etcode.json` is opened; flymake marks"
               (format "line %d, %s: %s" (line-number-at-pos start) marked (flymake-diagnostic-text found)))))

(test-step "hovers say what an entry brings and who reads a file"
  (test-server)
  (test-go-to "docs/style.md")
  (let ((shown (test-hover)))
    (test-check (string-search "as instructions in the system message" shown) "it says: %s" shown)
    (test-note "eldoc on `\"docs/style.md\"`" shown))
  (test-open "pkg/api/AGENTS.md")
  (let ((shown (test-hover)))
    (test-check (string-search "on reading a file near it" shown) "it says: %s" shown)
    (test-note "eldoc on the first line of `pkg/api/AGENTS.md`" shown)))

(test-step "an entry leads to its file, and the file to who names it"
  (test-server)
  (test-open "etcode.json")
  (test-go-to "docs/style.md")
  (xref-find-definitions "LSP identifier at point")
  (test-check (equal (test-here) (concat test-folder "docs/style.md:1")) "it goes to %s" (test-here))
  (test-note "`xref-find-definitions` on `\"docs/style.md\"` goes to" (test-here))
  (let ((found (sort (test-places (xref-backend-references 'eglot nil)) #'string<)))
    (test-check (and (= 2 (length found)) (string-search "AGENTS.md:4" (car found))) "%s" found)
    (test-note "`xref-find-references` there" found)))

(test-step "completion of paths and of keys"
  (test-server)
  (test-open "etcode.json")
  (let ((found (test-completed "\"docs/style.md\"" "\"docs/" "\", ")))
    (test-check (member "docs/style.md" found) "it offers %s" found)
    (test-note (concat "`completion-at-point` behind `\"docs/` (behind `\"docs/st` this eglot offers nothing: it compares the whole\n"
                       "path with what is typed since the slash)")
               found))
  (let ((found (test-completed "\"instructions\"" "\"" "\": 0, ")))
    (test-check (member "agent" found) "it offers %s" found)
    (test-note "`completion-at-point` in a new key" found)))

(test-step "a quick fix takes the entry out"
  (test-server)
  (test-go-to "docs/missing.md")
  (let ((before (test-lines)) (last-nonmenu-event t))
    (test-within "there is no fix" (lambda () (seq-find (lambda (each) (equal "Remove the entry" (plist-get each :title)))
                                                        (eglot-code-actions (point) (point)))))
    (let ((titles (test-choosing "Remove the entry" (lambda () (eglot-code-actions (point) (point) nil t)))))
      (test-check (not (string-search "missing" (test-lines))) "the entry stays")
      (test-idle)
      (test-within "the diagnostic stays" (lambda () (null (flymake-diagnostics))))
      (test-note "`eglot-code-actions` on `\"docs/missing.md\"` offers" titles)
      (test-note "Then, with \"Remove the entry\"" (test-lines)))
    (erase-buffer)
    (insert before)
    (test-idle)
    (test-within "the diagnostic does not come back" #'flymake-diagnostics)
    (set-buffer-modified-p nil)))

(test-step "headings of all instruction files"
  (test-server)
  (let ((found (test-places (xref-backend-apropos 'eglot "shop"))))
    (test-check (and (= 1 (length found)) (string-search "AGENTS.md:1" (car found))) "%s" found)
    (test-note "`xref-find-apropos` of \"shop\"" found)))

(test-step "the prompt of the current file opens beside it"
  (test-server)
  (test-open "pkg/api/src/app.py")
  (call-interactively #'promptls-preview)
  (test-shows "Prices are integers in cents.")
  (test-shows "Every route checks the token first.")
  (test-check (equal (buffer-name (window-buffer)) "app.py") "the window took the focus")
  (test-check (buffer-local-value 'buffer-read-only (get-buffer "*Effective Prompt*")) "it can be edited")
  (test-note "`M-x promptls-preview` in `pkg/api/src/app.py`; the window shows" (test-prompt)))

(test-step "it follows the current file"
  (test-server)
  (test-open "pkg/web/main.py")
  (test-within "what another folder brings is still in the window"
               (lambda () (and (test-has "Prices are integers in cents.")
                               (not (test-has "Every route checks the token first.")))))
  (test-note "`pkg/web/main.py` is visited; the window begins with" (test-head)))

(test-step "a line of it leads to its source, and it stays"
  (test-server)
  (test-open "pkg/api/src/app.py")
  (test-shows "Every route checks the token first.")
  (test-select-prompt)
  (test-go-to "Every route checks")
  (call-interactively (key-binding (kbd "RET")))
  (test-within "the source was not opened"
               (lambda ()
                 (set-buffer (window-buffer))
                 (equal (test-here) (concat test-folder "pkg/api/AGENTS.md:3"))))
  (test-note "`RET` on \"Every route checks the token first.\" in the window goes to" (test-here))
  (test-check (test-has "Effective prompt of app.py") "it went to the source, too"))

(test-step "its parts are headings, and fold"
  (test-server)
  (save-selected-window
    (test-select-prompt)
    (goto-char (point-min))
    (let (found)
      (while (progn (outline-next-heading) (not (eobp)))
        (push (buffer-substring-no-properties (line-beginning-position) (line-end-position)) found))
      (test-check (seq-find (lambda (each) (string-search "pkg/api/AGENTS.md · instructions" each)) found) "%s" found)
      (test-note "`n` goes through" (nreverse found)))
    (test-go-to "### pkg/api/AGENTS.md")
    (call-interactively (key-binding (kbd "TAB")))
    (save-excursion
      (test-go-to "Every route checks")
      (test-check (invisible-p (point)) "it does not fold"))
    (call-interactively (key-binding (kbd "TAB")))
    (test-note "`TAB` on the heading of `pkg/api/AGENTS.md` folds its text, and again shows it")))

(test-step "it follows what is typed and not saved, and keeps its place"
  (test-server)
  (test-open "AGENTS.md")
  (test-check (eglot-managed-p) "promptls does not have the file")
  (test-shows "Effective prompt of AGENTS.md")
  (let ((before (test-disk "AGENTS.md")) (window (get-buffer-window "*Effective Prompt*")) (heading "### docs/style.md"))
    (with-selected-window window
      (test-go-to heading)
      (set-window-start window (point)))
    (goto-char (point-max))
    (insert "Round half up, never to even.\n")
    (test-idle)
    (test-shows "Round half up, never to even.")
    (test-check (and (buffer-modified-p) (equal before (test-disk "AGENTS.md"))) "the file was saved")
    (with-current-buffer (window-buffer window)
      (dolist (place (list (window-start window) (window-point window)))
        (test-check (string-prefix-p heading (buffer-substring place (point-max))) "it does not stay in its place")))
    (test-note (concat "\"Round half up, never to even.\" is typed at the end of `AGENTS.md`; the window shows it, and still\n"
                       "begins with \"" heading "\", with point there"))))

(test-step "who loads a file"
  (test-server)
  (save-window-excursion
    (test-open "pkg/api/AGENTS.md")
    (promptls-explain)
    (let ((shown (with-current-buffer "*Prompt: Explain*" (test-lines))))
      (test-check (string-search "etcode design: on reading a file near it" shown) "it says: %s" shown)
      (test-note "`M-x promptls-explain` in `pkg/api/AGENTS.md`" shown))))

(test-step "another harness is chosen, and compared"
  (test-server)
  (test-open "pkg/api/src/app.py")
  (test-note "`M-x promptls-choose-harness` offers"
             (test-choosing "opencode" (lambda () (call-interactively #'promptls-choose-harness))))
  (test-shows "Workspace root folder:")
  (test-note "With \"opencode\" the window begins with" (test-head))
  (promptls-choose-harness "")
  (test-within "it stays that of opencode" (lambda () (not (test-has "Workspace root folder:"))))
  (save-window-excursion
    (test-choosing "opencode" (lambda () (call-interactively #'promptls-compare)))
    (test-within "there is no diff" (lambda () (get-buffer "*Diff*")))
    (with-current-buffer "*Diff*"
      (test-go-to "\n-etcode design")
      (forward-line)
      (let ((start (point)))
        (re-search-forward "^\\+opencode .*")
        (test-note "`M-x promptls-compare` with \"opencode\" shows a diff that begins with" (buffer-substring start (point)))))))

(test-step "the file made, the diagnostic is gone"
  (test-server)
  (test-open "etcode.json")
  (test-check (flymake-diagnostics) "there is no diagnostic to begin with")
  (write-region "No line is longer than a hundred.\n" nil (expand-file-name "docs/missing.md" test-folder))
  (test-within "the diagnostic stays" (lambda () (null (flymake-diagnostics))))
  (test-shows "No line is longer than a hundred.")
  (test-note "`docs/missing.md` is written by another program; its diagnostic goes, and the window shows its text"))

(test-step "a URL that takes long"
  (test-server)
  (let* ((text "Money is never a float.\n") waiting (is-held t)
         (answer (lambda (socket)
                   (process-send-string
                    socket (format "HTTP/1.1 200 OK\r\nContent-Type: text/markdown\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s"
                                   (length text) text))
                   (delete-process socket)))
         (server (make-network-process
                  :name "held" :server t :host "127.0.0.1" :service t :family 'ipv4 :noquery t
                  :filter (lambda (socket _) (if is-held (push socket waiting) (funcall answer socket)))))
         (url (format "http://127.0.0.1:%d/rules.md" (process-contact server :service))))
    (test-go-to "docs/missing.md")
    (delete-region (point) (search-forward "docs/missing.md"))
    (insert url)
    (test-idle)
    (test-within "it was not asked for" (lambda () waiting))
    (test-check (not (test-has text)) "its text is there already")
    (setq is-held nil)
    (mapc answer waiting)
    (test-shows text)
    (test-note (format "An entry `%s` is typed whose server holds its answer back; when it comes, the window shows its text"
                       (test-plain url)))
    (delete-process server)
    (delete-region (point) (search-backward url))
    (insert "docs/missing.md")
    (test-idle)
    (set-buffer-modified-p nil)))

(test-step "another harness in the settings is another prompt"
  (test-server)
  (test-check (not (test-has "Workspace root folder:")) "it is that of opencode already")
  (with-temp-file (expand-file-name ".dir-locals.el" test-folder)
    (insert-file-contents test-page)
    (search-forward "```elisp\n" nil nil 2)
    (delete-region (point-min) (point))
    (search-forward "```")
    (delete-region (match-beginning 0) (point-max)))
  (let ((enable-local-variables :all))
    (eglot-signal-didChangeConfiguration (test-server))
    (test-shows "Workspace root folder:")
    (test-note "`harness` in `.dir-locals.el` is now \"opencode\"; the window begins with" (test-head))))

(test-step "the window closes"
  (test-server)
  (test-select-prompt)
  (call-interactively (key-binding "q"))
  (test-check (not (get-buffer-window "*Effective Prompt*" t)) "it stays")
  (test-note "`q` in the window closes it"))

(ignore-errors (eglot-shutdown (test-server)))
(with-temp-file (getenv "TRANSCRIPT")
  (insert (format "# Tried in Emacs %s\n\nWritten by the test of this editor, with eglot %s: what it asked, and what Emacs showed.\n\nNot tried, as this eglot does not ask for them: links of a document, lenses, inlay hints, new names after\na file was renamed, and progress.\n\n"
                  emacs-version (package-version-join (package-desc-version (cadr (assq 'eglot package-alist)))))
          (string-join (reverse test-transcript) "\n")))
(test-say "Emacs %s: %d passed, %d failed" emacs-version test-passed test-failed)
(dolist (buffer (buffer-list)) (with-current-buffer buffer (set-buffer-modified-p nil)))
(kill-emacs (if (zerop test-failed) 0 1))
;;; emacs.el ends here
