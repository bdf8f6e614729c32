/** Where coding agents cut a file, by what the server reports of it. */

/** A diagnostic, as far as it counts here. */
export interface Reported {
  source?: string | undefined;
  code?: string | number | { value: string | number } | undefined;
  message: string;
  range: { start: { line: number } };
}

/** What to say at each line at which somebody stops, one sentence for each; lines count from 0. */
export function cuts(reported: readonly Reported[]): Map<number, string[]> {
  const found = new Map<number, string[]>();
  for (const { source, code, message, range } of reported) {
    const rule = typeof code === 'object' ? code.value : code;
    if (source !== 'promptls' || rule !== 'cut') continue;
    // The limit and what raises it follow in the hover, and the line is this one.
    const [first = message] = message.split(': ', 1);
    const says = first.replace(/, from line [\d,]+ on$/, '');
    found.set(range.start.line, [...(found.get(range.start.line) ?? []), says]);
  }
  return found;
}
