import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { knownChains, pollingIntervalOf } from '../../engine/core/known-chains.ts';

const page = (path: string) =>
  readFileSync(new URL(`../../docs/reference/${path}`, import.meta.url), 'utf8');
const thousands = (count: number) => count.toLocaleString('en');

/** Gas of `buy` with five levels, which `gas.test.ts` compares with the measured one. */
const [, gasOfBuy = ''] = /\| `buy`, 5 levels \| ([\d,]+) \|/.exec(page('protocol.md')) ?? [];
const gas = Number(gasOfBuy.replaceAll(',', ''));

it('lists each known network with its presets and with the sales that fit into its blocks', () => {
  const rows = knownChains.map((chain) => {
    const sales = chain.gasLimit && Math.floor(chain.gasLimit / gas);
    return [
      `| ${chain.name}`,
      chain.chainId,
      thousands(chain.blockMs),
      chain.gasLimit ? thousands(chain.gasLimit) : '–',
      sales ? thousands(sales) : '–',
      sales ? thousands(Math.floor((sales * 1_000) / chain.blockMs)) : '–',
      thousands(pollingIntervalOf(chain.blockMs)),
      chain.confirmations,
      chain.finalized,
      chain.header,
    ].join(' | ');
  });
  const table = page('networks.md').match(/^\| .* \| \d+ \| .*$/gm) ?? [];
  // How the formats were tested follows: what was done, not what the code says.
  expect(table.map((row, i) => row.slice(0, rows[i]?.length))).toEqual(rows);
});
