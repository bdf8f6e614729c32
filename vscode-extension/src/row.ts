/** A row of the view “Effective Prompt”, as the editor and screen readers need it. */
import type { Candidate, How, Range, Size } from './protocol';

export type State = Candidate['outcome'] | 'elided';

/** A place in a file. */
export interface Place {
  path: string;
  range?: Range | null;
}

/** What a row is about, if it is not a part of the prompt. */
export type Group =
  | 'session'
  | 'question'
  | 'start'
  | 'read'
  | 'message'
  | 'own'
  | 'notLoaded'
  | 'missing'
  | Exclude<Size['kind'], 'harness'>;

export interface Row {
  /** The same for the same part of the prompt, whatever its text is. */
  id: string;
  label: string;
  /** Shown after the label, less prominent. */
  description: string;
  /** The subject of the row: its icon, unless its state is one to heed. */
  group?: Group;
  /** What became of the part of the prompt or of the file. */
  state?: State;
  /** Paragraphs of plain text. */
  tooltip: string[];
  /** The whole row for screen readers. */
  spoken: string;
  /** The command of a click, where it goes to no place. */
  command?: { id: string; argument?: unknown };
  /** The command that finds out what is not known of it. */
  how?: How;
  /** Where a click goes. */
  place?: Place;
  /** The file that the row is about. */
  file?: string;
  expanded: boolean;
  rows: Row[];
}

/** What may be omitted from a row, and what is derived from the rest. `said`: how its description is read out. */
export type Parts = Partial<Row> & Pick<Row, 'id' | 'label'> & { said?: string };

export function row({ said, ...parts }: Parts): Row {
  const { label, description = '', tooltip = [], state } = parts;
  const heard = said ?? description;
  // A state that the description already states is not repeated.
  const named = state !== undefined && heard.startsWith(state) ? '' : state;
  const spoken = [label, named, heard, ...tooltip]
    .filter(Boolean)
    .join(', ')
    .replaceAll('~', 'about ')
    .replace(/ ?[▰▱█-▏]+/gu, '');
  return { description, spoken, expanded: false, rows: [], ...parts, tooltip };
}
