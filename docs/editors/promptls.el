;;; promptls.el --- The effective prompt of the current file  -*- lexical-binding: t -*-

;; M-x promptls-preview shows it in a window beside, follows the current file, and draws it anew when it changes.
;; For eglot (built into Emacs 29; a package of GNU ELPA for Emacs 28): save it in a folder of `load-path'.

;;; Code:
(require 'eglot)
(require 'project)
(require 'seq)
(require 'url-util)

(defclass promptls-server (eglot-lsp-server) () "A promptls that runs for a project.")

(defvar promptls-modes '(markdown-mode gfm-mode json-mode js-json-mode json-ts-mode)
  "The modes of the files that prompts are made of.")
(add-to-list 'eglot-server-programs (cons promptls-modes '(promptls-server "promptls" "serve")))

(defvar promptls--servers nil "Every promptls that was started.")
(defvar promptls--file nil "The file whose prompt is shown.")
(defvar promptls--uri nil "The URI of the virtual document that is shown.")
(defconst promptls--buffer "*Effective Prompt*")

(defun promptls--connected (server)
  "Remember SERVER if it is a promptls."
  (when (cl-typep server 'promptls-server) (push server promptls--servers)))
(add-hook 'eglot-connect-hook #'promptls--connected)

(defun promptls--server-of (file)
  "The promptls of the project that holds FILE."
  (setq promptls--servers (seq-filter #'jsonrpc-running-p promptls--servers))
  (seq-find (lambda (server) (file-in-directory-p file (project-root (slot-value server 'project))))
            promptls--servers))

(defun promptls--draw (text)
  "Show TEXT, with point where it was."
  (with-current-buffer promptls--buffer
    (let ((inhibit-read-only t) (new (generate-new-buffer " *promptls*" t)))
      (with-current-buffer new (insert text))
      (replace-buffer-contents new 0.1)
      (kill-buffer new))))

(defun promptls--ask (file)
  "Show the prompt of FILE as soon as it is here."
  (when-let ((server (promptls--server-of file)))
    (setq promptls--file file)
    (jsonrpc-async-request
     server :prompt/preview
     `(:textDocument (:uri ,(concat "file://" (url-hexify-string file url-path-allowed-chars))))
     :success-fn (lambda (reply)
                   (when (and (equal file promptls--file) (get-buffer promptls--buffer))
                     (setq promptls--uri (plist-get reply :uri))
                     (promptls--draw (plist-get reply :text))))
     :error-fn (lambda (failure) (message "%s" (plist-get failure :message))))))

(defun promptls-preview ()
  "Show the effective prompt of the current file in a window beside it."
  (interactive)
  (unless buffer-file-name (user-error "Open a file first: this buffer has none"))
  (unless (promptls--server-of buffer-file-name)
    (user-error "Open a Markdown or JSON file of this project and start promptls there with M-x eglot"))
  (with-current-buffer (get-buffer-create promptls--buffer) (special-mode))
  (display-buffer promptls--buffer '(display-buffer-in-direction (direction . right)))
  (promptls--ask buffer-file-name))

(defun promptls--follow ()
  "Show the prompt of the file in the selected window, if another one is shown."
  (let ((file (buffer-file-name (window-buffer))))
    (when (and file (not (equal file promptls--file)) (get-buffer-window promptls--buffer t))
      (promptls--ask file))))
(add-hook 'buffer-list-update-hook #'promptls--follow)

(cl-defmethod eglot-handle-notification
  ((_server promptls-server) (_method (eql prompt/didChange)) &key uris &allow-other-keys)
  "Draw the prompt anew if it is one of URIS."
  (when (and (seq-contains-p uris promptls--uri) (get-buffer-window promptls--buffer t))
    (promptls--ask promptls--file)))

(provide 'promptls)
;;; promptls.el ends here
