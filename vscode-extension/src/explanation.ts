/** The answer of `prompt/explain` as Markdown. */
import type { Explanation, ExplainResult, Use } from './protocol';
import { count, relative } from './words';

/** `folder`, if known, is the one that paths are written relative to. */
export function explanationText({ path, harnesses }: ExplainResult, folder = ''): string {
  const here = harnesses.filter(({ found }) => found);
  const elsewhere = harnesses.filter(({ found }) => !found);
  const lines = [
    `# Who loads ${relative(path, folder)}`,
    ...here.flatMap((each) => section(each, folder)),
    ...(elsewhere.length > 0 ? ['', '---', '', 'This workspace is not set up for these:'] : []),
    ...elsewhere.flatMap((each) => section(each, folder)),
  ];
  return lines.join('\n') + '\n';
}

function section(explanation: Explanation, folder: string): string[] {
  const { name, version, verified } = explanation.harness;
  const title = `## ${name} ${version}${verified ? '' : ' (not verified)'}`;
  const { loaded, outcome, why, other } = explanation;
  if (loaded.length > 0) return ['', title, ...loaded.flatMap((use) => useLines(use, folder))];
  const by = other ? ` See ${code(relative(other, folder))}.` : '';
  return ['', title, '', `**Not loaded** (${outcome}): ${relative(why, folder)}.${by}`];
}

function useLines({ cwd, at, role, layer, why, invalidates }: Use, folder: string): string[] {
  const when = at === 'start' ? 'at start' : 'when a file beside or below it is read';
  const where = cwd === folder ? 'the workspace folder' : code(relative(cwd, folder));
  const { tokens, of } = invalidates;
  return [
    '',
    `**Loaded** ${when}, as ${role} (${layer}), if started in ${where}: ${relative(why, folder)}.`,
    '',
    `A change of it makes ${count(tokens)} of ${count(of)} tokens of a cached prompt new.`,
  ];
}

/** As code, whatever the name of the file is. */
function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/gu)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return longest > 0 ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`;
}
