/** What is said of a preview that was held against the installed program. Nothing here knows the editor. */
import type { Learned, PreviewResult, VerifyResult } from './protocol';
import { percentText, relative, sizeText } from './words';

/** `verified here on 2026-11-22`; empty if that is not known of this prompt. */
export function hereText({
  verified_here: here,
  learned,
}: Pick<PreviewResult, 'verified_here' | 'learned'>): string {
  if (!here) return learned ? learnedText(learned) : '';
  const unknown = here.unknown ? `, apart from ${parts(here.unknown)} unknown` : '';
  return `verified here on ${here.date}${unknown}${here.all ? '' : ', without what the folder or you let it run'}`;
}

/** `learned here on 2026-11-23: 131 of 131 rules hold` */
function learnedText({ date, holds: holding, rules, whole, sessions, planned }: Learned): string {
  const by = whole ? '' : `, by ${sessions} of ${planned} sessions`;
  return `learned here on ${date}: ${holding} of ${rules} rules hold${by}`;
}

/** What a prompt is, in one line: `codex 0.169.0 · ~7,103+ tokens · 0.4% of the window · not verified`. */
export function summaryText(
  result: Pick<PreviewResult, 'harness' | 'totals' | 'verified_here' | 'learned'>,
): string {
  const { harness, totals } = result;
  const here = hereText(result);
  const percent = percentText(totals);
  return [
    `${harness.name} ${harness.version}`,
    `${sizeText(result)} tokens`,
    ...(percent ? [`${percent} of the window`] : []),
    ...(here ? [here] : harness.verified ? [] : ['not verified']),
  ].join(' · ');
}

/** The program sent what was expected; what was not compared is said. */
export function holds(result: VerifyResult, name: string): string {
  const without = result.all ? '' : ' What the folder or you let it run was left out.';
  const messages = `${result.messages.length} ${result.messages.length === 1 ? 'message' : 'messages'}`;
  const known = result.tools && !result.unknown.some((each) => each.startsWith('its tools ('));
  const tools = known
    ? `, and ${result.tools?.sent ?? 0} ${result.tools?.sent === 1 ? 'tool' : 'tools'}`
    : '';
  return [
    `${program(result)} sends what the preview of ${name} shows.`,
    `Compared: ${messages}, their order, roles, texts and sizes${tools}.${without}`,
    ...(result.printed ? ['It was run without its screen, whose own parts were not compared.'] : []),
    ...listed('The preview does not know', result.unknown, result.cwd),
    ...listed('Not fixed by the program', result.not_fixed, result.cwd),
    ...listed('Because an MCP server did not start', result.of_servers, result.cwd),
  ].join(' ');
}

function listed(title: string, what: string[], cwd: string): string[] {
  return what.length ? [`${title}: ${what.map((each) => relative(each, cwd)).join('; ')}.`] : [];
}

function parts(count: number): string {
  return count === 1 ? '1 part' : `${count} parts`;
}

/** It did not: the first difference, and the rule that the preview goes by. */
export function differs(result: VerifyResult, name: string): string {
  const { differences, cwd, harness } = result;
  const [first] = differences;
  const count = differences.length === 1 ? '' : ` ${differences.length} differences, the first:`;
  const rule = first?.rule ? ` Expected because ${relative(first.rule, cwd)}.` : '';
  const says = first === undefined ? '' : ` ${sentence(relative(first.says, cwd))}.`;
  const known = result.program.version;
  const other = known === harness.version ? '' : ` The preview is that of ${harness.version}.`;
  return `${program(result)} does not send what the preview of ${name} shows.${other}${count}${says}${rule}`;
}

/** The title of the diff editor. */
export function titleOf(result: VerifyResult, name: string): string {
  return `${name} · promptls: expected ↔ captured from ${program(result)}`;
}

function program({ harness, program }: VerifyResult): string {
  return `${harness.name} ${program.version}`;
}

/** With a capital letter, unless it begins with the name of a file. */
function sentence(text: string): string {
  const [word = ''] = text.split(' ');
  return /[./]/.test(word) ? text : text.slice(0, 1).toUpperCase() + text.slice(1);
}
