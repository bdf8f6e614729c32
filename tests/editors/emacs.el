;;; emacs.el --- Emacs with the configuration of docs/editors/emacs.md  -*- lexical-binding: t -*-

;; Started by neovim_emacs.sh. FOLDER holds the files, REPOSITORY the configuration; WAIT_SECONDS is how long to wait for
;; anything.

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

(setq eglot-sync-connect test-seconds
      flymake-no-changes-timeout 0.1
      create-lockfiles nil
      make-backup-files nil)

(defun test-say (&rest format-and-arguments)
  (princ (concat (apply #'format format-and-arguments) "\n")))

(defmacro test-step (name &rest body)
  (declare (indent 1))
  `(condition-case problem
       (progn ,@body (cl-incf test-passed) (test-say "ok    %s" ,name))
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
    (test-check (string-search "instruction-missing" (flymake-diagnostic-text found)) "it is another one")))

(test-step "the prompt of the current file opens beside it"
  (test-server)
  (test-open "pkg/api/src/app.py")
  (call-interactively #'promptls-preview)
  (test-shows "Prices are integers in cents.")
  (test-shows "Every route checks the token first.")
  (test-check (equal (buffer-name (window-buffer)) "app.py") "the window took the focus")
  (test-check (buffer-local-value 'buffer-read-only (get-buffer "*Effective Prompt*")) "it can be edited"))

(test-step "it follows the current file"
  (test-server)
  (test-open "pkg/web/main.py")
  (test-within "what another folder brings is still in the window"
               (lambda () (and (test-has "Prices are integers in cents.")
                               (not (test-has "Every route checks the token first."))))))

(test-step "it follows what is typed and not saved"
  (test-server)
  (test-open "AGENTS.md")
  (test-check (eglot-managed-p) "promptls does not have the file")
  (test-shows "Effective prompt of AGENTS.md")
  (let ((before (test-disk "AGENTS.md")))
    (goto-char (point-max))
    (insert "Round half up, never to even.\n")
    (test-idle)
    (test-shows "Round half up, never to even.")
    (test-check (and (buffer-modified-p) (equal before (test-disk "AGENTS.md"))) "the file was saved")))

(test-step "the file made, the diagnostic is gone"
  (test-server)
  (test-open "etcode.json")
  (test-check (flymake-diagnostics) "there is no diagnostic to begin with")
  (write-region "No line is longer than a hundred.\n" nil (expand-file-name "docs/missing.md" test-folder))
  (test-within "the diagnostic stays" (lambda () (null (flymake-diagnostics))))
  (test-shows "No line is longer than a hundred."))

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
    (test-shows "Workspace root folder:")))

(test-say "\nThe window at the end:\n%s\n" (ignore-errors (test-prompt)))
(ignore-errors (eglot-shutdown (test-server)))
(test-say "Emacs %s: %d passed, %d failed" emacs-version test-passed test-failed)
(dolist (buffer (buffer-list)) (with-current-buffer buffer (set-buffer-modified-p nil)))
(kill-emacs (if (zerop test-failed) 0 1))
;;; emacs.el ends here
