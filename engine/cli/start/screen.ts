import { style } from '../output.ts';
import type { Stack } from './stack.ts';

/** Fields of the API's status that the last screen of `start` shows. */
interface ScreenStatus {
  readonly chain: { readonly number: string } | null;
  readonly settled: { readonly number: string } | null;
  readonly counts: { readonly campaigns: number; readonly nodes: number; readonly sales: number };
  readonly discrepancies: { readonly count: number };
  readonly alarms: readonly string[];
}

/** Roles that a visitor can try without a wallet, each with its page and with things to do there. */
const roles = [
  ['merchant', '/console', 'answer a refund request, look at orders, publish a campaign'],
  ['partner', '/me', 'claim what links have earned, join another campaign'],
  ['buyer', '/me/purchases', 'buy through a link, ask for the money back'],
] as const;

/** Last screen of `start`: addresses, roles to try, progress, and commands. */
export function screenOf(
  { apiUrl, chain, sample }: Stack,
  status: ScreenStatus,
  saleId: string | undefined,
): string[] {
  const { counts, discrepancies } = status;
  const sale = saleId ?? '1';
  const count =
    discrepancies.count === 0 ? style.green('0') : style.red(String(discrepancies.count));
  const lines = [
    '',
    style.bold('  Tributary is running') +
      style.bold(sample ? ' with sample data on a local chain.' : '.'),
    '',
    `  open           ${style.cyan(`${apiUrl}/`)}`,
    `  a receipt      ${style.cyan(receiptUrl(apiUrl, chain, sample, sale))}`,
    `  API            ${style.cyan(apiUrl)}`,
    `  API reference  ${style.cyan(`${apiUrl}/docs`)}`,
    `  status         ${style.cyan(`${apiUrl}/status`)}`,
    ...(sample ? [`  chain RPC      ${style.cyan(chain.rpcUrls[0] ?? '')}`] : []),
    `  contract       ${chain.contractAddress} on chain ${chain.chainId}`,
    `  settled        block ${status.settled?.number ?? '?'} of ${status.chain?.number ?? '?'}`,
    `  campaigns      ${counts.campaigns}`,
    `  nodes          ${counts.nodes}`,
    `  sales          ${counts.sales}`,
    `  discrepancies  ${count}`,
    '',
    ...(sample ? rolesOf(apiUrl) : []),
    '  Try, in another terminal:',
    `    curl ${apiUrl}/v1/receipts/${chain.chainId}/${sale}`,
    `    npx tributary verify ${chain.chainId} ${sale}`,
    '',
    style.dim('  Ctrl-C stops everything; the next start continues from here.'),
  ];
  return [...lines, ...status.alarms.map((alarm) => style.red(`  ${alarm}`)), ''];
}

/** Where each role begins: `Try as …` is on that page. */
function rolesOf(apiUrl: string): string[] {
  return [
    style.bold('  Try it without a wallet, with test money:'),
    ...roles.flatMap(([role, path, things]) => [
      `    as ${role.padEnd(9)}  ${style.cyan(`${apiUrl}${path}`)}`,
      style.dim(`                  ${things}`),
    ]),
    '',
  ];
}

/** URL of a receipt's page, with the local RPC to verify it in the fragment, which is never sent. */
function receiptUrl(
  apiUrl: string,
  chain: Stack['chain'],
  sample: boolean,
  saleId: string,
): string {
  const page = `${apiUrl}/receipts/${chain.chainId}/${saleId}`;
  return sample ? `${page}#rpc=${chain.rpcUrls[0] ?? ''}` : page;
}
