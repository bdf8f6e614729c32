// What VS Code writes its logs with, in place of @vscode/spdlog, which has to be compiled. Output channels show these files.
const fs = require('node:fs');
const path = require('node:path');

// As spdlog calls them, the level that says least last.
const NAMES = ['trace', 'debug', 'info', 'warning', 'error', 'critical'];

class Logger {
  constructor(file) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    this.file = fs.openSync(file, 'a');
    this.level = NAMES.indexOf('info');
    this.isPlain = false;
  }

  getLevel() {
    return this.level;
  }

  setLevel(level) {
    this.level = level;
  }

  /** VS Code knows one pattern: the date, the level and the message. */
  setPattern() {
    this.isPlain = false;
  }

  clearFormatters() {
    this.isPlain = true;
  }

  trace(message) {
    this.write(0, message);
  }

  debug(message) {
    this.write(1, message);
  }

  info(message) {
    this.write(2, message);
  }

  warn(message) {
    this.write(3, message);
  }

  error(message) {
    this.write(4, message);
  }

  critical(message) {
    this.write(5, message);
  }

  write(level, message) {
    if (level < this.level) return;
    const date = new Date().toISOString().replace('T', ' ').replace('Z', '');
    fs.writeSync(this.file, this.isPlain ? message : `${date} [${NAMES[level]}] ${message}\n`);
  }

  flush() {}

  drop() {}
}

const createLogger = async (_name, file) => new Logger(file);

exports.createRotatingLogger = createLogger;
exports.createAsyncRotatingLogger = createLogger;
exports.setFlushOn = () => {};
exports.setLevel = () => {};
