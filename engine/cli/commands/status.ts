import type { MethodOf, OutputOf } from '../../contract/types.ts';
import { countOf } from '../../core/count-of.ts';
import type { Env } from '../../env.ts';
import { apiUrlOf, askApi } from '../api-client.ts';
import { exitCodes } from '../exit-codes.ts';
import { out, style } from '../output.ts';

type Status = OutputOf<MethodOf<'system.status'>>;
type ReadReplica = NonNullable<Status['replicas']>[number];

/** Runs `tributary status`: exits 1 if something needs attention. */
export async function runStatus(
  env: Env,
  options: { readonly url?: string; readonly json?: boolean },
): Promise<void> {
  const url = await apiUrlOf(env, options.url);
  const { data: status } = await askApi(url, (client) => client.system.status({}));
  if (status.status === 'attention') process.exitCode = exitCodes.failed;
  if (options.json === true) {
    out.json(status);
    return;
  }
  const { lag, queue } = status;
  const rows = [
    ['API', url],
    ['version', status.version],
    ['chain', `${status.deployment.chainId}, contract ${status.deployment.contractAddress}`],
    ['head', blockOf(status.chain)],
    ['indexed', `${status.indexed?.number ?? '–'}${lagText(lag.indexer)}`],
    ['settled', `${blockOf(status.settled)}${lagText(lag.total)}`],
    ['finalized', status.finalized ?? '–'],
    ['campaigns', String(status.counts.campaigns)],
    ['nodes', String(status.counts.nodes)],
    ['sales', String(status.counts.sales)],
    ['queue', queue === null ? 'not responding' : queueOf(queue)],
    ['discrepancies', count(status.discrepancies.count)],
    ['stopped campaigns', count(status.stopped.length)],
    ['last backup', backupOf(status.lastBackupAt)],
    // An API of an earlier version sends none.
    ...(status.rpcs ?? []).map(rpcOf),
    ...(status.replicas ?? []).map(({ name, ...state }) => [`replica ${name}`, replicaOf(state)]),
  ];
  out.table(rows);
  for (const alarm of status.alarms) out.print(style.red(alarm));
  if (status.chainSilentSince) {
    out.print(style.yellow(`The RPC has not responded since ${status.chainSilentSince}.`));
  }
}

function backupOf(at: string | null): string {
  if (at === null) return 'none';
  const hours = Math.floor((Date.now() - Date.parse(at)) / 3_600_000);
  return hours < 1 ? `${at}, less than an hour ago` : `${at}, ${hours} h ago`;
}

function rpcOf({ part, place, state }: Status['rpcs'][number]): [string, string] {
  return [`RPC ${place} of the ${part}`, state === 'ok' ? state : style.yellow(state)];
}

function replicaOf({ state, lagBlocks }: Omit<ReadReplica, 'name'>): string {
  const lag = lagBlocks ? `, ${countOf(lagBlocks, 'block')} behind` : '';
  return state === 'in-use' ? `in use${lag}` : style.yellow(`not used: ${reasons[state]}${lag}`);
}

const reasons: Readonly<Record<Exclude<ReadReplica['state'], 'in-use'>, string>> = {
  behind: 'more than a second behind',
  away: 'it does not respond',
  'no-standby': 'it is no standby',
  'other-database': 'it is no copy of this database',
};

function blockOf(block: { number: string; timestamp: string | null } | null): string {
  if (block === null) return '–';
  return block.timestamp === null ? block.number : `${block.number} (${block.timestamp})`;
}

function lagText(blocks: number | null): string {
  return blocks === null || blocks === 0 ? '' : style.yellow(`, ${blocks} behind the head`);
}

function queueOf(queue: { waiting: number; active: number; delayed: number }): string {
  return `${queue.waiting} waiting, ${queue.active} active, ${queue.delayed} delayed`;
}

function count(n: number): string {
  return n === 0 ? style.green('0') : style.red(String(n));
}
