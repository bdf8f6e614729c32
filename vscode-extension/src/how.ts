/** What a preview does not know, and the commands that find it out. Nothing here knows the editor. */
import type { How, PreviewResult } from './protocol';

/** A command, and the parts of the prompt that it finds out. */
export interface Unknown {
  how: How;
  names: string[];
}

const SAYS: Record<How['kind'], string> = {
  capture:
    'It starts the installed program without a network, with a dummy key and a scratch home, and keeps its own texts on this machine.',
  servers: 'It shows each MCP server that is configured, and starts those that you say yes to.',
  hooks:
    'It starts the installed program with this folder, and lets the MCP servers, hooks and plugins run that are configured.',
  fetch: 'It asks the URLs that the program would ask.',
  probe:
    'It starts the installed program without a network, with a dummy key and an empty home, on a copy of this folder.',
  learn:
    'It starts the installed program without a network, on folders of its own making, and keeps what this version does otherwise on this machine.',
};

/** What is not known of a prompt: each command once; first what its version does, where another one is shown. */
export function unknownsOf({ how: learning, messages, tools }: PreviewResult): Unknown[] {
  const found = new Map<string, Unknown>();
  const add = (name: string, how: How | null | undefined): void => {
    if (!how) return;
    const known = found.get(typed(how));
    if (known === undefined) found.set(typed(how), { how, names: [name] });
    else if (!known.names.includes(name)) known.names.push(name);
  };
  add('the installed version', learning);
  for (const { segments } of messages) for (const { title, how } of segments) add(title, how);
  for (const { name, how } of tools ?? []) add(name, how);
  return [...found.values()];
}

/** What a command does, for who has to say yes to it. */
export function saysOf({ kind }: How): string {
  return SAYS[kind];
}

/** The command as people type it in a shell. */
export function typed({ command }: How): string {
  return command.map(quoted).join(' ');
}

function quoted(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'"'"'`)}'`;
}

/** Whether an argument of a command of the editor, which anything may pass, is such a command. */
export function isHow(argument: unknown): argument is How {
  const { kind, command } = (argument ?? {}) as Partial<How>;
  return (
    typeof kind === 'string' &&
    kind in SAYS &&
    Array.isArray(command) &&
    command[0] === 'promptls' &&
    command.every((each) => typeof each === 'string')
  );
}

/** The program and arguments that run a command as the server is run, which need not be on the search path. */
export function startOf(
  { command }: How,
  server: { command: string; args: string[] } | undefined,
): [program: string, args: string[]] {
  const [program = 'promptls', ...args] = command;
  const at = server?.args.lastIndexOf('serve') ?? -1;
  return server === undefined || at < 0
    ? [program, args]
    : [server.command, [...server.args.slice(0, at), ...args]];
}
