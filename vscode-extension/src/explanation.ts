/** The answer of `prompt/explain` as Markdown. */
import { typed } from './how';
import type { Explanation, ExplainResult, Use, Verdict } from './protocol';
import { AT_LEAST, count, relative } from './words';

/** Outcomes of a file that is read but whose text, as far as known, is in no prompt. */
const READ = ['unshown', 'loaded', 'cut'];

/** Paths are written relative to `folder`, if it is known. */
export function explanationText({ path, verdicts, harnesses }: ExplainResult, folder = ''): string {
  const here = harnesses.filter(({ found }) => found);
  const elsewhere = harnesses.filter(({ found }) => !found);
  const lines = [
    `# Who loads ${relative(path, folder)}`,
    // One line for each program of the reader's comes first.
    ...verdicts.flatMap((each) => ['', verdictText(each, folder)]),
    ...here.flatMap((each) => section(each, folder)),
    ...(elsewhere.length > 0 ? ['', '---', '', 'Not configured in this workspace:'] : []),
    ...elsewhere.flatMap((each) => section(each, folder)),
    ...waysText(harnesses),
  ];
  return lines.join('\n') + '\n';
}

function verdictText({ harnesses, says }: Verdict, folder: string): string {
  return `**${harnesses.join(', ')}**: ${relative(says, folder)}`;
}

function section(explanation: Explanation, folder: string): string[] {
  const { name, version, verified } = explanation.harness;
  const title = `## ${name} ${version}${verified ? '' : ' (not verified)'}`;
  const { loaded, outcome, why, other } = explanation;
  if (loaded.length > 0) return ['', title, ...loaded.flatMap((use) => useLines(use, folder))];
  const by = other ? ` See ${code(relative(other, folder))}.` : '';
  if (READ.includes(outcome)) return ['', title, '', `**Read**: ${relative(why, folder)}.`];
  return ['', title, '', `**Not loaded** (${outcome}): ${relative(why, folder)}.${by}`];
}

/** They come last: long commands between the answers would hide these. */
function waysText(harnesses: Explanation[]): string[] {
  const ways = harnesses.filter(({ loaded }) => loaded.length > 0);
  const rows = ways.flatMap(({ harness, how = [] }) =>
    how.map((each) => `- ${harness.name}: ${code(typed(each))}`),
  );
  return rows.length > 0 ? ['', '## The rest of these prompts', '', 'To know it:', '', ...rows] : [];
}

function useLines(use: Use, folder: string): string[] {
  const { cwd, role, layer, why, by, invalidates } = use;
  const where = cwd === folder ? 'the workspace folder' : code(relative(cwd, folder));
  const named = by ? `, ${relative(by, folder)}` : '';
  const { tokens, of, at_least: atLeast } = invalidates;
  const [part, whole] = [tokens, of].map((size) => (atLeast ? AT_LEAST : '') + count(size));
  const how = `${whenText(use)}, as ${layer} in the ${role} message${named}`;
  return [
    '',
    `**Loaded** ${how}, if started in ${where}: ${relative(why, folder)}.`,
    '',
    `Changing it invalidates ${part} of ${whole} tokens of a cached prompt.`,
  ];
}

function whenText({ at, scope }: Use): string {
  if (scope) return at === 'start' ? `for ${code(scope)}` : `when a file that ${code(scope)} matches is read`;
  return at === 'start' ? 'at start' : 'when a file next to or below it is read';
}

/** As code, whatever the file's name is. */
function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/gu)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return longest > 0 ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`;
}
