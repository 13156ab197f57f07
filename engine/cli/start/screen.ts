import pc from 'picocolors';
import type { Stack } from './stack.ts';

/** What the last screen of `start` shows of the API's status. */
interface StatusFigures {
  readonly chain: { readonly number: string } | null;
  readonly settled: { readonly number: string } | null;
  readonly counts: { readonly campaigns: number; readonly nodes: number; readonly sales: number };
  readonly discrepancies: { readonly count: number };
  readonly alarms: readonly string[];
}

/** The short screen that `start` ends in: where things are, how far it is, what to try. */
export function screenOf(
  { apiUrl, chain, sample }: Stack,
  status: StatusFigures,
  saleId: string | undefined,
): string {
  const { counts, discrepancies } = status;
  const sale = saleId ?? '1';
  const told = discrepancies.count === 0 ? pc.green('0') : pc.red(String(discrepancies.count));
  const lines = [
    '',
    pc.bold('  Tributary runs.') +
      (sample ? pc.dim('  A sample history is on a local chain.') : ''),
    '',
    `  site           ${pc.cyan(`${apiUrl}/`)}`,
    `  a receipt      ${pc.cyan(receiptUrl(apiUrl, chain, sample, sale))}`,
    `  API            ${pc.cyan(apiUrl)}`,
    `  reference      ${pc.cyan(`${apiUrl}/docs`)}`,
    `  status         ${pc.cyan(`${apiUrl}/v1/system/status`)}`,
    ...(sample ? [`  chain RPC      ${pc.cyan(chain.rpcUrls[0] ?? '')}`] : []),
    `  contract       ${chain.contractAddress} on chain ${chain.chainId}`,
    `  head           block ${status.chain?.number ?? '?'}, settled ${status.settled?.number ?? '?'}`,
    `  campaigns      ${counts.campaigns}`,
    `  nodes          ${counts.nodes}`,
    `  sales settled  ${counts.sales}`,
    `  discrepancies  ${told}`,
    '',
    '  Try, in another terminal:',
    `    curl ${apiUrl}/v1/receipts/${chain.chainId}/${sale}`,
    `    npx tributary verify ${chain.chainId} ${sale}`,
    '',
    pc.dim('  Ctrl-C stops all of it; the next start goes on from here.'),
  ];
  return [...lines, ...status.alarms.map((alarm) => pc.red(`  ${alarm}`)), ''].join('\n');
}

/** The page of a receipt; behind `#`, which browsers send nobody, the local RPC to verify it by. */
function receiptUrl(
  apiUrl: string,
  chain: Stack['chain'],
  sample: boolean,
  saleId: string,
): string {
  const page = `${apiUrl}/receipts/${chain.chainId}/${saleId}`;
  return sample ? `${page}#rpc=${chain.rpcUrls[0] ?? ''}` : page;
}
