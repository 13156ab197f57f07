import type { z } from 'zod';
import { revertData } from '../../../chain/errors.ts';
import { revertName } from '../../../chain/revert-name.ts';
import type { UnsignedTransaction } from '../../../contract/shapes/transaction.ts';
import type { Address } from '../../../core/events.ts';
import type { AppDeps } from '../../deps.ts';
import { strangerCalls } from '../../limits/stranger-code.ts';
import { withTimeout } from '../../limits/with-timeout.ts';
import type { PlannedCall } from './planned-call.ts';

type Simulation = z.infer<typeof UnsignedTransaction>['simulation'];

/** Milliseconds that a simulation may take. */
const SIMULATION_MS = 5_000;

/** Gas that a simulated transaction may use: the limit of a block on most chains. */
const SIMULATION_GAS = 30_000_000;

/** The answer `false`, ABI-encoded. */
const FALSE = /^0x0{64}$/;

const UNAVAILABLE: Simulation = { status: 'unavailable', error: null, gas: null };

/** Simulates a call from an account at the newest block. */
export async function simulate(
  deps: Pick<AppDeps, 'client' | 'strangersClient'>,
  from: Address,
  { to, data, abi, waits, mayDeny }: PlannedCall,
): Promise<Simulation> {
  if (waits) return UNAVAILABLE;
  // Our contract calls the campaign's token, which is a stranger's code.
  const { client } = strangerCalls(deps, {
    deadlineMs: SIMULATION_MS,
    maxRequests: 4,
    maxGas: SIMULATION_GAS,
  });
  const request = { account: from, to, data };
  const responses = Promise.all([client.call(request), client.estimateGas(request)]);
  try {
    const [{ data: answer = '0x' }, gas] = await withTimeout(responses, SIMULATION_MS);
    if (mayDeny && FALSE.test(answer))
      return { status: 'revert', error: 'returned false', gas: null };
    return { status: 'success', error: null, gas: gas.toString() };
  } catch (error) {
    const data = revertData(error);
    if (data === undefined) return UNAVAILABLE;
    return { status: 'revert', error: revertName(abi, data), gas: null };
  }
}
