/** The rows of the view for a prompt: the session that it is of, and then what is in it. */
import { typed } from './how';
import { ownRows } from './own';
import { titleOf } from './parts';
import type { PreviewResult } from './protocol';
import { row, type Row } from './row';
import { wireRows } from './rows';
import { hereText } from './verified';
import { percentText, relative, sizeText } from './words';

/** The order of the rows: what is the reader's first, or as the program sends it. */
export type Order = 'own' | 'wire';

/** The rows of the prompt of the file called `name`. */
export function promptRows(result: PreviewResult, name: string, order: Order): Row[] {
  return [sessionRow(result, name), ...(order === 'own' ? ownRows(result) : wireRows(result))];
}

/** Whose prompt it is. It is a row, so that it never names another program than the rows below it are of. */
function sessionRow(result: PreviewResult, name: string): Row {
  const { harness, totals, session } = result;
  const percent = percentText(totals);
  const here = hereText(result);
  const parts = [
    `${sizeText(result)} tokens`,
    ...(percent ? [`${percent} of the window`] : []),
    ...(here ? [here] : harness.verified ? [] : ['not verified']),
  ];
  return row({
    id: 'session',
    label: `${titleOf(result)} ${harness.version}`,
    description: [name, ...parts].join(' · '),
    tooltip: [
      `Started in ${session.cwd}`,
      ...(session.reads.length > 0
        ? [`Then it reads ${session.reads.map((each) => relative(each, session.cwd)).join(', ')}`]
        : []),
      ...(session.model ? [`Model: ${session.model}`] : []),
      ...(session.agent ? [`Agent: ${session.agent}`] : []),
      ...(result.how ? [`To know what this version does otherwise: ${typed(result.how)}`] : []),
      'Click to choose another coding agent.',
    ],
    group: 'session',
    ...(result.how && { how: result.how }),
    command: { id: 'promptls.selectHarness' },
  });
}
