import type { TokenKind } from './kinds.ts';

/** Rows of the table in docs/reference/tokens.md: kinds to which the same happens are one row. */
export function tableOf(kinds: readonly TokenKind[]): string[] {
  const rows = new Map<string, string[]>();
  for (const kind of kinds) {
    const { deposit, payment, withdrawal, warnings = [], seen, refused } = kind;
    const warned = warnings.map((code) => `\`${code}\``).join(', ') || '–';
    const cells = [
      refused ? `${warned}; fails: ${refused}` : warned,
      kind.approval ? `${deposit}; allowance: ${kind.approval}` : deposit,
      payment,
      kind.short ? `${withdrawal}; audit finds less` : withdrawal,
    ];
    const name = seen ? `${kind.name} (${seen})` : kind.name;
    const key = cells.join(' | ');
    rows.set(key, [...(rows.get(key) ?? []), name]);
  }
  return [...rows].map(([cells, names]) => `| ${names.join('<br>')} | ${cells} |`);
}
