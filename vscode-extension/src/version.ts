/** The oldest server this extension can talk to. */
export const MINIMUM_VERSION = '0.1.0';

/**
 * Why the server's version will not do, as one sentence; undefined where it will.
 * A pre-release (`0.2.0rc1`, `0.2.0.dev3`) counts as its release.
 */
export function versionProblem(version: string | undefined, minimum = MINIMUM_VERSION): string | undefined {
  const actual = numbers(version ?? '');
  if (actual === undefined) {
    return `The server does not report its version: install promptls ${minimum} or newer.`;
  }
  if (compare(actual, numbers(minimum) ?? []) >= 0) return undefined;
  return `promptls ${version} is too old for this extension: install promptls ${minimum} or newer.`;
}

function numbers(version: string): number[] | undefined {
  const release = /^v?(\d+(?:\.\d+)*)/.exec(version)?.[1];
  return release?.split('.').map(Number);
}

function compare(a: number[], b: number[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
