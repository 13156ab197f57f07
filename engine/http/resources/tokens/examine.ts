import type { z } from 'zod';
import type { TokenWarning } from '../../../contract/shapes/token-warning.ts';
import type { Address } from '../../../core/events.ts';
import type { AppDeps } from '../../deps.ts';
import { strangerCalls } from '../../limits/stranger-code.ts';
import { CHAIN_ANSWER_MS, withTimeout } from '../../limits/with-timeout.ts';
import { METADATA_BOUNDS, readMetadata } from './metadata.ts';
import { probeTransfers, type Report, readCode } from './probe.ts';
import { warningsOf } from './warnings.ts';

/** Gas of all that the probe does together: it calls the token some thirty times. */
const PROBE_GAS = 25_000_000;

/** A token, and how its merchant will use it. */
export interface ExaminedToken {
  readonly token: Address;
  /** Account whose tokens are moved to try it; nothing of it remains. */
  readonly holder: Address;
  /** Base units to try with, if the account has as much. */
  readonly amount: bigint;
}

/**
 * Asks the chain what a token will do to a campaign (docs/reference/tokens.md). What the chain does not answer in
 * time is a warning of its own. It calls the chain: use it outside of `readLedger`, which holds a connection.
 */
export async function examineToken(
  deps: Pick<AppDeps, 'client' | 'strangersClient' | 'deployment'>,
  { token, holder, amount }: ExaminedToken,
): Promise<z.infer<typeof TokenWarning>[]> {
  const bounds = { deadlineMs: CHAIN_ANSWER_MS, maxRequests: 7 };
  const { client: reader } = strangerCalls(deps, METADATA_BOUNDS);
  const { client } = strangerCalls(deps, { ...bounds, maxGas: PROBE_GAS });
  const probe = async (): Promise<Report> => {
    const report = await probeTransfers(client, { token, holder, amount });
    if (report.incoming.amount > 0n) return report;
    // The contract has some if another campaign uses the token.
    return await probeTransfers(client, { token, holder: deps.deployment.contractAddress, amount });
  };
  const [metadata, code, report] = await Promise.all([
    orNull(readMetadata(reader, token)),
    orNull(readCode(client, token)),
    orNull(probe()),
  ]);
  return warningsOf({ metadata, code, report });
}

async function orNull<T>(work: Promise<T>): Promise<T | null> {
  return await withTimeout(work, CHAIN_ANSWER_MS).catch(() => null);
}
