import { expect, it } from 'vitest';
import { rpcTraits, traitNames } from '../support/rpc-traits/index.ts';
import type { Trait } from '../support/rpc-traits/trait.ts';

const HEAD = `# Traits of RPCs

How RPCs differ from what they should do, as reported in public. [Tests](../../test/support/rpc-traits) of settlement
and verification play each over a real chain, and the simulators play random combinations. With a trait, settlement
*goes on*, or it *waits*: nothing false is settled or final, and an [alarm](../operate/alarms.md#rpc-away) says why.

| the RPC … | settlement | Tributary | seen in |
| --- | --- | --- | --- |
`;

/** Text in a cell of a table. */
const cell = (text: string) => text.replaceAll('|', '\\|');

function link(issue: string): string {
  const [repository = '', number = ''] = issue.split('#');
  return `[${repository.split('/')[1]}#${number}](https://github.com/${repository}/issues/${number})`;
}

/** A row of traits to which the same rule applies. */
function row(traits: readonly [Trait, ...Trait[]]): string {
  const [{ settles, rule }] = traits;
  const columns = [
    traits.map(({ does, forms }) => `${does} (${Object.keys(forms).join('; ')})`).join('; or '),
    settles ? 'goes on' : 'waits',
    rule,
    [...new Set(traits.flatMap(({ seen }) => seen))].map(link).join(', '),
  ];
  return `| ${columns.map(cell).join(' | ')} |`;
}

it('lists each trait of the table, with what Tributary does', async () => {
  const byRule = new Map<string, [Trait, ...Trait[]]>();
  for (const name of traitNames) {
    const trait: Trait = rpcTraits[name];
    const key = `${trait.rule} ${trait.settles}`;
    const known = byRule.get(key);
    if (known === undefined) byRule.set(key, [trait]);
    else known.push(trait);
  }
  const rows = [...byRule.values()].map(row);
  await expect(`${HEAD}${rows.join('\n')}\n`).toMatchFileSnapshot(
    '../../docs/reference/rpc-traits.md',
  );
});
