import { createHash } from 'node:crypto';
import { TransactionError } from '../../../sample/runner.ts';
import { type Cause, causes } from '../../../sample/trigger/causes.ts';
import { type TriggerResult, trigger } from '../../../sample/trigger/trigger.ts';
import { TriggerError } from '../../../sample/trigger/world.ts';
import { LOCAL_CHAIN_ID } from '../../chain/rpc-chain.ts';
import { ApiError } from '../../client/index.ts';
import type { WebhookEventType } from '../../core/webhook-events.ts';
import { webhookMessageOf } from '../../core/webhook-message.ts';
import type { Env } from '../../env.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { out, style } from '../output.ts';
import { type Running, readRunning } from '../running.ts';

export interface TriggerCommandOptions {
  readonly type: string | undefined;
  readonly campaign?: string;
  readonly json?: boolean;
}

/**
 * Runs `tributary trigger`: causes an event by a transaction on the local chain of a running
 * `tributary start`, waits until it is settled, and prints its id. Without a name, lists the names.
 */
export async function runTrigger(env: Env, options: TriggerCommandOptions): Promise<void> {
  if (options.type === undefined) {
    out.print(...Object.keys(causes).sort());
    return;
  }
  const [type, cause] = causeOf(options.type);
  const running = await localDeployment(env);
  const { apiUrl, rpcUrl, chainId, contractAddress } = running;
  const result = await asCommandError(
    trigger({
      ...{ type, cause, apiUrl, rpcUrl, chainId, contractAddress },
      campaignId: options.campaign,
    }),
  );
  print(running, type, result, options.json === true);
}

function causeOf(name: string): [WebhookEventType, Cause] {
  const type = name as WebhookEventType;
  const cause = Object.hasOwn(causes, name) ? causes[type] : undefined;
  if (cause !== undefined) return [type, cause];
  const known = Object.keys(causes).sort().join(', ');
  throw new CommandError(`"${name}" cannot be caused. These can: ${known}.`, exitCodes.usage);
}

/**
 * The deployment that runs here with its own local chain.
 * @throws {CommandError} if none runs, or it is on another chain.
 */
async function localDeployment(env: Env): Promise<Running & { readonly rpcUrl: string }> {
  const running = await readRunning(env);
  if (running === undefined) {
    throw new CommandError(
      'No deployment runs here: `tributary start` runs one with a local chain.',
      exitCodes.unavailable,
    );
  }
  const { rpcUrl, chainId } = running;
  if (rpcUrl === undefined || chainId !== LOCAL_CHAIN_ID) {
    throw new CommandError(
      `This deployment is on chain ${chainId}, which is not a local one of the sample: its events have to be real.`,
    );
  }
  return { ...running, rpcUrl };
}

async function asCommandError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const isExpected = error instanceof TriggerError || error instanceof TransactionError;
    if (isExpected) throw new CommandError(error.message);
    if (!(error instanceof ApiError)) throw error;
    const code = error.status === 0 ? exitCodes.unavailable : exitCodes.failed;
    throw new CommandError(error.message, code);
  }
}

function print(
  { chainId, contractAddress, apiUrl: publicUrl }: Running,
  type: WebhookEventType,
  { transactions, event, subjectId }: TriggerResult,
  json: boolean,
): void {
  const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
  const { data } = webhookMessageOf(
    sha256,
    { chainId, contractAddress, publicUrl },
    event,
    'pending',
  );
  const { campaignId, saleId, links } = data;
  const eventId = subjectId === null ? data.eventId : null;
  if (json) {
    const ids = { type, eventId, subjectId, campaignId, saleId };
    out.json({ ...ids, links, transactions });
    return;
  }
  for (const { hash, what } of transactions) out.print(`${style.dim(hash)}  ${what}`);
  const subject = `campaign ${campaignId}${saleId === null ? '' : `, sale ${saleId}`}`;
  const block = `settled in block ${event.blockNumber}`;
  out.print(`${style.bold(type)}  ${eventId ?? subjectId}  ${subject}, ${block}`);
  if (links.self !== null) out.print(style.cyan(links.self));
}
