;;; promptls.el --- The effective prompt of the current file  -*- lexical-binding: t -*-

;; M-x promptls-preview          shows it in a window beside the current file, follows that file, and refreshes it
;; M-x promptls-choose-harness   shows the prompt of another harness
;; M-x promptls-compare          shows this prompt and that of another harness as a diff
;; M-x promptls-explain          shows which harnesses load the current file, and why others do not
;; In the preview, RET opens the source of a line, TAB folds a part, n and p move between parts, g refreshes,
;; q closes it.
;; For eglot (built into Emacs 29; a package of GNU ELPA for Emacs 28): save it in a folder of `load-path'.

;;; Code:
(require 'eglot)
(require 'outline)
(require 'project)
(require 'seq)
(require 'url-util)

(defclass promptls-server (eglot-lsp-server) () "A running promptls of a project.")

(defvar promptls-modes '(markdown-mode gfm-mode json-mode js-json-mode json-ts-mode)
  "The modes of the files that prompts are made of.")
(add-to-list 'eglot-server-programs (cons promptls-modes '(promptls-server "promptls" "serve")))

(defvar promptls--servers nil "Every promptls that was started.")
(defvar promptls--file nil "The file whose prompt is shown.")
(defvar promptls--harness nil "The chosen harness; nil for the one that the folder is configured for.")
(defvar promptls--uri nil "The URI of the virtual document that is shown.")
(defvar promptls--source nil "A file that RET went to: the preview stays as it is there.")
(defconst promptls--buffer "*Effective Prompt*")

(defvar promptls-preview-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'promptls-source)
    (define-key map [mouse-2] #'promptls-source)
    (define-key map (kbd "TAB") #'outline-toggle-children)
    (define-key map "n" #'outline-next-visible-heading)
    (define-key map "p" #'outline-previous-visible-heading)
    map)
  "The keys of the preview.")

(define-derived-mode promptls-preview-mode special-mode "Prompt"
  "The effective prompt of a file."
  (setq-local outline-regexp "##+ \\(.* · \\|Problems$\\|Looked for\\)" ; not the headings of the texts
              revert-buffer-function (lambda (&rest _) (promptls--refresh)))
  (setq-local font-lock-defaults '((("^##* .*" . 'bold) ("^\\*.*\\*$" . 'shadow) ("^```.*" . 'shadow)) t))
  (outline-minor-mode)
  (visual-line-mode))

(defun promptls--connected (server)
  "Remember SERVER if it is a promptls."
  (when (cl-typep server 'promptls-server) (push server promptls--servers)))
(add-hook 'eglot-connect-hook #'promptls--connected)

(defun promptls--server-of (file)
  "The promptls of the project that holds FILE."
  (setq promptls--servers (seq-filter #'jsonrpc-running-p promptls--servers))
  (seq-find (lambda (server) (file-in-directory-p file (project-root (slot-value server 'project))))
            promptls--servers))

(defun promptls--of (file &optional harness)
  "The parameters of a request about FILE, and HARNESS."
  `(:textDocument (:uri ,(concat "file://" (url-hexify-string file url-path-allowed-chars)))
    ,@(and harness `(:harness ,harness))))

(defun promptls--ask (file method parameters show)
  "Send the request METHOD with PARAMETERS to the server of FILE; SHOW gets the reply."
  (when-let ((server (promptls--server-of file)))
    (jsonrpc-async-request
     server method parameters
     :success-fn show
     :error-fn (lambda (problem) (message "%s" (plist-get problem :message))))))

(defun promptls--ask-now (file method)
  "The reply to the request METHOD about FILE."
  (let (reply)
    (promptls--ask file method (promptls--of file) (lambda (result) (setq reply result)))
    (with-timeout (5 (user-error "The server of promptls does not answer"))
      (while (not reply) (accept-process-output nil 0.05)))
    reply))

(defun promptls--file-at-hand ()
  "The file that a command is about."
  (let ((file (or buffer-file-name (and (derived-mode-p 'promptls-preview-mode) promptls--file))))
    (unless file (user-error "Open a file first: this buffer has none"))
    (unless (promptls--server-of file)
      (user-error "Open a Markdown or JSON file of this project and start promptls there with M-x eglot"))
    file))

(defun promptls--write (buffer text &optional is-same)
  "Make TEXT that of BUFFER; where nothing changes, point, scroll and folds stay.
They are lost if the texts cannot be compared in a tenth of a second, or in one if TEXT IS-SAME prompt, newer."
  (with-current-buffer buffer
    (let ((inhibit-read-only t) (new (generate-new-buffer " *promptls*" t)) (is-first (zerop (buffer-size))))
      (with-current-buffer new (insert text))
      (replace-buffer-contents new (if is-same 1 0.1))
      (kill-buffer new)
      (set-buffer-modified-p nil)
      (when is-first
        (goto-char (point-min))
        (dolist (window (get-buffer-window-list buffer nil t)) (set-window-point window (point-min)))))))

(defun promptls--refresh ()
  "Ask for the prompt, and show it as soon as it is here."
  (let ((file promptls--file) (harness promptls--harness))
    (promptls--ask file :prompt/preview (promptls--of file harness)
                   (lambda (reply)
                     (when (and (equal file promptls--file) (equal harness promptls--harness)
                                (get-buffer promptls--buffer))
                       (let ((is-same (equal promptls--uri (plist-get reply :uri))))
                         (setq promptls--uri (plist-get reply :uri))
                         (promptls--write promptls--buffer (plist-get reply :text) is-same)))))))

(defun promptls-preview ()
  "Show the effective prompt of the current file in a window beside it."
  (interactive)
  (setq promptls--file (promptls--file-at-hand)
        promptls--source nil)
  (with-current-buffer (get-buffer-create promptls--buffer)
    (unless (derived-mode-p 'promptls-preview-mode) (promptls-preview-mode)))
  (display-buffer promptls--buffer '((display-buffer-reuse-window display-buffer-in-direction) (direction . right)))
  (promptls--refresh))

(defun promptls-source ()
  "Go to the source of this line, in another window."
  (interactive)
  (promptls--ask
   promptls--file :textDocument/definition
   `(:textDocument (:uri ,promptls--uri) :position (:line ,(1- (line-number-at-pos nil t)) :character 0))
   (lambda (places)
     (if (seq-empty-p places)
         (message "This line comes from no file")
       (let ((path (eglot--uri-to-path (plist-get (seq-first places) :uri)))
             (line (plist-get (plist-get (plist-get (seq-first places) :range) :start) :line)))
         (setq promptls--source path)
         (pop-to-buffer (find-file-noselect path) '((display-buffer-reuse-window display-buffer-use-some-window)
                                                    (inhibit-same-window . t)))
         (goto-char (point-min))
         (forward-line line))))))

(defun promptls--read-harness (prompt)
  "Ask with PROMPT for a harness, those that the folder is configured for first."
  (let* ((all (append (plist-get (promptls--ask-now (promptls--file-at-hand) :prompt/harnesses) :harnesses) nil))
         (is-found (lambda (each) (eq t (plist-get each :found))))
         (names (mapcar (lambda (each) (plist-get each :name))
                        (append (seq-filter is-found all) (seq-remove is-found all)))))
    (completing-read prompt (lambda (text predicate action)
                              (if (eq action 'metadata)
                                  '(metadata (display-sort-function . identity))
                                (complete-with-action action names text predicate)))
                     nil t)))

(defun promptls-choose-harness (name)
  "Show the prompt of the harness NAME, or if empty, of the one that the folder is configured for."
  (interactive (list (promptls--read-harness "Harness (empty: the one of this folder): ")))
  (setq promptls--harness (unless (string-empty-p name) name))
  (promptls-preview))

(defun promptls-compare (name)
  "Show the current file's prompt and that of the harness NAME as a diff."
  (interactive (list (promptls--read-harness "Compare with the harness: ")))
  (let ((file (promptls--file-at-hand)))
    (cl-flet ((text-of (harness show)
                (promptls--ask file :prompt/preview (promptls--of file harness)
                               (lambda (reply)
                                 (let ((buffer (get-buffer-create
                                                (format "*Prompt of %s*"
                                                        (plist-get (plist-get reply :harness) :name)))))
                                   (with-current-buffer buffer (special-mode))
                                   (promptls--write buffer (plist-get reply :text))
                                   (funcall show buffer))))))
      (text-of promptls--harness
               (lambda (this) (text-of name (lambda (other) (diff-buffers this other nil t))))))))

(defun promptls--explained (each)
  "What EACH explanation says, as lines."
  (let ((name (format "%s %s" (plist-get (plist-get each :harness) :name) (plist-get (plist-get each :harness) :version)))
        (uses (plist-get each :loaded)))
    (if (seq-empty-p uses)
        (format "%s: not loaded. %s.%s\n" name (plist-get each :why)
                (if-let ((other (plist-get each :other))) (format " Instead: %s" other) ""))
      (mapconcat (lambda (use)
                   (format "%s: %s, started in %s, as %s in the %s message. %s.\n" name
                           (if (equal (plist-get use :at) "read") "on reading a file near it" "at start")
                           (plist-get use :cwd) (plist-get use :layer) (plist-get use :role) (plist-get use :why)))
                 uses ""))))

(defun promptls-explain ()
  "Show which harnesses load the current file, and why others do not."
  (interactive)
  (let* ((file (promptls--file-at-hand))
         (all (plist-get (promptls--ask-now file :prompt/explain) :harnesses))
         (others (seq-filter (lambda (each) (not (or (eq t (plist-get each :found)) (seq-empty-p (plist-get each :loaded)))))
                             all)))
    (with-help-window "*Prompt: Explain*"
      (princ (format "Who loads %s\n\n" (abbreviate-file-name file)))
      (seq-doseq (each all)
        (when (eq t (plist-get each :found)) (princ (promptls--explained each))))
      (when others
        (princ (format "\nNot in use here, but would load it: %s.\n"
                       (mapconcat (lambda (each) (plist-get (plist-get each :harness) :name)) others ", ")))))))

(defun promptls--follow ()
  "Show the prompt of the file in the selected window, if another one is shown."
  (let ((file (buffer-file-name (window-buffer))))
    (when (and file (not (equal file promptls--source)) (get-buffer-window promptls--buffer t))
      (setq promptls--source nil)
      (unless (equal file promptls--file)
        (setq promptls--file file)
        (promptls--refresh)))))
(add-hook 'buffer-list-update-hook #'promptls--follow)

(cl-defmethod eglot-handle-notification
  ((_server promptls-server) (_method (eql prompt/didChange)) &key uris &allow-other-keys)
  "Refresh the prompt if it is one of URIS."
  (when (and (seq-contains-p uris promptls--uri) (get-buffer-window promptls--buffer t))
    (promptls--refresh)))

(provide 'promptls)
;;; promptls.el ends here
